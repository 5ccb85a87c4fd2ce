package jsonschema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

func TestLookup(t *testing.T) {
	type answer struct {
		Presence jsonschema.Presence
		At       int
		Known    []string
	}
	unknown := func(at int, known ...string) answer { return answer{jsonschema.Unknown, at, known} }
	declared := func(at int) answer { return answer{jsonschema.Declared, at, nil} }
	open := func(at int) answer { return answer{jsonschema.Open, at, nil} }

	const closed = `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}}}`
	const order = `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"qty":{"type":"integer"},"sku":{}}}},"free":{"type":"array"},"pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"object","properties":{"x":{}}}],"items":false},"any":{},"yes":true,"no":false}}`
	const union = `{"type":"object","properties":{"p":{"anyOf":[{"type":"object","properties":{"card":{"type":"string"}}},{"type":"object","properties":{"cash":{"type":"integer"}}},{"type":"null"}]},"q":{"oneOf":[{"properties":{"x":{}}},{"type":"object"}]}}}`
	for _, tt := range []struct {
		name   string
		schema string
		path   string
		want   answer
	}{
		{"root", closed, "", declared(0)},
		{"property", closed, "a", declared(1)},
		{"unknown property", closed, "c", unknown(0, "a", "b")},
		{"into a string", closed, "a.b", unknown(1)},
		{"index into a string", closed, "a.0", unknown(1)},
		{"no properties", `{"type":"object"}`, "a.b", open(2)},
		{"no properties, closed", `{"type":"object","additionalProperties":false}`, "a", unknown(0)},
		{"empty properties", `{"type":"object","properties":{}}`, "a", unknown(0)},
		{"additionalProperties true", `{"type":"object","properties":{"a":{}},"additionalProperties":true}`, "b.c", open(2)},
		{"additionalProperties false", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, "b", unknown(0, "a")},
		{"additionalProperties schema", `{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"object","properties":{"x":{}}}}`, "b", open(1)},
		{"into additionalProperties", `{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"object","properties":{"x":{}}}}`, "b.x", open(2)},
		{"unknown in additionalProperties", `{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"object","properties":{"x":{}}}}`, "b.y", unknown(1, "x")},
		{"into scalar additionalProperties", `{"type":"object","additionalProperties":{"type":"string"}}`, "b.y", unknown(1)},
		{"pattern matches", `{"type":"object","properties":{"a":{}},"patternProperties":{"^x_":{}}}`, "x_1", open(1)},
		{"pattern does not match", `{"type":"object","properties":{"a":{}},"patternProperties":{"^x_":{}}}`, "y", unknown(0, "a")},
		{"patterns alone", `{"type":"object","patternProperties":{"^x_":{}}}`, "y", open(1)},
		{"unevaluatedProperties", `{"type":"object","properties":{"a":{}},"unevaluatedProperties":{"type":"string"}}`, "y", open(1)},
		{"unevaluatedProperties false", `{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`, "y", unknown(0, "a")},
		{"items", order, "items.0.qty", declared(3)},
		{"unknown in items", order, "items.12.price", unknown(2, "qty", "sku")},
		{"name into array", order, "items.qty", unknown(1, "0")},
		{"leading zero is no index", order, "items.00", unknown(1, "0")},
		{"array without items", order, "free.3.x", open(3)},
		{"name into array without items", order, "free.x", unknown(1, "0")},
		{"prefixItems", order, "pair.1.x", declared(3)},
		{"unknown in prefixItems", order, "pair.1.y", unknown(2, "x")},
		{"past prefixItems", order, "pair.2", unknown(1, "0", "1")},
		{"empty schema", order, "any.x.0", open(3)},
		{"true", order, "yes.x", open(2)},
		{"false", order, "no", unknown(0, "any", "free", "items", "pair", "yes")},
		{"first branch", union, "p.card", declared(2)},
		{"second branch", union, "p.cash", declared(2)},
		{"no branch", union, "p.cheque", unknown(1, "card", "cash")},
		{"deep in a branch", union, "p.card.x", unknown(2)},
		{"an open branch", union, "q.y", open(2)},
		{"declared beats open", union, "q.x", declared(2)},
		{"branches that only require", `{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, "c", unknown(0, "a", "b")},
		{"properties in branches only", `{"type":"object","oneOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, "c", unknown(0, "a", "b")},
		{"constraints only", `{"type":"object","minProperties":1}`, "c", open(1)},
		{"if then else", `{"type":"object","properties":{"k":{}},"if":{"properties":{"k":{"const":1}}},"then":{"properties":{"x":{}}},"else":{"properties":{"y":{}}}}`, "y", declared(1)},
		{"not in if then else", `{"type":"object","properties":{"k":{}},"if":{"properties":{"k":{"const":1}}},"then":{"properties":{"x":{}}},"else":{"properties":{"y":{}}}}`, "z", unknown(0, "k", "x", "y")},
		{"not is no branch", `{"type":"object","properties":{"k":{}},"not":{"properties":{"z":{}}}}`, "z", unknown(0, "k")},
		{"dependentSchemas", `{"type":"object","properties":{"k":{}},"dependentSchemas":{"k":{"properties":{"d":{}}}}}`, "d", declared(1)},
		{"recursive reference", `{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`, "t.kids.0.kids.1.kids", declared(6)},
		{"unknown in recursive reference", `{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`, "t.kids.0.x", unknown(3, "kids")},
		{"enum of scalars", `{"type":"object","properties":{"e":{"enum":["a","b"]}}}`, "e.x", unknown(1)},
		{"type missing, properties there", `{"type":"object","properties":{"o":{"properties":{"x":{}}}}}`, "o.y", unknown(1, "x")},
		{"type missing, items there", `{"type":"object","properties":{"o":{"items":{"type":"string"}}}}`, "o.y", unknown(1, "0")},
		{"object or array", `{"type":"object","properties":{"o":{"type":["object","array"],"properties":{"x":{}},"items":{"type":"string"}}}}`, "o.0", declared(2)},
		{"faulty properties", `{"type":"object","properties":["a"]}`, "b", open(1)},
		{"misspelt properties", `{"type":"object","propertys":{"a":{}}}`, "b", open(1)},
		{"faulty schema of a property", `{"type":"object","properties":{"a":"string"}}`, "a.b", open(2)},
		{"reference to nothing", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`, "a.b", open(2)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := jsonschema.Compile(jsondoc.MustParse(tt.schema))
			var path []string
			if tt.path != "" {
				path = strings.Split(tt.path, ".")
			}
			var got answer
			got.Presence, got.At, got.Known = s.Lookup(path)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Lookup(%q) in %s (-want +got):\n%s", tt.path, tt.schema, diff)
			}
		})
	}
}

func TestPresenceString(t *testing.T) {
	got := []string{jsonschema.Presence(0).String(), jsonschema.Unknown.String(), jsonschema.Declared.String(), jsonschema.Open.String()}
	if diff := cmp.Diff([]string{"invalid", "unknown", "declared", "open"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
