package placeholder

import (
	"testing"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

type echo struct{}

func (echo) Lookup(r *Ref) jsondoc.Value { return jsondoc.Quote("<" + r.String() + ">") }

// Every byte is either literal or part of a reported span, in order and once;
// what is literal comes out as it went in.
func FuzzCompile(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		p := parser{text: text}
		p.scan()
		at := 0
		for _, tok := range p.tokens {
			if tok.start != at || tok.end <= tok.start {
				t.Fatalf("%q: token %v does not start at %d", text, tok, at)
			}
			at = tok.end
		}
		if at != len(text) {
			t.Fatalf("%q: nothing covers %d to the end", text, at)
		}
		template, faults := Compile(text)
		if len(faults) > 0 {
			for _, fault := range faults {
				if fault.Start < 0 || fault.End > len(text) || fault.Start >= fault.End || fault.Message == "" {
					t.Fatalf("%q: %+v", text, fault)
				}
			}
			return
		}
		for _, r := range template.Refs() {
			again, more := Compile(text[r.Start:r.End])
			if len(more) > 0 || !again.Lone() || again.Refs()[0].String() != r.String() {
				t.Fatalf("%q: %v is not %q", text, r, text[r.Start:r.End])
			}
		}
		value, ok := template.Value(echo{})
		out, okText := template.Text(echo{})
		if ok != okText || utf8.ValidString(text) && value.Text() != out {
			t.Fatalf("%q: %q, %v but as text %q, %v", text, value.Text(), ok, out, okText)
		}
		if literal, isLiteral := template.Literal(); isLiteral && literal != out {
			t.Fatalf("%q: literal %q is not %q", text, literal, out)
		}
	})
}

func FuzzParseRef(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		ref, fault := ParseRef(text)
		if fault == nil && ref.String() != text {
			t.Fatalf("%q came back as %q", text, ref)
		}
		if fault != nil && fault.Message == "" {
			t.Fatalf("%q: no message", text)
		}
	})
}
