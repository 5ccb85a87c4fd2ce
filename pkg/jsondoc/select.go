package jsondoc

// none stands for no node.
const none = -1

// An evaluator does one Select over one document. Nodes are their indexes.
type evaluator struct {
	doc    *document
	root   int32
	visits int
	err    error
	spare  [][]int32 // node lists to be used again
	regexp lastRegexp
}

// spend counts steps and reports whether there are enough left.
func (e *evaluator) spend(steps int) bool {
	if steps < 0 || steps > maxVisits-e.visits {
		steps = maxVisits - e.visits
		if e.err == nil {
			e.err = &LimitError{Limit: maxVisits, What: "steps"}
		}
	}
	e.visits += steps
	return e.err == nil
}

func (e *evaluator) match(list []int32, at int32) []int32 {
	if len(list) == maxMatches {
		if e.err == nil {
			e.err = &LimitError{Limit: maxMatches, What: "matches"}
		}
		return list
	}
	return append(list, at)
}

func (e *evaluator) take() []int32 {
	if n := len(e.spare); n > 0 {
		list := e.spare[n-1]
		e.spare = e.spare[:n-1]
		return list[:0]
	}
	return nil
}

func (e *evaluator) give(list []int32) { e.spare = append(e.spare, list) }

func (e *evaluator) start(q *query, current int32) int32 {
	if q.relative {
		return current
	}
	return e.root
}

// nodes returns the nodes of q; the caller may give the list back.
func (e *evaluator) nodes(q *query, current int32) []int32 {
	in := append(e.take(), e.start(q, current))
	for i := range q.segments {
		out := e.take()
		for _, at := range in {
			if e.err != nil {
				break
			}
			if q.segments[i].descendant {
				out = e.descend(out, &q.segments[i], at)
			} else {
				out = e.child(out, &q.segments[i], at)
			}
		}
		e.give(in)
		in = out
	}
	return in
}

// single returns the node of a singular query or none.
func (e *evaluator) single(q *query, current int32) int32 {
	at := e.start(q, current)
	for i := range q.segments {
		s := &q.segments[i].selectors[0]
		if s.kind == selectName {
			at = e.member(at, s.name)
		} else {
			at = e.element(at, s.index)
		}
		if at == none {
			return none
		}
	}
	return at
}

func (e *evaluator) descend(out []int32, s *segment, at int32) []int32 {
	if kind := e.doc.nodes[at].kind; kind != Array && kind != Object {
		return out
	}
	out = e.child(out, s, at)
	for c := e.doc.children(at); c.more() && e.spend(1); c.advance() {
		out = e.descend(out, s, c.at())
	}
	return out
}

// child appends what the selectors of s match among the children of at.
func (e *evaluator) child(out []int32, s *segment, at int32) []int32 {
	for i := range s.selectors {
		if !e.spend(1) {
			break
		}
		switch sel := &s.selectors[i]; sel.kind {
		case selectName:
			if found := e.member(at, sel.name); found != none {
				out = e.match(out, found)
			}
		case selectIndex:
			if found := e.element(at, sel.index); found != none {
				out = e.match(out, found)
			}
		case selectWildcard:
			for c := e.doc.children(at); c.more() && e.spend(1); c.advance() {
				out = e.match(out, c.at())
			}
		case selectSlice:
			out = e.slice(out, &sel.slice, at)
		case selectFilter:
			for c := e.doc.children(at); c.more() && e.spend(1); c.advance() {
				if sel.filter.holds(e, c.at()) {
					out = e.match(out, c.at())
				}
			}
		}
	}
	return out
}

func (e *evaluator) member(at int32, name string) int32 {
	nodes := e.doc.nodes
	if nodes[at].kind != Object {
		return none
	}
	for i := at + 1; i < nodes[at].next && e.spend(1+len(name)/64); i = nodes[i+1].next {
		if !nodes[i].shadowed && e.doc.equal(&nodes[i], name) {
			return nodes[i].next
		}
	}
	return none
}

func (e *evaluator) element(at int32, index int64) int32 {
	n := &e.doc.nodes[at]
	if index < 0 {
		index += int64(n.size)
	}
	if n.kind != Array || index < 0 || index >= int64(n.size) || !e.spend(1+int(index)) {
		return none
	}
	return Value{e.doc, at}.Index(int(index)).at
}

// slice follows RFC 9535, section 2.3.4.2.2.
func (e *evaluator) slice(out []int32, s *slice, at int32) []int32 {
	n := &e.doc.nodes[at]
	if n.kind != Array || s.step == 0 {
		return out
	}
	size := int64(n.size)
	normal := func(i int64) int64 {
		if i < 0 {
			return i + size
		}
		return i
	}
	start, end := int64(0), size
	if s.step < 0 {
		start, end = size-1, -1
	}
	if s.hasStart {
		start = normal(s.start)
	}
	if s.hasEnd {
		end = normal(s.end)
	}
	if s.step > 0 {
		start, end = max(start, 0), min(end, size)
		i, wanted := int64(0), start
		for c := e.doc.children(at); c.more() && i < end && e.spend(1); c.advance() {
			if i == wanted {
				out = e.match(out, c.at())
				wanted += s.step
			}
			i++
		}
		return out
	}
	start, end = min(start, size-1), max(end, -1)
	passed := e.take()
	for c := e.doc.children(at); c.more() && int64(len(passed)) <= start && e.spend(1); c.advance() {
		passed = append(passed, c.at())
	}
	if e.err == nil {
		for i := start; i > end; i += s.step {
			out = e.match(out, passed[i])
		}
	}
	e.give(passed)
	return out
}

// children walks over the elements of an array or the values of an object.
type children struct {
	doc    *document
	i, end int32
	object bool
}

func (d *document) children(at int32) children {
	n := &d.nodes[at]
	if n.kind != Array && n.kind != Object {
		return children{}
	}
	return children{doc: d, i: at + 1, end: n.next, object: n.kind == Object}
}

func (c *children) more() bool { return c.i < c.end }

func (c *children) at() int32 {
	if c.object {
		return c.doc.nodes[c.i].next
	}
	return c.i
}

func (c *children) advance() {
	nodes := c.doc.nodes
	if !c.object {
		c.i = nodes[c.i].next
		return
	}
	for c.i = nodes[c.i+1].next; c.i < c.end && nodes[c.i].shadowed; {
		c.i = nodes[c.i+1].next
	}
}
