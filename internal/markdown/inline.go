package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// style is how a piece of text looks, a set.
type style uint8

const (
	bold style = 1 << iota
	italic
	code
	dim
	title
)

// A span is a piece of text in one style. A line break in it stays one.
type span struct {
	text  string
	style style
}

// paint returns a text without line breaks in its style.
func (r *renderer) paint(text string, s style) string {
	if text == "" || r.plain {
		return text
	}
	for _, p := range [...]struct {
		style style
		paint func(string) string
	}{{title, r.Palette.Cyan}, {code, r.Palette.Cyan}, {dim, r.Palette.Dim}, {italic, r.Palette.Italic}, {bold, r.Palette.Bold}} {
		if s&p.style != 0 && (p.style != code || s&title == 0) {
			text = p.paint(text)
		}
	}
	return text
}

// spans returns what stands in a block or an inline node.
func (r *renderer) spans(n ast.Node) []span {
	var list []span
	r.inlines(n, 0, &list)
	return list
}

func (r *renderer) inlines(parent ast.Node, s style, to *[]span) {
	add := func(text string, s style) {
		if text != "" {
			*to = append(*to, span{text, s})
		}
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(r.source)
			if n.IsRaw() {
				add(r.clean(string(value)), s)
			} else {
				add(r.clean(unescaped(value)), s)
			}
			switch {
			case n.HardLineBreak(), n.SoftLineBreak() && r.KeepBreaks:
				add("\n"+r.indentation(n), s)
			case n.SoftLineBreak():
				add(" ", s)
			}
		case *ast.String:
			add(r.clean(string(n.Value)), s)
		case *ast.CodeSpan:
			r.codeSpan(n, s, add)
		case *ast.Emphasis:
			mark, with := "*", italic
			if n.Level > 1 {
				mark, with = "**", bold
			}
			if !r.plain {
				mark = ""
			}
			add(mark, s)
			r.inlines(n, s|with, to)
			add(mark, s)
		case *ast.Link:
			before := len(*to)
			r.inlines(n, s, to)
			r.address((*to)[before:], unescaped(n.Destination), s, add)
		case *ast.Image:
			before := len(*to)
			r.inlines(n, s, to)
			r.address((*to)[before:], unescaped(n.Destination), s, add)
		case *ast.AutoLink:
			add(r.clean(string(n.URL(r.source))), s)
		case *ast.RawHTML:
			var b strings.Builder
			for i := range n.Segments.Len() {
				segment := n.Segments.At(i)
				b.Write(segment.Value(r.source))
			}
			if isBreak(b.String()) {
				add("\n", s)
			} else {
				add(r.clean(b.String()), s)
			}
		default:
			r.inlines(n, s, to)
		}
	}
}

// clean makes a text one that is safe to show; line breaks in it, as in HTML,
// become spaces.
func (r *renderer) clean(s string) string {
	return diag.Printable(strings.Map(func(c rune) rune {
		if c == '\n' || c == '\r' || c == '\t' {
			return ' '
		}
		return c
	}, s))
}

func (r *renderer) codeSpan(n *ast.CodeSpan, s style, add func(string, style)) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(r.source))
		}
	}
	text := r.clean(b.String())
	if inTable(n) {
		text = strings.ReplaceAll(text, `\|`, "|")
	}
	if r.plain {
		mark := "`"
		for strings.Contains(text, mark) {
			mark += "`"
		}
		text = mark + text + mark
	}
	add(text, s|code)
}

func inTable(n ast.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n.Kind() == extast.KindTableCell {
			return true
		}
	}
	return false
}

// address adds where a link leads, unless its text says so already.
func (r *renderer) address(text []span, to string, s style, add func(string, style)) {
	var b strings.Builder
	for _, t := range text {
		b.WriteString(t.text)
	}
	to = r.clean(to)
	switch bare := strings.TrimPrefix(to, "mailto:"); {
	case to == "" || b.String() == to || b.String() == bare:
	case b.Len() == 0:
		add(to, s)
	default:
		add(" ("+to+")", s|dim)
	}
}

// indentation returns the spaces in front of the line that follows a text,
// where line breaks are kept and the text stands in no other block.
func (r *renderer) indentation(n *ast.Text) string {
	next, ok := n.NextSibling().(*ast.Text)
	block := n.Parent()
	if !r.KeepBreaks || !ok || block.Parent() == nil || block.Parent().Kind() != ast.KindDocument {
		return ""
	}
	start := next.Segment.Start
	from := bytes.LastIndexByte(r.source[:start], '\n') + 1
	before := r.source[from:start]
	if len(bytes.Trim(before, " \t")) > 0 {
		return ""
	}
	return expandTabs(string(before))
}

func isBreak(html string) bool {
	html = strings.ToLower(strings.Join(strings.Fields(html), ""))
	return html == "<br>" || html == "<br/>"
}

// unescaped resolves backslashes and the names and numbers of characters.
func unescaped(text []byte) string {
	if !bytes.ContainsAny(text, `\&`) {
		return string(text)
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && util.IsPunct(text[i+1]):
			i++
			b.WriteByte(text[i])
		case c == '&':
			end := bytes.IndexByte(text[i:min(len(text), i+40)], ';')
			if end < 0 {
				b.WriteByte(c)
				continue
			}
			reference := text[i : i+end+1]
			resolved := util.ResolveEntityNames(util.ResolveNumericReferences(reference))
			if bytes.Equal(reference, resolved) {
				b.WriteByte(c)
				continue
			}
			b.Write(resolved)
			i += end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
