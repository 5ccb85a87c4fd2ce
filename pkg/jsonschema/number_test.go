package jsonschema

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

var numbers = []string{
	"0", "-0", "0.0", "0e9", "1", "1.0", "10e-1", "-1", "2", "10", "1e1", "100e-1", "0.1", "0.10", "1e-1", "0.3", "-0.3",
	"999999999999999999", "9999999999999999999", "1e18", "1e19", "12345678901234567890", "12345678901234567890.5", "-12345678901234567890.50", "1.5e3", "1500",
}

// TestDecimalCompare compares all pairs with math/big.
func TestDecimalCompare(t *testing.T) {
	for _, a := range numbers {
		for _, b := range numbers {
			x, _ := new(big.Rat).SetString(a)
			y, _ := new(big.Rat).SetString(b)
			if got, want := parseDecimal(a).compare(parseDecimal(b)), x.Cmp(y); got != want {
				t.Errorf("%s compared with %s = %d, want %d", a, b, got, want)
			}
			if got, want := newBound(jsondoc.MustParse(b)).compare([]byte(a)), x.Cmp(y); got != want {
				t.Errorf("bound: %s compared with %s = %d, want %d", a, b, got, want)
			}
			if got, want := equal(jsondoc.MustParse(a), jsondoc.MustParse(b)), x.Cmp(y) == 0; got != want {
				t.Errorf("%s equals %s = %v, want %v", a, b, got, want)
			}
			if y.Sign() > 0 {
				want := new(big.Rat).Quo(x, y).IsInt()
				if got := parseDecimal(a).multipleOf(parseDecimal(b)); got != want {
					t.Errorf("%s multiple of %s = %v, want %v", a, b, got, want)
				}
			}
		}
	}
}

func TestDecimalInteger(t *testing.T) {
	type answer struct {
		Integer bool
		Text    string
		Written bool
		Count   int64
	}
	for text, want := range map[string]answer{
		"0":                       {true, "0", true, 0},
		"-0.0":                    {true, "0", true, 0},
		"3":                       {true, "3", true, 3},
		"3.0":                     {true, "3", true, 3},
		"-3.0":                    {true, "-3", true, 3},
		"1e2":                     {true, "100", true, 100},
		"1.50e1":                  {true, "15", true, 15},
		"120e-1":                  {true, "12", true, 12},
		"1e40":                    {true, "1" + zeros(40), true, 1<<63 - 1},
		"1e41":                    {true, "", false, 1<<63 - 1},
		"1" + zeros(60) + ".0":    {true, "1" + zeros(60), true, 1<<63 - 1},
		"1e99999999999999999999":  {true, "", false, 1<<63 - 1},
		"1e1000001":               {true, "", false, 1<<63 - 1},
		"99999999999999999999":    {true, "99999999999999999999", true, 1<<63 - 1},
		"3.5":                     {},
		"1e-99999999999999999999": {},
		"1e-1":                    {},
	} {
		d := parseDecimal(text)
		got := answer{Integer: d.integer()}
		if got.Integer {
			got.Text, got.Written = d.integerText()
			got.Count = d.count()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func zeros(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '0'
	}
	return string(b)
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[1.0,"x"]}`, `{"b":[1,"\u0078"],"a":1e0}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`["a,b"]`, `["a","b"]`, false},
		{`[1,[2]]`, `[[1],2]`, false},
		{`null`, `false`, false},
		{`true`, `true`, true},
		{`0`, `false`, false},
		{`"1"`, `1`, false},
		{`{"a":{}}`, `{"a":[]}`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
	} {
		if got := equal(jsondoc.MustParse(tt.a), jsondoc.MustParse(tt.b)); got != tt.want {
			t.Errorf("equal(%s, %s) = %v", tt.a, tt.b, got)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, tt := range []struct {
		word string
		list []string
		want string
	}{
		{"propertys", knownKeywords[:], "properties"},
		{"TYPE", knownKeywords[:], "type"},
		{"tpye", knownKeywords[:], "type"},
		{"weight", knownKeywords[:], ""},
		{"if", []string{"id"}, ""},
		{"produkt", []string{"price", "product"}, "product"},
		{"aaaaab", []string{"aaaaac", "aaaaab"}, "aaaaac"},
		{"é", []string{"e"}, ""},
		{"", []string{"a"}, ""},
	} {
		if got := nearest(tt.word, tt.list); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}
