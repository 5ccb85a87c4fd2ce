package tool

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// Methods are the HTTP methods a tool may use.
var Methods = [...]string{"GET", "POST", "PATCH", "DELETE"}

// Time limits of one call, in seconds.
const (
	MinTimeout = 1
	MaxTimeout = 300
)

var keyFormat = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)

// ValidKey reports whether s can be a tool's key.
func ValidKey(s string) bool { return keyFormat.MatchString(s) }

// LoadHTTP reads an HTTP tool; its key is the file's base name. The tool is
// never nil: it holds whatever could be read, and is fit for calls only when
// no diagnostic is an error.
func LoadHTTP(f *diag.File) (*Tool, diag.List) {
	base := path.Base(f.Name)
	t := &Tool{Key: strings.TrimSuffix(base, path.Ext(base)), File: f}
	l := loader{Tool: t}
	if !ValidKey(t.Key) {
		d := diag.Errorf(diag.Span{File: f}, "tool-key", "%q is no tool key: keys are a-z, 0-9, _ and -, start with a letter and have 64 characters at most", t.Key)
		if better := suggestKey(t.Key); better != "" {
			d = d.WithHint("rename the file to %s%s", better, path.Ext(base))
		}
		l.Add(d)
	}
	root, faults := syntax.ParseYAML(f)
	l.Faults = append(l.Faults, faults...)
	if root == nil {
		return t, l.Faults
	}
	t.Root = root
	m := l.Map(root, diag.Span{File: f}, "", "description", "when_to_use", "parameters", "access", "timeout_seconds", "request", "respond")
	t.Description, _ = m.Text("description")
	l.whenToUse(m)
	l.parameters(m)
	access, ok := m.OneOf("access", "public", "private")
	t.Private = access == "private"
	l.couldRead(m, "access", ok)
	l.timeout(m)
	t.HTTP = &HTTP{}
	if m.Require("request") != nil {
		l.request(m.Child("request", "method", "base_url", "path", "requires", "query", "headers", "body"))
	}
	respond := m.Child("respond", "data", "message")
	l.respond(respond)
	l.couldRead(m, "respond", respond.Get("data") != nil || respond.Get("message") != nil)
	l.couldRead(respond, "data", true)
	return t, l.Faults
}

// couldRead notes a field that is misspelt, or there and not ok.
func (l *loader) couldRead(m *shape.Map, key string, ok bool) {
	if m.Misspelt(key) || m.Get(key) != nil && !ok {
		l.unread = append(l.unread, m.Name(key))
	}
}

func suggestKey(key string) string {
	better := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == ' ' || r == '.':
			return '_'
		}
		return r
	}, key)
	if ValidKey(better) {
		return better
	}
	return ""
}

// loader fills a tool from a tree.
type loader struct {
	shape.Reader
	*Tool
}

func (l *loader) whenToUse(m *shape.Map) {
	text, node := m.String("when_to_use")
	l.WhenToUse = text
	value := m.Get("when_to_use")
	switch {
	case value == nil && (m.Misspelt("when_to_use") || l.Root.Kind != syntax.Map):
	case value == nil:
		l.Add(diag.Warningf(diag.Span{File: l.File}, "required", `"when_to_use" is missing: the model will not know when to call the tool`).
			WithHint("add when_to_use: and the situation in one sentence"))
	case node != nil && strings.TrimSpace(text) == "":
		l.Add(diag.Warningf(node.Span(), "required", `"when_to_use" is blank: the model will not know when to call the tool`))
	}
}

func (l *loader) timeout(m *shape.Map) {
	l.Timeout = time.Duration(m.Int("timeout_seconds", MinTimeout, MaxTimeout, 0)) * time.Second
}

func (l *loader) parameters(m *shape.Map) {
	node := m.Get("parameters")
	if node == nil || !m.Is("parameters", "a map", syntax.Map) {
		return
	}
	doc, err := jsondoc.Parse(node.AppendJSON(nil))
	if err != nil {
		l.Add(diag.Errorf(m.KeySpan("parameters"), "schema", "the parameters cannot be read as JSON: %s", err))
		return
	}
	var faults []jsonschema.Fault
	l.Parameters, faults = jsonschema.Compile(doc)
	for _, fault := range faults {
		d := diag.Diagnostic{
			Span: locate(node, m.KeySpan("parameters"), fault.Pointer, fault.OnKey), Severity: diag.Error,
			Code: "schema", Message: fault.Message, Hint: fault.Hint,
		}
		if fault.Warning {
			d.Severity = diag.Warning
		}
		l.Add(d)
	}
}

// locate follows the tokens of a JSON Pointer from node, which stands behind key.
func locate(node *syntax.Node, key diag.Span, pointer []string, onKey bool) diag.Span {
	for _, token := range pointer {
		if node.Kind == syntax.Seq {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node.Items) {
				break
			}
			node = node.Items[i]
			key = node.Span()
			continue
		}
		p, ok := node.Pair(token)
		if !ok {
			break
		}
		key, node = p.Key.Span(), p.Value
	}
	if at := node.Span(); !onKey && at.Start < at.End && node.Kind != syntax.Map {
		return at
	}
	return key
}

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
			l.Add(diag.Errorf(node.Span(), "requires", "%s", fault.Message).WithHint("%s", fault.Hint))
			continue
		}
		h.Requires = append(h.Requires, Requirement{Ref: ref, Node: node})
	}
	h.Query = l.fields(m, "query")
	h.Headers = l.headers(m)
	if m.Get("body") != nil && m.Is("body", "a map", syntax.Map) {
		body := l.value(m.Get("body"), m.KeySpan("body"), m.Name("body"))
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
		d = d.WithHint("write %s", upper)
	case upper == "PUT":
		d = d.WithHint("a change is written as PATCH, a replacement as POST: let the backend accept one of them")
	case near != "":
		d = d.WithHint("did you mean %s?", near)
	}
	l.Add(d)
	return ""
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
	var fields []Field
	for _, p := range m.Pairs(key) {
		l.keyIsLiteral(p.Key)
		fields = append(fields, Field{Name: p.Key.Text, Key: p.Key, Value: l.value(p.Value, p.Key.Span(), m.Name(key)+"."+p.Key.Text)})
	}
	return fields
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
	template, faults := placeholder.Compile(key.Text)
	if refs := template.Refs(); len(faults) == 0 && len(refs) > 0 {
		l.Add(diag.Errorf(key.SpanOf(refs[0].Start, refs[0].End), "placeholder", "a placeholder cannot stand in a key: %q", key.Text).
			WithHint("placeholders work in values; write the key out"))
	}
}

// value reads a value with templates at any depth; where is what messages call it.
func (l *loader) value(node *syntax.Node, key diag.Span, where string) Value {
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
		for _, p := range node.Pairs {
			l.keyIsLiteral(p.Key)
			v.Fields = append(v.Fields, Field{Name: p.Key.Text, Key: p.Key, Value: l.value(p.Value, p.Key.Span(), where+"."+p.Key.Text)})
		}
	case syntax.Seq:
		v.Kind = Array
		for i, item := range node.Items {
			v.Items = append(v.Items, l.value(item, key, fmt.Sprintf("%s.%d", where, i)))
		}
	default:
		if node.Kind == syntax.Float && !strings.ContainsAny(node.Text, "0123456789") {
			l.Add(diag.Errorf(node.Span(), "type", "%q must be a value that JSON can write, not %s", where, node.Text))
		}
		literal, err := jsondoc.Parse(node.AppendJSON(nil))
		if err != nil {
			l.Add(diag.Errorf(node.Span(), "type", "%q must be a value that JSON can write, not %s", where, node.Text))
		}
		v.Literal = literal
	}
	return v
}

func (l *loader) respond(m *shape.Map) {
	r := &l.HTTP.Respond
	if data := m.Get("data"); data != nil {
		r.HasData = true
		if data.Kind == syntax.Map && len(data.Pairs) == 0 {
			l.Add(diag.Errorf(data.Span(), "value", `"respond.data" maps nothing`).WithHint(`write a name and a JSONPath, as in: products: "$.data"`))
		}
	}
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

// LoadService reads a service tool; its key is its name. The tool is never
// nil, as LoadHTTP says.
func LoadService(f *diag.File) (*Tool, diag.List) {
	t := &Tool{File: f, Service: &Service{}}
	l := loader{Tool: t}
	root, faults := syntax.ParseTOML(f)
	l.Faults = append(l.Faults, faults...)
	if root == nil {
		return t, l.Faults
	}
	t.Root = root
	m := l.Map(root, diag.Span{File: f}, "", "name", "description", "service", "path", "scope", "timeout_seconds", "parameters", "input")
	if name, node := m.Text("name"); node != nil {
		t.Key = name
		if !ValidKey(name) {
			d := diag.Errorf(node.Span(), "tool-key", "%q is no tool name: names are a-z, 0-9, _ and -, start with a letter and have 64 characters at most", name)
			if better := suggestKey(name); better != "" {
				d = d.WithHint("write %q", better)
			}
			l.Add(d)
		}
	}
	t.Description, _ = m.Text("description")
	if m.Get("service") == nil && !m.Misspelt("service") {
		l.Add(diag.Errorf(diag.Span{File: f}, "required", `"service" is required: sandboxed tools are not supported, a TOML tool is answered by a service`).
			WithHint(`add service = "NAME", with a name that the deployment grants`))
	} else if name, node := m.Text("service"); node != nil {
		t.Service.Name = name
		if !ValidServiceName(name) {
			l.Add(diag.Errorf(node.Span(), "value", `"service" must be a-z, 0-9 and - and start with a letter, not %q`, name))
		}
	}
	t.Service.Path, _ = m.Text("path")
	if scope, node := m.String("scope"); node != nil {
		t.Scope = scope
		if !scopeFormat.MatchString(scope) {
			l.Add(diag.Errorf(node.Span(), "value", `"scope" must be one scope without white space, not %q`, scope))
		}
	}
	l.timeout(m)
	l.parameters(m)
	return t, l.Faults
}

var (
	serviceFormat = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	scopeFormat   = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]+$`) // scope-token, RFC 6749 section 3.3
)

// ValidServiceName reports whether s can be the name of a service.
func ValidServiceName(s string) bool { return serviceFormat.MatchString(s) }
