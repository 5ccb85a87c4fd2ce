package tool

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

func (l *loader) respond(m *shape.Map) {
	r := &l.HTTP.Respond
	if data := m.Get("data"); data != nil {
		r.HasData = true
		if data.Kind == syntax.Map && len(data.Pairs) == 0 {
			l.Add(diag.Errorf(data.Span(), "value", `"respond.data" maps nothing`).WithHint(`write a name and a JSONPath, as in: products: "$.data"`))
		}
	}
	if data := m.Get("data"); data != nil && data.Kind == syntax.String && strings.HasPrefix(data.Text, "$") {
		l.Add(diag.Errorf(data.Span(), "type", `"respond.data" must be a map, not a string`).
			WithHint("give it a name, as in: data: { result: %q }", data.Text))
	} else {
		l.mappings(m)
	}
	l.message(m)
}

// mappings reads respond.data.
func (l *loader) mappings(m *shape.Map) {
	r := &l.HTTP.Respond
	for _, p := range m.Pairs("data") {
		if p.Value.Kind != syntax.String {
			l.WrongType(p.Value, p.Key.Span(), m.Name("data")+"."+p.Key.Text, "a JSONPath")
			continue
		}
		compiled, err := jsondoc.CompilePath(p.Value.Text)
		if err != nil {
			l.jsonPath(p.Value, err)
			continue
		}
		r.Data = append(r.Data, Mapping{Key: p.Key.Text, Path: compiled, Node: p.Value})
	}
}

// message reads respond.message.
func (l *loader) message(m *shape.Map) {
	r := &l.HTTP.Respond
	message := m.Get("message")
	switch {
	case message == nil:
	case message.Kind == syntax.Map:
		mm := m.Child("message", "default", "when_empty")
		r.Message = &Message{}
		if n := mm.Require("default"); n != nil {
			r.Message.Default, _ = mm.String("default")
		}
		r.Message.WhenEmpty, _ = mm.String("when_empty")
	case m.Is("message", "a string, or a map with default and when_empty", syntax.String):
		r.Message = &Message{Default: message.Text}
	}
}

// jsonPath reports a faulty expression at the character where it goes wrong.
func (l *loader) jsonPath(node *syntax.Node, err error) {
	at, message := node.Span(), err.Error()
	var fault *jsondoc.PathError
	if errors.As(err, &fault) {
		_, size := utf8.DecodeRuneInString(node.Text[min(fault.Offset, len(node.Text)):])
		at, message = node.SpanOf(fault.Offset, fault.Offset+size), fault.Msg
	}
	l.Add(diag.Errorf(at, "jsonpath", "%s", message))
}
