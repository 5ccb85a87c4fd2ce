package remote

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

func TestPieces(t *testing.T) {
	tests := []struct {
		name  string
		raw   []string
		shown []string
		end   string
		want  string
	}{
		{"plain", []string{`"a"`, `"b c"`, `""`}, []string{"a", "b c", ""}, "", "ab c"},
		{"escapes", []string{`"\n\"\\u00f1"`, `"\u00f1"`}, []string{"\n\"\\u00f1", "ñ"}, "", "\n\"\\u00f1ñ"},
		{"what is no string", []string{"null", "", `"`, `{"a":1}`, "1", `"x"`}, []string{"", "", "", "", "", "x"}, "", "x"},
		{"bytes", []string{"\"\xf0\"", "\"\x9f\"", "\"\x8e\"", "\"\xb8!\""}, []string{"", "", "", "🎸!"}, "", "🎸!"},
		{"a surrogate pair", []string{`"a\ud83c"`, `"\udfb8b"`}, []string{"a", "🎸b"}, "", "a🎸b"},
		{"a surrogate alone", []string{`"\ud83c"`, `"b"`}, []string{"", "\uFFFDb"}, "", "\uFFFDb"},
		{"a low surrogate first", []string{`"\udfb8"`}, []string{"\uFFFD"}, "", "\uFFFD"},
		{"held at the end", []string{`"a\uD83C"`}, []string{"a"}, "\uFFFD", "a\uFFFD"},
		{"half a character at the end", []string{"\"a\xc3\""}, []string{"a"}, "\uFFFD", "a\uFFFD"},
		{"a backslash before it", []string{`"\\ud83c"`, `"x"`}, []string{`\ud83c`, "x"}, "", `\ud83cx`},
		{"no UTF-8", []string{"\"a\xffb\"", "\"\xc3\"", `"z"`}, []string{"a\uFFFDb", "", "\uFFFDz"}, "", "a\uFFFDb\uFFFDz"},
		{"an escape that is none", []string{`"\x"`, `"b"`}, []string{"", "b"}, "", "b"},
	}
	for _, test := range tests {
		var p Pieces
		var shown []string
		for _, raw := range test.raw {
			shown = append(shown, p.Add(raw))
		}
		end := p.End()
		if diff := cmp.Diff(test.shown, shown); diff != "" || end != test.end || p.String() != test.want || p.Len() != len(test.want) {
			t.Errorf("%s: %s, end %q, text %q\n%s", test.name, shown, end, p.String(), diff)
		}
	}
}

// FuzzPieces cuts a text anywhere: the pieces give the text.
func FuzzPieces(f *testing.F) {
	f.Add("año 🎸 \\ \" \n", 3)
	f.Add("𝄞𝄞", 5)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if !utf8.ValidString(text) {
			return
		}
		for _, quoted := range []string{string(jsondoc.AppendQuote(nil, text)), ascii(text)} {
			inside := quoted[1 : len(quoted)-1]
			cut := max(0, min(at, len(inside)))
			// A server cuts characters or UTF-16 units, never an escape itself.
			for i := range min(6, cut) {
				if inside[cut-1-i] == '\\' {
					cut -= i + 1
					break
				}
			}
			if cut > 0 && inside[cut-1] == '\\' {
				return
			}
			var p Pieces
			got := p.Add(`"`+inside[:cut]+`"`) + p.Add(`"`+inside[cut:]+`"`) + p.End()
			if got != text || p.String() != text {
				t.Fatalf("%q cut at %d: %q, %q", inside, cut, got, p.String())
			}
		}
	})
}

// ascii writes text as a JSON string without a byte beyond ASCII.
func ascii(text string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	unit := func(u rune) {
		b.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			b.WriteByte(digits[u>>shift&15])
		}
	}
	for _, r := range text {
		switch {
		case r >= 0x10000:
			unit(0xd800 + (r-0x10000)>>10)
			unit(0xdc00 + (r-0x10000)&0x3ff)
		case r >= 0x7f || r < ' ' || r == '"' || r == '\\':
			unit(r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
