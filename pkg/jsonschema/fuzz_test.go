package jsonschema_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

// FuzzCompile compiles anything; every pointer of a fault has to lead somewhere.
func FuzzCompile(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`)
	f.Add(`{"type":"object","properties":{"a":{"type":"strng","default":5}},"required":["b"],"propertys":1}`)
	f.Add(`{"$ref":"#/x/0/~1","x":[{"/":{"$anchor":"here","$ref":"#here"}}],"unevaluatedItems":{"pattern":"[\\u{"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsondoc.Parse([]byte(text))
		if err != nil {
			return
		}
		s, faults := jsonschema.Compile(doc)
		for _, fault := range faults {
			if fault.Message == "" {
				t.Error("a fault without a message")
			}
			v := doc
			for _, token := range fault.Pointer {
				next := v.Get(token)
				if v.Kind() == jsondoc.Array {
					i := -1
					for element := range v.Elements() {
						i++
						if strconv.Itoa(i) == token {
							next = element
						}
					}
				}
				if v = next; !v.Exists() {
					t.Fatalf("pointer %q leads nowhere in %s", fault.Pointer, text)
				}
			}
			if fault.OnKey && len(fault.Pointer) == 0 {
				t.Error("the root has no key")
			}
		}
		s.Apply(doc, jsonschema.Options{Defaults: true})
		for _, path := range []string{"a", "a.0.b", "0"} {
			presence, at, known := s.Lookup(strings.Split(path, "."))
			if presence == 0 || at < 0 || at > 3 || !slices.IsSorted(known) {
				t.Errorf("Lookup(%s) = %v %d %q", path, presence, at, known)
			}
		}
	})
}

// FuzzApply applies any schema to any instance: what comes out without
// violations has to go in again unchanged.
func FuzzApply(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"default":1}}}`, `{"a":"3.0","b":null}`)
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"object","properties":{"x":{"type":"string"}}}]}},"unevaluatedProperties":false}`, `{"a":"{\"x\":1e2}","c":null}`)
	f.Add(`{"type":"object","patternProperties":{"^a":{"type":["array","boolean"],"items":{"type":"number"}}},"oneOf":[{"required":["a"]},{"required":["ab"]}]}`, `{"a":"[\"1\",2.50]"}`)
	f.Fuzz(func(t *testing.T, schema, instance string) {
		doc, err := jsondoc.Parse([]byte(schema))
		if err != nil {
			return
		}
		args, err := jsondoc.Parse([]byte(instance))
		if err != nil {
			return
		}
		s, faults := jsonschema.Compile(doc)
		applyTwice(t, s, args, onlyWarnings(faults))
	})
}

// FuzzOracle compares random schemas and instances with the reference
// implementation, see TestOracle.
func FuzzOracle(f *testing.F) {
	f.Add(uint64(1))
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := newGenerator(seed)
		schema, instance := g.root(), g.object(3)
		want := compileOracle(t, schema)
		s, faults := jsonschema.Compile(jsondoc.MustParse(schema))
		if want == nil || hasLoop(faults) {
			return
		}
		args := jsondoc.MustParse(instance)
		if got, want := jsonschema.Accepts(s, args), oracleAccepts(t, want, instance); got != want {
			t.Errorf("accepts = %v, the reference says %v\nschema   %s\ninstance %s", got, want, schema, instance)
		}
		applyTwice(t, s, args, true)
	})
}

func applyTwice(t *testing.T, s *jsonschema.Schema, args jsondoc.Value, stable bool) {
	t.Helper()
	for _, o := range []jsonschema.Options{{}, {Defaults: true}} {
		out, violations := s.Apply(args, o)
		if len(violations) > 21 {
			t.Errorf("%d violations", len(violations))
		}
		if len(violations) > 0 {
			if out != args {
				t.Error("with violations the arguments have to come back")
			}
			continue
		}
		if _, err := jsondoc.Parse(out.Raw()); err != nil {
			t.Fatalf("the outcome is no JSON: %v", err)
		}
		again, violations := s.Apply(out, o)
		if stable && (len(violations) > 0 || again != out) {
			t.Errorf("not stable: %s becomes %s, %v\nschema %s", out.Raw(), again.Raw(), violations, s.Raw().Raw())
		}
	}
}
