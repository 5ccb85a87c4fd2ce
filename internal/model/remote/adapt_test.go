package remote

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

func TestAdapt(t *testing.T) {
	tests := []struct {
		name, schema string
		want         string // "": the schema as it is, compact
		changes      []string
	}{
		{name: "nothing to change", schema: `{ "type":"object", "properties":{ "b":{"type":["array","null"],"items":{"type":"string"}}, "a":{"type":"number","maximum":1.50, "description":"caf\u00e9"} }, "required":["b"], "$defs":{"año":{}}, "additionalProperties":false }`},
		{name: "only properties", schema: `{"properties":{"a":true}}`, want: `{"type":"object","properties":{"a":true}}`},
		{name: "an empty schema", schema: `{}`, want: `{"type":"object","properties":{}}`},
		{name: "no schema", schema: `true`, want: `{"type":"object","properties":{}}`},
		{
			name: "a type that may be null", schema: `{"type":["object","null"],"properties":{}}`, want: `{"type":"object","properties":{}}`,
			changes: []string{`the type of the parameters is "object": acme takes no other`},
		},
		{
			name:   "keywords at the top",
			schema: `{"type":"object","properties":{"a":{"enum":[1],"not":{"const":2},"anyOf":[{},{}]}},"oneOf":[{"required":["a"]}],"anyOf":[{"required":["a"]}],"allOf":[{"minProperties":1}],"not":{"required":["z"]},"enum":[{}],"if":{},"then":{},"else":{},"minProperties":1}`,
			want:   `{"type":"object","properties":{"a":{"enum":[1],"not":{"const":2},"anyOf":[{},{}]}},"minProperties":1}`,
			changes: []string{
				`"oneOf" was taken out at the top of the parameters: acme refuses it`, `"anyOf" was taken out at the top of the parameters: acme refuses it`,
				`"allOf" was taken out at the top of the parameters: acme refuses it`, `"not" was taken out at the top of the parameters: acme refuses it`,
				`"enum" was taken out at the top of the parameters: acme refuses it`, `"if" was taken out at the top of the parameters: acme refuses it`,
			},
		},
		{
			name: "what branches declare stays, and what all of them demand",
			schema: `{"type":"object","properties":{"kind":{"type":"string"}},"required":["kind"],` +
				`"allOf":[{"properties":{"all":{"type":"integer"},"kind":{"const":"x"}},"required":["all","kind"]},{"$ref":"#/$defs/more"}],` +
				`"oneOf":[{"properties":{"by":{"const":"name"},"name":{"type":"string"}},"required":["by"]},{"properties":{"by":{"const":"id"},"id":{"type":"integer"},"name":{"type":"string"}}}],` +
				`"if":{"properties":{"kind":{"const":"y"}}},"then":{"properties":{"then":{"type":"boolean"}}},` +
				`"$defs":{"more":{"properties":{"more":{"type":"array"}},"required":["more"],"allOf":[{"$ref":"#/$defs/more"}]}}}`,
			want: `{"type":"object","properties":{"kind":{"type":"string"},"all":{"type":"integer"},"more":{"type":"array","items":{}},` +
				`"by":{"anyOf":[{"const":"name"},{"const":"id"}]},"name":{"type":"string"},"id":{"type":"integer"},"then":{"type":"boolean"}},"required":["kind","all","more"],` +
				`"$defs":{"more":{"properties":{"more":{"type":"array","items":{}}},"required":["more"],"allOf":[{"$ref":"#/$defs/more"}]}}}`,
			changes: []string{
				`the array "more" was given items, of any kind: acme refuses one that does not say what it holds`,
				`"allOf" was taken out at the top of the parameters: acme refuses it`, `"oneOf" was taken out at the top of the parameters: acme refuses it`, `"if" was taken out at the top of the parameters: acme refuses it`,
			},
		},
		{
			name: "branches alone", schema: `{"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}`,
			want:    `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
			changes: []string{`"anyOf" was taken out at the top of the parameters: acme refuses it`},
		},
		{
			name: "a reference at the top", schema: `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}}}`,
			want:    `{"type":"object","$defs":{"a":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}},"properties":{"x":{"type":"string"}},"required":["x"]}`,
			changes: []string{`"$ref" at the top of the parameters was replaced by the properties it leads to: acme follows none there`},
		},
		{
			name:   "arrays without items",
			schema: `{"type":"object","properties":{"a":{"type":"array"},"b":{"type":"object","properties":{"c":{"type":["null","array"],"maxItems":2}}},"d":{"type":"array","prefixItems":[{"type":"array"}]},"e":{"items":{"type":"array"}},"default":{"type":"array"},"f":{"additionalProperties":{"anyOf":[{"type":"array"}]}}}}`,
			want:   `{"type":"object","properties":{"a":{"type":"array","items":{}},"b":{"type":"object","properties":{"c":{"type":["null","array"],"maxItems":2,"items":{}}}},"d":{"type":"array","prefixItems":[{"type":"array","items":{}}]},"e":{"items":{"type":"array","items":{}}},"default":{"type":"array","items":{}},"f":{"additionalProperties":{"anyOf":[{"type":"array","items":{}}]}}}}`,
			changes: []string{
				`the array "a" was given items, of any kind: acme refuses one that does not say what it holds`, `the array "b.c" was given items, of any kind: acme refuses one that does not say what it holds`,
				`the array "d" was given items, of any kind: acme refuses one that does not say what it holds`, `the array "e" was given items, of any kind: acme refuses one that does not say what it holds`,
				`the array "default" was given items, of any kind: acme refuses one that does not say what it holds`, `the array "f" was given items, of any kind: acme refuses one that does not say what it holds`,
			},
		},
		{
			name: "names",
			schema: `{"type":"object","properties":{"año":{"type":"integer","description":"which"},"ano":{},"a b/c":{"properties":{"ñ":true,"año":{"type":"string"}},"required":["ñ","año"],"dependentRequired":{"ñ":["año"]},"dependentSchemas":{"ñ":{"type":"array"}}},"€":{},"":{},"日本":{"type":"string"}},` +
				`"required":["año","ano"],"default":{"año":1,"x":[{"ñ":2}]},"patternProperties":{"ñ":{"enum":[{"€":"€"}]}}}`,
			want: `{"type":"object","properties":{"ano_2":{"type":"integer","description":"which (año)"},"ano":{},"a_b_c":{"properties":{"n":true,"ano_2":{"type":"string","description":"año"}},"required":["n","ano_2"],"dependentRequired":{"n":["ano_2"]},"dependentSchemas":{"n":{"type":"array","description":"ñ","items":{}}},"description":"a b/c"},"parameter":{"description":"€"},"parameter_2":{},"parameter_3":{"type":"string","description":"日本"}},` +
				`"required":["ano_2","ano"],"default":{"ano_2":1,"x":[{"n":2}]},"patternProperties":{"ñ":{"enum":[{"parameter":"€"}]}}}`,
			changes: []string{
				`the parameter "año" travels as "ano_2": acme refuses its name`, `the parameter "a b/c" travels as "a_b_c": acme refuses its name`,
				`the parameter "ñ" travels as "n": acme refuses its name`, `the array "a b/c.ñ" was given items, of any kind: acme refuses one that does not say what it holds`,
				`the parameter "€" travels as "parameter": acme refuses its name`, `the parameter "" travels as "parameter_2": acme refuses its name`, `the parameter "日本" travels as "parameter_3": acme refuses its name`,
			},
		},
		{
			name: "long names", schema: `{"type":"object","properties":{"` + strings.Repeat("x", 64) + `":{},"` + strings.Repeat("x", 65) + `":{},"` + strings.Repeat("x", 66) + `":{}}}`,
			want: `{"type":"object","properties":{"` + strings.Repeat("x", 64) + `":{},"` + strings.Repeat("x", 62) + `_2":{"description":"` + strings.Repeat("x", 65) + `"},"` + strings.Repeat("x", 62) + `_3":{"description":"` + strings.Repeat("x", 66) + `"}}}`,
			changes: []string{
				fmt.Sprintf("the parameter %q travels as %q: acme refuses its name", strings.Repeat("x", 65), strings.Repeat("x", 62)+"_2"),
				fmt.Sprintf("the parameter %q travels as %q: acme refuses its name", strings.Repeat("x", 66), strings.Repeat("x", 62)+"_3"),
			},
		},
		{
			name: "references",
			schema: `{"$defs":{"a":{"$ref":"#/properties/b/items"},"list":{}},"type":"object","properties":{"a":{"$ref":"#/$defs/a"},"b":{"type":"array","items":{"type":"object","properties":{"next":{"$ref":"#/properties/b/items"},"list":{"$ref":"#/properties/list"},"gone":{"$ref":"#/properties/gone"},"all":{"$ref":"#"}}}},` +
				`"list":{"type":"array","items":{"$ref":"#/properties/b"}},"slash":{"$ref":"#/properties/x~1y~0%20z"},"x/y~ z":{"type":"string"},"at":{"$ref":"#/properties/b/prefixItems/0"}}}`,
			want: `{"$defs":{"a":{"$ref":"#/$defs/items"},"list":{},"items":{"type":"object","properties":{"next":{"$ref":"#/$defs/items"},"list":{"$ref":"#/$defs/list_2"},"gone":{"$ref":"#/properties/gone"},"all":{"$ref":"#"}}},` +
				`"list_2":{"type":"array","items":{"$ref":"#/$defs/b"}},"b":{"type":"array","items":{"type":"object","properties":{"next":{"$ref":"#/$defs/items"},"list":{"$ref":"#/$defs/list_2"},"gone":{"$ref":"#/properties/gone"},"all":{"$ref":"#"}}}},` +
				`"x_1y_0_20z":{"type":"string"}},"type":"object",` +
				`"properties":{"a":{"$ref":"#/$defs/a"},"b":{"type":"array","items":{"type":"object","properties":{"next":{"$ref":"#/$defs/items"},"list":{"$ref":"#/$defs/list_2"},"gone":{"$ref":"#/properties/gone"},"all":{"$ref":"#"}}}},` +
				`"list":{"type":"array","items":{"$ref":"#/$defs/b"}},"slash":{"$ref":"#/$defs/x_1y_0_20z"},"x_y_z":{"type":"string","description":"x/y~ z"},"at":{"$ref":"#/properties/b/prefixItems/0"}}}`,
			changes: []string{
				`the reference "#/properties/b/items" leads into $defs: acme follows no other`, `the reference "#/properties/list" leads into $defs: acme follows no other`,
				`the reference "#/properties/b" leads into $defs: acme follows no other`, `the reference "#/properties/x~1y~0%20z" leads into $defs: acme follows no other`,
				`the parameter "x/y~ z" travels as "x_y_z": acme refuses its name`,
			},
		},
		{
			name: "references without $defs", schema: `{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`,
			want:    `{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`,
			changes: []string{`the reference "#/properties/a" leads into $defs: acme follows no other`},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			schema := jsondoc.MustParse(test.schema)
			if test.want == "" {
				test.want = string(schema.AppendCompact(nil))
			}
			got := Adapt("acme", chat.Tool{Name: "a", Description: " D. ", WhenToUse: " When. ", Parameters: schema})
			if diff := cmp.Diff(test.want, string(got.Tool.Parameters.AppendCompact(nil))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.changes, got.Changes); diff != "" {
				t.Error(diff)
			}
			if got.Tool.Name != "a" || got.Tool.Description != "D.\n\nWhen to use: When." || got.Tool.WhenToUse != "" {
				t.Errorf("%+v", got.Tool)
			}
			again := Adapt("acme", got.Tool)
			if diff := cmp.Diff(string(got.Tool.Parameters.AppendCompact(nil)), string(again.Tool.Parameters.AppendCompact(nil))); diff != "" && !strings.Contains(test.schema, "gone") {
				t.Errorf("adapted twice: %s", diff)
			}
		})
	}
}

func TestDescription(t *testing.T) {
	for _, test := range []struct{ description, when, want string }{
		{" as it is ", " ", " as it is "},
		{"", "always", "When to use: always"},
		{"a", "b", "a\n\nWhen to use: b"},
	} {
		if got := Description(chat.Tool{Description: test.description, WhenToUse: test.when}); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestArguments(t *testing.T) {
	a := Adapt("acme", chat.Tool{Parameters: jsondoc.MustParse(`{"type":"object","properties":{"año":{},"ano":{},"n":{}}}`)})
	tests := []struct {
		adapted            Adapted
		ours, theirs, back string
	}{
		{a, `{ "año": 1.50, "ano": {"año": ["\u00f1"]}, "x": null }`, `{"ano_2":1.50,"ano":{"ano_2":["\u00f1"]},"x":null}`, `{"año":1.50,"ano":{"año":["\u00f1"]},"x":null}`},
		{a, `{"a`, `{"invalid_arguments":"{\"a"}`, `{"invalid_arguments":"{\"a"}`},
		{a, ``, `{}`, `{}`},
		{a, ` [1] `, `{"invalid_arguments":" [1] "}`, `{"invalid_arguments":" [1] "}`},
		{a, "\xff", `{"invalid_arguments":"` + "\uFFFD" + `"}`, `{"invalid_arguments":"` + "\uFFFD" + `"}`},
		{Adapted{}, ` {"año" : 1} `, `{"año":1}`, `{"año":1}`},
	}
	for _, test := range tests {
		theirs := test.adapted.Theirs(test.ours)
		back := test.adapted.Ours(theirs)
		if theirs != test.theirs || back != test.back {
			t.Errorf("%s: %s, %s\nwant %s, %s", test.ours, theirs, back, test.theirs, test.back)
		}
	}
	for _, text := range []string{"{oops", ` {"x" : 1} `} {
		if got := (Adapted{}).Ours(text); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	if got := a.Ours("{oops"); got != "{oops" {
		t.Error(got)
	}
}

func TestToolName(t *testing.T) {
	for name, want := range map[string]string{"check_stock": "check_stock", "functions.a b": "functions_a_b", "": "unnamed", "ñ": "_", strings.Repeat("x", 70): strings.Repeat("x", 64)} {
		if got := ToolName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// parameterNames visits the names of the properties of a schema: what an unknown
// keyword holds is no schema, and no provider looks at it.
func parameterNames(schema jsondoc.Value, note func(name string)) {
	for word, value := range schema.Members() {
		switch word {
		case "properties", "dependentSchemas":
			for name, s := range value.Members() {
				note(name)
				parameterNames(s, note)
			}
		case "$defs", "definitions", "patternProperties":
			for _, s := range value.Members() {
				parameterNames(s, note)
			}
		case "items", "allOf", "anyOf", "oneOf", "prefixItems", "additionalItems", "additionalProperties", "contains", "contentSchema",
			"not", "if", "then", "else", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
			parameterNames(value, note)
			for s := range value.Elements() {
				parameterNames(s, note)
			}
		}
	}
}

// FuzzAdapt wants that nothing is left of what is refused, whatever the schema.
func FuzzAdapt(f *testing.F) {
	f.Add(`{"type":"object","properties":{"año":{"type":"array"},"b":{"$ref":"#/properties/año"}},"oneOf":[{"properties":{"c":{}}}]}`)
	f.Add(`{"$ref":"#/properties/a","properties":{"a":{"$ref":"#/properties/a"}}}`)
	f.Add(`{"$defs":{"x":{"properties":{"y":{"$ref":"#/allOf/0"}}}},"allOf":[{"$ref":"#/$defs/x"}]}`)
	f.Add(`{"properties":[1],"required":"a","$defs":[],"dependentRequired":[],"items":3}`)
	f.Add(`{"$ref":"#/"," ":{"":{}}}`)
	f.Add(`{"":{"":{"properties":{"":{}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		schema, err := jsondoc.Parse([]byte(text))
		if err != nil || len(text) > 10_000 {
			return
		}
		a := Adapt("acme", chat.Tool{Parameters: schema})
		p := a.Tool.Parameters
		if p.Get("type").Text() != "object" || p.Get("properties").Kind() != jsondoc.Object {
			t.Fatalf("%s", p.Raw())
		}
		for word := range p.Members() {
			if refusedAtTop(word) {
				t.Fatalf("%s stays: %s", word, p.Raw())
			}
		}
		parameterNames(p, func(name string) {
			if !acceptable(name) {
				t.Fatalf("%q stays: %s", name, p.Raw())
			}
		})
		for theirs, ours := range a.ours {
			if a.theirs[ours] != theirs {
				t.Fatalf("%q leads to %q, which leads to %q", theirs, ours, a.theirs[ours])
			}
		}
		if string(Adapt("acme", chat.Tool{Parameters: schema}).Tool.Parameters.Raw()) != string(p.Raw()) {
			t.Fatal("not the same again")
		}
	})
}
