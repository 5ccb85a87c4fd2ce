package shape_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// read reads a file of one form and returns its faults and what was read.
func read(t *testing.T, text string) (faults []string, got string) {
	t.Helper()
	f := diag.NewFile("f.yml", []byte(text))
	root, list := syntax.ParseYAML(f)
	if root == nil {
		t.Fatalf("%q: %v", text, list)
	}
	r := &shape.Reader{Faults: list, Home: func(key string) (string, bool) {
		switch key {
		case "inner":
			return "child", true
		case "name":
			return "", true
		}
		return "", false
	}}
	m := r.Map(root, diag.Span{File: f}, "", "name", "kind", "count", "child", "list", "longer_name")
	child := m.Child("child", "inner")
	inner := child.Require("inner")
	name, _ := m.Text("name")
	kind, ok := m.OneOf("kind", "red", "green")
	count := m.Int("count", 1, 300, 7)
	var list2 []string
	for _, n := range m.Strings("list") {
		list2 = append(list2, n.Text)
	}
	for _, d := range r.Faults {
		p := f.Position(d.Span.Start)
		text := fmt.Sprintf("%d:%d %s: %s", p.Line, p.Column, d.Code, d.Message)
		if d.Hint != "" {
			text += " (" + d.Hint + ")"
		}
		faults = append(faults, text)
	}
	return faults, fmt.Sprintf("name %q kind %q %t count %d list %v inner %t", name, kind, ok, count, list2, inner != nil)
}

func TestReader(t *testing.T) {
	const empty = `name "" kind "" false count 7 list [] inner false`
	for _, c := range []struct {
		text   string
		faults []string
		got    string
	}{
		{"name: a\nkind: red\ncount: 1_0\nchild: { inner: ~ }\nlist: [a, b]\n", nil, `name "a" kind "red" true count 10 list [a b] inner true`},
		{"kind: ree\n", []string{`1:1 required: "name" is required`, `1:7 value: "kind" must be "red" or "green", not "ree" (did you mean "red"?)`}, empty},
		{"nme: a\n", []string{`1:1 unknown-key: unknown key "nme" (did you mean "name"?)`}, empty},
		{"name: a\nlonger: 1\nx: 2\n", []string{`2:1 unknown-key: unknown key "longer" (did you mean "longer_name"?)`, `3:1 unknown-key: unknown key "x" (known keys: name, kind, count, child, list, longer_name)`}, `name "a" kind "" false count 7 list [] inner false`},
		{"LongerName: 1\nname: a\n", []string{`1:1 unknown-key: unknown key "LongerName" (did you mean "longer_name"?)`}, `name "a" kind "" false count 7 list [] inner false`},
		{"name: a\nnme: b\n", []string{`2:1 unknown-key: unknown key "nme" (known keys: name, kind, count, child, list, longer_name)`}, `name "a" kind "" false count 7 list [] inner false`},
		{"name: a\ninner: 1\nchild:\n", []string{`2:1 unknown-key: unknown key "inner" (it belongs inside "child")`}, `name "a" kind "" false count 7 list [] inner false`},
		{"child: { inner: 1, name: a }\n", []string{`1:20 unknown-key: unknown key "child.name" (it belongs at the top level of the file)`}, `name "" kind "" false count 7 list [] inner true`},
		{"name: a\nchild: {}\nchild: { inner: 1 }\n", []string{`3:1 duplicate-key: key "child" is already set in line 2 (remove one of the two, or rename it)`}, `name "a" kind "" false count 7 list [] inner false`},
		{"name: ' '\nkind:\ncount: a\nchild: [1]\nlist: [1, ~, a]\n", []string{
			`4:8 type: "child" must be a map, not a list`,
			`1:7 required: "name" must not be blank`,
			`2:1 type: "kind" must be a string, not null`,
			`3:8 type: "count" must be a whole number, not a string`,
			`5:8 type: "list.0" must be a string, not an integer (put it in quotes: "1")`,
			`5:11 type: "list.1" must be a string, not null`,
		}, `name "" kind "" false count 7 list [a] inner false`},
		{"name: true\ncount: 0\nlist: a\n", []string{
			`1:7 type: "name" must be a string, not a boolean (put it in quotes: "true")`,
			`2:8 value: "count" must be from 1 to 300, not 0`,
			`3:7 type: "list" must be a list of strings, not a string`,
		}, empty},
		{"- a\n", []string{`1:1 type: the file must be a map, not a list`}, empty},
		{"", []string{`1:1 type: the file is empty`}, empty},
	} {
		faults, got := read(t, c.text)
		if diff := cmp.Diff(c.faults, faults); diff != "" {
			t.Errorf("%q: faults (-want +got):\n%s", c.text, diff)
		}
		if diff := cmp.Diff(c.got, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestInt(t *testing.T) {
	for text, want := range map[string]int{
		"5": 5, "+5": 5, "0x10": 16, "0o17": 15, "010": 8, "0b11": 3, "1_0": 10, "300": 300,
		"0": -1, "-5": -1, "301": -1, "9223372036854775808": -1, "99999999999999999999": -1, "-99999999999999999999": -1,
		"1.0": -1, "1e2": -1, "'5'": -1, "[5]": -1, "~": -1,
	} {
		f := diag.NewFile("f.yml", []byte("n: "+text+"\n"))
		root, _ := syntax.ParseYAML(f)
		r := &shape.Reader{}
		got := r.Map(root, diag.Span{File: f}, "", "n").Int("n", 1, 300, -1)
		if got != want || (len(r.Faults) > 0) != (want == -1) {
			t.Errorf("%s: %d with %d faults, want %d", text, got, len(r.Faults), want)
		}
	}
}
