package jsondoc

// AppendCompact appends v without insignificant white space to dst. Strings
// and numbers are written as they came. A missing value appends nothing.
func (v Value) AppendCompact(dst []byte) []byte {
	if v.doc == nil {
		return dst
	}
	if !v.doc.spaced {
		return append(dst, v.Raw()...)
	}
	top := v.node()
	pos := top.start
	for i := v.at; i < v.end(); i++ {
		n := &v.doc.nodes[i]
		if n.kind == Array || n.kind == Object {
			continue
		}
		dst = appendUnspaced(dst, v.doc.data[pos:n.start])
		dst = append(dst, v.doc.raw(n)...)
		pos = n.end
	}
	return appendUnspaced(dst, v.doc.data[pos:top.end])
}

// appendUnspaced appends the brackets, commas and colons of a gap between scalars.
func appendUnspaced(dst, gap []byte) []byte {
	for _, c := range gap {
		if c > ' ' {
			dst = append(dst, c)
		}
	}
	return dst
}

// end returns the node after v.
func (v Value) end() int32 { return v.node().next }

// Indent appends v to dst, indented by two spaces a level, with {} and [] for
// empty objects and arrays. Strings and numbers are written as they came. A
// missing value appends nothing.
func Indent(dst []byte, v Value) []byte {
	if v.doc == nil {
		return dst
	}
	w := indenter{dst: dst}
	top := v.node()
	pos := top.start
	for i := v.at; i < v.end(); i++ {
		n := &v.doc.nodes[i]
		if n.kind == Array || n.kind == Object {
			continue
		}
		w.gap(v.doc.data[pos:n.start])
		w.open()
		w.dst = append(w.dst, v.doc.raw(n)...)
		pos = n.end
	}
	w.gap(v.doc.data[pos:top.end])
	return w.dst
}

type indenter struct {
	dst   []byte
	depth int
	fresh bool // nothing was written since the last opening bracket
}

func (w *indenter) open() {
	if w.fresh {
		w.fresh = false
		w.line()
	}
}

func (w *indenter) line() {
	w.dst = append(w.dst, '\n')
	for range w.depth {
		w.dst = append(w.dst, ' ', ' ')
	}
}

func (w *indenter) gap(gap []byte) {
	for _, c := range gap {
		switch c {
		case '{', '[':
			w.open()
			w.dst = append(w.dst, c)
			w.depth++
			w.fresh = true
		case '}', ']':
			w.depth--
			if !w.fresh {
				w.line()
			}
			w.fresh = false
			w.dst = append(w.dst, c)
		case ',':
			w.dst = append(w.dst, c)
			w.line()
		case ':':
			w.dst = append(w.dst, ':', ' ')
		}
	}
}
