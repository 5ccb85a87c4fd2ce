package jsonschema

import "github.com/vatio-dev/vatio/pkg/jsondoc"

// Accepts reports whether v satisfies the schema as it stands, both in the way
// that stops at the first fault and in the one that lists them all.
func Accepts(s *Schema, v jsondoc.Value) bool {
	quick := walker{quiet: true}
	full := walker{}
	accepted := quick.check(s.root, v, nil)
	if full.check(s.root, v, nil) != accepted || (len(full.violations()) == 0) != accepted {
		panic("the quick and the full check disagree")
	}
	return accepted
}
