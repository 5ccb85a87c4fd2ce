package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/toolfile"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// A Secret is what an imported tool needs a value for.
type Secret struct {
	Key  string
	Note string // what its value is, one line
	// Example is a value as the document gives it, "" for none. It is never a
	// credential.
	Example string
}

// A Tool is the file of one tool.
type Tool struct {
	Key     string
	YAML    []byte
	Secrets []Secret
	Decide  int // comments in it that ask for a decision
}

type maker struct {
	converter
	op         *Operation
	used       map[string]bool
	params     *value
	required   *value
	path       string
	query      []entry
	headers    []entry
	bodyFields []entry
	decide     []string // for the request
	secrets    []Secret
}

// An entry is a line of a map, its value as it is to stand there, and a note.
type entry struct{ name, value, note string }

// Make makes the tool's file of an operation. The error says, for people, why there
// can be none.
func (d *Document) Make(op *Operation) (*Tool, error) {
	if op.Unsupported != "" {
		return nil, fmt.Errorf("%s %s: %s", op.Method, op.Path, op.Unsupported)
	}
	m := &maker{converter: converter{Document: d, left: maxSchemaSize}, op: op, used: map[string]bool{}, params: object(), required: &value{kind: '['}}
	m.secrets = []Secret{{Key: "API_URL", Note: "where the API answers", Example: d.origin(op)}}
	m.arguments()
	m.bodyArguments()
	m.security()
	schema := object()
	schema.set("type", quoted("object"))
	schema.set("properties", m.params)
	if len(m.required.items) > 0 {
		schema.set("required", m.required)
	}
	if len(m.params.fields) > 0 {
		if err := repair(schema); err != nil {
			return nil, fmt.Errorf("%s %s: %w", op.Method, op.Path, err)
		}
	}
	t := &Tool{Key: op.Key, YAML: m.yaml(schema), Secrets: m.secrets}
	t.Decide = strings.Count(string(t.YAML), "# decide: ")
	if _, list := tool.LoadHTTP(diag.NewFile("tools/"+op.Key+".yml", t.YAML)); list.Err() != nil {
		return nil, fmt.Errorf("%s %s cannot be written as a tool: %s", op.Method, op.Path, list[0].Message)
	}
	return t, nil
}

// name makes the name of a parameter that no other has.
func (m *maker) name(of, in string) string {
	id := toolfile.Identifier(of)
	if id == "" {
		id = in + "_value"
	}
	id = id[:min(len(id), 56)]
	if m.used[id] {
		id = in + "_" + id
	}
	return unique(m.used, id)
}

func (m *maker) arguments() {
	names := map[string]string{}
	for _, p := range m.parameters(m.op) {
		name, in := text(p.node.Get("name")), text(p.node.Get("in"))
		if in != "path" && in != "query" && in != "header" {
			if in == "cookie" {
				m.decide = append(m.decide, fmt.Sprintf("the API takes a cookie %q; a tool would send it as a Cookie header", oneLine(name, 60)))
			}
			continue
		}
		lower := strings.ToLower(name)
		if in == "header" && (lower == "accept" || lower == "content-type" || lower == "authorization" || tool.FramingHeader(name) ||
			strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || slices.ContainsFunc(m.headers, func(e entry) bool { return strings.EqualFold(e.name, name) })) {
			continue
		}
		if in == "path" && !strings.Contains(m.op.Path, "{"+name+"}") {
			continue
		}
		id := m.name(name, in)
		schema, object := m.parameterSchema(p)
		m.params.set(id, schema)
		if isTrue(p.node.Get("required")) || in == "path" {
			m.required.items = append(m.required.items, quoted(id))
		}
		e := entry{name: name, value: "$params." + id}
		switch in {
		case "path":
			names[name] = id
		case "query":
			style, explode, format := text(p.node.Get("style")), p.node.Get("explode"), text(p.node.Get("collectionFormat"))
			array := firstTypeOf(schema) == "array"
			switch {
			case object && p.node.Get("content") == nil:
				e.note = "decide: the API wants an object in the style " + oneLine(orElse(style, "form"), 20) + "; a tool sends it as JSON"
			case array && (format != "" && format != "multi" || m.swagger() && format == "" || explode != nil && !isTrue(explode) || style == "pipeDelimited" || style == "spaceDelimited"):
				e.note = "decide: the API wants the list in one value (" + oneLine(orElse(format, orElse(style, "form")), 20) + "); a tool repeats the key"
			}
			m.query = append(m.query, e)
		default:
			m.headers = append(m.headers, e)
		}
	}
	m.path = m.template(names)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func firstTypeOf(v *value) string {
	t := v.get("type")
	if t == nil {
		return ""
	}
	if len(t.items) > 0 {
		t = t.items[0]
	}
	return strings.Trim(t.literal, `"`)
}

func (m *maker) parameterSchema(p parameter) (schema *value, object bool) {
	n := p.node.Get("schema")
	if content := pairs(p.node.Get("content")); n == nil && len(content) > 0 {
		n = content[0].Value.Get("schema")
	}
	if n == nil && m.swagger() {
		n = p.node
	}
	m.body = false
	schema = m.schema(n, p.file, 1)
	if n == p.node {
		schema.remove("required")
	}
	if about := safeText(oneLine(text(p.node.Get("description")), 200)); about != "" && n != p.node {
		schema.remove("description")
		at := min(len(schema.fields), 1)
		schema.fields = slices.Insert(schema.fields, at, field{"description", quoted(about)})
	}
	return schema, firstTypeOf(schema) == "object"
}

// template is the path with the server's in front and placeholders in it.
func (m *maker) template(names map[string]string) string {
	var b strings.Builder
	rest := m.basePath(m.op) + m.op.Path
	for {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(rest[open:], '}')
		if end < 0 {
			break
		}
		name := rest[open+1 : open+end]
		id, known := names[name]
		if !known { // a parameter that the document forgot to describe
			id = m.name(name, "path")
			names[name] = id
			schema := object()
			schema.set("type", quoted("string"))
			m.params.set(id, schema)
			m.required.items = append(m.required.items, quoted(id))
		}
		b.WriteString(rest[:open])
		rest = rest[open+end+1:]
		if rest == "" || rest[0] == '/' {
			b.WriteString("$params." + id)
		} else {
			b.WriteString("${params." + id + "}")
		}
	}
	return b.String() + rest
}

func (m *maker) bodyArguments() {
	if m.op.Method != "POST" && m.op.Method != "PATCH" {
		return
	}
	schema, file, _ := m.Document.body(m.op)
	if schema == nil {
		return
	}
	s := m.flatten(schema, file)
	m.converter.body = true
	for _, p := range s.properties {
		if m.left < 0 {
			m.cut = true
			break
		}
		if m.readOnly(p.node, p.file) {
			continue
		}
		id := m.name(p.name, "body")
		v := m.schema(p.node, p.file, 1)
		if m.op.Method == "PATCH" {
			v.remove("default") // it would change what nobody named
		}
		m.params.set(id, v)
		if slices.Contains(s.required, p.name) {
			m.required.items = append(m.required.items, quoted(id))
		}
		m.bodyFields = append(m.bodyFields, entry{name: p.name, value: "$params." + id})
	}
}

// security turns the first alternative that a tool can send into headers and
// query entries.
func (m *maker) security() {
	wanted := m.op.node.Get("security")
	if wanted == nil {
		wanted = m.root.Get("security")
	}
	schemes := m.root.Get("components").Get("securitySchemes")
	if m.swagger() {
		schemes = m.root.Get("securityDefinitions")
	}
	list := items(wanted)
	if len(list) == 0 {
		return
	}
	if len(list) > 1 {
		m.decide = append(m.decide, "the API takes other credentials too; this is the first kind that it names")
	}
	for _, p := range list[0].Pairs {
		n, _, err := m.resolve(schemes.Get(p.Key.Text), "")
		if err != nil || n == nil {
			continue
		}
		m.credential(n, oneLine(p.Key.Text, 60))
	}
}

func (m *maker) credential(n *syntax.Node, called string) {
	kind, scheme := text(n.Get("type")), strings.ToLower(text(n.Get("scheme")))
	switch {
	case kind == "basic" || kind == "http" && scheme == "basic":
		m.header("Authorization", "Basic $env.API_BASIC", "API_BASIC", "the base64 of user:password")
	case kind == "http" && scheme == "bearer" || kind == "oauth2" || kind == "openIdConnect":
		note := "the access token"
		if kind != "http" {
			note += ", which does not renew itself"
		}
		m.header("Authorization", "Bearer $env.API_TOKEN", "API_TOKEN", note)
	case kind == "apiKey":
		name := text(n.Get("name"))
		key := "API_KEY"
		if slices.ContainsFunc(m.secrets, func(s Secret) bool { return s.Key == key }) {
			key = "API_KEY_" + strings.ToUpper(orElse(toolfile.Identifier(name), "2"))
		}
		switch text(n.Get("in")) {
		case "header":
			m.header(name, "$env."+key, key, "the API key")
		case "query":
			if !slices.ContainsFunc(m.query, func(e entry) bool { return e.name == name }) {
				m.query = append(m.query, entry{name: name, value: "$env." + key})
				m.secrets = append(m.secrets, Secret{Key: key, Note: "the API key"})
			}
		default:
			m.header("Cookie", name+"=$env."+key, key, "the API key")
		}
	default:
		m.decide = append(m.decide, fmt.Sprintf("the API wants the credential %q, which a tool cannot make", called))
	}
}

func (m *maker) header(name, content, key, note string) {
	if name == "" || tool.FramingHeader(name) || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return
	}
	// What a person would have to ask the model for is no parameter.
	m.headers = slices.DeleteFunc(m.headers, func(e entry) bool {
		if !strings.EqualFold(e.name, name) {
			return false
		}
		id := strings.TrimPrefix(e.value, "$params.")
		m.params.remove(id)
		m.required.items = slices.DeleteFunc(m.required.items, func(v *value) bool { return v.literal == `"`+id+`"` })
		return true
	})
	m.headers = append(m.headers, entry{name: name, value: content})
	m.secrets = append(m.secrets, Secret{Key: key, Note: note})
}

// isName reports whether JSONPath takes s after a dot.
func isName(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
