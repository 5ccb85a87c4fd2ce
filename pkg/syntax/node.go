// Package syntax reads YAML and TOML files into one positioned tree.
//
// Whoever works with the tree sees maps, lists and scalars and never a type
// of the library that parsed the file. Every node knows where its text stands,
// and every string knows it byte by byte: [Node.SpanOf] leads from a piece of
// the decoded value back to the characters in the file, through quotes,
// escapes, folded lines and block scalars.
//
// The package promises that it never panics and never recurses deeper than
// the nesting limit, that the time it takes grows with the size of the file
// and not faster, and that a tree without diagnostics means what the file
// says: duplicate keys, a second document and unknown tags are reported, not
// dropped. A tree is immutable; all of its methods are safe for concurrent use.
package syntax

import (
	"sync/atomic"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// Kind is what a node is. The zero value is invalid.
type Kind uint8

const (
	Null Kind = iota + 1
	Bool
	Int
	Float
	String
	Timestamp
	Map
	Seq
)

// String returns the word for k that messages use.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Int:
		return "integer"
	case Float:
		return "number"
	case String:
		return "string"
	case Timestamp:
		return "timestamp"
	case Map:
		return "map"
	case Seq:
		return "list"
	}
	return "invalid"
}

// A Node is one value or key of a file. An alias leads to the node it names,
// so one node can appear in a tree more than once.
type Node struct {
	Kind  Kind
	Text  string  // scalars: the decoded value of a string, of others what stands in the file
	Pairs []Pair  // Map: entries in the order of the file, merge keys expanded, keys unique
	Items []*Node // Seq

	style style
	a, b  int32 // YAML: line and column, from 1; TOML: byte offsets of start and end
	src   *source
	last  *Node // YAML collections: what stands last in them, nil when empty
	where atomic.Pointer[mapping]
}

// A Pair is one entry of a map. Key.Text is the key as text, whatever its type.
type Pair struct{ Key, Value *Node }

// File returns the file n was read from.
func (n *Node) File() *diag.File { return n.src.file }

// Span returns where n stands: a scalar with its quotes, a block scalar from
// its | or >, a map or list from its first to its last character. Anchors and
// tags before it do not belong to it. A TOML table that a header opens stands
// at the header.
func (n *Node) Span() diag.Span {
	start, end := n.bounds()
	return diag.Span{File: n.src.file, Start: start, End: end}
}

// SpanOf returns where the bytes Text[start:end] of a string stand in the
// file. Offsets outside Text are clamped. An empty range is a place between
// two characters. Of a node that is no string it returns the whole span.
func (n *Node) SpanOf(start, end int) diag.Span {
	if n.Kind != String {
		return n.Span()
	}
	start = max(0, min(start, len(n.Text)))
	end = max(start, min(end, len(n.Text)))
	from, to := n.mapping().source(start, end)
	return diag.Span{File: n.src.file, Start: from, End: to}
}

// Get returns the value that the map n has for key, nil when it has none.
// A nil n and a node that is no map have no keys.
func (n *Node) Get(key string) *Node {
	p, _ := n.Pair(key)
	return p.Value
}

// Pair returns the entry that the map n has for key.
func (n *Node) Pair(key string) (Pair, bool) {
	if n == nil {
		return Pair{}, false
	}
	for _, p := range n.Pairs {
		if p.Key.Text == key {
			return p, true
		}
	}
	return Pair{}, false
}
