package diag_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
)

func TestPosition(t *testing.T) {
	f := diag.NewFile("f", []byte("\xef\xbb\xbfaé\r\n日本x\n\rend"))
	for _, c := range []struct {
		at   string
		want diag.Position
	}{
		{"aé", diag.Position{Line: 1, Column: 1}},
		{"é", diag.Position{Line: 1, Column: 2}},
		{"\r\n", diag.Position{Line: 1, Column: 3}},
		{"日", diag.Position{Line: 2, Column: 1}},
		{"x\n", diag.Position{Line: 2, Column: 3}},
		{"\rend", diag.Position{Line: 3, Column: 1}},
		{"end", diag.Position{Line: 4, Column: 1}},
	} {
		offset := strings.Index(string(f.Data), c.at)
		got := f.Position(offset)
		if got != c.want {
			t.Errorf("Position of %q = %v, want %v", c.at, got, c.want)
		}
		if back := f.Offset(got); back != offset {
			t.Errorf("Offset(%v) = %d, want %d", got, back, offset)
		}
	}
	if got := f.Position(1 << 20); got != (diag.Position{Line: 4, Column: 4}) {
		t.Errorf("past the end: %v", got)
	}
	if got := f.Position(0); got != (diag.Position{Line: 1, Column: 1}) {
		t.Errorf("at the byte order mark: %v", got)
	}
	if got := diag.NewFile("f", nil).Position(0); got != (diag.Position{Line: 1, Column: 1}) {
		t.Errorf("in an empty file: %v", got)
	}
}

func TestWriteText(t *testing.T) {
	for _, c := range []struct{ name, source, at, want string }{
		{"plain", "a\n    name: \"$param.x\"\n", "$param.x", "f.yml:2:12: error: bad \"x\" [code]\n    2 |     name: \"$param.x\"\n      |            ^~~~~~~~\n   do this\n"},
		{"wide", "日本: é́x\n", "x", "f.yml:1:7: error: bad \"x\" [code]\n    1 | 日本: é́x\n      |       " + " ^\n   do this\n"},
		{"tab", "\tk:\tv\n", "v", "f.yml:1:5: error: bad \"x\" [code]\n    1 | \tk:\tv\n      | \t  \t^\n   do this\n"},
		{"escape", "a: \x1b[31m\n", "\x1b", "f.yml:1:4: error: bad \"x\" [code]\n    1 | a: \ufffd[31m\n      |    ^\n   do this\n"},
		{"end", "a\n", "\n", "f.yml:1:2: error: bad \"x\" [code]\n    1 | a\n      |  ^\n   do this\n"},
	} {
		f := diag.NewFile("f.yml", []byte(c.source))
		start := strings.Index(c.source, c.at)
		d := diag.Errorf(diag.Span{File: f, Start: start, End: start + len(c.at)}, "code", "bad %q", "x").WithHint("do this")
		var b strings.Builder
		if err := diag.WriteText(&b, diag.List{d}, diag.Style{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestLongLineIsCut(t *testing.T) {
	source := strings.Repeat("a", 5000) + "X" + strings.Repeat("b", 5000)
	f := diag.NewFile("f", []byte(source))
	var b strings.Builder
	_ = diag.WriteText(&b, diag.List{diag.Errorf(diag.Span{File: f, Start: 5000, End: 5001}, "code", "bad")}, diag.Style{})
	want := "f:1:5001: error: bad [code]\n    1 | …" + strings.Repeat("a", 40) + "X" + strings.Repeat("b", 79) + "…\n      |  " + strings.Repeat(" ", 40) + "^\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWriteJSON(t *testing.T) {
	f := diag.NewFile("tools/a.yml", []byte("é: <x>\n"))
	var b strings.Builder
	list := diag.List{
		diag.Warningf(diag.Span{File: f, Start: 4, End: 7}, "value", "no <x>").WithHint("y"),
		diag.Errorf(diag.Span{File: f}, "required", "more"),
	}
	list.Sort()
	_ = diag.WriteJSON(&b, list)
	want := `[
  {
    "file": "tools/a.yml",
    "line": 1,
    "column": 1,
    "end_line": 1,
    "end_column": 1,
    "severity": "error",
    "code": "required",
    "message": "more",
    "hint": ""
  },
  {
    "file": "tools/a.yml",
    "line": 1,
    "column": 4,
    "end_line": 1,
    "end_column": 7,
    "severity": "warning",
    "code": "value",
    "message": "no <x>",
    "hint": "y"
  }
]
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if _ = diag.WriteJSON(&b, nil); b.String() != "[]\n" {
		t.Errorf("an empty list is %q", b.String())
	}
	if got, want := list.Err().Error(), "tools/a.yml:1:1: more"; got != want {
		t.Errorf("Err() = %q, want %q", got, want)
	}
	if list[1:].Err() != nil {
		t.Error("a warning is an error")
	}
}

func TestNearest(t *testing.T) {
	candidates := []string{"description", "when_to_use", "parameters", "request", "respond"}
	for word, want := range map[string]string{
		"descripton": "description", "Request": "request", "when-to-use": "when_to_use", "paramters": "parameters", "reqeust": "request",
		"zebra": "", "": "", "description": "", "r": "",
	} {
		if got := diag.Nearest(word, candidates); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
