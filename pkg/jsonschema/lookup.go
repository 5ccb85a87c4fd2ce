package jsonschema

import (
	"slices"
	"strconv"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// Presence says what a schema knows of a path. The zero value is invalid.
type Presence uint8

const (
	// Unknown: the schema names the place and no such part of it.
	Unknown Presence = iota + 1
	// Declared: the schema names the path.
	Declared
	// Open: the schema does not name the path but leaves room for it.
	Open
)

// String returns "unknown", "declared" or "open".
func (p Presence) String() string {
	switch p {
	case Unknown:
		return "unknown"
	case Declared:
		return "declared"
	case Open:
		return "open"
	}
	return "invalid"
}

// Lookup says whether path, names and array indexes from the root, is in the
// schema. An object with properties is closed unless additionalProperties,
// patternProperties or unevaluatedProperties leave room for the name; an
// object without properties and an array without items are open. Branches and
// references count together. For Unknown, at is the index of the first segment
// that is not there and known what could stand in its place, sorted; otherwise
// at is len(path).
func (s *Schema) Lookup(path []string) (presence Presence, at int, known []string) {
	return s.lookup(path, true)
}

// Names reports what Lookup says of a path, in less time where it is Unknown.
func (s *Schema) Names(path []string) Presence {
	presence, _, _ := s.lookup(path, false)
	return presence
}

// lookup collects what is known where all is set.
func (s *Schema) lookup(path []string, all bool) (presence Presence, at int, known []string) {
	if s.root.declares(path) {
		return Declared, len(path), nil
	}
	here := map[*node]bool{s.root: true} // value: reached by declared names alone
	open := false
	for i, segment := range path {
		next := map[*node]bool{}
		var names []string
		silent, spoke := false, false
		for n, declared := range expand(here) {
			switch step := n.step(segment, all); {
			case step.silent:
				silent = true
			case step.open:
				open, spoke = true, true
			default:
				spoke = true
				names = append(names, step.known...)
				for _, sub := range step.next {
					next[sub] = next[sub] || declared && !step.vague
				}
			}
		}
		if silent && !spoke {
			open = true
		}
		if len(next) == 0 {
			if open {
				return Open, len(path), nil
			}
			slices.Sort(names)
			return Unknown, i, slices.Compact(names)
		}
		here = next
	}
	for _, declared := range here {
		if declared {
			return Declared, len(path), nil
		}
	}
	return Open, len(path), nil
}

// declares reports whether path leads through properties alone, in schemas that
// nothing else applies in place with: what most paths and schemas are like.
func (n *node) declares(path []string) bool {
	for _, name := range path {
		if n.object == nil || n.types != kindObject || n.ownValues() != nil || n.refs != nil || n.allOf != nil || n.anyOf != nil || n.oneOf != nil ||
			n.not != nil || n.when != nil || n.object.dependent != nil {
			return false
		}
		sub := n.object.properties[name]
		if sub == nil || sub.never {
			return false
		}
		n = sub
	}
	return true
}

// expand adds the schemas that apply to the same value.
func expand(nodes map[*node]bool) map[*node]bool {
	all := map[*node]bool{}
	var visit func(n *node, declared bool)
	visit = func(n *node, declared bool) {
		if before, ok := all[n]; ok && (before || !declared) {
			return
		}
		all[n] = declared
		n.inPlace(func(sub *node) {
			if sub != n.not {
				visit(sub, declared)
			}
		})
	}
	for n, declared := range nodes {
		visit(n, declared)
	}
	return all
}

// A step is what one schema, its branches and references apart, says of one
// segment of a path.
type step struct {
	silent bool // nothing: it is for others to say
	open   bool // there is room for anything
	vague  bool // next has the schema of undeclared parts
	next   []*node
	known  []string
}

func (n *node) step(segment string, all bool) step {
	types := n.types
	if listed := n.ownValues(); types == 0 && listed != nil {
		for _, v := range listed {
			types |= kindOf(v)
		}
	}
	index, err := strconv.Atoi(segment)
	isIndex := err == nil && index >= 0 && strconv.Itoa(index) == segment
	speaksObject := n.object != nil && n.object.speaks()
	speaksArray := n.array != nil && n.array.speaks()
	canObject := types&kindObject != 0 || types == 0 && (speaksObject || !speaksArray)
	canArray := types&kindArray != 0 || types == 0 && (speaksArray || !speaksObject)

	if n.never {
		return step{}
	}
	if !canObject && !canArray {
		return step{}
	}
	if !speaksObject && !speaksArray && !n.blank {
		// A branch with constraints only, or a schema that leaves the shape to
		// its branches.
		if types == 0 || n.delegates() {
			return step{silent: true}
		}
	}
	var out step
	if canArray && isIndex {
		out = n.element(index)
	} else if canArray && !canObject {
		out.known = []string{"0"}
	}
	if canObject && !out.open {
		member := n.member(segment, all)
		out.open = out.open || member.open
		out.known = append(out.known, member.known...)
		out.next = append(out.next, member.next...)
		out.vague = out.vague || member.vague
	}
	return out
}

// ownValues returns the values that enum or const allow.
func (n *node) ownValues() []jsondoc.Value {
	if n.constant.Exists() {
		return []jsondoc.Value{n.constant}
	}
	return n.enum
}

// delegates reports whether n has branches or references that say what it holds.
func (n *node) delegates() bool {
	found := false
	n.inPlace(func(sub *node) {
		if sub != n.not {
			found = found || !sub.onlyLimits()
		}
	})
	return found
}

// onlyLimits reports whether n says nothing of the shape of its value.
func (n *node) onlyLimits() bool {
	return !n.blank && !n.never && n.types == 0 && n.ownValues() == nil &&
		(n.object == nil || !n.object.speaks()) && (n.array == nil || !n.array.speaks()) &&
		n.refs == nil && n.allOf == nil && n.anyOf == nil && n.oneOf == nil && n.when == nil
}

func (o *objectRules) speaks() bool {
	return o.declared || o.patterns != nil || o.additional != nil || o.unevaluated != nil
}

func (r *arrayRules) speaks() bool {
	return r.prefix != nil || r.items != nil || r.unevaluated != nil
}

func (n *node) element(index int) step {
	if n.array == nil || !n.array.speaks() {
		return step{open: true}
	}
	sub := n.array.at(index)
	if sub == nil {
		sub = n.array.unevaluated
	}
	if sub == nil {
		return step{open: true}
	}
	if sub.never {
		var known []string
		for i := range min(len(n.array.prefix), 10) {
			known = append(known, strconv.Itoa(i))
		}
		return step{known: known}
	}
	return step{next: []*node{sub}}
}

func (n *node) member(name string, all bool) step {
	o := n.object
	if o == nil || !o.speaks() {
		return step{open: true}
	}
	if sub := o.properties[name]; sub != nil {
		if sub.never {
			return step{known: o.allowed(all)}
		}
		return step{next: []*node{sub}}
	}
	var out step
	o.lookup(name, func(sub *node) bool {
		if !sub.never {
			out.next = append(out.next, sub)
		}
		return true
	})
	if out.next == nil && o.additional == nil && o.unevaluated != nil && !o.unevaluated.never {
		out.next = []*node{o.unevaluated}
	}
	out.vague = out.next != nil
	if out.next == nil {
		if !o.declared && o.additional == nil && o.unevaluated == nil {
			return step{open: true} // patternProperties alone
		}
		out.known = o.allowed(all)
	}
	return out
}

// allowed returns the names of the properties that may be there, none of them
// unless all are wanted.
func (o *objectRules) allowed(all bool) []string {
	if !all {
		return nil
	}
	var names []string
	for _, name := range o.names {
		if !o.properties[name].never {
			names = append(names, name)
		}
	}
	return names
}
