package check

import (
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// header: a name that is no HTTP token, one that the client sets itself or
// that belongs to one connection only, one name twice, or a value that would
// break out of its line.
func header(r *run, t *tool.Tool) {
	if t.HTTP == nil {
		return
	}
	seen := map[string]*syntax.Node{}
	for _, f := range t.HTTP.Headers {
		lower := strings.ToLower(f.Name)
		if message := headerName(f.Name); message != "" && !holdsPlaceholder(f.Name) {
			r.add(diag.Errorf(f.Key.Span(), "header", "%s", message))
		} else if first, twice := seen[lower]; twice {
			place := first.File().Position(first.Span().Start)
			r.add(diag.Errorf(f.Key.Span(), "header", "the header %q is given twice: line %d has %q", f.Name, place.Line, first.Text))
		}
		seen[lower] = f.Key
		if text, ok := literalText(f.Value); ok && !httpguts.ValidHeaderFieldValue(text) {
			d := diag.Errorf(f.Value.Node.Span(), "header", "the value of the header %q holds %s", f.Name, control(text))
			if strings.HasSuffix(text, "\n") {
				d = d.WithHint("write it on one line, or end a block scalar with |- or >-")
			}
			r.add(d)
		}
	}
}

// control names what a header value cannot hold.
func control(text string) string {
	if strings.ContainsAny(text, "\r\n") {
		return "a line break"
	}
	return "a control character"
}

// holdsPlaceholder reports whether a key is at fault for a placeholder in it.
func holdsPlaceholder(key string) bool {
	if !strings.Contains(key, "$") {
		return false
	}
	template, faults := placeholder.Compile(key)
	return len(faults) == 0 && len(template.Refs()) > 0
}

// literalText joins the literal pieces of a value that is a string.
func literalText(v tool.Value) (string, bool) {
	if v.Text.Template == nil {
		return "", false
	}
	var b strings.Builder
	for _, parts := range v.Text.Alternatives() {
		for _, p := range parts {
			if p.Ref == nil {
				b.WriteString(p.Text)
			}
		}
	}
	return b.String(), true
}

func headerName(name string) string {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return `"` + name + `" is no header name: letters, digits and !#$%&'*+-.^_` + "`" + `|~ are allowed`
	case tool.FramingHeader(name):
		return "the header \"" + name + "\" cannot be set: the connection decides it"
	}
	return ""
}
