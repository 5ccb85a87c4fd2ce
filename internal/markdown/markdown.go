// Package markdown shows Markdown on a terminal: headings, emphasis, lists,
// tables, quotations, code and links (as text with the address behind it),
// wrapped to the terminal's width. A Stream does so while the text arrives, and
// only ever appends: nothing that was shown is moved or drawn again.
//
// It promises that no line is wider than the width it was given, that nothing of
// the text reaches the terminal that could move its cursor, and that the only
// escape sequences are those of the palette. HTML is shown as it is written,
// but for <br>; so are references to links that are defined elsewhere.
package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/vatio-dev/vatio/internal/iox"
)

// Options say how to show a text.
type Options struct {
	// Width is that of the terminal in columns; less than 8 is as good as 8,
	// and 0 is 80.
	Width   int
	Palette iox.Palette
	// KeepBreaks keeps line breaks and runs of spaces inside of paragraphs, as
	// in a conversation; otherwise they are as good as one space.
	KeepBreaks bool
}

const (
	leastWidth = 8
	usualWidth = 80
)

// Render returns a whole text as it is shown, every line of it with its line
// break. Without colours the marks of headings, emphasis and code stay.
func Render(source string, o Options) string {
	s := NewStream(func() Options { return o })
	return s.Write(source) + s.Close()
}

// A renderer shows one piece of a text, of whole blocks.
type renderer struct {
	Options
	plain  bool // there are no colours
	parser parser.Parser
	source []byte
	out    []byte
	margin []margin
}

// A margin stands in front of every line of a block, but that something else
// may stand in front of its first.
type margin struct {
	first, rest string
	columns     int
	begun       bool
}

func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)),
	)
}

// render returns what a piece looks like, without a line break at the end.
func (r *renderer) render(source []byte) []byte {
	source = shallow(source)
	r.source, r.out, r.margin = source, r.out[:0], r.margin[:0]
	r.blocks(r.parser.Parse(text.NewReader(source)))
	return bytes.TrimRight(r.out, "\n")
}

func (r *renderer) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		r.block(n, n.PreviousSibling() != nil && n.HasBlankPreviousLines())
	}
}

// deepest is how many lists and quotations can stand in one another; the work
// for more grows with the square of their number.
const deepest = 100

// shallow makes the marks of what is deeper a part of the text.
func shallow(source []byte) []byte {
	for at := 0; at < len(source); {
		end := bytes.IndexByte(source[at:], '\n') + at
		if end < at {
			end = len(source)
		}
		line := string(source[at:min(end, at+4*deepest)])
		for i, n := 0, 0; ; n++ {
			for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
				i++
			}
			k := markLength(line[i:])
			if k == 0 {
				break
			}
			if n == deepest {
				source = bytes.Join([][]byte{source[:at+i], []byte(`\`), source[at+i:]}, nil)
				end++
				break
			}
			i += k
		}
		at = end + 1
	}
	return source
}
