package jsonschema_test

import (
	"testing"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

const checkStock = `{"type":"object","properties":{"product":{"type":"string"}},"required":["product"]}`

// TestApplyAllocations keeps the common case, nothing to change, cheap.
func TestApplyAllocations(t *testing.T) {
	s, _ := jsonschema.Compile(jsondoc.MustParse(checkStock))
	args := jsondoc.MustParse(`{"product":"Picker"}`)
	allocs := testing.AllocsPerRun(100, func() {
		if out, violations := s.Apply(args, jsonschema.Options{Defaults: true}); out != args || violations != nil {
			t.Fatalf("Apply changed %s: %v", args.Raw(), violations)
		}
	})
	if allocs > 2 {
		t.Errorf("Apply allocates %v times, want at most 2", allocs)
	}
}

func BenchmarkApply(b *testing.B) {
	const order = `{"type":"object","properties":{
		"customer":{"type":"string","minLength":1},
		"items":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"},"qty":{"type":"integer","minimum":1}},"required":["sku","qty"]}},
		"size":{"enum":["S","M","L"]}},"required":["customer","items"],"additionalProperties":false}`
	for _, bench := range []struct{ name, schema, args string }{
		{"check_stock", checkStock, `{"product":"Picker"}`},
		{"order", order, `{"customer":"Ada","items":[{"sku":"a","qty":1},{"sku":"b","qty":2}],"size":"M"}`},
		{"coerced", order, `{"customer":"Ada","items":[{"sku":"a","qty":"1"},{"sku":5,"qty":2}],"size":null}`},
		{"refused", order, `{"customer":"","items":[{"sku":"a","qty":0}],"colour":"red"}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s, faults := jsonschema.Compile(jsondoc.MustParse(bench.schema))
			if len(faults) > 0 {
				b.Fatal(faults)
			}
			args := jsondoc.MustParse(bench.args)
			b.ReportAllocs()
			for b.Loop() {
				s.Apply(args, jsonschema.Options{Defaults: true})
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	doc := jsondoc.MustParse(checkStock)
	b.ReportAllocs()
	for b.Loop() {
		jsonschema.Compile(doc)
	}
}
