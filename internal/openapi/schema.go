package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/internal/toolfile"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

const (
	maxDepth      = 4    // of a parameter's schema
	maxSchemaSize = 1500 // schemas in one tool
	maxEnum       = 60
)

// A flat schema is an object's schema with the parts of allOf, and the branches
// of oneOf and anyOf, laid over one another.
type flat struct {
	kind       string // the first type, "" for none
	properties []property
	required   []string
	open       bool // additionalProperties has been given, and is not false
	bare       bool // nothing says what it is
	err        error
	items      *syntax.Node
	itemsFile  string
}

type property struct {
	name string
	node *syntax.Node
	file string
}

func (d *Document) flatten(n *syntax.Node, file string) *flat {
	s := &flat{bare: true}
	budget := 400
	d.flattenInto(s, n, file, 0, &budget, true)
	return s
}

func (d *Document) flattenInto(s *flat, n *syntax.Node, file string, depth int, budget *int, must bool) {
	if *budget--; depth > 20 || *budget < 0 || n == nil {
		return
	}
	n, file, err := d.resolve(n, file)
	if err != nil {
		if s.err == nil {
			s.err = err
		}
		return
	}
	if kind := firstType(n); kind != "" && s.kind == "" {
		s.kind, s.bare = kind, false
	}
	if it := n.Get("items"); it != nil && s.items == nil {
		s.items, s.itemsFile = it, file
		if s.kind == "" {
			s.kind = "array"
		}
	}
	for _, p := range pairs(n.Get("properties")) {
		s.bare = false
		if !slices.ContainsFunc(s.properties, func(o property) bool { return o.name == p.Key.Text }) && len(s.properties) < 1000 {
			s.properties = append(s.properties, property{p.Key.Text, p.Value, file})
		}
	}
	if a := n.Get("additionalProperties"); a != nil && !(a.Kind == syntax.Bool && !isTrue(a)) {
		s.open = true
	}
	if must {
		for _, r := range items(n.Get("required")) {
			s.required = append(s.required, text(r))
		}
	}
	for _, part := range items(n.Get("allOf")) {
		d.flattenInto(s, part, file, depth+1, budget, must)
	}
	for _, word := range [...]string{"oneOf", "anyOf"} {
		branches := items(n.Get(word))
		for _, part := range branches {
			d.flattenInto(s, part, file, depth+1, budget, must && len(branches) == 1)
		}
	}
}

func firstType(n *syntax.Node) string {
	t := n.Get("type")
	for _, item := range items(t) {
		if item.Text != "null" {
			return item.Text
		}
	}
	return text(t)
}

// A value is a JSON value to be written.
type value struct {
	literal string // JSON, where it is neither of the others
	fields  []field
	items   []*value
	kind    byte // 0, '{' or '['
}

type field struct {
	name  string
	value *value
}

func literal(s string) *value { return &value{literal: s} }
func quoted(s string) *value  { return literal(toolfile.Quote(s)) }
func object() *value          { return &value{kind: '{'} }

func (v *value) set(name string, to *value) { v.fields = append(v.fields, field{name, to}) }

func (v *value) get(name string) *value {
	for _, f := range v.fields {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

func (v *value) remove(name string) {
	v.fields = slices.DeleteFunc(v.fields, func(f field) bool { return f.name == name })
}

func (v *value) appendJSON(b []byte) []byte {
	switch v.kind {
	case '{':
		b = append(b, '{')
		for i, f := range v.fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, toolfile.Quote(f.name)...), ':')
			b = f.value.appendJSON(b)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	}
	return append(b, v.literal...)
}

// A converter writes schemas of OpenAPI as JSON Schema 2020-12.
type converter struct {
	*Document
	left int  // schemas that may still be written
	cut  bool // something was left out for its size or depth
	body bool // what only the server writes is left out
}

func (c *converter) schema(n *syntax.Node, file string, depth int) *value {
	out := object()
	c.left--
	if n == nil || n.Kind != syntax.Map {
		return out
	}
	n, file, err := c.resolve(n, file)
	if err != nil || n == nil || n.Kind != syntax.Map {
		return out
	}
	deep := depth >= maxDepth || c.left < 0
	kind := firstType(n)
	if parts := items(n.Get("allOf")); len(parts) > 0 && !deep {
		return c.merged(n, file, depth)
	}
	if kind == "" && n.Get("properties") != nil {
		kind = "object"
	}
	if kind == "" && n.Get("items") != nil {
		kind = "array"
	}
	nullable := isTrue(n.Get("nullable")) || slices.ContainsFunc(items(n.Get("type")), func(t *syntax.Node) bool { return t.Text == "null" })
	if t := items(n.Get("type")); len(t) > 2 {
		list := &value{kind: '['}
		for _, item := range t {
			list.items = append(list.items, quoted(item.Text))
		}
		out.set("type", list)
	} else if kind == "file" {
		out.set("type", quoted("string"))
	} else if kind != "" && nullable && kind != "null" {
		out.set("type", &value{kind: '[', items: []*value{quoted(kind), quoted("null")}})
	} else if kind != "" {
		out.set("type", quoted(kind))
	}
	description := text(n.Get("description"))
	if description == "" {
		description = text(n.Get("title"))
	}
	if description = safeText(oneLine(description, 200)); description != "" {
		out.set("description", quoted(description))
	}
	c.assertions(n, out, nullable)
	if deep {
		if n.Get("properties") != nil || n.Get("items") != nil || n.Get("oneOf") != nil || n.Get("anyOf") != nil || n.Get("allOf") != nil {
			c.cut = true
		}
		if kind == "array" {
			out.set("items", object())
		}
		return out
	}
	if kind == "array" {
		out.set("items", c.schema(n.Get("items"), file, depth+1))
	}
	if list := pairs(n.Get("properties")); len(list) > 0 {
		s := c.flatten(n, file)
		c.properties(out, s, file, depth)
	}
	if a := n.Get("additionalProperties"); a != nil && a.Kind == syntax.Map && len(a.Pairs) > 0 {
		out.set("additionalProperties", c.schema(a, file, depth+1))
	} else if a != nil && a.Kind == syntax.Bool {
		out.set("additionalProperties", literal(strings.ToLower(a.Text)))
	}
	for _, word := range [...]string{"oneOf", "anyOf"} {
		branches := items(n.Get(word))
		if len(branches) == 0 {
			continue
		}
		if len(branches) > 12 || n.Get("properties") != nil {
			c.cut = true
			continue
		}
		list := &value{kind: '['}
		for _, b := range branches {
			list.items = append(list.items, c.schema(b, file, depth+1))
		}
		out.set("anyOf", list)
		break
	}
	return out
}

// merged writes a schema with allOf as one schema: models read it better, and
// providers refuse some forms of allOf.
func (c *converter) merged(n *syntax.Node, file string, depth int) *value {
	s := c.flatten(n, file)
	if len(s.properties) == 0 {
		parts := items(n.Get("allOf"))
		out := c.schema(parts[0], file, depth+1)
		if d := safeText(oneLine(text(n.Get("description")), 200)); d != "" {
			out.remove("description")
			out.set("description", quoted(d))
		}
		c.cut = c.cut || len(parts) > 1
		return out
	}
	out := object()
	out.set("type", quoted("object"))
	if d := safeText(oneLine(text(n.Get("description")), 200)); d != "" {
		out.set("description", quoted(d))
	}
	c.properties(out, s, file, depth)
	return out
}

func (c *converter) properties(out *value, s *flat, file string, depth int) {
	properties, required := object(), &value{kind: '['}
	for _, p := range s.properties {
		if c.left < 0 {
			c.cut = true
			break
		}
		if c.body && c.readOnly(p.node, p.file) || !portable(p.name) {
			continue
		}
		properties.set(p.name, c.schema(p.node, p.file, depth+1))
		if slices.Contains(s.required, p.name) {
			required.items = append(required.items, quoted(p.name))
		}
	}
	out.set("properties", properties)
	if len(required.items) > 0 {
		out.set("required", required)
	}
}

// portable reports whether every model provider takes a property of that name.
func portable(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

func (c *converter) readOnly(n *syntax.Node, file string) bool {
	if isTrue(n.Get("readOnly")) {
		return true
	}
	n, _, err := c.resolve(n, file)
	return err == nil && isTrue(n.Get("readOnly"))
}

// assertions copies what limits a value, in the words of 2020-12.
func (c *converter) assertions(n *syntax.Node, out *value, nullable bool) {
	if e := n.Get("enum"); e != nil && e.Kind == syntax.Seq && len(e.Items) > 0 {
		if len(e.Items) > maxEnum {
			c.cut = true
		} else {
			list := &value{kind: '['}
			null := false
			for _, item := range e.Items {
				null = null || item.Kind == syntax.Null
				if v := c.literal(item); v != nil && !slices.ContainsFunc(list.items, func(o *value) bool { return o.literal == v.literal }) {
					list.items = append(list.items, v)
				}
			}
			if nullable && !null {
				list.items = append(list.items, literal("null"))
			}
			out.set("enum", list)
		}
	}
	for _, word := range [...]string{"const", "format", "minLength", "maxLength", "pattern", "minimum", "maximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default"} {
		v := n.Get(word)
		if v == nil || word == "default" && v.Kind == syntax.Null {
			continue
		}
		if bound := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[word]; bound != "" {
			switch e := n.Get(bound); {
			case isTrue(e):
				word = bound
			case e != nil && (e.Kind == syntax.Int || e.Kind == syntax.Float):
				out.set(bound, literal(string(e.AppendJSON(nil))))
			}
		}
		if l := c.literal(v); l != nil {
			out.set(word, l)
		}
	}
	for _, bound := range [...]string{"exclusiveMinimum", "exclusiveMaximum"} {
		if e := n.Get(bound); e != nil && out.get(bound) == nil && (e.Kind == syntax.Int || e.Kind == syntax.Float) {
			out.set(bound, literal(string(e.AppendJSON(nil))))
		}
	}
	example := n.Get("example")
	if list := items(n.Get("examples")); len(list) > 0 {
		example = list[0]
	}
	if example != nil && example.Kind != syntax.Map && example.Kind != syntax.Seq && example.Kind != syntax.Null {
		if l := c.literal(example); l != nil && len(l.literal) <= 100 {
			out.set("examples", &value{kind: '[', items: []*value{l}})
		}
	}
}

// literal is a small value as it stands, nil where it is none that a tool's file
// should hold.
func (c *converter) literal(n *syntax.Node) *value {
	if n.Kind == syntax.Map || n.Kind == syntax.Seq && len(n.Items) > 20 || len(n.Text) > 500 || n.Kind == syntax.String && n.Text != "" && safeText(n.Text) == "" {
		return nil
	}
	for _, item := range n.Items {
		if item.Kind == syntax.Map || item.Kind == syntax.Seq || len(item.Text) > 500 {
			return nil
		}
	}
	return literal(string(n.AppendJSON(nil)))
}

// repair removes from a schema, which has to be of an object, what is no JSON
// Schema: documents hold patterns of other dialects, defaults of other types and
// words of their own.
func repair(schema *value) error {
	for range 200 {
		doc, err := jsondoc.Parse(schema.appendJSON(nil))
		if err != nil {
			return fmt.Errorf("its parameters cannot be written: %w", err)
		}
		_, faults := jsonschema.Compile(doc)
		if len(faults) == 0 {
			return nil
		}
		// From the last to the first, so that indexes stay true.
		before := len(doc.Raw())
		for _, f := range slices.Backward(faults) {
			removeAt(schema, f.Pointer)
		}
		if len(schema.appendJSON(nil)) == before {
			return fmt.Errorf("its parameters are no JSON Schema: %s", faults[0].Message)
		}
	}
	return fmt.Errorf("its parameters hold too many faults")
}

// removeAt removes the keyword that a pointer leads to, or into.
func removeAt(v *value, pointer []string) {
	owner, word := v, ""
	for _, step := range pointer {
		switch v.kind {
		case '{':
			owner, word = v, step
			if v = v.get(step); v == nil {
				return
			}
		case '[':
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v.items) {
				return
			}
			v = v.items[i]
		default:
			return
		}
	}
	if word != "" {
		owner.remove(word)
	}
}
