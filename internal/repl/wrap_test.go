package repl

import (
	"strings"
	"testing"
)

func TestWrapper(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"one two three four", "one two\nthree four"},
		{"one two three\nfour five six", "one two\nthree\nfour five\nsix"},
		{"a-word-that-is-too-long for it", "a-word-that-is-too-long\nfor it"},
		{"  indented text here", "  indented\ntext here"},
		{"name   qty\nPicker Tool   3", "name   qty\nPicker\nTool   3"},
		{"日本 日本 日本", "日本 日本\n日本"},
		{"ends in space ", "ends in\nspace"},
		{"", ""},
	} {
		// However the text is cut, it comes out the same.
		for size := 1; size <= len(c.text)+1; size++ {
			w := wrapper{width: 10}
			var got strings.Builder
			piece := ""
			for _, r := range c.text {
				if piece += string(r); len(piece) >= size {
					got.WriteString(w.add(piece))
					piece = ""
				}
			}
			got.WriteString(w.add(piece))
			got.WriteString(w.end())
			if got.String() != c.want {
				t.Fatalf("%q in pieces of %d: %q, want %q", c.text, size, got.String(), c.want)
			}
		}
	}
	off := wrapper{}
	if got := off.add("one two three four ") + off.end(); got != "one two three four " {
		t.Errorf("without a width: %q", got)
	}
}
