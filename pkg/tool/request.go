package tool

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

func (l *loader) request(m *shape.Map) {
	h := l.HTTP
	if method, node := m.Text("method"); node != nil {
		h.Method = l.method(method, node)
	}
	if text, node := m.Text("base_url"); node != nil {
		h.BaseURL = l.text(text, node)
	}
	if text, node := m.Text("path"); node != nil {
		h.Path = l.text(text, node)
	}
	for _, node := range m.Strings("requires") {
		ref, fault := placeholder.ParseRef(node.Text)
		if fault != nil {
			l.Add(requirementFault(node, fault))
			continue
		}
		h.Requires = append(h.Requires, Requirement{Ref: ref, Node: node})
	}
	h.Query = l.fields(m, "query")
	h.Headers = l.headers(m)
	if m.Get("body") != nil && m.Is("body", "a map", syntax.Map) {
		body := l.value(m.Get("body"), &trail{name: m.Name("body")})
		h.Body = &body
	}
}

func (l *loader) method(text string, node *syntax.Node) string {
	if slices.Contains(Methods[:], text) {
		return text
	}
	d := diag.Errorf(node.Span(), "value", `"request.method" must be %s, not %q`, diag.Quoted(Methods[:]), text)
	upper := strings.ToUpper(strings.TrimSpace(text))
	switch near := diag.Nearest(upper, Methods[:]); {
	case slices.Contains(Methods[:], upper):
		d = d.WithHint("write %s", upper).WithRewrite(node.SpanOf(0, len(text)), text, upper)
	case upper == "PUT":
		d = d.WithHint("a change is written as PATCH, a replacement as POST: let the backend accept one of them")
	case near != "":
		d = d.WithHint("did you mean %s?", near)
	}
	l.Add(d)
	return ""
}

// requirementFault reports a faulty path; one that is right but for its $ can be
// mended.
func requirementFault(node *syntax.Node, fault *placeholder.Fault) diag.Diagnostic {
	d := diag.Errorf(node.Span(), "requires", "%s", fault.Message).WithHint("%s", fault.Hint)
	bare := strings.TrimPrefix(node.Text, "$")
	if inner, ok := strings.CutPrefix(bare, "{"); ok {
		bare = strings.TrimSuffix(inner, "}")
	}
	if bare == node.Text {
		return d
	}
	if _, still := placeholder.ParseRef(bare); still != nil {
		return d
	}
	return d.WithRewrite(node.SpanOf(0, len(node.Text)), node.Text, bare)
}

func (l *loader) text(text string, node *syntax.Node) Text {
	template, faults := placeholder.Compile(text)
	for _, f := range faults {
		l.Add(diag.Diagnostic{
			Span: node.SpanOf(f.Start, f.End), Severity: diag.Error, Code: "placeholder", Message: f.Message, Hint: f.Hint,
		})
	}
	return Text{Template: template, Node: node}
}

func (l *loader) fields(m *shape.Map, key string) []Field {
	pairs := m.Pairs(key)
	if pairs == nil {
		return nil
	}
	return l.entries(pairs, &trail{name: m.Name(key)})
}

func (l *loader) headers(m *shape.Map) []Field {
	fields := l.fields(m, "headers")
	for _, f := range fields {
		if k := f.Value.Node.Kind; k == syntax.Map || k == syntax.Seq || k == syntax.Null {
			l.WrongType(f.Value.Node, f.Key.Span(), m.Name("headers")+"."+f.Name, "a string")
		}
	}
	return fields
}

// keyIsLiteral reports a placeholder in a key: only values are templates.
func (l *loader) keyIsLiteral(key *syntax.Node) {
	if !strings.Contains(key.Text, "$") {
		return
	}
	template, faults := placeholder.Compile(key.Text)
	if len(faults) > 0 || len(template.Refs()) == 0 {
		return
	}
	ref := template.Refs()[0]
	l.Add(diag.Errorf(key.SpanOf(ref.Start, ref.End), "placeholder", "a placeholder cannot stand in a key: %q", key.Text).
		WithHint("placeholders work in values; write the key out"))
}

// A trail is the way to a value, for messages.
type trail struct {
	outer *trail
	name  string
	index int // where name is ""
}

func (t *trail) String() string {
	name := t.name
	if name == "" {
		name = strconv.Itoa(t.index)
	}
	if t.outer == nil {
		return name
	}
	return t.outer.String() + "." + name
}

// value reads a value with templates at any depth.
func (l *loader) value(node *syntax.Node, at *trail) Value {
	v := Value{Kind: Literal, Node: node}
	switch node.Kind {
	case syntax.String:
		v.Text = l.text(node.Text, node)
		if text, ok := v.Text.Literal(); ok {
			v.Literal = jsondoc.Quote(text)
		} else {
			v.Kind = Template
		}
	case syntax.Map:
		v.Kind = Object
		v.Fields = l.entries(node.Pairs, at)
	case syntax.Seq:
		v.Kind = Array
		v.Items = make([]Value, len(node.Items))
		for i, item := range node.Items {
			v.Items[i] = l.value(item, &trail{outer: at, index: i})
		}
	default:
		literal, err := jsondoc.Parse(node.AppendJSON(nil))
		if err != nil || node.Kind == syntax.Float && !strings.ContainsAny(node.Text, "0123456789") { // .inf and .nan
			l.Add(diag.Errorf(node.Span(), "type", "%q must be a value that JSON can write, not %s", at, node.Text))
		}
		v.Literal = literal
	}
	return v
}

func (l *loader) entries(pairs []syntax.Pair, at *trail) []Field {
	fields := make([]Field, len(pairs))
	for i, p := range pairs {
		l.keyIsLiteral(p.Key)
		fields[i] = Field{Name: p.Key.Text, Key: p.Key, Value: l.value(p.Value, &trail{outer: at, name: p.Key.Text})}
	}
	return fields
}
