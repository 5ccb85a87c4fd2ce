package jsondoc

import (
	"hash/maphash"
	"math/bits"
)

// fewMembers is up to how many members comparing every name with every other
// is faster than hashing them.
const fewMembers = 16

// collapse looks for names that stand in the object at more than once. The
// first of them gets the last value and the others are marked.
func (p *parser) collapse(at int32) {
	d := document{data: p.data, nodes: p.nodes}
	if p.nodes[at].size > fewMembers {
		p.collapseMany(&d, at)
		return
	}
	nodes := p.nodes
	var names [fewMembers]int32
	n := 0
member:
	for i := at + 1; i < nodes[at].next; i = nodes[i+1].next {
		for _, first := range names[:n] {
			if d.sameName(&nodes[first], &nodes[i]) {
				d.shadow(at, first, i)
				continue member
			}
		}
		names[n] = i
		n++
	}
}

func (p *parser) collapseMany(d *document, at int32) {
	nodes := p.nodes
	p.names.reset(int(nodes[at].size))
	for i := at + 1; i < nodes[at].next; i = nodes[i+1].next {
		if first := p.names.add(d, i); first != i {
			d.shadow(at, first, i)
		}
	}
}

// shadow marks name i as a repeat of the name first.
func (d *document) shadow(at, first, i int32) {
	d.nodes[first].next = d.nodes[i].next
	d.nodes[i].shadowed = true
	d.nodes[at].size--
}

func (d *document) sameName(a, b *node) bool {
	if !a.escaped && !b.escaped && a.end-a.start != b.end-b.start {
		return false
	}
	return d.sameText(a, b)
}

// A nameSet is a hash table of name nodes. Its seed is random, so that a text
// cannot be made to collide.
type nameSet struct {
	seed  maphash.Seed
	slots []int32 // 0: free (node 0 is never a name)
	buf   []byte
}

func (s *nameSet) reset(names int) {
	size := 1 << bits.Len(uint(names)*2)
	if size > cap(s.slots) {
		s.slots = make([]int32, size)
		s.seed = maphash.MakeSeed()
		return
	}
	s.slots = s.slots[:size]
	clear(s.slots)
}

// add returns the node of the same name that was added first, i itself if new.
func (s *nameSet) add(d *document, i int32) int32 {
	n := &d.nodes[i]
	text := d.data[n.start+1 : n.end-1]
	if n.escaped {
		s.buf = appendUnquoted(s.buf[:0], text)
		text = s.buf
	}
	mask := uint64(len(s.slots) - 1)
	for h := maphash.Bytes(s.seed, text) & mask; ; h = (h + 1) & mask {
		first := s.slots[h]
		if first == 0 {
			s.slots[h] = i
			return i
		}
		if d.sameName(&d.nodes[first], n) {
			return first
		}
	}
}
