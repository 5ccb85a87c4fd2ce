package knowledge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{" .,;¿¡ \n\t", ""},
		{"Shipping shipped SHIPS", "ship shipping ship shipp ship ships "},
		{"devolución", "devolucion devolu "},
		{"devolucion", "devolucion devolu "},
		{"devoluciones", "devolucion devolu "},
		{"Información informacion", "informacion inform informacion inform "},
		{"envíos ENVIOS", "envio envi envio envi "},
		{"año ano", "ano ano "},
		{"man\u0303ana mañana", "manana manan manana manan "},
		{"SKU-1234_b", "sku 1234 b "},
		{"don't", "don t "},
		{"日本", "日本 "},
		{"a\xffb\x00c", "a b c "},
		{"\u0301x", "x "},
		{"x'y\"z*", "x y z "},
		{"12345678901234567890123456789012345678901234567890xyz", "123456789012345678901234567890123456789012345678 "},
	} {
		if diff := cmp.Diff(tt.want, string(newStemmer().append(nil, tt.text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct{ query, want string }{
		{"", ""},
		{`"' * ( ) : ^ - + { }`, ""},
		{"how are the returns", `"return" OR "returns"`},
		{"cómo son las devoluciones", `"devolucion" OR "devolu"`},
		{"the", `"the"`},
		{"boxes AND box NOT NEAR(x)", `"box" OR "not" OR "near" OR "x"`},
		{"heading:x OR words", `"head" OR "heading" OR "x" OR "word" OR "words"`},
	} {
		if diff := cmp.Diff(tt.want, match(tt.query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.query, diff)
		}
	}
}
