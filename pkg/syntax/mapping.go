package syntax

import "sort"

// style is how a node is written in its file. The zero value is invalid.
type style uint8

const (
	plain style = iota + 1
	singleQuoted
	doubleQuoted
	literal
	folded
	blockMap
	blockSeq
	flow
	alias // stands last in a collection; never in the tree

	tomlString // in quotes of any kind
	tomlOther  // the text is what stands in the file
)

func (s style) isTOML() bool { return s >= tomlString }

// A mapping leads from the decoded bytes of a scalar to the bytes of the file.
type mapping struct {
	pieces     []piece
	start, end int // of the whole scalar in the file, quotes included
}

// A piece says that size bytes of the decoded value from text on come from
// width bytes of the file from at on: byte by byte when verbatim, as a whole
// otherwise (an escape, a folded line break).
type piece struct {
	text, at    int32
	size, width int32
	verbatim    bool
}

// source returns the bytes of the file that the decoded bytes [start, end)
// come from. An empty range is placed before the byte that follows it.
func (m *mapping) source(start, end int) (from, to int) {
	if len(m.pieces) == 0 {
		return m.start, m.end
	}
	from = m.before(start)
	if start == end {
		return from, from
	}
	p := m.pieces[m.find(end-1)]
	if p.verbatim {
		return from, int(p.at) + end - int(p.text)
	}
	return from, int(p.at + p.width)
}

// before returns the offset in the file of the decoded byte at i, or where
// the last one ends.
func (m *mapping) before(i int) int {
	p := m.pieces[m.find(i)]
	switch {
	case p.verbatim:
		return int(p.at) + i - int(p.text)
	case i >= int(p.text+p.size):
		return int(p.at + p.width)
	}
	return int(p.at)
}

// find returns the index of the piece that holds the decoded byte i, of the
// last piece for what follows it.
func (m *mapping) find(i int) int {
	return max(0, sort.Search(len(m.pieces), func(k int) bool { return int(m.pieces[k].text) > i })-1)
}

// A tracer builds a mapping while it re-reads a scalar and compares what it
// reads with the value the parser made of it.
type tracer struct {
	data   []byte
	text   string
	done   int // bytes of text accounted for
	pieces []piece
	failed bool
}

// copied accounts for n bytes that stand in the file as they are in the value.
func (t *tracer) copied(at, n int) {
	if t.done+n > len(t.text) || t.text[t.done:t.done+n] != string(t.data[at:at+n]) {
		t.failed = true
		return
	}
	if k := len(t.pieces) - 1; k >= 0 {
		if p := &t.pieces[k]; p.verbatim && int(p.at+p.width) == at {
			p.size += int32(n)
			p.width += int32(n)
			t.done += n
			return
		}
	}
	t.pieces = append(t.pieces, piece{int32(t.done), int32(at), int32(n), int32(n), true})
	t.done += n
}

// made accounts for the decoded bytes s that width bytes of the file stand for.
func (t *tracer) made(s string, at, width int) {
	if len(s) == width && string(t.data[at:at+width]) == s {
		t.copied(at, width)
		return
	}
	if t.done+len(s) > len(t.text) || t.text[t.done:t.done+len(s)] != s {
		t.failed = true
		return
	}
	t.pieces = append(t.pieces, piece{int32(t.done), int32(at), int32(len(s)), int32(width), false})
	t.done += len(s)
}

// complete reports whether the whole value was accounted for.
func (t *tracer) complete() bool { return !t.failed && t.done == len(t.text) }

// mapping returns the mapping of a scalar, made on first use.
func (n *Node) mapping() *mapping {
	if m := n.where.Load(); m != nil {
		return m
	}
	var m *mapping
	if n.style.isTOML() {
		m = n.mapTOML()
	} else {
		m = n.mapYAML()
	}
	n.where.Store(m)
	return m
}
