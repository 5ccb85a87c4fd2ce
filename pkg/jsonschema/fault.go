package jsonschema

import "slices"

// A Fault is something wrong with a schema itself.
type Fault struct {
	Pointer []string // from the root of the schema to the culprit, as in a JSON Pointer
	OnKey   bool     // the key is at fault, not its value
	Message string   // lower-case, quotes the culprit
	Hint    string   // what to do about it, may be empty
	Warning bool     // the schema is valid, but hardly what was meant
}

// maxFaults is how many faults of one schema are reported: more than a person
// reads, so that whoever lists them can count the rest.
const maxFaults = 100_000

// A place is where in the document the compiler is.
type place struct {
	pointer  []string
	depth    int    // of schemas in schemas
	resource string // pointer of the nearest schema with an $id
}

// at returns the pointer of something below p.
func (p place) at(tokens ...string) []string {
	return append(slices.Clip(p.pointer), tokens...)
}

// below returns the place of a schema below p.
func (p place) below(tokens ...string) place {
	return place{pointer: p.at(tokens...), depth: p.depth + 1, resource: p.resource}
}

func (c *compiler) fault(f Fault) {
	if !f.Warning {
		c.errors++
	}
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, f)
	}
}

// full reports whether further faults would be dropped.
func (c *compiler) full() bool { return len(c.faults) >= maxFaults }

// wrong reports the value at pointer.
func (c *compiler) wrong(pointer []string, message, hint string) {
	c.fault(Fault{Pointer: pointer, Message: message, Hint: hint})
}
