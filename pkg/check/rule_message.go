package check

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

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
	for start := 0; ; {
		open := strings.Index(node.Text[start:], "{{")
		if open < 0 {
			return
		}
		open += start
		length := strings.Index(node.Text[open:], "}}")
		if length < 0 {
			r.add(diag.Errorf(node.SpanOf(open, open+2), "message", `"{{" is never closed`).WithHint("only {{count}} is known"))
			return
		}
		start = open + length + 2
		r.messageField(t, node, open, start)
	}
}

// messageField looks at one {{…}}, at [start, end) of the text.
func (r *run) messageField(t *tool.Tool, node *syntax.Node, start, end int) {
	field := node.Text[start:end]
	if field == "{{count}}" && !noData(t) {
		return
	}
	at := node.SpanOf(start, end)
	switch {
	case field == "{{count}}":
		r.add(diag.Errorf(at, "message", "{{count}} needs respond.data, which says what is counted"))
	case strings.TrimSpace(strings.Trim(field, "{}")) == "count":
		r.add(diag.Errorf(at, "message", "unknown %q in the message", field).WithHint("write {{count}}"))
	default:
		r.add(diag.Errorf(at, "message", "unknown %q in the message", field).WithHint("only {{count}} is known"))
	}
}
