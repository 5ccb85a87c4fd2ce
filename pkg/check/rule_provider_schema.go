package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// providerSchema: what JSON Schema allows and the big model providers refuse
// in a tool's parameters.
func providerSchema(r *run, t *tool.Tool) {
	root := t.Root.Get("parameters")
	if root == nil || root.Kind != syntax.Map {
		return
	}
	for _, p := range root.Pairs {
		switch p.Key.Text {
		case "oneOf", "anyOf", "allOf", "not", "enum", "if":
			r.add(diag.Warningf(p.Key.Span(), "provider-schema", "model providers refuse %q at the top of a tool's parameters", p.Key.Text).
				WithHint("move it into a property, or let the backend decide"))
		}
	}
	r.providerSchema(root, 0)
}

func (r *run) providerSchema(schema *syntax.Node, depth int) {
	if schema == nil || schema.Kind != syntax.Map || depth > 64 {
		return
	}
	if kind, ok := schema.Pair("type"); ok && depth > 0 && isArray(kind.Value) && schema.Get("items") == nil && schema.Get("prefixItems") == nil {
		r.add(diag.Warningf(kind.Value.Span(), "provider-schema", "model providers refuse an array that does not say what it holds").
			WithHint("add items, as in: items: { type: string }"))
	}
	for _, p := range schema.Pairs {
		switch p.Key.Text {
		case "properties":
			if p.Value.Kind != syntax.Map {
				continue
			}
			for _, property := range p.Value.Pairs {
				if !plainName(property.Key.Text) {
					r.add(diag.Warningf(property.Key.Span(), "provider-schema", "model providers refuse the parameter name %q: letters, digits, _, . and - are safe, 64 at most", property.Key.Text))
				}
				r.providerSchema(property.Value, depth+1)
			}
		case "$defs", "definitions", "patternProperties", "dependentSchemas":
			if p.Value.Kind == syntax.Map {
				for _, sub := range p.Value.Pairs {
					r.providerSchema(sub.Value, depth+1)
				}
			}
		case "items", "additionalProperties", "contains", "not", "if", "then", "else":
			r.providerSchema(p.Value, depth+1)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			for _, sub := range p.Value.Items {
				r.providerSchema(sub, depth+1)
			}
		case "$ref":
			if p.Value.Kind == syntax.String && strings.Contains(p.Value.Text, "#/properties/") {
				r.add(diag.Warningf(p.Value.Span(), "provider-schema", "model providers follow references into $defs only, not %s", fmt.Sprintf("%q", p.Value.Text)))
			}
		}
	}
}

// isArray reports whether the value of type is or lists "array".
func isArray(kind *syntax.Node) bool {
	return kind.Text == "array" || slices.ContainsFunc(kind.Items, func(n *syntax.Node) bool { return n.Text == "array" })
}

// plainName reports whether every provider takes a parameter of that name.
func plainName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '.' && c != '-'
	})
}
