// Package jsondoc reads a JSON text once into a tree of byte offsets and
// answers everything from it: members, elements, text, compact and indented
// output, and JSONPath selection.
//
// It promises that nothing is lost on the way: members keep their order,
// numbers keep all their digits and strings the escapes they were written
// with. Parse accepts exactly RFC 8259; Path is RFC 9535.
//
// Values and paths never change after they are made, so all of this is safe
// for concurrent use, as long as nobody changes the bytes given to Parse.
package jsondoc

import (
	"bytes"
	"iter"
)

// Kind is the type of a JSON value. The zero Kind belongs to a missing value.
type Kind uint8

const (
	Null Kind = iota + 1
	Bool
	Number
	String
	Array
	Object
)

// String returns the word for k in messages: "null", "boolean", "number",
// "string", "array" or "object".
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "missing"
}

// A Value is one value of a parsed text, passed by value. The zero Value is
// missing: it has no kind and every method answers with nothing. Two Values
// are == when they are the same place of the same text; this says nothing
// about places with equal content.
type Value struct {
	doc *document
	at  int32
}

type document struct {
	data   []byte
	nodes  []node
	spaced bool // there is white space between the tokens
}

// A node is one value or member name. The nodes of a text stand in its order;
// a member is the node of its name followed by those of its value.
type node struct {
	start, end int32 // in data, quotes and brackets included
	next       int32 // first node after this value; of a name: the value that counts
	size       int32 // elements or distinct members
	kind       Kind
	escaped    bool // a string with backslashes
	shadowed   bool // a name that stood in its object before
}

func (v Value) node() *node { return &v.doc.nodes[v.at] }

// Kind returns the type of v, 0 when it is missing.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return 0
	}
	return v.node().kind
}

// Exists reports whether v is not missing.
func (v Value) Exists() bool { return v.doc != nil }

// Get returns the member called name, the last one if the name stands there
// more than once. It is missing when there is none or v is no object. The time
// is linear in the number of members.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	nodes := v.doc.nodes
	for i := v.at + 1; i < nodes[v.at].next; i = nodes[i+1].next {
		if !nodes[i].shadowed && v.doc.equal(&nodes[i], name) {
			return Value{v.doc, nodes[i].next}
		}
	}
	return Value{}
}

// Index returns element i, from 0; it is missing when v is no array or has no
// such element. The time is linear in i.
func (v Value) Index(i int) Value {
	if v.Kind() != Array || i < 0 || i >= int(v.node().size) {
		return Value{}
	}
	nodes := v.doc.nodes
	at := v.at + 1
	for ; i > 0; i-- {
		at = nodes[at].next
	}
	return Value{v.doc, at}
}

// Len returns the number of elements of an array or of distinctly named
// members of an object, otherwise 0.
func (v Value) Len() int {
	if v.doc == nil {
		return 0
	}
	return int(v.node().size)
}

// Members yields names and values in the order of the text. A name that stands
// there more than once is yielded once, in its first place with its last value.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		nodes := v.doc.nodes
		for i := v.at + 1; i < nodes[v.at].next; i = nodes[i+1].next {
			if nodes[i].shadowed {
				continue
			}
			if !yield(v.doc.text(&nodes[i]), Value{v.doc, nodes[i].next}) {
				return
			}
		}
	}
}

// Elements yields the elements of an array in order.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		nodes := v.doc.nodes
		for i := v.at + 1; i < nodes[v.at].next; i = nodes[i].next {
			if !yield(Value{v.doc, i}) {
				return
			}
		}
	}
}

// Raw returns the bytes of v as they stand in the text, nil when missing. The
// caller must not change them.
func (v Value) Raw() []byte {
	if v.doc == nil {
		return nil
	}
	return v.doc.raw(v.node())
}

// Text returns a string decoded and any other value as compact JSON; "" when
// missing. A lone surrogate escape becomes U+FFFD.
func (v Value) Text() string {
	switch v.Kind() {
	case 0:
		return ""
	case String:
		return v.doc.text(v.node())
	case Array, Object:
		if v.doc.spaced {
			return string(v.AppendCompact(nil))
		}
	}
	return string(v.Raw())
}

// Bool reports whether v is true.
func (v Value) Bool() bool { return v.Kind() == Bool && v.Raw()[0] == 't' }

// IsEmpty reports whether v is missing, null, "", [] or {}.
func (v Value) IsEmpty() bool {
	switch v.Kind() {
	case 0, Null:
		return true
	case String:
		return len(v.Raw()) == len(`""`)
	case Array, Object:
		return v.node().size == 0
	}
	return false
}

func (d *document) raw(n *node) []byte { return d.data[n.start:n.end:n.end] }

// text decodes a string or name.
func (d *document) text(n *node) string {
	inner := d.data[n.start+1 : n.end-1]
	if !n.escaped {
		return string(inner)
	}
	return string(appendUnquoted(make([]byte, 0, len(inner)), inner))
}

// equal reports whether the string or name n is s, without allocating.
func (d *document) equal(n *node, s string) bool {
	inner := d.data[n.start+1 : n.end-1]
	if !n.escaped {
		return string(inner) == s
	}
	// No escape is shorter than the text it stands for or over six times as long.
	if len(inner) < len(s) || len(inner) > 6*len(s) {
		return false
	}
	return equalUnquoted(inner, s)
}

// sameText reports whether two strings or names are the same text.
func (d *document) sameText(a, b *node) bool {
	if !a.escaped && !b.escaped {
		return bytes.Equal(d.data[a.start+1:a.end-1], d.data[b.start+1:b.end-1])
	}
	if a.escaped {
		a, b = b, a
	}
	return d.equal(b, d.text(a))
}
