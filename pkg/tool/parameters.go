package tool

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// parameters compiles the schema of the arguments. Where a fault leaves it
// open what the file declares, "parameters" is noted as unread.
func (l *loader) parameters(m *shape.Map) {
	const field = "parameters"
	node := m.Get(field)
	if node == nil {
		l.couldRead(m, field, true)
		return
	}
	if node.Kind == syntax.Seq {
		l.Add(diag.Errorf(node.Span(), "type", `"parameters" must be a map, not a list`).
			WithHint("it is a JSON Schema: type: object, and each parameter under properties, as in: NAME: { type: string }"))
		l.couldRead(m, field, false)
		return
	}
	ok := m.Is(field, "a map", syntax.Map)
	l.couldRead(m, field, ok)
	if !ok {
		return
	}
	doc, err := jsondoc.Parse(node.AppendJSON(nil))
	if err != nil {
		l.Add(diag.Errorf(m.KeySpan(field), "schema", "the parameters cannot be read as JSON: %s", err))
		l.unread = append(l.unread, field)
		return
	}
	if l.bareProperties(m, node) {
		l.unread = append(l.unread, field)
		return
	}
	displaced := l.displaced(m, node)
	split := m.Misspelt(field) // the rest stands under another header
	vague := split || l.duplicatedIn(node)
	var faults []jsonschema.Fault
	l.Parameters, faults = jsonschema.Compile(doc)
	places := locator{root: node, key: func() diag.Span { return m.KeySpan(field) }}
	for _, fault := range faults {
		if split && len(fault.Pointer) == 0 {
			continue
		}
		if len(fault.Pointer) == 1 && slices.Contains(displaced, fault.Pointer[0]) {
			continue
		}
		d := diag.Diagnostic{
			Span: places.locate(fault.Pointer, fault.OnKey), Severity: diag.Error,
			Code: "schema", Message: fault.Message, Hint: fault.Hint,
		}
		if fault.Warning {
			d.Severity = diag.Warning
		}
		l.Add(d)
		vague = vague || fault.OnKey && structural(fault.Pointer) || slices.Equal(fault.Pointer, []string{"type"})
		if p := fault.Pointer; len(p) == 2 && p[0] == "required" {
			// It names no property: what uses the property is not at fault too.
			l.unread = append(l.unread, field+"."+required(node, p[1]))
		}
	}
	if vague {
		l.unread = append(l.unread, field)
	}
}

// bareProperties reports the properties that stand in the parameters themselves,
// and whether there are any: what else is wrong is not known before they are moved.
func (l *loader) bareProperties(m *shape.Map, parameters *syntax.Node) bool {
	var bare []*syntax.Node
	for _, p := range parameters.Pairs {
		if key := p.Key.Text; !jsonschema.Keyword(key) && !m.Known(key) && !structural([]string{key}) && isProperty(p.Value) {
			bare = append(bare, p.Key)
		}
	}
	if len(bare) == 0 {
		return false
	}
	d := diag.Errorf(bare[0].Span(), "schema", "%q stands beside the keywords of the schema: a parameter stands under \"properties\"", bare[0].Text).
		WithHint("put it under parameters.properties")
	if others := len(bare) - 1; others > 0 {
		d.Hint = fmt.Sprintf("put it, and %q, under parameters.properties", bare[1].Text)
		if others > 1 {
			d.Hint = fmt.Sprintf("put it, and the %d others, under parameters.properties", others)
		}
	}
	l.Add(d)
	return true
}

// isProperty reports whether a value is the schema of a parameter, or the name
// of a type.
func isProperty(n *syntax.Node) bool {
	if n.Kind == syntax.Map {
		n = n.Get("type")
	}
	if n == nil || n.Kind != syntax.String {
		return false
	}
	switch n.Text {
	case "string", "number", "integer", "boolean", "array", "object", "null":
		return true
	}
	return false
}

// displaced reports and returns the keys of the tool that stand in its
// parameters, as those do in TOML that follow the header [parameters].
func (l *loader) displaced(m *shape.Map, parameters *syntax.Node) []string {
	hint := "it belongs at the top level of the file"
	if l.Service != nil {
		hint += ", above [parameters]"
	}
	var keys []string
	for _, p := range parameters.Pairs {
		key := p.Key.Text
		if key == "description" || !m.Known(key) || m.Get(key) != nil { // description is of JSON Schema too
			continue
		}
		l.Displace(key)
		l.Add(diag.Errorf(p.Key.Span(), "unknown-key", "unknown key %q", m.Name("parameters."+key)).WithHint("%s", hint))
		keys = append(keys, key)
	}
	return keys
}

// structural reports whether the misspelt keyword at the end of a pointer
// may have said which paths there are.
func structural(pointer []string) bool {
	last := pointer[len(pointer)-1]
	return diag.Nearest(last, []string{
		"properties", "items", "prefixItems", "additionalProperties", "patternProperties", "unevaluatedProperties",
		"anyOf", "oneOf", "allOf", "$ref", "$defs", "if", "then", "else", "type",
	}) != ""
}

// duplicatedIn reports whether a key stands twice somewhere inside a node.
func (l *loader) duplicatedIn(node *syntax.Node) bool {
	if !slices.ContainsFunc(l.Faults, func(d diag.Diagnostic) bool { return d.Code == "duplicate-key" }) {
		return false
	}
	within := node.Span()
	return slices.ContainsFunc(l.Faults, func(d diag.Diagnostic) bool {
		return d.Code == "duplicate-key" && d.Span.Start >= within.Start && d.Span.End <= within.End
	})
}

// required returns the entry of the schema's required at an index.
func required(schema *syntax.Node, index string) string {
	list := schema.Get("required")
	if i, err := strconv.Atoi(index); err == nil && list != nil && i < len(list.Items) {
		return list.Items[i].Text
	}
	return ""
}

// A locator finds the places in a schema that faults point at.
type locator struct {
	root    *syntax.Node
	key     func() diag.Span // of the root
	indexes map[*syntax.Node]map[string]syntax.Pair
}

// pair is Node.Pair, in time that does not grow with the map.
func (l *locator) pair(node *syntax.Node, key string) (syntax.Pair, bool) {
	if len(node.Pairs) < 32 {
		return node.Pair(key)
	}
	index := l.indexes[node]
	if index == nil {
		index = make(map[string]syntax.Pair, len(node.Pairs))
		for _, p := range node.Pairs {
			index[p.Key.Text] = p
		}
		if l.indexes == nil {
			l.indexes = map[*syntax.Node]map[string]syntax.Pair{}
		}
		l.indexes[node] = index
	}
	p, ok := index[key]
	return p, ok
}

// locate follows the tokens of a JSON Pointer from the root.
func (l *locator) locate(pointer []string, onKey bool) diag.Span {
	node, key := l.root, (*syntax.Node)(nil)
	for _, token := range pointer {
		if node.Kind == syntax.Seq {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node.Items) {
				break
			}
			node = node.Items[i]
			key = node
			continue
		}
		p, ok := l.pair(node, token)
		if !ok {
			break
		}
		key, node = p.Key, p.Value
	}
	if at := node.Span(); !onKey && at.Start < at.End && node.Kind != syntax.Map {
		return at
	}
	if key == nil {
		return l.key()
	}
	return key.Span()
}
