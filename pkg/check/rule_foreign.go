package check

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// foreign: a parameter of the tool in the placeholders of another language,
// {name}, {{name}}, ${name}, $name or /:name, which are text here.
func foreign(r *run, t *tool.Tool) {
	if t.HTTP == nil || t.Parameters == nil || t.Unread("parameters") {
		return
	}
	r.foreignIn(t, t.HTTP.Path, true)
	for _, fields := range [...][]tool.Field{t.HTTP.Query, t.HTTP.Headers} {
		r.foreignFields(t, fields)
	}
	if t.HTTP.Body != nil {
		r.foreignValue(t, *t.HTTP.Body)
	}
}

func (r *run) foreignFields(t *tool.Tool, fields []tool.Field) {
	for _, f := range fields {
		r.foreignValue(t, f.Value)
	}
}

func (r *run) foreignValue(t *tool.Tool, v tool.Value) {
	r.foreignIn(t, v.Text, false)
	r.foreignFields(t, v.Fields)
	for _, item := range v.Items {
		r.foreignValue(t, item)
	}
}

func (r *run) foreignIn(t *tool.Tool, text tool.Text, path bool) {
	if text.Template == nil || !strings.ContainsAny(text.Node.Text, "{$:") {
		return
	}
	whole, refs := text.Node.Text, text.Refs()
	for at := 0; at < len(whole); {
		if len(refs) > 0 && at >= refs[0].Start {
			at, refs = max(at, refs[0].End), refs[1:]
			continue
		}
		name, end := foreignName(whole, at, path)
		if name == "" {
			at++
			continue
		}
		ref := placeholder.Ref{Source: placeholder.Params, Path: strings.Split(strings.TrimPrefix(name, "params."), ".")}
		if len(refs) > 0 && end > refs[0].Start || t.Parameters.Names(ref.Path) != jsonschema.Declared {
			at++
			continue
		}
		what := whole[at:end]
		r.add(diag.Warningf(text.Node.SpanOf(at, end), "placeholder", "%q is sent as it stands: a parameter is written with $params", what).
			WithHint("write %q", bareOrBraced(ref, whole[end:])))
		at = end
	}
}

// longestName bounds the names that are looked for, in bytes.
const longestName = 200

// foreignName returns the name in a placeholder of another language that starts
// at an offset, and where it ends.
func foreignName(text string, at int, path bool) (name string, end int) {
	rest := text[at:min(len(text), at+longestName)]
	if at > 0 && text[at-1] == '$' {
		return "", 0 // $$ makes it a text
	}
	for _, form := range [...]struct{ open, end string }{{"{{", "}}"}, {"${", "}"}, {"{", "}"}} {
		if inner, ok := strings.CutPrefix(rest, form.open); ok {
			inner, _, ok = strings.Cut(inner, form.end)
			if name := strings.TrimSpace(inner); ok && isNamePath(name) {
				return name, at + len(form.open) + len(inner) + len(form.end)
			}
		}
	}
	inner := rest[1:]
	switch {
	case rest[0] == '$':
		if i := strings.IndexFunc(inner, func(c rune) bool { return !isNameRune(c) || c == '-' }); i >= 0 {
			inner = inner[:i]
		}
		end = at + 1 + len(inner)
		if strings.HasPrefix(text[end:], ".") && end+1 < len(text) && isNameRune(rune(text[end+1])) {
			return "", 0 // a placeholder with an unknown source
		}
		return inner, end
	case rest[0] == ':' && path && at > 0 && text[at-1] == '/':
		if inner, _, _ = strings.Cut(inner, "/"); isNamePath(inner) && !strings.Contains(inner, ".") {
			return inner, at + 1 + len(inner)
		}
	}
	return "", 0
}

// isNamePath reports whether s is a name, or names joined by dots.
func isNamePath(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.ContainsFunc(part, func(c rune) bool { return !isNameRune(c) }) {
			return false
		}
	}
	return true
}

func isNameRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// bareOrBraced writes a reference for a place where rest follows: in braces where
// its path would not end there.
func bareOrBraced(ref placeholder.Ref, rest string) string {
	bare := write("$", ref)
	template, faults := placeholder.Compile(bare + rest)
	if len(faults) == 0 && len(template.Refs()) > 0 && template.Refs()[0].End == len(bare) {
		return bare
	}
	return "${" + ref.String() + "}"
}
