package check

import (
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// modelHost: a base_url that the model or the visitor has a say in. It is an
// error where a credential would travel there.
func modelHost(r *run, t *tool.Tool) {
	if t.HTTP == nil || t.HTTP.BaseURL.Template == nil {
		return
	}
	credential := ""
	for _, text := range t.Templates() {
		if text.Template == t.HTTP.BaseURL.Template {
			continue
		}
		for _, ref := range text.Refs() {
			if credential == "" && isCredential(ref) {
				credential = "$" + ref.String()
			}
		}
	}
	for _, parts := range t.HTTP.BaseURL.Alternatives() {
		r.modelHost(t, parts, credential)
	}
}

// modelHost looks at one alternative of a base_url.
func (r *run) modelHost(t *tool.Tool, parts []placeholder.Part, credential string) {
	host := hostParts(parts)
	if credential == "" {
		credential = leaked(parts, host)
	}
	for i, p := range parts {
		if p.Ref == nil || !chosenOutside(*p.Ref) {
			continue
		}
		at, who := t.HTTP.BaseURL.Span(*p.Ref), "$"+p.Ref.String()
		switch {
		case i >= host:
			r.add(diag.Warningf(at, "model-host", "%q takes part in the address of the service", who).
				WithHint("move it to request.path, where it stays one segment"))
		case credential != "":
			r.add(diag.Errorf(at, "model-host", "%q decides where the call goes, and %q would travel there", who, credential).
				WithHint("name the host in the file or in a secret"))
		default:
			r.add(diag.Warningf(at, "model-host", "%q decides where the call goes: a conversation could name any host", who).
				WithHint("name the host in the file or in a secret"))
		}
	}
}

func isCredential(ref placeholder.Ref) bool {
	return ref.Source == placeholder.Env || ref.Source == placeholder.Auth && ref.Path[0] == "token"
}

// hostParts returns how many pieces from the start can have a say in the host:
// up to the first / that follows the scheme.
func hostParts(parts []placeholder.Part) int {
	for i, p := range parts {
		text := p.Text
		if p.Ref != nil {
			continue
		}
		if i == 0 {
			if _, rest, found := strings.Cut(text, "://"); found {
				text = rest
			}
		}
		if strings.Contains(text, "/") {
			return i
		}
	}
	return len(parts)
}

// leaked returns a credential in a base_url that goes to the host that others
// choose. One that names the host, or the end of it, is an address.
func leaked(parts []placeholder.Part, host int) string {
	for i, p := range parts {
		if p.Ref == nil || !isCredential(*p.Ref) {
			continue
		}
		address := i < host && (i == 0 || !slices.ContainsFunc(parts[i:host], func(later placeholder.Part) bool {
			return later.Ref != nil && chosenOutside(*later.Ref)
		}))
		if !address {
			return "$" + p.Ref.String()
		}
	}
	return ""
}

// chosenOutside reports whether somebody outside the business has a say in a value.
func chosenOutside(ref placeholder.Ref) bool {
	switch ref.Source {
	case placeholder.Params, placeholder.Contact:
		return true
	case placeholder.Auth:
		return ref.Path[0] == "claims"
	}
	return false
}
