package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValue(t *testing.T) {
	type member struct{ Name, Value string }
	type facts struct {
		Kind     Kind
		Len      int
		Text     string
		Bool     bool
		IsEmpty  bool
		Members  []member
		Elements []string
	}
	tests := []struct {
		doc  string
		want facts
	}{
		{`null`, facts{Kind: Null, Text: "null", IsEmpty: true}},
		{`true`, facts{Kind: Bool, Text: "true", Bool: true}},
		{`false`, facts{Kind: Bool, Text: "false"}},
		{`12345678901234567890`, facts{Kind: Number, Text: "12345678901234567890"}},
		{` 0.10 `, facts{Kind: Number, Text: "0.10"}},
		{`-1.50E+07`, facts{Kind: Number, Text: "-1.50E+07"}},
		{`""`, facts{Kind: String, IsEmpty: true}},
		{`" "`, facts{Kind: String, Text: " "}},
		{`"\"\\\/\b\f\n\r\t"`, facts{Kind: String, Text: "\"\\/\b\f\n\r\t"}},
		{`"\u00e9\u0000\u20AC"`, facts{Kind: String, Text: "é\x00€"}},
		{`"\ud83d\ude00"`, facts{Kind: String, Text: "😀"}},
		{`"\ud83d"`, facts{Kind: String, Text: "\uFFFD"}},
		{`"\ude00\ud83d"`, facts{Kind: String, Text: "\uFFFD\uFFFD"}},
		{`"\ud83d\u0041"`, facts{Kind: String, Text: "\uFFFDA"}},
		{`"\ud83d\n"`, facts{Kind: String, Text: "\uFFFD\n"}},
		{`"\ud83d\ud83d\ude00"`, facts{Kind: String, Text: "\uFFFD😀"}},
		{`"ñ😀"`, facts{Kind: String, Text: "ñ😀"}},
		{` [ ] `, facts{Kind: Array, Text: "[]", IsEmpty: true}},
		{`{ }`, facts{Kind: Object, Text: "{}", IsEmpty: true}},
		{`[ 1 , [ 2 ] , { } ]`, facts{Kind: Array, Len: 3, Text: "[1,[2],{}]", Elements: []string{"1", "[2]", "{}"}}},
		{`{"b":1, "a" :{"x":[]} }`, facts{Kind: Object, Len: 2, Text: `{"b":1,"a":{"x":[]}}`, Members: []member{{"b", "1"}, {"a", `{"x":[]}`}}}},
		{`{"a":1,"b":2,"a":{"k":3},"c":4,"\u0061":5}`, facts{
			Kind: Object, Len: 3, Text: `{"a":1,"b":2,"a":{"k":3},"c":4,"\u0061":5}`,
			Members: []member{{"a", "5"}, {"b", "2"}, {"c", "4"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.doc, func(t *testing.T) {
			v := MustParse(tt.doc)
			got := facts{Kind: v.Kind(), Len: v.Len(), Text: v.Text(), Bool: v.Bool(), IsEmpty: v.IsEmpty()}
			for name, value := range v.Members() {
				got.Members = append(got.Members, member{name, value.Text()})
				if at := v.Get(name); at != value {
					t.Errorf("Get(%q) = %s, want %s", name, at.Raw(), value.Raw())
				}
			}
			for value := range v.Elements() {
				if at := v.Index(len(got.Elements)); at != value {
					t.Errorf("Index(%d) = %s, want %s", len(got.Elements), at.Raw(), value.Raw())
				}
				got.Elements = append(got.Elements, value.Text())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if raw, want := string(v.Raw()), strings.TrimSpace(tt.doc); raw != want {
				t.Errorf("Raw = %s, want %s", raw, want)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	var none Value
	for name, v := range map[string]Value{
		"zero":           none,
		"member":         MustParse(`{"a":1}`).Get("b"),
		"of an array":    MustParse(`["a"]`).Get("a"),
		"of a string":    MustParse(`"a"`).Get("a"),
		"of a missing":   none.Get("a").Index(0),
		"element":        MustParse(`[1]`).Index(1),
		"negative":       MustParse(`[1]`).Index(-1),
		"of an object":   MustParse(`{"a":1}`).Index(0),
		"prefix of name": MustParse(`{"ab":1}`).Get("a"),
		"escaped name":   MustParse(`{"\u0061b":1}`).Get("a"),
	} {
		if v != none || v.Exists() || v.Kind() != 0 || v.Len() != 0 || v.Raw() != nil || v.Text() != "" || v.Bool() || !v.IsEmpty() {
			t.Errorf("%s: %#v is not missing", name, v)
		}
		for range v.Members() {
			t.Errorf("%s has members", name)
		}
		for range v.Elements() {
			t.Errorf("%s has elements", name)
		}
		if got := v.AppendCompact([]byte("x")); string(got) != "x" {
			t.Errorf("%s: AppendCompact = %s", name, got)
		}
		if got := Indent([]byte("x"), v); string(got) != "x" {
			t.Errorf("%s: Indent = %s", name, got)
		}
	}
}

func TestKindString(t *testing.T) {
	var got []string
	for k := Kind(0); k <= Object; k++ {
		got = append(got, k.String())
	}
	want := []string{"missing", "null", "boolean", "number", "string", "array", "object"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoopsStop(t *testing.T) {
	var names []string
	for name := range MustParse(`{"a":1,"b":2}`).Members() {
		names = append(names, name)
		break
	}
	for v := range MustParse(`[3,4]`).Elements() {
		names = append(names, v.Text())
		break
	}
	if diff := cmp.Diff([]string{"a", "3"}, names); diff != "" {
		t.Error(diff)
	}
}

// Names are looked for by comparing or by hashing; both must agree.
func TestRepeatedNames(t *testing.T) {
	for _, members := range []int{2, 5, fewMembers, fewMembers + 1, 1000, 100_000} {
		var b strings.Builder
		b.WriteByte('{')
		for i := range members {
			if i > 0 {
				b.WriteByte(',')
			}
			name := fmt.Sprintf(`"n%d"`, i/2)
			if i%2 == 1 {
				name = strings.Replace(name, "n", `\u006e`, 1)
			}
			fmt.Fprintf(&b, "%s:%d", name, i)
		}
		b.WriteByte('}')
		v := MustParse(b.String())
		if want := (members + 1) / 2; v.Len() != want {
			t.Errorf("%d members: Len = %d, want %d", members, v.Len(), want)
		}
		i := 0
		for name, value := range v.Members() {
			wantName, wantValue := fmt.Sprintf("n%d", i), fmt.Sprint(min(2*i+1, members-1))
			if name != wantName || value.Text() != wantValue {
				t.Fatalf("%d members: member %d is %q: %s, want %q: %s", members, i, name, value.Text(), wantName, wantValue)
			}
			i++
		}
		if i != v.Len() {
			t.Errorf("%d members: %d were yielded, want %d", members, i, v.Len())
		}
	}
}

func TestFormat(t *testing.T) {
	for _, doc := range []string{
		`{}`, `[]`, `1`, `"a b"`, ` { "a" : [ ] , "b" : { } , "c":[1,[2, {"d" : null}]] } `,
		`{"a":1,"a":2}`, `[1.0,1e5,-0,"\u0041\/<>&  ", true , false]`, "[\n\t{\r\n} ]", `[[[[]]]]`, `{"a b":" , : "}`,
	} {
		v := MustParse(doc)
		var compact, indented bytes.Buffer
		if err := json.Compact(&compact, []byte(doc)); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&indented, []byte(strings.TrimSpace(doc)), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := v.AppendCompact([]byte("> ")); string(got) != "> "+compact.String() {
			t.Errorf("compact of %s = %s, want %s", doc, got, compact.String())
		}
		if got := Indent([]byte("> "), v); string(got) != "> "+indented.String() {
			t.Errorf("Indent of %s = %s, want %s", doc, got, indented.String())
		}
	}
	inner := MustParse(` {"x" : {"a" : [1 , 2]}, "y":3 } `).Get("x")
	if got, want := string(inner.AppendCompact(nil)), `{"a":[1,2]}`; got != want {
		t.Errorf("compact = %s, want %s", got, want)
	}
	if got, want := string(Indent(nil, inner)), "{\n  \"a\": [\n    1,\n    2\n  ]\n}"; got != want {
		t.Errorf("Indent = %s, want %s", got, want)
	}
}

func TestQuote(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `""`},
		{"abc", `"abc"`},
		{`"\/`, `"\"\\/"`},
		{"\b\f\n\r\t\x00\x1f\x7f", `"\b\f\n\r\t\u0000\u001f` + "\x7f" + `"`},
		{"<a href='&'>", `"<a href='&'>"`},
		{"ñ😀\u2028\u2029", "\"ñ😀\u2028\u2029\""},
		{"a\xffb\xe2\x82", "\"a\uFFFDb\uFFFD\uFFFD\""},
		{"\uFFFD", "\"\uFFFD\""},
	}
	for _, tt := range tests {
		if got := string(AppendQuote([]byte("> "), tt.text)); got != "> "+tt.want {
			t.Errorf("AppendQuote(%q) = %s, want %s", tt.text, got, tt.want)
		}
		v := Quote(tt.text)
		if got := string(v.AppendCompact(nil)); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.text, got, tt.want)
		}
		if got, want := v.Text(), strings.ToValidUTF8(tt.text, "\uFFFD"); got != want && !strings.Contains(tt.text, "\xe2\x82") {
			t.Errorf("Quote(%q).Text() = %q, want %q", tt.text, got, want)
		}
	}
}

func TestGetAllocates(t *testing.T) {
	v := MustParse(`{"plain":1,"\u0065scaped":2}`)
	if n := testing.AllocsPerRun(100, func() {
		if !v.Get("plain").Exists() || !v.Get("escaped").Exists() || v.Get("none").Exists() {
			t.Fatal("wrong members")
		}
	}); n != 0 {
		t.Errorf("Get allocates %v times", n)
	}
	text := []byte(`{"id":17,"name":"a","tags":["x","y, z"]}`)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := Parse(text); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("Parse allocates %v times", n)
	}
}
