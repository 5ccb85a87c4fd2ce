package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"
)

func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error %T", err)
			}
			if syntax.Offset < 0 || syntax.Offset > len(data) {
				t.Fatalf("offset %d in %d bytes", syntax.Offset, len(data))
			}
			// encoding/json takes invalid UTF-8 for U+FFFD.
			if json.Valid(data) && utf8.Valid(data) {
				t.Fatalf("%q is JSON, but: %v", data, err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not JSON", data)
		}
		compact := v.AppendCompact(nil)
		var want bytes.Buffer
		if err := json.Compact(&want, data); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(compact, want.Bytes()) {
			t.Fatalf("compact of %q is %q, want %q", data, compact, want.Bytes())
		}
		for _, text := range [][]byte{compact, Indent(nil, v)} {
			again, err := Parse(text)
			if err != nil {
				t.Fatalf("%q from %q: %v", text, data, err)
			}
			if !(&evaluator{}).equalValues(v, again) {
				t.Fatalf("%q from %q is another value", text, data)
			}
		}
		walk(t, v)
	})
}

// walk checks every value against encoding/json.
func walk(t *testing.T, v Value) {
	n := 0
	switch v.Kind() {
	case String:
		var want string
		if err := json.Unmarshal(v.Raw(), &want); err != nil {
			t.Fatal(err)
		}
		if got := v.Text(); got != want {
			t.Fatalf("text of %s is %q, want %q", v.Raw(), got, want)
		}
		if quoted := Quote(want); quoted.Text() != want {
			t.Fatalf("%q quoted is %s", want, quoted.Raw())
		}
	case Array:
		for element := range v.Elements() {
			if v.Index(n) != element {
				t.Fatalf("element %d of %s differs", n, v.Raw())
			}
			walk(t, element)
			n++
		}
	case Object:
		var want map[string]json.RawMessage
		if err := json.Unmarshal(v.Raw(), &want); err != nil {
			t.Fatal(err)
		}
		if len(want) != v.Len() {
			t.Fatalf("%s has %d members, want %d", v.Raw(), v.Len(), len(want))
		}
		for name, member := range v.Members() {
			if v.Get(name) != member || !bytes.Equal(want[name], member.Raw()) {
				t.Fatalf("member %q of %s is %s, want %s", name, v.Raw(), member.Raw(), want[name])
			}
			walk(t, member)
			n++
		}
	default:
		return
	}
	if v.Kind() != String && n != v.Len() {
		t.Fatalf("%s yields %d values, Len is %d", v.Raw(), n, v.Len())
	}
}

func FuzzCompilePath(f *testing.F) {
	doc := MustParse(`{"a":[1,2.50,"x",{"b":null,"a":"xyz"}],"b":{"a":true},"é":[[[]]]}`)
	f.Fuzz(func(t *testing.T, expr string) {
		p, err := CompilePath(expr)
		if err != nil {
			var path *PathError
			if !errors.As(err, &path) {
				t.Fatalf("error %T", err)
			}
			if path.Offset < 0 || path.Offset > len(expr) || path.Msg == "" {
				t.Fatalf("error of %q: %#v", expr, path)
			}
			if utf8.ValidString(expr) && path.Offset < len(expr) && !utf8.RuneStart(expr[path.Offset]) {
				t.Fatalf("the offset %d of %q is inside a character", path.Offset, expr)
			}
			return
		}
		first, err := p.Select(doc)
		if err != nil {
			var limit *LimitError
			if !errors.As(err, &limit) {
				t.Fatalf("%s: error %T", expr, err)
			}
			return
		}
		if p.Singular() && len(first) > 1 {
			t.Fatalf("the singular %s matches %d nodes", expr, len(first))
		}
		again, err := p.Select(doc)
		if err != nil || len(again) != len(first) {
			t.Fatalf("%s matches %d nodes, then %d (%v)", expr, len(first), len(again), err)
		}
		for i := range first {
			if first[i] != again[i] {
				t.Fatalf("node %d of %s is %s, then %s", i, expr, first[i].Raw(), again[i].Raw())
			}
		}
	})
}

// Numbers are compared as their values, whatever they look like.
func FuzzCompareNumbers(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b string) {
		x, err := Parse([]byte(a))
		if err != nil || x.Kind() != Number || len(a) > 40 {
			return
		}
		y, err := Parse([]byte(b))
		if err != nil || y.Kind() != Number || len(b) > 40 {
			return
		}
		got := compareNumbers(x.Raw(), y.Raw())
		want, ok := compareRat(string(x.Raw()), string(y.Raw()))
		if ok && got != want {
			t.Fatalf("%s and %s compare as %d, want %d", a, b, got, want)
		}
		if back := compareNumbers(y.Raw(), x.Raw()); back != -got {
			t.Fatalf("%s and %s compare as %d, the other way as %d", a, b, got, back)
		}
	})
}
