package syntax

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// An outline is a rough reading of a file that is no YAML: which quotes,
// brackets and plain texts stand where. It is made after the parser gave up,
// to tell where the mistake began, and it reads on where a parser cannot.
type outline struct {
	data   []byte
	quotes []stretch
	plains []stretch
	open   map[int]int // offset of every [ and { to that of its closing one, -1 when it has none
	order  []int       // keys of open, ascending
}

// A stretch is a quoted or plain text.
type stretch struct {
	start, end  int
	strays      bool // goes on in a line that is indented no deeper than the first
	followed    bool // text comes right after it
	multiline   bool
	startsALine bool
	closed      bool
}

// outliner is the state of reading an outline.
type outliner struct {
	*outline
	i      int
	indent int // of the line at hand
	first  bool
	flow   []int
}

func newOutline(f *diag.File) *outline {
	o := &outliner{outline: &outline{data: f.Data, open: map[int]int{}}, i: f.BOM()}
	o.line()
	for o.i < len(o.data) {
		o.next()
	}
	for _, at := range o.flow {
		o.open[at] = -1
	}
	return o.outline
}

// line notes the indentation of the line that starts here.
func (o *outliner) line() {
	o.indent = o.indentAt(o.i)
	o.i += o.indent
	o.first = true
}

// indentAt returns the number of spaces and tabs at i.
func (o *outline) indentAt(i int) int {
	n := 0
	for i+n < len(o.data) && isBlank(o.data[i+n]) {
		n++
	}
	return n
}

func (o *outliner) next() {
	c := o.data[o.i]
	first := o.first
	if n := breakLen(o.data, o.i); n > 0 {
		o.i += n
		o.line()
		return
	}
	switch {
	case isBlank(c):
		o.i++
		return
	case c == '#':
		o.skipLine()
		return
	}
	o.first = false
	switch {
	case c == '"' || c == '\'':
		o.quote(c, first)
	case c == '[' || c == '{':
		o.open[o.i] = -1
		o.order = append(o.order, o.i)
		o.flow = append(o.flow, o.i)
		o.i++
	case c == ']' || c == '}':
		o.closeFlow(c)
		o.i++
	case len(o.flow) > 0 && (c == ',' || c == ':'):
		o.i++
	case (c == '-' || c == '?' || c == ':') && blankAt(o.data, o.i+1):
		o.i++
	case c == '&' || c == '*' || c == '!':
		for !blankAt(o.data, o.i) && (len(o.flow) == 0 || !isFlowMark(o.data[o.i])) {
			o.i++
		}
	case (c == '|' || c == '>') && len(o.flow) == 0:
		o.block()
	default:
		o.plain(first)
	}
}

// closeFlow closes the innermost bracket that c fits; those inside it stay
// open for good. A bracket that fits none is ignored.
func (o *outliner) closeFlow(c byte) {
	for n := len(o.flow) - 1; n >= 0; n-- {
		if at := o.flow[n]; (o.data[at] == '[') == (c == ']') {
			o.open[at] = o.i
			o.flow = o.flow[:n]
			return
		}
	}
}

func isFlowMark(c byte) bool {
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'
}

func (o *outliner) skipLine() {
	for o.i < len(o.data) && breakLen(o.data, o.i) == 0 {
		o.i++
	}
}

// quote reads a quoted text to its end or that of the file.
func (o *outliner) quote(quote byte, first bool) {
	s := stretch{start: o.i, startsALine: first}
	indent := o.indent
	for o.i++; o.i < len(o.data); {
		n := breakLen(o.data, o.i)
		switch c := o.data[o.i]; {
		case n > 0:
			o.i += n
			s.multiline = true
			o.indent = o.indentAt(o.i)
			o.i += o.indent
			if o.indent <= indent && o.i < len(o.data) && breakLen(o.data, o.i) == 0 && o.data[o.i] != quote {
				s.strays = true
			}
		case c == '\\' && quote == '"':
			o.i += 2
			if breakLen(o.data, min(o.i, len(o.data))-1) > 0 {
				o.i--
			}
		case c == quote && quote == '\'' && o.i+1 < len(o.data) && o.data[o.i+1] == quote:
			o.i += 2
		case c == quote:
			o.i++
			s.end, s.closed = o.i, true
			next := o.i + o.indentAt(o.i)
			s.followed = !blankAt(o.data, next) && strings.IndexByte("#,:]}", o.data[next]) < 0
			o.quotes = append(o.quotes, s)
			return
		default:
			o.i++
		}
	}
	o.i = len(o.data)
	s.end = o.i
	o.quotes = append(o.quotes, s)
}

// block skips the lines of a block scalar.
func (o *outliner) block() {
	for {
		o.skipLine()
		if o.i >= len(o.data) {
			return
		}
		next := o.i + breakLen(o.data, o.i)
		n := o.indentAt(next)
		if at := next + n; at < len(o.data) && breakLen(o.data, at) == 0 && n <= o.indent {
			return
		}
		o.i = next
	}
}

// plain reads a plain text, over line breaks as long as the lines belong to it.
func (o *outliner) plain(first bool) {
	s := stretch{start: o.i, startsALine: first, closed: true}
	indent := o.indent
	for o.i < len(o.data) {
		c := o.data[o.i]
		switch n := breakLen(o.data, o.i); {
		case n > 0:
			next := o.i + n
			for next < len(o.data) && breakLen(o.data, next) > 0 {
				next += breakLen(o.data, next)
			}
			k := o.indentAt(next)
			at := next + k
			goesOn := len(o.flow) > 0 || k > indent || first && k == indent
			if !goesOn || at >= len(o.data) || breakLen(o.data, at) > 0 || o.data[at] == '#' ||
				(o.data[at] == '-' || o.data[at] == '?') && blankAt(o.data, at+1) ||
				len(o.flow) > 0 && isFlowMark(o.data[at]) {
				s.end = o.i
				o.plains = append(o.plains, s)
				return
			}
			s.multiline = true
			o.i, o.indent = at, k
			continue
		case c == ':' && blankAt(o.data, o.i+1),
			c == '#' && isBlank(o.data[o.i-1]),
			len(o.flow) > 0 && isFlowMark(c):
			s.end = o.i
			o.plains = append(o.plains, s)
			return
		}
		o.i++
	}
	s.end = o.i
	o.plains = append(o.plains, s)
}

// enclosing returns the innermost bracket that is open at at.
func (o *outline) enclosing(at int) (int, bool) {
	for k := len(o.order) - 1; k >= 0; k-- {
		if from := o.order[k]; from < at && (o.open[from] < 0 || o.open[from] >= at) {
			return from, true
		}
	}
	return 0, false
}

// runaway returns the first quote before at that was meant to end in its own
// line and did not: it took the next quote for its end, and the text that
// follows is one too much. Quotes and text change places from there on.
func (o *outline) runaway(at int) (int, bool) {
	for _, q := range o.quotes {
		if q.start >= at {
			break
		}
		if q.strays && (q.followed || !q.closed) {
			return q.start, true
		}
	}
	return 0, false
}

// overrun reports whether the bracket at from is still open in the line of
// at, which is indented no deeper than the line of the bracket.
func (o *outline) overrun(from, at int) bool {
	start := o.lineStart(at)
	return start > from && o.indentAt(start) <= o.indentAt(o.lineStart(from))
}

// lineStart returns the offset at which the line of at starts.
func (o *outline) lineStart(at int) int {
	i := min(at, len(o.data))
	for i > 0 && o.data[i-1] != '\n' && o.data[i-1] != '\r' {
		i--
	}
	return i
}

// plainAt returns the plain text that ends at at or holds it.
func (o *outline) plainAt(at int) (stretch, bool) {
	for k := len(o.plains) - 1; k >= 0; k-- {
		if p := o.plains[k]; p.start <= at {
			return p, at <= p.end
		}
	}
	return stretch{}, false
}
