package check

import (
	"regexp"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

var messageField = regexp.MustCompile(`\{\{.*?\}\}`)

// message: a blank text, an unknown {{…}}, or one that needs respond.data
// where there is none.
func message(r *run, t *tool.Tool) {
	if t.HTTP == nil || t.HTTP.Respond.Message == nil {
		return
	}
	node := t.Root.Get("respond").Get("message")
	if node.Kind == syntax.String {
		r.messageText(t, node)
		return
	}
	for _, key := range []string{"when_empty", "default"} {
		p, ok := node.Pair(key)
		if !ok {
			continue
		}
		if key == "when_empty" && noData(t) {
			r.add(diag.Errorf(p.Key.Span(), "message", `"when_empty" needs respond.data, which says what may be empty`))
		}
		if p.Value.Kind == syntax.String {
			r.messageText(t, p.Value)
		}
	}
}

func noData(t *tool.Tool) bool {
	return !t.HTTP.Respond.HasData && !t.Unread("respond.data")
}

func (r *run) messageText(t *tool.Tool, node *syntax.Node) {
	if strings.TrimSpace(node.Text) == "" {
		r.add(diag.Errorf(node.Span(), "message", "the message is blank: the model would have nothing to say"))
		return
	}
	for _, at := range messageField.FindAllStringIndex(node.Text, -1) {
		field := node.Text[at[0]:at[1]]
		span := node.SpanOf(at[0], at[1])
		switch {
		case field != "{{count}}":
			r.add(diag.Errorf(span, "message", "unknown %q in the message", field).WithHint("only {{count}} is known"))
		case noData(t):
			r.add(diag.Errorf(span, "message", "{{count}} needs respond.data, which says what is counted"))
		}
	}
}
