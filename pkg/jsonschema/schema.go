// Package jsonschema compiles a JSON Schema (2020-12) once and applies it to
// the arguments a model wrote.
//
// Models send "5" for 5, null for what they leave out, and a string holding
// JSON where an object is wanted. So applying a schema means two things at
// once: reading each value as what the schema wants, and naming every place
// that still does not fit. Which branch of an anyOf a value can be read as is
// a question of validation, and what is valid depends on what was read, so
// both have to be one piece of code over one tree. Numbers have to stay
// exactly as they were written. No library does this: the good ones turn
// numbers into float64 or big.Rat first, cost 4 ms of every process start, or
// stop at the first fault without saying where it is.
//
// All assertions and applicators of 2020-12 are supported, with references
// inside the document; format, content* and the annotations assert nothing.
// Patterns are Go regular expressions (RE2) with the escapes of ECMA-262.
//
// Compile and Apply never panic and do a bounded amount of work, whatever the
// schema and the instance. A Schema does not change after Compile and is safe
// for concurrent use.
package jsonschema

import (
	"iter"
	"slices"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A Schema is a compiled schema.
type Schema struct {
	doc      jsondoc.Value
	root     *node
	names    []string // top-level properties, those of references and allOf last
	schemas  map[string]*node
	required map[string]bool
	defaults []fallback
}

type fallback struct {
	name  string
	value jsondoc.Value
}

// Options says how Apply reads an instance.
type Options struct {
	Defaults bool // fill missing top-level properties that have a default
}

// Raw returns the document the schema was compiled from.
func (s *Schema) Raw() jsondoc.Value { return s.doc }

// Properties yields the top-level properties and their schemas in the order of
// the document; those that come by $ref or allOf follow.
func (s *Schema) Properties() iter.Seq2[string, jsondoc.Value] {
	return func(yield func(string, jsondoc.Value) bool) {
		for _, name := range s.names {
			if !yield(name, s.schemas[name].doc) {
				return
			}
		}
	}
}

// Required reports whether the top-level property name has to be there.
func (s *Schema) Required(name string) bool { return s.required[name] }

// Apply reads args as the schema wants them and returns that, or the ways in
// which args does not satisfy the schema, sorted by their place in args. With
// violations the returned value is args.
//
// A value is changed only where it is of a type the schema does not allow:
//
//   - a property that is null counts as absent;
//   - a string holding exactly a JSON number becomes that number;
//   - a number becomes the string of its text;
//   - "true" and "false" become booleans;
//   - a string holding the JSON of an object or array becomes that.
//
// Where an integer is wanted, 3.0 and 1e2 are rewritten as 3 and 100. In anyOf
// and oneOf the first branch that accepts the value decides, and if none does
// the first that accepts what it can be read as. Nothing else changes: members
// keep their order and numbers their digits, and args itself is returned when
// it already fits.
//
// Of more than 20 violations the first 20 are listed and then one counts the rest.
func (s *Schema) Apply(args jsondoc.Value, o Options) (jsondoc.Value, []Violation) {
	if args.Kind() != jsondoc.Object {
		return args, []Violation{{Message: mustBeType(kindObject, args)}}
	}
	w := walker{quiet: true}
	fits := w.check(s.root, args, nil)
	if fits && !w.exhausted && !w.rewrite && !(o.Defaults && s.lacksDefault(args)) {
		return args, nil
	}
	out := args
	if !w.exhausted {
		w = walker{quiet: true}
		out = w.coerce(s.root, args)
		if o.Defaults {
			out = s.fill(out)
		}
	}
	if !w.exhausted {
		w = walker{}
		w.check(s.root, out, nil)
	}
	if w.exhausted {
		return args, []Violation{{Message: "is nested too deeply or takes too long to compare with the schema"}}
	}
	if list := w.violations(); len(list) > 0 {
		return args, list
	}
	return out, nil
}

func (s *Schema) lacksDefault(args jsondoc.Value) bool {
	for _, d := range s.defaults {
		if !args.Get(d.name).Exists() {
			return true
		}
	}
	return false
}

// fill appends the defaults of missing properties.
func (s *Schema) fill(args jsondoc.Value) jsondoc.Value {
	if !s.lacksDefault(args) {
		return args
	}
	text := args.AppendCompact(nil)
	text = text[:len(text)-1]
	for _, d := range s.defaults {
		if args.Get(d.name).Exists() {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = appendMember(text, d.name, d.value)
	}
	filled, err := jsondoc.Parse(append(text, '}'))
	if err != nil {
		return args
	}
	return filled
}

// newSchema collects what callers ask of the top level.
func newSchema(doc jsondoc.Value, root *node) *Schema {
	s := &Schema{doc: doc, root: root, schemas: map[string]*node{}, required: map[string]bool{}}
	for _, n := range root.chain() {
		if n.object == nil {
			continue
		}
		for _, name := range n.object.names {
			property := n.object.properties[name]
			if s.schemas[name] == nil {
				s.names = append(s.names, name)
				s.schemas[name] = property
			}
			value := property.defaultValue()
			known := slices.ContainsFunc(s.defaults, func(d fallback) bool { return d.name == name })
			if value.Exists() && !known {
				s.defaults = append(s.defaults, fallback{name, value})
			}
		}
		for _, name := range n.object.required {
			s.required[name] = true
		}
	}
	return s
}

// defaultValue returns the default of n or of what it refers to.
func (n *node) defaultValue() jsondoc.Value {
	for _, sub := range n.chain() {
		if sub.fallback.Exists() {
			return sub.fallback
		}
	}
	return jsondoc.Value{}
}
