package jsondoc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// records is an answer of about size bytes: many small objects under "data".
func records(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"data": [`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"id": %d, "name": "Product %d", "price": %d.50, "tags": ["new", "ñandú"], "stock": {"north": %d, "south": null}, "text": "a \"quoted\" word"}`,
			i, i, i%97, i%13)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	for _, text := range []struct {
		name string
		data []byte
	}{
		{"100B", []byte(`{"id": 17, "name": "Widget", "tags": ["new", "sale"], "price": 12.50, "stock": {"north": 3}}`)},
		{"500KiB", records(500 << 10)},
		{"1MB", records(1_000_000)},
	} {
		b.Run(text.name, func(b *testing.B) {
			b.SetBytes(int64(len(text.data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(text.data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(text.name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(len(text.data)))
			b.ReportAllocs()
			for b.Loop() {
				var v any
				if err := json.Unmarshal(text.data, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSelect(b *testing.B) {
	v, err := Parse(records(500 << 10))
	if err != nil {
		b.Fatal(err)
	}
	for _, expr := range []string{`$.data[*].name`, `$..name`, `$.data[?@.price > 50.25].id`, `$.data[-1].id`} {
		p, err := CompilePath(expr)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(expr, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Select(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendCompact(b *testing.B) {
	v, err := Parse(records(500 << 10))
	if err != nil {
		b.Fatal(err)
	}
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = v.AppendCompact(dst[:0])
	}
}
