package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

func TestCompileFaults(t *testing.T) {
	for _, tt := range []struct {
		schema string
		want   []jsonschema.Fault
	}{
		{
			schema: `{"type":"object","properties":{"product":{"type":"string"}},"required":["product"]}`,
		},
		{
			schema: `{"properties":{}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{}, Message: `the schema does not say "type": "object"`, Hint: "arguments are always an object: write type: object"},
			},
		},
		{
			schema: `{"type":"string"}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"type"}, Message: `the root of the schema must have type "object", not string`, Hint: "arguments are always an object: write type: object"},
			},
		},
		{
			schema: `{"tpye":"object"}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"tpye"}, OnKey: true, Message: `unknown keyword "tpye" has no effect`, Hint: `did you mean "type"?`},
			},
		},
		{
			schema: `true`,
			want: []jsonschema.Fault{
				{Pointer: []string{}, Message: `the schema must be an object with "type": "object", not the boolean true`, Hint: "arguments are always an object: write type: object"},
			},
		},
		{
			schema: `5`,
			want: []jsonschema.Fault{
				{Pointer: []string{}, Message: "the schema must be an object or a boolean, not the number 5"},
			},
		},
		{
			schema: `{"type":["object","null"]}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"type"}, Message: `the root of the schema must have type "object", not ["object","null"]`, Hint: "arguments are always an object: write type: object"},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"type":"strng"}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "type"}, Message: `"strng" is not a type`, Hint: `did you mean "string"?`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"type":"int"},"b":{"type":"bool"},"c":{"type":"float"},"d":{"type":"str"},"e":{"type":"dict"},"f":{"type":"list"},"g":{"type":"date"},"h":{"type":"String"},"i":{"type":"any"},"j":{"type":"widget"},"k":{"type":null},"l":{"type":["string",null]},"m":{"type":[]},"n":{"type":["string","string"]}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "type"}, Message: `"int" is not a type`, Hint: `did you mean "integer"?`},
				{Pointer: []string{"properties", "b", "type"}, Message: `"bool" is not a type`, Hint: `did you mean "boolean"?`},
				{Pointer: []string{"properties", "c", "type"}, Message: `"float" is not a type`, Hint: `did you mean "number"?`},
				{Pointer: []string{"properties", "d", "type"}, Message: `"str" is not a type`, Hint: `did you mean "string"?`},
				{Pointer: []string{"properties", "e", "type"}, Message: `"dict" is not a type`, Hint: `did you mean "object"?`},
				{Pointer: []string{"properties", "f", "type"}, Message: `"list" is not a type`, Hint: `did you mean "array"?`},
				{Pointer: []string{"properties", "g", "type"}, Message: `"date" is not a type`, Hint: `did you mean "string"?`},
				{Pointer: []string{"properties", "h", "type"}, Message: `"String" is not a type`, Hint: `did you mean "string"?`},
				{Pointer: []string{"properties", "i", "type"}, Message: `"any" is not a type`, Hint: `for any value leave "type" out`},
				{Pointer: []string{"properties", "j", "type"}, Message: `"widget" is not a type`, Hint: `the types are "null", "boolean", "integer", "number", "string", "array", "object"`},
				{Pointer: []string{"properties", "k", "type"}, Message: `"type" must be the name of a type, not null`, Hint: `write "null", in quotes`},
				{Pointer: []string{"properties", "l", "type", "1"}, Message: `"type" must be the name of a type, not null`, Hint: `write "null", in quotes`},
				{Pointer: []string{"properties", "m", "type"}, Message: `"type" lists no type, so no value is allowed`, Hint: "name a type or remove it"},
				{Pointer: []string{"properties", "n", "type", "1"}, Message: `"type" lists "string" twice`},
			},
		},
		{
			schema: `{"type":"object","properties":{"product":{"type":"string"}},"required":"product"}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"required"}, Message: `"required" must be an array of property names, not the string "product"`, Hint: "write required: [product]"},
			},
		},
		{
			schema: `{"type":"object","properties":{"product":{"type":"string"}},"required":["produkt"]}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"required", "0"}, Message: `"required" names "produkt", which is not a property`, Hint: `did you mean "product"?`},
			},
		},
		{
			schema: `{"type":"object","properties":{"product":{"type":"string"}},"required":["product","zzz","product",5]}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"required", "2"}, Message: `"required" lists "product" twice`},
				{Pointer: []string{"required", "3"}, Message: `"required" must list names, not the number 5`},
				{Pointer: []string{"required", "1"}, Message: `"required" names "zzz", which is not a property`, Hint: `the only property is "product"`},
			},
		},
		{
			schema: `{"type":"object","properties":{"product":{"type":"string","required":true}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "product", "required"}, OnKey: true, Message: `"required" must be an array of property names, not the boolean true`, Hint: `list "product" in the "required" of the object around it: required: [product]`},
			},
		},
		{
			schema: `{"type":"object","properties":{"product":{"type":"string","nullable":true}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "product", "nullable"}, OnKey: true, Message: `"nullable" is of OpenAPI and has no effect`, Hint: `to allow null write type: [string, "null"]`, Warning: true},
			},
		},
		{
			schema: `{"type":"object","properties":["a"]}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties"}, Message: `"properties" must be an object, not an array`, Hint: "write one entry for each property: name: { type: string }"},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":"string","b":null,"c":["x"]}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a"}, Message: `the schema of "a" must be an object or a boolean, not the string "string"`, Hint: "write { type: string }"},
				{Pointer: []string{"properties", "b"}, Message: `the schema of "b" must be an object or a boolean, not null`},
				{Pointer: []string{"properties", "c"}, Message: `the schema of "c" must be an object or a boolean, not an array`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"minimum":"5","maxLength":-1,"minLength":1.5,"exclusiveMinimum":true,"multipleOf":0,"uniqueItems":"true","description":5}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "minimum"}, Message: `"minimum" must be a number, not the string "5"`, Hint: "remove the quotes"},
				{Pointer: []string{"properties", "a", "maxLength"}, Message: `"maxLength" must be an integer of at least 0, not -1`},
				{Pointer: []string{"properties", "a", "minLength"}, Message: `"minLength" must be an integer of at least 0, not 1.5`},
				{Pointer: []string{"properties", "a", "exclusiveMinimum"}, Message: `"exclusiveMinimum" must be a number, not the boolean true`, Hint: `write the limit itself, in place of "minimum"`},
				{Pointer: []string{"properties", "a", "multipleOf"}, Message: `"multipleOf" must be more than 0, not 0`},
				{Pointer: []string{"properties", "a", "uniqueItems"}, Message: `"uniqueItems" must be a boolean, not the string "true"`, Hint: "remove the quotes"},
				{Pointer: []string{"properties", "a", "description"}, Message: `"description" must be a string, not the number 5`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"minLength":5,"maxLength":3},"b":{"minimum":2,"maximum":1.5},"c":{"minItems":2,"maxItems":1},"d":{"minProperties":3,"maxProperties":2}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "minLength"}, Message: `"minLength" 5 is more than "maxLength" 3`},
				{Pointer: []string{"properties", "b", "minimum"}, Message: `"minimum" 2 is more than "maximum" 1.5`},
				{Pointer: []string{"properties", "c", "minItems"}, Message: `"minItems" 2 is more than "maxItems" 1`},
				{Pointer: []string{"properties", "d", "minProperties"}, Message: `"minProperties" 3 is more than "maxProperties" 2`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"pattern":"[a"},"b":{"pattern":"(?=x)y"},"c":{"pattern":"(a)\\1"},"d":{"pattern":"^\\u00e9\\u{1F600}\\cJ$"}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "pattern"}, Message: `"pattern" is not a regular expression that can be used: missing closing ] in "[a"`, Hint: "the syntax is RE2: https://github.com/google/re2/wiki/Syntax"},
				{Pointer: []string{"properties", "b", "pattern"}, Message: `"pattern" is not a regular expression that can be used: groups such as "(?=" are not supported`, Hint: "the syntax is RE2: https://github.com/google/re2/wiki/Syntax"},
				{Pointer: []string{"properties", "c", "pattern"}, Message: `"pattern" is not a regular expression that can be used: references to groups such as "\\1" are not supported`, Hint: "the syntax is RE2: https://github.com/google/re2/wiki/Syntax"},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"type":"string","default":5},"b":{"type":"integer","default":"5"},"c":{"enum":["S","M"],"default":"L"},"d":{"type":"string","default":null},"e":{"type":"array","items":{"type":"string"},"default":["a",1]}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "default"}, Message: `"default" must be a string, not the number 5`, Hint: "put it in quotes"},
				{Pointer: []string{"properties", "b", "default"}, Message: `"default" must be an integer, not the string "5"`, Hint: "remove the quotes"},
				{Pointer: []string{"properties", "c", "default"}, Message: `"default" must be one of "S", "M"`},
				{Pointer: []string{"properties", "d", "default"}, Message: `"default" must be a string, not null`, Hint: `leave the default out, or add "null" to the type`},
				{Pointer: []string{"properties", "e", "default", "1"}, Message: `"default" is not valid: "1" must be a string, not the number 1`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"type":"string","enum":["S",5,null]},"b":{"type":"integer","const":"5"},"c":{"enum":["a"],"const":"b"},"d":{"enum":[]},"e":{"enum":"a"}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "enum", "1"}, Message: `"enum" lists the number 5, which is not a string`, Hint: "put 5 in quotes"},
				{Pointer: []string{"properties", "a", "enum", "2"}, Message: `"enum" lists null, which is not a string`, Hint: `to allow null, add "null" to the type`},
				{Pointer: []string{"properties", "b", "const"}, Message: `"const" is the string "5", which is not an integer`},
				{Pointer: []string{"properties", "c", "const"}, Message: `"const" is "b", which "enum" does not list`},
				{Pointer: []string{"properties", "d", "enum"}, Message: `"enum" is empty, so no value is allowed`, Hint: "list the allowed values or remove it"},
				{Pointer: []string{"properties", "e", "enum"}, Message: `"enum" must be an array of the allowed values, not the string "a"`, Hint: "write enum: [a]"},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/nod"},"b":{"$ref":"#/definitions/x"},"c":{"$ref":"https://example.com/x.json"},"d":{"$ref":"node"},"e":{"$ref":"#node"},"f":{"$ref":5}},"$defs":{"node":{}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "f", "$ref"}, Message: `"$ref" must be a string, not the number 5`},
				{Pointer: []string{"properties", "a", "$ref"}, Message: `"$ref" points at "#/$defs/nod", which does not exist`, Hint: `did you mean "#/$defs/node"?`},
				{Pointer: []string{"properties", "b", "$ref"}, Message: `"$ref" points at "#/definitions/x", which does not exist`},
				{Pointer: []string{"properties", "c", "$ref"}, Message: `"$ref" "https://example.com/x.json" points outside the document`, Hint: `copy the schema to "$defs" and write "#/$defs/<name>"`},
				{Pointer: []string{"properties", "d", "$ref"}, Message: `"$ref" "node" points outside the document`, Hint: `did you mean "#/$defs/node"?`},
				{Pointer: []string{"properties", "e", "$ref"}, Message: `"$ref" points at "#node", which does not exist`, Hint: `did you mean "#/$defs/node"?`},
			},
		},
		{
			schema: `{"type":"object","$ref":"#"}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"$ref"}, Message: `"$ref" "#" leads back to itself without end`, Hint: `refer to it from inside "properties" or "items"`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"$defs", "b", "$ref"}, Message: `"$ref" "#/$defs/a" leads back to itself without end`, Hint: `refer to it from inside "properties" or "items"`},
			},
		},
		{
			schema: `{"type":"object","propertys":{},"requird":[],"descripton":"x","enums":[],"x-propertie":1,"example":{},"note":1,"id":"x","weight":3,"additional_properties":false}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"propertys"}, OnKey: true, Message: `unknown keyword "propertys" has no effect`, Hint: `did you mean "properties"?`, Warning: true},
				{Pointer: []string{"requird"}, OnKey: true, Message: `unknown keyword "requird" has no effect`, Hint: `did you mean "required"?`, Warning: true},
				{Pointer: []string{"descripton"}, OnKey: true, Message: `unknown keyword "descripton" has no effect`, Hint: `did you mean "description"?`, Warning: true},
				{Pointer: []string{"enums"}, OnKey: true, Message: `unknown keyword "enums" has no effect`, Hint: `did you mean "enum"?`, Warning: true},
				{Pointer: []string{"additional_properties"}, OnKey: true, Message: `unknown keyword "additional_properties" has no effect`, Hint: `did you mean "additionalProperties"?`, Warning: true},
			},
		},
		{
			schema: `{"type":"object","allOf":[],"anyOf":{},"properties":{"a":{"items":[{}]},"b":{"items":5},"c":{"patternProperties":{"[":{}}},"d":{"dependentRequired":{"a":"b"}}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"allOf"}, Message: `"allOf" must list at least one schema`},
				{Pointer: []string{"anyOf"}, Message: `"anyOf" must be an array of schemas, not an object`},
				{Pointer: []string{"properties", "a", "items"}, Message: `"items" must be one schema for all items, not an array`, Hint: `for a schema per position write "prefixItems"`},
				{Pointer: []string{"properties", "b", "items"}, Message: `the schema of "items" must be an object or a boolean, not the number 5`},
				{Pointer: []string{"properties", "c", "patternProperties", "["}, OnKey: true, Message: `"[" is not a regular expression that can be used: missing closing ] in "["`},
				{Pointer: []string{"properties", "d", "dependentRequired", "a"}, Message: `"a" must be an array of property names, not the string "b"`, Hint: "write a: [b]"},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{}},"additionalProperties":true,"required":["b"]}`,
		},
		{
			schema: `{"type":"object","properties":{"a":{}},"anyOf":[{"required":["a"]},{"properties":{"b":{}},"required":["a","b"]}],"required":["b"]}`,
		},
		{
			schema: `{"type":"object","required":["b"]}`,
		},
		{
			schema: `{"type":"object","properties":{"type":{"type":"string"},"a":{"type":{"type":"string"}}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "type"}, Message: `"type" must be the name of a type, not an object`, Hint: `a property called "type" belongs under "properties"`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"strng"}},"default":{"x":1}}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "properties", "x", "type"}, Message: `"strng" is not a type`, Hint: `did you mean "string"?`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"type":"integer","minimum":5,"default":3},"b":{"$ref":"#/$defs/b","default":"z"}},"$defs":{"b":{"enum":["x","y"]}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "default"}, Message: `"default" must be at least 5, not 3`},
				{Pointer: []string{"properties", "b", "default"}, Message: `"default" must be one of "x", "y"`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"properties":{"k":{}},"required":["kk"],"patternProperties":{"^k":{}}}}}`,
		},
		{
			schema: `{"type":"object","properties":{"a":{"type":["strng","null"],"enum":[1,2]}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "type", "0"}, Message: `"strng" is not a type`, Hint: `did you mean "string"?`},
			},
		},
		{
			schema: `{"type":"objct","properties":{"a":{}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"type"}, Message: `"objct" is not a type`, Hint: `did you mean "object"?`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"$id":"https://example.com/a","$ref":"#/$defs/x","$defs":{"x":{"$anchor":"here"}}},"b":{"$ref":"#/properties/a/$defs/x"},"c":{"$ref":"#here"}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "c", "$ref"}, Message: `"$ref" points at "#here", which does not exist`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"$ref":"#/other/0"},"b":{"$ref":"#/a~1b/%25"}},"other":[{"type":"strng"}],"a/b":{"%":true}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"other", "0", "type"}, Message: `"strng" is not a type`, Hint: `did you mean "string"?`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{"a":{"$ref":"#/$defs/a"}}}}}`,
		},
		{
			schema: `{"type":"object","properties":{"a":{"examples":{},"deprecated":"yes","$vocabulary":[],"contentSchema":5,"x":{"type":"strng"}}}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "examples"}, Message: `"examples" must be an array, not an object`},
				{Pointer: []string{"properties", "a", "deprecated"}, Message: `"deprecated" must be a boolean, not the string "yes"`},
				{Pointer: []string{"properties", "a", "$vocabulary"}, Message: `"$vocabulary" must be an object, not an array`},
				{Pointer: []string{"properties", "a", "contentSchema"}, Message: `the schema of "contentSchema" must be an object or a boolean, not the number 5`},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"required":false},"b":{"default":"5","type":["integer","null"]}},"required":true}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"properties", "a", "required"}, OnKey: true, Message: `"required" must be an array of property names, not the boolean false`, Hint: `remove it: a property that is not listed in the "required" of the object around it is optional`},
				{Pointer: []string{"required"}, OnKey: true, Message: `"required" must be an array of property names, not the boolean true`, Hint: "list the names of the required properties: required: [name]"},
				{Pointer: []string{"properties", "b", "default"}, Message: `"default" must be an integer or null, not the string "5"`, Hint: "remove the quotes"},
			},
		},
		{
			schema: `{"type":"object","properties":{"a":{"type":"string","format":"date","pattern":"\\p{Greek}(?<year>\\d{4})-\\/"}}}`,
		},
		{
			schema: `{"type":"object","minLenght":1,"exclusiveMinimun":1,"anyof":[],"defs":{},"ref":"x","typ":"x","itmes":{}}`,
			want: []jsonschema.Fault{
				{Pointer: []string{"minLenght"}, OnKey: true, Message: `unknown keyword "minLenght" has no effect`, Hint: `did you mean "minLength"?`, Warning: true},
				{Pointer: []string{"exclusiveMinimun"}, OnKey: true, Message: `unknown keyword "exclusiveMinimun" has no effect`, Hint: `did you mean "exclusiveMinimum"?`, Warning: true},
				{Pointer: []string{"anyof"}, OnKey: true, Message: `unknown keyword "anyof" has no effect`, Hint: `did you mean "anyOf"?`, Warning: true},
				{Pointer: []string{"defs"}, OnKey: true, Message: `unknown keyword "defs" has no effect`, Hint: `did you mean "$defs"?`, Warning: true},
				{Pointer: []string{"ref"}, OnKey: true, Message: `unknown keyword "ref" has no effect`, Hint: `did you mean "$ref"?`, Warning: true},
				{Pointer: []string{"typ"}, OnKey: true, Message: `unknown keyword "typ" has no effect`, Hint: `did you mean "type"?`, Warning: true},
				{Pointer: []string{"itmes"}, OnKey: true, Message: `unknown keyword "itmes" has no effect`, Hint: `did you mean "items"?`, Warning: true},
			},
		},
	} {
		t.Run(tt.schema, func(t *testing.T) {
			s, faults := jsonschema.Compile(jsondoc.MustParse(tt.schema))
			if diff := cmp.Diff(tt.want, faults, cmp.Transformer("Pointer", func(p []string) string { return strings.Join(p, "/") })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s == nil {
				t.Fatal("no schema")
			}
			s.Apply(jsondoc.MustParse("{}"), jsonschema.Options{Defaults: true}) // must not panic
		})
	}
}

func TestCompileDepth(t *testing.T) {
	nested := func(depth int) string {
		return `{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, depth) + "{}" + strings.Repeat("}", depth) + "}}"
	}
	if _, faults := jsonschema.Compile(jsondoc.MustParse(nested(63))); len(faults) > 0 {
		t.Errorf("64 deep: %v", faults)
	}
	for _, depth := range []int{64, 4000} {
		_, faults := jsonschema.Compile(jsondoc.MustParse(nested(depth)))
		pointer := []string{"properties", "a"}
		for range 64 {
			pointer = append(pointer, "items")
		}
		want := []jsonschema.Fault{{Pointer: pointer, Message: "schemas are nested more than 64 deep", Hint: `move parts to "$defs" and refer to them`}}
		if diff := cmp.Diff(want, faults); diff != "" {
			t.Errorf("%d deep (-want +got):\n%s", depth, diff)
		}
	}
}

// TestCompileListsEveryFault wants all of more faults than anybody reads: they
// are counted.
func TestCompileListsEveryFault(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, `,"p%d":5`, i)
	}
	_, faults := jsonschema.Compile(jsondoc.MustParse(`{"type":"object","properties":{` + b.String()[1:] + "}}"))
	if len(faults) != 500 {
		t.Errorf("%d faults, want 500", len(faults))
	}
}

// TestCompileLongChain follows many references after one another.
func TestCompileLongChain(t *testing.T) {
	const length = 20_000
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range length {
		fmt.Fprintf(&b, `"d%d":{"$ref":"#/$defs/d%d","properties":{"a":{}},"required":["zz"]},`, i, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"zz":{}}}}}`, length)
	s, faults := jsonschema.Compile(jsondoc.MustParse(b.String()))
	if len(faults) > 0 {
		t.Fatal(faults[0])
	}
	presence, _, _ := s.Lookup([]string{"a", "zz"})
	if presence != jsonschema.Declared {
		t.Errorf("Lookup: %v", presence)
	}
	_, violations := s.Apply(jsondoc.MustParse(`{"a":{"zz":1}}`), jsonschema.Options{})
	want := []jsonschema.Violation{{Message: "is nested too deeply or takes too long to compare with the schema"}}
	if diff := cmp.Diff(want, violations); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{`^a`, "ba", false},
		{`a$`, "ba", true},
		{`a$`, "a\n", false},
		{`^\u00e9$`, "é", true},
		{`^\u{1F600}$`, "😀", true},
		{`^\ud83d\ude00$`, "😀", true},
		{`^\cJ$`, "\n", true},
		{`^\/x\-$`, "/x-", true},
		{`^\\u0041$`, `\u0041`, true},
		{`^(?<year>\d{4})$`, "2026", true},
	} {
		doc := jsondoc.MustParse(`{"type":"object","properties":{"a":{"pattern":` + string(jsondoc.AppendQuote(nil, tt.pattern)) + `}}}`)
		s, faults := jsonschema.Compile(doc)
		if len(faults) > 0 {
			t.Errorf("%s: %v", tt.pattern, faults)
			continue
		}
		_, violations := s.Apply(jsondoc.MustParse(`{"a":`+string(jsondoc.AppendQuote(nil, tt.text))+`}`), jsonschema.Options{})
		if got := violations == nil; got != tt.want {
			t.Errorf("%s matches %q = %v, want %v", tt.pattern, tt.text, got, tt.want)
		}
	}
}
