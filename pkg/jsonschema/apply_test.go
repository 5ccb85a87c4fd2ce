package jsonschema_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

// TestApply applies with defaults. With violations the arguments come back as
// they are.
func TestApply(t *testing.T) {
	for _, tt := range []struct {
		name, schema, args, want string
		violations               []jsonschema.Violation
	}{
		{
			name:   "required property is null",
			schema: `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
			args:   `{"a":null}`,
			want:   `{"a":null}`,
			violations: []jsonschema.Violation{
				{"a", `is required`},
			},
		},
		{
			name:   "null counts as absent",
			schema: `{"type":"object","properties":{"a":{"type":"string"}}}`,
			args:   `{"b":1,"a":null,"c":2.50}`,
			want:   `{"b":1,"c":2.50}`,
		},
		{
			name:   "null is allowed",
			schema: `{"type":"object","properties":{"a":{"type":["string","null"]}}}`,
			args:   `{"a":null}`,
			want:   `{"a":null}`,
		},
		{
			name:   "text to number, integer and boolean, number to text",
			schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":"string"},"d":{"type":"boolean"}}}`,
			args:   `{"a":"5","b":"0.10","c":1e2,"d":"true"}`,
			want:   `{"a":5,"b":0.10,"c":"1e2","d":true}`,
		},
		{
			name:   "texts that are no such value",
			schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":"string"},"d":{"type":"boolean"}}}`,
			args:   `{"a":"007","b":" 1","c":true,"d":1}`,
			want:   `{"a":"007","b":" 1","c":true,"d":1}`,
			violations: []jsonschema.Violation{
				{"a", `must be an integer, not the string "007"`},
				{"b", `must be a number, not the string " 1"`},
				{"c", `must be a string, not the boolean true`},
				{"d", `must be a boolean, not the number 1`},
			},
		},
		{
			name:   "integers written otherwise",
			schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"},"d":{"type":"integer"}}}`,
			args:   `{"a":3.0,"b":1e2,"c":1e1000001,"d":"4.0"}`,
			want:   `{"a":3,"b":100,"c":1e1000001,"d":4}`,
		},
		{
			name:   "JSON in strings",
			schema: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"o":{"type":"object","properties":{"q":{"type":"integer"}}}}}`,
			args:   `{"a":"[1, \"2\"]","o":"{\"q\": \"7\"}"}`,
			want:   `{"a":[1,2],"o":{"q":7}}`,
		},
		{
			name:   "optional integer as text",
			schema: `{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`,
			args:   `{"a":"5"}`,
			want:   `{"a":5}`,
		},
		{
			name:   "optional integer with fraction",
			schema: `{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`,
			args:   `{"a":3.0}`,
			want:   `{"a":3}`,
		},
		{
			name:   "optional integer is no array",
			schema: `{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`,
			args:   `{"a":[]}`,
			want:   `{"a":[]}`,
			violations: []jsonschema.Violation{
				{"a", `must be an integer or null, not an array`},
			},
		},
		{
			name:   "defaults are appended",
			schema: `{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"default":2},"c":{}}}`,
			args:   `{"a":null,"c":1}`,
			want:   `{"c":1,"a":"x","b":2}`,
		},
		{
			name:   "undeclared properties are forbidden",
			schema: `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`,
			args:   `{"aa":1,"zebra":2,"a":"x"}`,
			want:   `{"aa":1,"zebra":2,"a":"x"}`,
			violations: []jsonschema.Violation{
				{"aa", `is not allowed`},
				{"zebra", `is not allowed`},
			},
		},
		{
			name:   "enum and const",
			schema: `{"type":"object","properties":{"size":{"enum":["S","M","L"]},"n":{"const":5}}}`,
			args:   `{"size":"XL","n":6}`,
			want:   `{"size":"XL","n":6}`,
			violations: []jsonschema.Violation{
				{"size", `must be one of "S", "M", "L"`},
				{"n", `must be 5`},
			},
		},
		{
			name:   "places in arrays",
			schema: `{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"qty":{"type":"integer","minimum":1}},"required":["qty"]}}},"$defs":{}}`,
			args:   `{"items":[{"qty":0},{"qty":"x","sku":null},5]}`,
			want:   `{"items":[{"qty":0},{"qty":"x","sku":null},5]}`,
			violations: []jsonschema.Violation{
				{"items.0.qty", `must be at least 1, not 0`},
				{"items.1.qty", `must be an integer, not the string "x"`},
				{"items.2", `must be an object, not the number 5`},
			},
		},
		{
			name:   "tagged branch",
			schema: `{"type":"object","properties":{"p":{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"},"no":{"type":"integer"}},"required":["kind","no"]},{"type":"object","properties":{"kind":{"const":"cash"},"amount":{"type":"number"}},"required":["kind","amount"]}]}}}`,
			args:   `{"p":{"kind":"cash"}}`,
			want:   `{"p":{"kind":"cash"}}`,
			violations: []jsonschema.Violation{
				{"p.amount", `is required`},
			},
		},
		{
			name:   "tag of no branch",
			schema: `{"type":"object","properties":{"p":{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"},"no":{"type":"integer"}},"required":["kind","no"]},{"type":"object","properties":{"kind":{"const":"cash"},"amount":{"type":"number"}},"required":["kind","amount"]}]}}}`,
			args:   `{"p":{"kind":"cheque","no":"1"}}`,
			want:   `{"p":{"kind":"cheque","no":"1"}}`,
			violations: []jsonschema.Violation{
				{"p.kind", `must be one of "card", "cash"`},
			},
		},
		{
			name:   "coercion inside a branch",
			schema: `{"type":"object","properties":{"p":{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"},"no":{"type":"integer"}},"required":["kind","no"]},{"type":"object","properties":{"kind":{"const":"cash"},"amount":{"type":"number"}},"required":["kind","amount"]}]}}}`,
			args:   `{"p":{"kind":"card","no":"1"}}`,
			want:   `{"p":{"kind":"card","no":1}}`,
		},
		{
			name:   "two branches of oneOf",
			schema: `{"type":"object","properties":{"a":{"oneOf":[{"type":"integer"},{"minimum":2}]}}}`,
			args:   `{"a":3}`,
			want:   `{"a":3}`,
			violations: []jsonschema.Violation{
				{"a", `must match only one form of "oneOf", but matches both number 1 and number 2`},
			},
		},
		{
			name:   "branches that require",
			schema: `{"type":"object","anyOf":[{"required":["email"]},{"required":["phone"]}]}`,
			args:   `{}`,
			want:   `{}`,
			violations: []jsonschema.Violation{
				{"", `must have "email" or "phone"`},
			},
		},
		{
			name:   "lengths and pattern",
			schema: `{"type":"object","properties":{"a":{"minLength":2,"maxLength":3,"pattern":"^x"},"b":{"maxLength":1}}}`,
			args:   `{"b":"éé","a":"q"}`,
			want:   `{"b":"éé","a":"q"}`,
			violations: []jsonschema.Violation{
				{"b", `must have at most 1 character, not 2`},
				{"a", `must have at least 2 characters, not 1`},
				{"a", `must match the pattern "^x", not be "q"`},
			},
		},
		{
			name:   "bounds",
			schema: `{"type":"object","properties":{"a":{"minimum":1,"exclusiveMaximum":5,"multipleOf":0.1}}}`,
			args:   `{"a":7.25}`,
			want:   `{"a":7.25}`,
			violations: []jsonschema.Violation{
				{"a", `must be less than 5, not 7.25`},
				{"a", `must be a multiple of 0.1, not 7.25`},
			},
		},
		{
			name:   "enormous exponent",
			schema: `{"type":"object","properties":{"a":{"minimum":1}}}`,
			args:   `{"a":-1e1000001}`,
			want:   `{"a":-1e1000001}`,
			violations: []jsonschema.Violation{
				{"a", `must be at least 1, not -1e1000001`},
			},
		},
		{
			name:   "not and false",
			schema: `{"type":"object","properties":{"a":{"not":{"type":"string"}},"b":{"not":{"enum":[1,2]}},"c":{"not":{"required":["x"]}},"d":false}}`,
			args:   `{"a":"q","b":2,"c":{"x":1},"d":1}`,
			want:   `{"a":"q","b":2,"c":{"x":1},"d":1}`,
			violations: []jsonschema.Violation{
				{"a", `must not be a string`},
				{"b", `must not be one of 1, 2`},
				{"c", `has a form that "not" rules out`},
				{"d", `is not allowed`},
			},
		},
		{
			name:   "names and number of properties",
			schema: `{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"minProperties":2,"dependentRequired":{"A":["b"]}}`,
			args:   `{"A":1}`,
			want:   `{"A":1}`,
			violations: []jsonschema.Violation{
				{"", `must have at least 2 properties, not 1`},
				{"b", `is required when "A" is given`},
				{"A", `is not an allowed name: it must match the pattern "^[a-z]+$", not be "A"`},
			},
		},
		{
			name:   "arrays",
			schema: `{"type":"object","properties":{"a":{"uniqueItems":true,"minItems":4,"contains":{"type":"string"},"maxContains":0}}}`,
			args:   `{"a":[1,{"x":1,"y":2},1.0]}`,
			want:   `{"a":[1,{"x":1,"y":2},1.0]}`,
			violations: []jsonschema.Violation{
				{"a", `must have at least 4 items, not 3`},
				{"a", `must have at least 1 item of the kind that "contains" describes, not 0`},
				{"a", `must not hold the same item twice, items 0 and 2 are equal`},
			},
		},
		{
			name:   "unevaluatedProperties false",
			schema: `{"type":"object","properties":{"a":{"contains":{"type":"string"}}},"unevaluatedProperties":false,"allOf":[{"properties":{"b":{}}}]}`,
			args:   `{"a":[],"b":1,"c":3}`,
			want:   `{"a":[],"b":1,"c":3}`,
			violations: []jsonschema.Violation{
				{"a", `must have at least 1 item of the kind that "contains" describes, not 0`},
			},
		},
		{
			name:   "else coerces",
			schema: `{"type":"object","properties":{"kind":{"enum":["a","b"]}},"if":{"properties":{"kind":{"const":"a"}}},"then":{"properties":{"n":{"type":"integer"}},"required":["n"]},"else":{"properties":{"n":{"type":"string"}}}}`,
			args:   `{"kind":"b","n":5}`,
			want:   `{"kind":"b","n":"5"}`,
		},
		{
			name:   "then requires",
			schema: `{"type":"object","properties":{"kind":{"enum":["a","b"]}},"if":{"properties":{"kind":{"const":"a"}}},"then":{"properties":{"n":{"type":"integer"}},"required":["n"]},"else":{"properties":{"n":{"type":"string"}}}}`,
			args:   `{"kind":"a"}`,
			want:   `{"kind":"a"}`,
			violations: []jsonschema.Violation{
				{"n", `is required`},
			},
		},
		{
			name:   "unevaluatedProperties coerces",
			schema: `{"type":"object","unevaluatedProperties":{"type":"integer"},"properties":{"s":{"type":"string"}}}`,
			args:   `{"s":5,"n":"6"}`,
			want:   `{"s":"5","n":6}`,
		},
		{
			name:   "recursion",
			schema: `{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`,
			args:   `{"t":{"v":"1","kids":[{"v":"2","kids":"[{\"v\":\"3\"}]"}]}}`,
			want:   `{"t":{"v":1,"kids":[{"v":2,"kids":[{"v":3}]}]}}`,
		},
		{
			name:   "patternProperties and additionalProperties",
			schema: `{"type":"object","additionalProperties":{"type":"integer"},"patternProperties":{"^s_":{"type":"string"}}}`,
			args:   `{"s_x":1,"n":"2","z":null}`,
			want:   `{"s_x":"1","n":2}`,
		},
		{
			name:   "items after prefixItems",
			schema: `{"type":"object","properties":{"a":{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":false}}}`,
			args:   `{"a":["1",2,3]}`,
			want:   `{"a":["1",2,3]}`,
			violations: []jsonschema.Violation{
				{"a.2", `is not allowed`},
			},
		},
		{
			name:   "first type that fits",
			schema: `{"type":"object","properties":{"a":{"type":["integer","boolean"]},"b":{"type":["boolean","string"]}}}`,
			args:   `{"a":"true","b":5}`,
			want:   `{"a":true,"b":"5"}`,
		},
		{
			name:   "empty values are values",
			schema: `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array"},"c":{"type":"object"},"d":{"type":"boolean"},"e":{"type":"integer"}}}`,
			args:   `{"a":"","b":[],"c":{},"d":false,"e":0}`,
			want:   `{"a":"","b":[],"c":{},"d":false,"e":0}`,
		},
		{
			name:   "an array",
			schema: `{"type":"object"}`,
			args:   `[]`,
			want:   `[]`,
			violations: []jsonschema.Violation{
				{"", `must be an object, not an array`},
			},
		},
		{
			name:   "a string",
			schema: `{"type":"object"}`,
			args:   `"{}"`,
			want:   `"{}"`,
			violations: []jsonschema.Violation{
				{"", `must be an object, not the string "{}"`},
			},
		},
		{
			name:   "many violations",
			schema: `{"type":"object","additionalProperties":false}`,
			args:   `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"r":1,"s":1,"t":1,"u":1,"v":1,"w":1}`,
			want:   `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"r":1,"s":1,"t":1,"u":1,"v":1,"w":1}`,
			violations: []jsonschema.Violation{
				{"a", `is not allowed`},
				{"b", `is not allowed`},
				{"c", `is not allowed`},
				{"d", `is not allowed`},
				{"e", `is not allowed`},
				{"f", `is not allowed`},
				{"g", `is not allowed`},
				{"h", `is not allowed`},
				{"i", `is not allowed`},
				{"j", `is not allowed`},
				{"k", `is not allowed`},
				{"l", `is not allowed`},
				{"m", `is not allowed`},
				{"n", `is not allowed`},
				{"o", `is not allowed`},
				{"p", `is not allowed`},
				{"q", `is not allowed`},
				{"r", `is not allowed`},
				{"s", `is not allowed`},
				{"t", `is not allowed`},
				{"", `3 more faults are not listed`},
			},
		},
		{
			name:   "long values",
			schema: `{"type":"object","properties":{"a":{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]},"b":{"type":"integer"}}}`,
			args:   `{"a":0,"b":"a very long text that goes on and on and on and on and on, far beyond sixty characters"}`,
			want:   `{"a":0,"b":"a very long text that goes on and on and on and on and on, far beyond sixty characters"}`,
			violations: []jsonschema.Violation{
				{"a", `must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more`},
				{"b", `must be an integer, not the string "a very long text that goes on and on and on and on and on, …"`},
			},
		},
		{
			name:   "branches of values",
			schema: `{"type":"object","properties":{"a":{"anyOf":[{"enum":["x"]},{"const":"y"}]}}}`,
			args:   `{"a":"z"}`,
			want:   `{"a":"z"}`,
			violations: []jsonschema.Violation{
				{"a", `must be one of "x", "y"`},
			},
		},
		{
			name:   "branch of the right type",
			schema: `{"type":"object","properties":{"a":{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"string","maxLength":2}]}}}`,
			args:   `{"a":["1","q"]}`,
			want:   `{"a":["1","q"]}`,
			violations: []jsonschema.Violation{
				{"a.1", `must be an integer, not the string "q"`},
			},
		},
		{
			name:   "default of a reference",
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"integer","default":7}},"required":["a"]}`,
			args:   `{}`,
			want:   `{"a":7}`,
		},
		{
			name:   "default is kept from a wrong value",
			schema: `{"type":"object","properties":{"a":{"type":"integer","default":7}}}`,
			args:   `{"a":"x"}`,
			want:   `{"a":"x"}`,
			violations: []jsonschema.Violation{
				{"a", `must be an integer, not the string "x"`},
			},
		},
		{
			name:   "explicit null stays where it may",
			schema: `{"type":"object","properties":{"a":{"type":["integer","null"],"default":7}}}`,
			args:   `{"a":null}`,
			want:   `{"a":null}`,
		},
		{
			name:   "null in an array is no absent property",
			schema: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`,
			args:   `{"a":[null]}`,
			want:   `{"a":[null]}`,
			violations: []jsonschema.Violation{
				{"a.0", `must be a string, not null`},
			},
		},
		{
			name:   "null of a forbidden property",
			schema: `{"type":"object","properties":{"a":{}},"additionalProperties":false}`,
			args:   `{"b":null}`,
			want:   `{"b":null}`,
			violations: []jsonschema.Violation{
				{"b", `is not allowed`},
			},
		},
		{
			name:   "nested null",
			schema: `{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}}}`,
			args:   `{"o":{"a":null,"b":"1"}}`,
			want:   `{"o":{"b":1}}`,
		},
		{
			name:   "allOf coerces",
			schema: `{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"string"}}}]}`,
			args:   `{"a":"1","b":2}`,
			want:   `{"a":1,"b":"2"}`,
		},
		{
			name:   "dependentSchemas coerce",
			schema: `{"type":"object","properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{"type":"integer"}}}}}`,
			args:   `{"a":1,"b":"2"}`,
			want:   `{"a":1,"b":2}`,
		},
		{
			name:   "text is text before it is a number",
			schema: `{"type":"object","properties":{"a":{"type":["integer","string"]},"b":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}`,
			args:   `{"a":"5","b":"6"}`,
			want:   `{"a":"5","b":"6"}`,
		},
		{
			name:   "minimum counts after coercion",
			schema: `{"type":"object","properties":{"a":{"type":"integer","minimum":10}}}`,
			args:   `{"a":"5"}`,
			want:   `{"a":"5"}`,
			violations: []jsonschema.Violation{
				{"a", `must be at least 10, not 5`},
			},
		},
		{
			name:   "enum counts after coercion",
			schema: `{"type":"object","properties":{"a":{"type":"string","enum":["1","2"]},"b":{"type":"integer","enum":[1,2]}}}`,
			args:   `{"a":1,"b":"3"}`,
			want:   `{"a":1,"b":"3"}`,
			violations: []jsonschema.Violation{
				{"b", `must be one of 1, 2`},
			},
		},
		{
			name:   "digits are kept",
			schema: `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"integer"},"c":{"type":"string"}}}`,
			args:   `{"a":"12345678901234567890.10","b":"12345678901234567890","c":12345678901234567890}`,
			want:   `{"a":12345678901234567890.10,"b":12345678901234567890,"c":"12345678901234567890"}`,
		},
		{
			name:   "fraction is no integer",
			schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`,
			args:   `{"a":3.5,"b":"3.5"}`,
			want:   `{"a":3.5,"b":"3.5"}`,
			violations: []jsonschema.Violation{
				{"a", `must be an integer, not the number 3.5`},
				{"b", `must be an integer, not the string "3.5"`},
			},
		},
		{
			name:   "other spellings of true",
			schema: `{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}}}`,
			args:   `{"a":"True","b":"yes"}`,
			want:   `{"a":"True","b":"yes"}`,
			violations: []jsonschema.Violation{
				{"a", `must be a boolean, not the string "True"`},
				{"b", `must be a boolean, not the string "yes"`},
			},
		},
		{
			name:   "JSON of the wrong kind",
			schema: `{"type":"object","properties":{"a":{"type":"array"},"b":{"type":"object"}}}`,
			args:   `{"a":"{}","b":"not json"}`,
			want:   `{"a":"{}","b":"not json"}`,
			violations: []jsonschema.Violation{
				{"a", `must be an array, not the string "{}"`},
				{"b", `must be an object, not the string "not json"`},
			},
		},
		{
			name:   "white space around JSON",
			schema: `{"type":"object","properties":{"a":{"type":"array"}}}`,
			args:   `{"a":" [1]\n"}`,
			want:   `{"a":[1]}`,
		},
		{
			name:   "white space and escapes stay when nothing changes",
			schema: `{"type":"object","properties":{"a":{"type":"string"}}}`,
			args:   `{ "a" : "\u0061" }`,
			want:   `{ "a" : "\u0061" }`,
		},
		{
			name:   "escapes stay when something changes",
			schema: `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`,
			args:   `{ "a" : "\u0061", "b": "1" }`,
			want:   `{"a":"\u0061","b":1}`,
		},
		{
			name:   "near miss of a name",
			schema: `{"type":"object","properties":{"product":{}},"additionalProperties":false}`,
			args:   `{"prodcut":1}`,
			want:   `{"prodcut":1}`,
			violations: []jsonschema.Violation{
				{"prodcut", `is not allowed, did you mean "product"?`},
			},
		},
		{
			name:   "1.0 is 1",
			schema: `{"type":"object","properties":{"a":{"const":1},"b":{"enum":[10]},"c":{"uniqueItems":true}}}`,
			args:   `{"a":1.0,"b":1e1,"c":[1,"1"]}`,
			want:   `{"a":1.0,"b":1e1,"c":[1,"1"]}`,
		},
		{
			name:   "zero is an integer",
			schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`,
			args:   `{"a":-0.0,"b":0e5}`,
			want:   `{"a":0,"b":0}`,
		},
		{
			name:   "values are quoted and cut once",
			schema: `{"type":"object","properties":{"a":{"type":"object"}}}`,
			args:   `{"a":"quote \" and é"}`,
			want:   `{"a":"quote \" and é"}`,
			violations: []jsonschema.Violation{
				{"a", `must be an object, not the string "quote \" and é"`},
			},
		},
		{
			name:   "the same fault twice",
			schema: `{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"properties":{"a":{"type":"string"}}}]}`,
			args:   `{"a":[]}`,
			want:   `{"a":[]}`,
			violations: []jsonschema.Violation{
				{"a", `must be a string, not an array`},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, faults := jsonschema.Compile(jsondoc.MustParse(tt.schema))
			if len(faults) > 0 {
				t.Fatalf("the schema has faults: %v", faults)
			}
			args := jsondoc.MustParse(tt.args)
			out, violations := s.Apply(args, jsonschema.Options{Defaults: true})
			if diff := cmp.Diff(tt.want, string(out.Raw())); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.violations, violations); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if tt.want == tt.args && out != args {
				t.Error("Apply made a new document of arguments that did not change")
			}
		})
	}
}

func TestApplyWithoutDefaults(t *testing.T) {
	s, _ := jsonschema.Compile(jsondoc.MustParse(`{"type":"object","properties":{"a":{"default":1},"b":{"type":"string"}}}`))
	args := jsondoc.MustParse(`{"b":null}`)
	out, violations := s.Apply(args, jsonschema.Options{})
	if diff := cmp.Diff("{}", string(out.Raw())); diff != "" || violations != nil {
		t.Errorf("violations %v, value (-want +got):\n%s", violations, diff)
	}
	out, violations = s.Apply(jsondoc.Value{}, jsonschema.Options{})
	want := []jsonschema.Violation{{Path: "", Message: "must be an object, not nothing"}}
	if diff := cmp.Diff(want, violations); diff != "" || out.Exists() {
		t.Errorf("missing arguments (-want +got):\n%s", diff)
	}
}

// TestApplyIsBounded applies schemas and instances made to take for ever.
func TestApplyIsBounded(t *testing.T) {
	tooMuch := []jsonschema.Violation{{Message: "is nested too deeply or takes too long to compare with the schema"}}

	var doubling strings.Builder
	doubling.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range 40 {
		next := string(jsondoc.AppendQuote(nil, "#/$defs/d"+strconv.Itoa(i+1)))
		doubling.WriteString(`"d` + strconv.Itoa(i) + `":{"allOf":[{"$ref":` + next + `},{"$ref":` + next + `}]},`)
	}
	doubling.WriteString(`"d40":{"type":"integer"}}}`)

	const tree = `{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"anyOf":[{"type":"object","properties":{"a":{"$ref":"#/$defs/t"},"x":{}},"required":["x"]},{"type":"object","properties":{"a":{"$ref":"#/$defs/t"},"y":{}},"required":["y"]},{"type":"integer"}]}}}`
	const list = `{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}}}`
	for _, tt := range []struct {
		name, schema, args string
		want               []jsonschema.Violation
	}{
		{"references double", doubling.String(), `{"a":1}`, tooMuch},
		{"branches double", tree, `{"t":` + strings.Repeat(`{"a":`, 200) + `"5"` + strings.Repeat("}", 201), tooMuch},
		{"deep instance", list, `{"t":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", tooMuch},
		{"deep where nobody looks", `{"type":"object"}`, `{"t":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", nil},
		{"deep as deep goes", list, `{"t":` + strings.Repeat("[", 400) + strings.Repeat("]", 400) + "}", nil},
		{"exponents", `{"type":"object","properties":{"a":{"multipleOf":0.3,"minimum":1e-999999999999999999999},"b":{"type":"integer"}}}`, `{"a":9e999999999999999999999,"b":"1e1000000000"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, faults := jsonschema.Compile(jsondoc.MustParse(tt.schema))
			if len(faults) > 0 {
				t.Fatalf("the schema has faults: %v", faults)
			}
			_, violations := s.Apply(jsondoc.MustParse(tt.args), jsonschema.Options{})
			if diff := cmp.Diff(tt.want, violations); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProperties(t *testing.T) {
	s, faults := jsonschema.Compile(jsondoc.MustParse(`{"type":"object","allOf":[{"properties":{"c":{},"a":{"type":"number"}},"required":["c"]}],"properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["b"]}`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []string
	for name, schema := range s.Properties() {
		required := ""
		if s.Required(name) {
			required = " required"
		}
		got = append(got, name+" "+schema.Text()+required)
	}
	want := []string{`b {"type":"string"} required`, `a {"type":"integer"}`, `c {} required`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name := range s.Properties() {
		if name != "b" {
			t.Errorf("the first property is %q", name)
		}
		break
	}
	if !s.Raw().Get("allOf").Exists() {
		t.Error("Raw is not the document")
	}
}
