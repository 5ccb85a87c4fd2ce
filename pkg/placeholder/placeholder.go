// Package placeholder is the small language of a tool's values: $params.x,
// $env.KEY, $auth.subject, $contact.email, their braced forms, `||` between
// alternatives and `$$` to write any of it literally. A text is compiled once
// into a Template and evaluated many times. The package knows no files: every
// place it names is a byte offset into the text it was given.
package placeholder

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// Source is where a placeholder's value comes from. The zero value is invalid.
type Source uint8

const (
	Params  Source = iota + 1 // the call's arguments
	Env                       // the workspace's secrets
	Auth                      // the verified principal
	Contact                   // the contact's profile
)

var sourceNames = [...]string{Params: "params", Env: "env", Auth: "auth", Contact: "contact"}

// String returns the word that follows the $.
func (s Source) String() string { return sourceNames[s] }

// A Ref is one placeholder: a source and a path inside it.
type Ref struct {
	Source Source
	// Path holds the segments behind the source: the parameter's path, the
	// secret's KEY, "subject", "token" or "claims" and a path, the contact's field.
	Path       []string
	Start, End int // where it stands in the text, the $ and the braces included
}

// String returns the path without the $, as request.requires writes it.
func (r Ref) String() string { return r.Source.String() + "." + strings.Join(r.Path, ".") }

// A Fault is a mistake in a text, at [Start, End).
type Fault struct {
	Start, End int
	Message    string
	Hint       string
}

// A Scope gives placeholders their values. The zero Value means absent.
type Scope interface {
	Lookup(r *Ref) jsondoc.Value
}

// A Part is a piece of a template: a literal text, or a placeholder and the
// text its value has come to.
type Part struct {
	Text string
	Ref  *Ref // nil for literal text
}

// A Template is a compiled text. It is immutable and safe for concurrent use.
type Template struct {
	alternatives [][]part
	refs         []Ref
	constant     jsondoc.Value // the quoted text of a template without placeholders
}

type part struct {
	text string // literal text, `$$` resolved
	ref  *Ref
}

// Refs returns the placeholders in the order in which they stand.
func (t *Template) Refs() []Ref { return t.refs }

// Alternatives returns the pieces between the `||`, in order; the text of a
// placeholder is its bare form.
func (t *Template) Alternatives() [][]Part {
	all := make([][]Part, len(t.alternatives))
	for i, parts := range t.alternatives {
		for _, p := range parts {
			text := p.text
			if p.ref != nil {
				text = "$" + p.ref.String()
			}
			all[i] = append(all[i], Part{Text: text, Ref: p.ref})
		}
	}
	return all
}

// Literal returns the text of a template without placeholders.
func (t *Template) Literal() (string, bool) {
	if len(t.refs) > 0 {
		return "", false
	}
	return joinLiteral(t.alternatives[0]), true
}

// Lone reports whether the template is one placeholder and nothing else, so
// that its value keeps its type.
func (t *Template) Lone() bool {
	return len(t.alternatives) == 1 && lone(t.alternatives[0])
}

func lone(parts []part) bool { return len(parts) == 1 && parts[0].ref != nil }

// Value evaluates the template. A lone placeholder keeps the type of its
// value, everything else is a string. It reports false when the value is
// missing: a placeholder in it is absent, null or "", or no alternative of
// several is anything but empty.
func (t *Template) Value(s Scope) (jsondoc.Value, bool) {
	if t.constant.Exists() {
		return t.constant, true
	}
	chosen, ok := t.choose(s)
	if !ok {
		return jsondoc.Value{}, false
	}
	if lone(chosen) {
		return s.Lookup(chosen[0].ref), true
	}
	var text []byte
	for i := range chosen {
		text = append(text, chosen[i].eval(s).Text...)
	}
	return jsondoc.Quote(string(text)), true
}

// Append evaluates the template as text and appends it to dst. Each piece is
// written by write where one is given, as it is otherwise. It reports false,
// and leaves dst as it was, when the value is missing.
func (t *Template) Append(dst []byte, s Scope, write func(dst []byte, p Part) ([]byte, error)) ([]byte, bool, error) {
	chosen, ok := t.choose(s)
	if !ok {
		return dst, false, nil
	}
	start := len(dst)
	for i := range chosen {
		p := chosen[i].eval(s)
		if write == nil {
			dst = append(dst, p.Text...)
			continue
		}
		var err error
		if dst, err = write(dst, p); err != nil {
			return dst[:start], false, err
		}
	}
	return dst, true, nil
}

// Text evaluates the template as text; false means missing.
func (t *Template) Text(s Scope) (string, bool) {
	text, ok, _ := t.Append(nil, s, nil)
	return string(text), ok
}

// MissingRef says why the template is missing: the first missing placeholder
// of its last alternative, or of an earlier one where that has none. It is nil
// when the template is not missing.
func (t *Template) MissingRef(s Scope) *Ref {
	if _, ok := t.choose(s); ok {
		return nil
	}
	for i := len(t.alternatives) - 1; i >= 0; i-- {
		for _, p := range t.alternatives[i] {
			if p.ref != nil && Missing(s.Lookup(p.ref)) {
				return p.ref
			}
		}
	}
	return &t.refs[len(t.refs)-1]
}

// Missing reports whether v counts as no value at all: absent, null or "".
func Missing(v jsondoc.Value) bool {
	switch v.Kind() {
	case jsondoc.Bool, jsondoc.Number, jsondoc.Array, jsondoc.Object:
		return false
	case jsondoc.String:
		return v.IsEmpty()
	}
	return true
}

// choose returns the parts of the alternative that counts; false for none.
func (t *Template) choose(s Scope) ([]part, bool) {
	several := len(t.alternatives) > 1
	for _, parts := range t.alternatives {
		if !missing(parts, s, several) {
			return parts, true
		}
	}
	return nil, false
}

// missing reports whether an alternative has no value. Among several, one that
// yields "", [] or {} is passed over too; alone, [] and {} are values.
func missing(parts []part, s Scope, several bool) bool {
	for i := range parts {
		if parts[i].ref == nil {
			continue
		}
		v := s.Lookup(parts[i].ref)
		if Missing(v) || several && len(parts) == 1 && v.IsEmpty() {
			return true
		}
	}
	return several && len(parts) == 0
}

func (p *part) eval(s Scope) Part {
	if p.ref == nil {
		return Part{Text: p.text}
	}
	return Part{Text: s.Lookup(p.ref).Text(), Ref: p.ref}
}

func joinLiteral(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text)
	}
	return b.String()
}
