package knowledge

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxPassage is how long a section may be, in bytes, before it is split.
const maxPassage = 2000

// A passage is one section of a document or a part of it.
type passage struct {
	heading string // the headings above it, joined by " > "
	text    string // as it stands in the file
	words   string // what is searched: without markup, links reduced to their text
}

// A unit is a range of the source that is never split, and its words.
type unit struct {
	start, end int
	hidden     bool // an HTML comment
	words      []byte
}

// A reader takes Markdown apart. It serves one goroutine.
type reader struct {
	parser parser.Parser

	src      []byte
	title    string
	headings []heading
	units    []unit
	out      []passage
}

type heading struct {
	level int
	text  string
}

func newReader() *reader { return &reader{parser: goldmark.DefaultParser()} }

// read returns the passages of a document, in its order.
func (r *reader) read(data []byte) []passage {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte{0}, []byte("\ufffd"))
	r.title, r.src = frontMatter(data)
	r.headings, r.units, r.out = nil, nil, nil

	if costly(r.src) {
		r.plain()
		return r.out
	}
	doc := r.parser.Parse(text.NewReader(r.src))
	bare := false // a heading under which nothing stands yet
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			r.flush()
			if bare && h.Level <= r.headings[len(r.headings)-1].level {
				r.lone()
			}
			r.push(h)
			bare = true
			continue
		}
		from := len(r.units)
		r.cut(n, r.lineOf(n), r.endOf(n, len(r.src)))
		c := collector{src: r.src, units: r.units[from:]}
		c.collect(n)
		bare = bare && !slices.ContainsFunc(c.units, func(u unit) bool { return len(bytes.TrimSpace(u.words)) > 0 })
	}
	r.flush()
	if bare {
		r.lone()
	}
	return r.out
}

// plain takes the source as text without markup.
func (r *reader) plain() {
	r.cut(ast.NewParagraph(), 0, len(r.src))
	for i := range r.units {
		u := &r.units[i]
		u.words = r.src[u.start:u.end]
	}
	r.flush()
}

// push enters a section.
func (r *reader) push(h *ast.Heading) {
	c := collector{src: r.src, units: []unit{{end: len(r.src)}}}
	c.collect(h)
	for len(r.headings) > 0 && r.headings[len(r.headings)-1].level >= h.Level {
		r.headings = r.headings[:len(r.headings)-1]
	}
	r.headings = append(r.headings, heading{h.Level, strings.Join(strings.Fields(string(c.units[0].words)), " ")})
}

// lone adds the heading that stands over nothing as its own passage.
func (r *reader) lone() {
	if last := r.headings[len(r.headings)-1].text; last != "" {
		r.out = append(r.out, passage{heading: r.path(), text: last})
	}
}

func (r *reader) path() string {
	var parts []string
	if r.title != "" && (len(r.headings) == 0 || r.headings[0].text != r.title) {
		parts = append(parts, r.title)
	}
	for _, h := range r.headings {
		if h.text != "" {
			parts = append(parts, h.text)
		}
	}
	return strings.Join(parts, " > ")
}

// cut adds the units of a block that stands in src[start:end].
func (r *reader) cut(n ast.Node, start, end int) {
	if html, ok := n.(*ast.HTMLBlock); ok && html.HTMLBlockType == ast.HTMLBlockType2 {
		r.units = append(r.units, unit{start: start, end: end, hidden: true})
		return
	}
	if end-start <= maxPassage {
		r.units = append(r.units, unit{start: start, end: end})
		return
	}
	switch n.Kind() {
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		r.units = append(r.units, unit{start: start, end: end})
	case ast.KindList, ast.KindListItem, ast.KindBlockquote:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			next := end
			if c.NextSibling() != nil {
				next = max(start, min(end, r.endOf(c, end)))
			}
			if next > start { // two blocks may start on one line
				r.cut(c, start, next)
				start = next
			}
		}
		if start < end {
			r.units = append(r.units, unit{start: start, end: end})
		}
	default:
		for end-start > maxPassage {
			next := start + breakAt(r.src[start:start+maxPassage])
			r.units = append(r.units, unit{start: start, end: next})
			start = next
		}
		r.units = append(r.units, unit{start: start, end: end})
	}
}

// breakAt returns where to break a text that goes on: after a line, else
// after a word, else after a character.
func breakAt(s []byte) int {
	if i := bytes.LastIndexByte(s, '\n'); i > 0 {
		return i + 1
	}
	if i := bytes.LastIndexAny(s, " \t"); i > 0 {
		return i + 1
	}
	for i := len(s) - 1; i > len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return len(s)
}

// lineOf returns the start of the line that the block starts on.
func (r *reader) lineOf(n ast.Node) int {
	at := min(max(n.Pos(), 0), len(r.src))
	return bytes.LastIndexByte(r.src[:at], '\n') + 1
}

// endOf returns where the block after n starts, or last.
func (r *reader) endOf(n ast.Node, last int) int {
	if next := n.NextSibling(); next != nil {
		return r.lineOf(next)
	}
	return last
}

// flush turns the units of the section so far into passages.
func (r *reader) flush() {
	units := r.units
	r.units = r.units[:0]
	heading := r.path()
	size := func(us []unit) (n int) {
		for _, u := range us {
			n += u.end - u.start
		}
		return n
	}
	if size(units) <= maxPassage {
		r.emit(heading, units)
		return
	}
	for len(units) > 0 {
		n, bytes := 1, units[0].end-units[0].start
		for n < len(units) && bytes+units[n].end-units[n].start <= maxPassage {
			bytes += units[n].end - units[n].start
			n++
		}
		r.emit(heading, units[:n])
		units = units[n:]
	}
}

func (r *reader) emit(heading string, units []unit) {
	var body, words []byte
	for _, u := range units {
		if !u.hidden {
			body = append(body, r.src[u.start:u.end]...)
			words = append(append(words, u.words...), '\n')
		}
	}
	if len(bytes.TrimSpace(words)) == 0 {
		return
	}
	body = bytes.TrimRightFunc(body, unicode.IsSpace)
	for { // blank lines only: what indents the first line is part of it
		line, rest, more := bytes.Cut(body, []byte("\n"))
		if !more || len(bytes.TrimSpace(line)) > 0 {
			break
		}
		body = rest
	}
	r.out = append(r.out, passage{heading: heading, text: string(body), words: string(words)})
}

// A collector gathers the words of a block into the units it was cut into.
type collector struct {
	src   []byte
	units []unit
	at    int
}

func (c *collector) collect(n ast.Node) {
	// The walker's error is the callback's, and there is none.
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				c.space()
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			c.segment(n.Segment, !n.IsRaw())
			if n.SoftLineBreak() || n.HardLineBreak() {
				c.space()
			}
		case *ast.String:
			c.write(n.Value)
		case *ast.AutoLink:
			c.write(n.Label(c.src))
		case *ast.RawHTML:
			c.space()
		case *ast.HTMLBlock:
			if n.HTMLBlockType != ast.HTMLBlockType2 {
				c.html(n)
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
				c.segment(s, false)
			}
		case *ast.LinkReferenceDefinition:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

// segment adds a range of the source, to several units where one of them ends
// within it.
func (c *collector) segment(s text.Segment, resolve bool) {
	start := s.Start
	for c.at+1 < len(c.units) && c.units[c.at+1].start < s.Stop {
		if next := c.units[c.at+1].start; next > start {
			c.resolved(c.src[start:next], resolve)
			start = next
		}
		c.at++
	}
	c.resolved(c.src[start:s.Stop], resolve)
}

func (c *collector) resolved(b []byte, resolve bool) {
	if resolve && bytes.ContainsAny(b, `&\`) {
		b = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b)))
	}
	c.write(b)
}

func (c *collector) html(n *ast.HTMLBlock) {
	inTag := false
	line := func(s text.Segment) {
		b := bytes.Clone(s.Value(c.src))
		for i, ch := range b {
			if ch == '<' {
				inTag = true
			}
			if inTag {
				b[i] = ' '
			}
			if ch == '>' {
				inTag = false
			}
		}
		for c.at+1 < len(c.units) && c.units[c.at+1].start <= s.Start {
			c.at++
		}
		c.write(b)
	}
	for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
		line(s)
	}
	if n.HasClosure() {
		line(n.ClosureLine)
	}
}

func (c *collector) write(b []byte) {
	u := &c.units[c.at]
	u.words = append(u.words, b...)
}

func (c *collector) space() { c.write([]byte{' '}) }
