package diag_test

import (
	"testing"

	"github.com/vatio-dev/vatio/pkg/diag"
)

func TestApply(t *testing.T) {
	const source = "\xef\xbb\xbfmethod: get # keep\r\nñ: $x\r\n"
	f := diag.NewFile("f", []byte(source))
	edit := func(start, end int, text string) diag.Edit {
		return diag.Edit{Span: diag.Span{File: f, Start: start, End: end}, Text: text}
	}
	for _, c := range []struct {
		edits []diag.Edit
		want  string
	}{
		{nil, source},
		{[]diag.Edit{edit(11, 14, "GET")}, "\xef\xbb\xbfmethod: GET # keep\r\nñ: $x\r\n"},
		{[]diag.Edit{edit(27, 28, ""), edit(11, 14, "GET")}, "\xef\xbb\xbfmethod: GET # keep\r\nñ: x\r\n"},
		{[]diag.Edit{edit(3, 14, "a"), edit(11, 14, "GET")}, "\xef\xbb\xbfa # keep\r\nñ: $x\r\n"},
	} {
		if got := string(diag.Apply(f.Data, c.edits)); got != c.want {
			t.Errorf("%v: %q, want %q", c.edits, got, c.want)
		}
	}
	d := diag.Errorf(diag.Span{File: f}, "value", "x")
	at := diag.Span{File: f, Start: 11, End: 14}
	if fixed := d.WithRewrite(at, "get", "GET"); fixed.Fix == nil || *fixed.Fix != edit(11, 14, "GET") {
		t.Errorf("the edit is %v", fixed.Fix)
	}
	if fixed := d.WithRewrite(at, "g\x65t ", "GET"); fixed.Fix != nil {
		t.Error("a text that the file writes in another way is rewritten")
	}
}
