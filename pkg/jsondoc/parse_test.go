package jsondoc

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseErrors(t *testing.T) {
	tests := []struct {
		doc  string
		want SyntaxError
		text string
	}{
		{"", SyntaxError{0, "unexpected end of the text, wanted a value"}, "unexpected end of the text at byte 0, wanted a value"},
		{" \n", SyntaxError{2, "unexpected end of the text, wanted a value"}, "unexpected end of the text at byte 2, wanted a value"},
		{"}", SyntaxError{0, "unexpected character '}', wanted a value"}, "unexpected character '}' at byte 0, wanted a value"},
		{"\xef\xbb\xbf1", SyntaxError{0, "unexpected byte order mark, wanted a value"}, "unexpected byte order mark at byte 0, wanted a value"},
		{"\x00", SyntaxError{0, `unexpected character '\x00', wanted a value`}, `unexpected character '\x00' at byte 0, wanted a value`},
		{"\xff", SyntaxError{0, "unexpected byte 0xff, wanted a value"}, "unexpected byte 0xff at byte 0, wanted a value"},
		{"é", SyntaxError{0, "unexpected character 'é', wanted a value"}, "unexpected character 'é' at byte 0, wanted a value"},
		{"'a'", SyntaxError{0, `unexpected character "'", wanted a value`}, `unexpected character "'" at byte 0, wanted a value`},
		{"1 2", SyntaxError{2, "unexpected character '2', wanted the end of the text"}, "unexpected character '2' at byte 2, wanted the end of the text"},
		{"[1]]", SyntaxError{3, "unexpected character ']', wanted the end of the text"}, "unexpected character ']' at byte 3, wanted the end of the text"},
		{"1\x00", SyntaxError{1, `unexpected character '\x00', wanted the end of the text`}, `unexpected character '\x00' at byte 1, wanted the end of the text`},
		{"nul", SyntaxError{3, "unexpected end of the text, wanted null"}, "unexpected end of the text at byte 3, wanted null"},
		{"nulL", SyntaxError{0, `unexpected word "nulL", wanted a value`}, `unexpected word "nulL" at byte 0, wanted a value`},
		{"True", SyntaxError{0, `unexpected word "True", wanted a value`}, `unexpected word "True" at byte 0, wanted a value`},
		{"truefalse", SyntaxError{4, `unexpected word "false", wanted the end of the text`}, `unexpected word "false" at byte 4, wanted the end of the text`},
		{"NaN", SyntaxError{0, `unexpected word "NaN", wanted a value`}, `unexpected word "NaN" at byte 0, wanted a value`},
		{"01", SyntaxError{0, "a number must not start with 0"}, "a number must not start with 0 at byte 0"},
		{"[-01]", SyntaxError{2, "a number must not start with 0"}, "a number must not start with 0 at byte 2"},
		{"-", SyntaxError{1, "unexpected end of the text, wanted a digit after '-'"}, "unexpected end of the text at byte 1, wanted a digit after '-'"},
		{"-a", SyntaxError{1, "unexpected character 'a', wanted a digit after '-'"}, "unexpected character 'a' at byte 1, wanted a digit after '-'"},
		{"+1", SyntaxError{0, "unexpected character '+', wanted a value"}, "unexpected character '+' at byte 0, wanted a value"},
		{".5", SyntaxError{0, "unexpected character '.', wanted a value"}, "unexpected character '.' at byte 0, wanted a value"},
		{"1.", SyntaxError{2, "unexpected end of the text, wanted a digit after '.'"}, "unexpected end of the text at byte 2, wanted a digit after '.'"},
		{"[1.e]", SyntaxError{3, "unexpected character 'e', wanted a digit after '.'"}, "unexpected character 'e' at byte 3, wanted a digit after '.'"},
		{"1e+", SyntaxError{3, "unexpected end of the text, wanted a digit of the exponent"}, "unexpected end of the text at byte 3, wanted a digit of the exponent"},
		{"0x10", SyntaxError{1, "unexpected character 'x', wanted the end of the text"}, "unexpected character 'x' at byte 1, wanted the end of the text"},
		{"[", SyntaxError{1, "unexpected end of the text, wanted a value or ']'"}, "unexpected end of the text at byte 1, wanted a value or ']'"},
		{"[,1]", SyntaxError{1, "unexpected character ',', wanted a value or ']'"}, "unexpected character ',' at byte 1, wanted a value or ']'"},
		{"[1,]", SyntaxError{3, "unexpected character ']', wanted a value"}, "unexpected character ']' at byte 3, wanted a value"},
		{"[1 2]", SyntaxError{3, "unexpected character '2', wanted ',' or ']'"}, "unexpected character '2' at byte 3, wanted ',' or ']'"},
		{"[1}", SyntaxError{2, "unexpected character '}', wanted ',' or ']'"}, "unexpected character '}' at byte 2, wanted ',' or ']'"},
		{"[1", SyntaxError{2, "unexpected end of the text, wanted ',' or ']'"}, "unexpected end of the text at byte 2, wanted ',' or ']'"},
		{"{", SyntaxError{1, "unexpected end of the text, wanted a member name in double quotes or '}'"}, "unexpected end of the text at byte 1, wanted a member name in double quotes or '}'"},
		{"{a:1}", SyntaxError{1, "unexpected character 'a', wanted a member name in double quotes or '}'"}, "unexpected character 'a' at byte 1, wanted a member name in double quotes or '}'"},
		{`{"a"}`, SyntaxError{4, "unexpected character '}', wanted ':' after the member name"}, "unexpected character '}' at byte 4, wanted ':' after the member name"},
		{`{"a":}`, SyntaxError{5, "unexpected character '}', wanted a value"}, "unexpected character '}' at byte 5, wanted a value"},
		{`{"a":1,}`, SyntaxError{7, "unexpected character '}', wanted a member name in double quotes"}, "unexpected character '}' at byte 7, wanted a member name in double quotes"},
		{`{"a":1]`, SyntaxError{6, "unexpected character ']', wanted ',' or '}'"}, "unexpected character ']' at byte 6, wanted ',' or '}'"},
		{`{"a":1 "b":2}`, SyntaxError{7, `unexpected character '"', wanted ',' or '}'`}, `unexpected character '"' at byte 7, wanted ',' or '}'`},
		{`[1] // x`, SyntaxError{4, "unexpected character '/', wanted the end of the text"}, "unexpected character '/' at byte 4, wanted the end of the text"},
		{`"a`, SyntaxError{2, `unexpected end of the text, wanted '"' to close the string`}, `unexpected end of the text at byte 2, wanted '"' to close the string`},
		{`"a\`, SyntaxError{3, `unexpected end of the text, wanted '"' to close the string`}, `unexpected end of the text at byte 3, wanted '"' to close the string`},
		{`"\x"`, SyntaxError{2, `unexpected character 'x', wanted one of " \ / b f n r t u after '\'`}, `unexpected character 'x' at byte 2, wanted one of " \ / b f n r t u after '\'`},
		{`"\u12"`, SyntaxError{5, `unexpected character '"', wanted four hexadecimal digits after \u`}, `unexpected character '"' at byte 5, wanted four hexadecimal digits after \u`},
		{`"\u12`, SyntaxError{5, `unexpected end of the text, wanted four hexadecimal digits after \u`}, `unexpected end of the text at byte 5, wanted four hexadecimal digits after \u`},
		{"\"a\nb\"", SyntaxError{2, "control character U+000A inside a string must be escaped"}, "control character U+000A inside a string must be escaped at byte 2"},
		{"\"é\xff\"", SyntaxError{3, "invalid UTF-8 (byte 0xff) inside a string"}, "invalid UTF-8 (byte 0xff) inside a string at byte 3"},
		{"{\"\xed\xa0\x80\":1}", SyntaxError{2, "invalid UTF-8 (byte 0xed) inside a string"}, "invalid UTF-8 (byte 0xed) inside a string at byte 2"},
		{strings.Repeat("[", maxDepth+1), SyntaxError{maxDepth, "more than 10000 arrays and objects inside each other"}, "more than 10000 arrays and objects inside each other at byte 10000"},
	}
	for _, tt := range tests {
		v, err := Parse([]byte(tt.doc))
		var got *SyntaxError
		if !errors.As(err, &got) {
			t.Errorf("Parse(%.40q) = %s, %v; want a *SyntaxError", tt.doc, v.Raw(), err)
			continue
		}
		if diff := cmp.Diff(&tt.want, got); diff != "" {
			t.Errorf("error of %.40q (-want +got):\n%s", tt.doc, diff)
		}
		if got.Error() != tt.text {
			t.Errorf("error of %.40q reads %q, want %q", tt.doc, got.Error(), tt.text)
		}
		if v.Exists() {
			t.Errorf("Parse(%.40q) gives a value beside its error", tt.doc)
		}
	}
}

func TestParseDeep(t *testing.T) {
	for _, unit := range []struct {
		open, close string
		levels      int
	}{
		{"[", "]", 1}, {`{"a":`, "}", 1}, {`[1,{"a":`, "}]", 2},
	} {
		text := strings.Repeat(unit.open, maxDepth/unit.levels) + "1" + strings.Repeat(unit.close, maxDepth/unit.levels)
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.AppendCompact(nil)); got != text {
			t.Errorf("compact of %s… differs", unit.open)
		}
		p, err := CompilePath("$..[?@==1]")
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := p.Select(v)
		if err != nil || len(nodes) == 0 {
			t.Errorf("%d nodes, error %v", len(nodes), err)
		}
		if _, err = Parse([]byte("[" + text + "]")); err == nil {
			t.Errorf("%s… was read with one level too many", unit.open)
		}
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if got, want := recover(), "jsondoc.MustParse: unexpected character '}' at byte 1, wanted a value or ']'"; got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}()
	MustParse("[}")
}
