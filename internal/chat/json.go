package chat

import (
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// AppendEvent appends the JSON form of e, one line without its line break.
// The order of the fields is fixed and nothing is escaped for HTML.
func AppendEvent(dst []byte, e Event) []byte {
	w := eventWriter{append(dst, `{"type":`...)}
	w.b = jsondoc.AppendQuote(w.b, string(e.Type))
	switch e.Type {
	case StartEvent:
		s := e.Start
		if s == nil {
			s = &Start{}
		}
		w.text("workspace", s.Workspace)
		w.text("environment", s.Environment)
		w.text("provider", s.Provider)
		w.text("model", s.Model)
		w.key("tools")
		w.b = append(w.b, '[')
		for i, name := range s.Tools {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.b = jsondoc.AppendQuote(w.b, name)
		}
		w.b = append(w.b, ']')
	case ToolCallEvent:
		w.text("id", e.ID)
		w.text("tool", e.Tool)
		w.key("arguments")
		w.b = appendArguments(w.b, e.Arguments)
	case ToolResultEvent:
		w.text("id", e.ID)
		w.text("tool", e.Tool)
		w.key("is_error")
		w.b = strconv.AppendBool(w.b, e.IsError)
		w.text("content", e.Content)
		if h := e.HTTP; h != nil {
			w.key("http")
			w.b = append(w.b, `{"method":`...)
			w.b = jsondoc.AppendQuote(w.b, h.Method)
			w.text("url", h.URL)
			w.number("status", int64(h.Status))
			w.number("duration_ms", h.DurationMS)
			w.b = append(w.b, '}')
		}
	case TurnEndEvent:
		w.number("tool_calls", int64(e.ToolCalls))
	case ErrorEvent:
		w.text("message", e.Text)
	case ProblemEvent:
		if e.Problem != nil {
			w.problem(*e.Problem)
		}
	case ResumeEvent:
	default:
		w.text("text", e.Text)
	}
	return append(w.b, '}')
}

// appendArguments writes the model's arguments as the JSON value they are,
// and as a string where they are none.
func appendArguments(dst []byte, arguments string) []byte {
	if strings.TrimSpace(arguments) == "" {
		return append(dst, '{', '}')
	}
	v, err := jsondoc.Parse([]byte(arguments))
	if err != nil {
		return jsondoc.AppendQuote(dst, arguments)
	}
	return v.AppendCompact(dst)
}

type eventWriter struct{ b []byte }

func (w *eventWriter) key(name string) {
	w.b = append(w.b, ',', '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

func (w *eventWriter) text(name, value string) {
	w.key(name)
	w.b = jsondoc.AppendQuote(w.b, value)
}

func (w *eventWriter) number(name string, value int64) {
	w.key(name)
	w.b = strconv.AppendInt(w.b, value, 10)
}

func (w *eventWriter) problem(d diag.Diagnostic) {
	var file string
	var start, end diag.Position
	if f := d.Span.File; f != nil {
		file, start, end = f.Name, f.Position(d.Span.Start), f.Position(d.Span.End)
	}
	w.text("file", file)
	w.number("line", int64(start.Line))
	w.number("column", int64(start.Column))
	w.number("end_line", int64(end.Line))
	w.number("end_column", int64(end.Column))
	w.text("severity", d.Severity.String())
	w.text("code", d.Code)
	w.text("message", d.Message)
	w.text("hint", d.Hint)
}
