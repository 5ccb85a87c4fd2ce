package syntax

import (
	"strings"
	"unicode/utf8"
)

// start returns the offset of the first character of a YAML node, after its
// anchor and tag.
func (n *Node) start() int {
	content, end := skipProperties(n.src.file.Data, n.src.offset(int(n.a), int(n.b)))
	switch {
	case n.style == plain && n.Text == "":
		return end
	case n.style == blockMap:
		// Those of the map may be followed by those of its first key.
		content, _ = skipProperties(n.src.file.Data, content)
	}
	return content
}

// bounds returns where n starts and ends in its file.
func (n *Node) bounds() (start, end int) {
	if n.style.isTOML() {
		return int(n.a), int(n.b)
	}
	switch n.style {
	case blockMap, blockSeq, flow:
		start = n.start()
		return start, max(start, n.end(start))
	case alias:
		start = n.src.offset(int(n.a), int(n.b))
		return start, min(start+1+len(n.Text), len(n.src.file.Data))
	}
	m := n.mapping()
	return m.start, m.end
}

// end returns where the collection that starts at start ends.
func (n *Node) end(start int) int {
	data := n.src.file.Data
	end := start
	if n.last != nil {
		_, end = n.last.bounds()
	} else if start < len(data) {
		end = start + 1
	}
	if n.style != flow || start >= len(data) || data[start] != '{' && data[start] != '[' {
		return end
	}
	for end = skipSpace(data, end); end < len(data) && strings.IndexByte(",:?", data[end]) >= 0; {
		end = skipSpace(data, end+1)
	}
	return min(end+1, len(data))
}

// mapYAML reads a YAML scalar again, by the rules of the parser that read it first.
func (n *Node) mapYAML() *mapping {
	data := n.src.file.Data
	start := n.start()
	m := &mapping{start: start, end: start}
	t := tracer{data: data, text: n.Text}
	switch n.style {
	case plain:
		m.end = t.plain(start)
	case singleQuoted:
		m.end = t.quoted(start, '\'')
	case doubleQuoted:
		m.end = t.quoted(start, '"')
	case literal, folded:
		m.end = t.block(start, n.style == folded)
	}
	if t.complete() {
		m.pieces = t.pieces
		if n.style == singleQuoted || n.style == doubleQuoted {
			if len(m.pieces) == 0 {
				// An empty string is a place between its quotes.
				m.pieces = []piece{{at: int32(start + 1), verbatim: true}}
			}
		}
		return m
	}
	// The parser read something else: the line is as close as we get.
	m.end = start
	for m.end < len(data) && breakLen(data, m.end) == 0 {
		m.end++
	}
	return m
}

// plain reads a plain scalar. The value says where it ends: it never ends with
// white space, so there is nothing left to read when all of it was found.
func (t *tracer) plain(i int) int {
	for {
		from := i
		for t.done+(i-from) < len(t.text) && !blankAt(t.data, i) {
			i++
		}
		t.copied(from, i-from)
		if t.failed || t.done >= len(t.text) || i == len(t.data) {
			return i
		}
		if i = t.gap(i, i); t.failed {
			return i
		}
	}
}

// gap reads blanks and line breaks inside a plain or quoted scalar: blanks
// stay when they stand within a line, one line break becomes a space, and of
// several all but the first stay. from is where the gap begins when an escaped
// line break stands before i, which counts as no break of its own.
func (t *tracer) gap(i, from int) int {
	escaped := from < i
	blanks := i
	for i < len(t.data) && isBlank(t.data[i]) {
		i++
	}
	if !escaped {
		if breakLen(t.data, i) == 0 {
			t.copied(blanks, i-blanks)
			return i
		}
		from = blanks
	}
	first, firstAt, firstLen := "", i, 0
	type br struct {
		at, n int
	}
	var breaks []br
	for i < len(t.data) {
		if isBlank(t.data[i]) {
			i++
			continue
		}
		n := breakLen(t.data, i)
		if n == 0 {
			break
		}
		if first == "" && !escaped {
			first, firstAt, firstLen = decodedBreak(t.data[i:i+n]), i, n
		} else {
			breaks = append(breaks, br{i, n})
		}
		i += n
	}
	switch {
	case first == "\n" && len(breaks) == 0:
		t.made(" ", from, i-from)
	case first != "" && first != "\n":
		t.made(first, firstAt, firstLen)
	}
	for _, b := range breaks {
		t.made(decodedBreak(t.data[b.at:b.at+b.n]), b.at, b.n)
	}
	return i
}

// decodedBreak is what a line break is in a value: LS and PS stay, the others
// are LF.
func decodedBreak(b []byte) string {
	if len(b) == 3 {
		return string(b)
	}
	return "\n"
}

// quoted reads a scalar in single or double quotes.
func (t *tracer) quoted(i int, quote byte) int {
	if i >= len(t.data) || t.data[i] != quote {
		t.failed = true
		return i
	}
	i++
	for !t.failed && i < len(t.data) {
		c := t.data[i]
		switch {
		case c == quote && quote == '\'' && i+1 < len(t.data) && t.data[i+1] == '\'':
			t.made("'", i, 2)
			i += 2
		case c == quote:
			return i + 1
		case c == '\\' && quote == '"' && i+1 < len(t.data):
			if n := breakLen(t.data, i+1); n > 0 {
				i = t.gap(i+1+n, i)
				continue
			}
			s, n := unescape(t.data[i:])
			if n == 0 {
				t.failed = true
			} else {
				t.made(s, i, n)
			}
			i += n
		case blankAt(t.data, i):
			i = t.gap(i, i)
		default:
			from := i
			for i < len(t.data) && t.data[i] != quote && t.data[i] != '\\' && !blankAt(t.data, i) {
				i++
			}
			if i == from { // a backslash in single quotes
				i++
			}
			t.copied(from, i-from)
		}
	}
	t.failed = true
	return i
}

// unescape decodes the escape sequence b starts with and returns its length, 0
// for one that YAML does not have.
func unescape(b []byte) (string, int) {
	if len(b) < 2 {
		return "", 0
	}
	const from, to = "0abt\tnvfre \"'\\/N_LP", "\x00\a\b\t\t\n\v\f\r\x1b \"'\\/"
	width := 0
	switch b[1] {
	case 'N':
		return "\u0085", 2
	case '_':
		return "\u00a0", 2
	case 'L':
		return "\u2028", 2
	case 'P':
		return "\u2029", 2
	case 'x':
		width = 2
	case 'u':
		width = 4
	case 'U':
		width = 8
	default:
		if k := strings.IndexByte(from, b[1]); k >= 0 && k < len(to) {
			return to[k : k+1], 2
		}
		return "", 0
	}
	if len(b) < 2+width {
		return "", 0
	}
	r := rune(0)
	for _, c := range b[2 : 2+width] {
		d := strings.IndexByte("0123456789abcdefABCDEF", c)
		if d < 0 {
			return "", 0
		}
		if d > 15 {
			d -= 6
		}
		r = r<<4 | rune(d)
	}
	return string(utf8.AppendRune(nil, r)), 2 + width
}

// block reads a literal or folded block scalar.
func (t *tracer) block(i int, fold bool) int {
	head := i + 1
	explicit, keep, strip := false, false, false
	for ; head < len(t.data) && strings.IndexByte("+-123456789", t.data[head]) >= 0; head++ {
		switch t.data[head] {
		case '+':
			keep = true
		case '-':
			strip = true
		default:
			explicit = true
		}
	}
	for head < len(t.data) && breakLen(t.data, head) == 0 {
		head++
	}
	if head < len(t.data) {
		head += breakLen(t.data, head)
	}
	b := blockScalar{tracer: t, body: head, fold: fold, keep: keep, strip: strip}
	// Where the parent stands is not known here; the value tells what was
	// taken for indentation.
	first := b.firstIndent()
	line := strings.TrimLeft(t.text, "\n")
	deeper := len(line) - len(strings.TrimLeft(line, " "))
	if explicit && first > deeper {
		if end, ok := b.read(first - deeper); ok {
			return end
		}
	}
	if end, ok := b.read(first); ok {
		return end
	}
	for indent := b.deepest(); indent > 0; indent-- {
		if end, ok := b.read(indent); ok {
			return end
		}
	}
	t.failed = true
	return head
}

// blockScalar is the body of a block scalar and how it is to be read.
type blockScalar struct {
	*tracer
	body              int // offset of the first line
	fold, keep, strip bool
}

// firstIndent returns the indentation of the first line that is not blank.
func (b *blockScalar) firstIndent() int {
	for i := b.body; i < len(b.data); {
		from := i
		for i < len(b.data) && b.data[i] == ' ' {
			i++
		}
		if i == len(b.data) {
			break
		}
		n := breakLen(b.data, i)
		if n == 0 {
			return i - from
		}
		i += n
	}
	return 1
}

// deepest returns the largest indentation that is worth a try.
func (b *blockScalar) deepest() int {
	deepest, lines := 1, 0
	for i := b.body; i < len(b.data) && lines < 64; lines++ {
		from := i
		for i < len(b.data) && b.data[i] == ' ' {
			i++
		}
		deepest = max(deepest, i-from)
		for i < len(b.data) && breakLen(b.data, i) == 0 {
			i++
		}
		if i < len(b.data) {
			i += breakLen(b.data, i)
		}
	}
	return min(deepest+1, 1024)
}

// read reads the lines as indented by indent and reports whether that gives
// the value.
func (b *blockScalar) read(indent int) (end int, ok bool) {
	b.done, b.failed, b.pieces = 0, false, b.pieces[:0]
	type br struct {
		text  string
		at, n int
	}
	var leading br
	var trailing []br
	i, column := b.body, 0
	end = b.body
	breaks := func() {
		for {
			column = 0
			for column < indent && i < len(b.data) && b.data[i] == ' ' {
				i++
				column++
			}
			if i >= len(b.data) {
				return
			}
			n := breakLen(b.data, i)
			if n == 0 {
				return
			}
			trailing = append(trailing, br{decodedBreak(b.data[i : i+n]), i, n})
			i += n
		}
	}
	emit := func(r br) {
		b.made(r.text, r.at, r.n)
		end = r.at + r.n
	}
	breaks()
	leadingBlank := false
	for column == indent && i < len(b.data) && !b.failed {
		trailingBlank := isBlank(b.data[i])
		if b.fold && !leadingBlank && !trailingBlank && leading.text == "\n" {
			if len(trailing) == 0 {
				b.made(" ", leading.at, i-leading.at)
			}
		} else if leading.text != "" {
			emit(leading)
		}
		for _, r := range trailing {
			emit(r)
		}
		leading, trailing = br{}, trailing[:0]
		leadingBlank = trailingBlank
		from := i
		for i < len(b.data) && breakLen(b.data, i) == 0 {
			i++
		}
		b.copied(from, i-from)
		end = i
		if i < len(b.data) {
			n := breakLen(b.data, i)
			leading = br{decodedBreak(b.data[i : i+n]), i, n}
			i += n
		}
		breaks()
	}
	if !b.strip && leading.text != "" {
		emit(leading)
	}
	if b.keep {
		for _, r := range trailing {
			emit(r)
		}
	}
	return end, b.complete()
}
