package executor

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// buildService makes the request of a service tool: the arguments, in the order
// in which they came, posted to where the grant says.
func buildService(t *tool.Tool, v *values) (*request, *failure) {
	grant := v.scope.Grant
	if grant == nil {
		return nil, &failure{keyRequirement, fmt.Sprintf("the service %q is not granted to this agent", t.Service.Name)}
	}
	b, f := grant.base()
	if f != nil {
		return nil, f
	}
	b.path.raw = joinPaths(b.path.raw, appendLiteralPath(nil, t.Service.Path))
	r := &request{
		method:  http.MethodPost,
		url:     b.url(),
		body:    v.arguments.AppendCompact(nil),
		hasBody: true,
		service: true,
	}
	r.newHeader(len(grant.Headers))
	if f := grant.setHeaders(r); f != nil {
		return nil, f
	}
	for _, h := range []Header{
		{"Content-Type", "application/json"},
		{"X-Vessel-Owner", v.scope.Owner},
		{"X-Vessel-Agent", v.scope.Agent},
		{"X-Vessel-Tool", t.Key},
	} {
		// Two callers must not read the same to the service.
		if strings.ContainsFunc(h.Value, unicode.IsControl) {
			return nil, &failure{keyArguments, fmt.Sprintf("the header %q would hold a control character", h.Name)}
		}
		if strings.Trim(h.Value, " ") != h.Value {
			return nil, &failure{keyArguments, fmt.Sprintf("the header %q would lose the white space around its value", h.Name)}
		}
		r.put(h.Name, h.Value)
	}
	return r, nil
}

// serviceOutcome is what a model reads of a service's answer.
func serviceOutcome(t *tool.Tool, a *answer, secrets *redactor, trace *Trace) Outcome {
	o := Outcome{Trace: trace, IsError: a.status/100 != 2}
	if o.IsError {
		o.ErrorKey = statusKey(a.status)
	}
	switch {
	case o.IsError && a.status/100 != 4:
		o.Content = fmt.Sprintf("%s failed (HTTP %d)", t.Key, a.status)
	case len(a.text) == 0:
		o.Content = fmt.Sprintf("[HTTP %d, empty]", a.status)
	default:
		o.Content = serviceText(a, secrets)
	}
	return o
}

// serviceText is the body; the JSON of a success is indented anew.
func serviceText(a *answer, secrets *redactor) string {
	if a.clean {
		secrets = nil
	}
	document, err := jsondoc.Parse(a.text)
	if err != nil {
		return secrets.text(string(a.text))
	}
	text, redacted := secrets.json(a.text)
	switch {
	case a.status/100 != 2 && redacted:
		return string(text)
	case a.status/100 != 2:
		return string(a.text)
	case redacted:
		if document, err = jsondoc.Parse(text); err != nil {
			return redactedMark // not reached: redacted JSON is JSON
		}
	}
	if indentedSize(document.Raw()) > maxContent {
		return string(document.Raw())
	}
	return string(jsondoc.Indent(make([]byte, 0, 2*len(a.text)), document))
}

// indentedSize bounds the length of JSON once it is indented: deep nesting
// makes it quadratic.
func indentedSize(raw []byte) int {
	size, depth := 0, 0
	for i := 0; i < len(raw); i++ {
		size++
		switch raw[i] {
		case '"':
			for i++; raw[i] != '"'; i++ {
				size++
				if raw[i] == '\\' {
					size++
					i++
				}
			}
		case '{', '[':
			depth++
			size += 2*depth + 1
		case '}', ']':
			depth--
			size += 2*depth + 1
		case ',':
			size += 2*depth + 1
		case ':':
			size++
		}
	}
	return size
}
