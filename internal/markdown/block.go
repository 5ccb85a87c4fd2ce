package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// narrowest is how many columns are left to a text however deep it stands.
const narrowest = 8

// room returns how many columns a line has behind its margins.
func (r *renderer) room() int {
	columns := r.Width
	for _, m := range r.margin {
		columns -= m.columns
	}
	return columns
}

// within runs f with a margin, if there is room for it.
func (r *renderer) within(first, rest string, columns int, f func()) {
	if r.room()-columns < narrowest {
		f()
		return
	}
	r.margin = append(r.margin, margin{first: first, rest: rest, columns: columns})
	f()
	r.margin = r.margin[:len(r.margin)-1]
}

// line writes one line behind the margins.
func (r *renderer) line(content string) {
	if len(r.out) > 0 {
		r.out = append(r.out, '\n')
	}
	start := len(r.out)
	for i := range r.margin {
		m := &r.margin[i]
		if m.begun {
			r.out = append(r.out, m.rest...)
		} else {
			r.out = append(r.out, m.first...)
			m.begun = true
		}
	}
	r.out = append(r.out, content...)
	r.out = append(r.out[:start], bytes.TrimRight(r.out[start:], " ")...)
}

// blank writes a line that holds nothing but the margins of quotations.
func (r *renderer) blank() {
	if len(r.out) == 0 {
		return
	}
	// What is the first of a list item's lines is none of these.
	for i, m := range r.margin {
		if !m.begun {
			held := r.margin
			r.margin = held[:i]
			r.line("")
			r.margin = held
			return
		}
	}
	r.line("")
}

func (r *renderer) block(n ast.Node, apart bool) {
	switch n := n.(type) {
	case *ast.Heading:
		r.heading(n, apart)
	case *ast.Paragraph, *ast.TextBlock:
		r.paragraph(r.spans(n), apart)
	case *ast.ThematicBreak:
		r.separate(apart)
		r.line(r.Palette.Dim(strings.Repeat("─", r.room())))
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		r.code(n, apart)
	case *ast.Blockquote:
		if n.HasChildren() {
			r.separate(apart)
			r.within(r.Palette.Dim("│")+" ", r.Palette.Dim("│")+" ", 2, func() { r.blocks(n) })
		}
	case *ast.List:
		r.list(n, apart)
	case *extast.Table:
		r.table(n, apart)
	default:
		r.blocks(n)
	}
}

func (r *renderer) separate(apart bool) {
	if apart {
		r.blank()
	}
}

func (r *renderer) paragraph(text []span, apart bool) {
	lines := r.wrap(text, r.room())
	for i, l := range lines {
		if i == 0 {
			r.separate(apart)
		}
		r.line(l)
	}
}

func (r *renderer) heading(n *ast.Heading, apart bool) {
	text := r.spans(n)
	style := bold
	if n.Level <= 2 {
		style |= title
	}
	for i := range text {
		text[i].style |= style
	}
	if r.plain {
		text = append([]span{{strings.Repeat("#", n.Level) + " ", bold}}, text...)
	}
	r.paragraph(text, apart)
}

func (r *renderer) list(n *ast.List, apart bool) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		if item.PreviousSibling() != nil {
			apart = item.HasBlankPreviousLines()
		}
		r.separate(apart)
		r.within(r.Palette.Dim(mark), strings.Repeat(" ", columns(mark)), columns(mark), func() {
			if !item.HasChildren() {
				r.line("")
				return
			}
			r.blocks(item)
		})
	}
}

func (r *renderer) code(n ast.Node, apart bool) {
	var lines []string
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		value := segment.Value(r.source)
		lines = append(lines, expandTabs(strings.TrimRight(string(value), "\r\n")))
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return
	}
	indent := "    "
	if r.room() < 40 {
		indent = "  "
	}
	r.separate(apart)
	r.within(indent, indent, len(indent), func() {
		for _, l := range lines {
			for piece := range chopped(diag.Printable(l), r.room()) {
				r.line(r.paint(piece, code))
			}
		}
	})
}

// expandTabs replaces tabs by the spaces up to the next multiple of four.
func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	column := 0
	for piece := range strings.SplitAfterSeq(s, "\t") {
		text, tab := strings.CutSuffix(piece, "\t")
		b.WriteString(text)
		if column += columns(text); tab {
			n := 4 - column%4
			b.WriteString(strings.Repeat(" ", n))
			column += n
		}
	}
	return b.String()
}
