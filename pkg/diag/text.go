package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// A Style dresses the parts of the text form; a nil function leaves its part plain.
type Style struct {
	Place, Error, Warning, Code, Margin, Caret, Hint func(string) string
}

// snippetWidth is how many columns of a source line are shown at most.
const snippetWidth = 120

// WriteText prints each diagnostic with the line it stands in, underlined:
//
//	tools/check_stock.yml:14:12: error: unknown source "param" … [placeholder]
//	   14 |     name: "$param.product"
//	      |            ^~~~~~~~~~~~~~
//	   did you mean "$params.product"?
func WriteText(w io.Writer, list List, style Style) error {
	for _, d := range list {
		if _, err := io.WriteString(w, text(d, style)); err != nil {
			return err
		}
	}
	return nil
}

func text(d Diagnostic, style Style) string {
	var b strings.Builder
	p := d.Span.File.Position(d.Span.Start)
	severity := style.Error
	if d.Severity == Warning {
		severity = style.Warning
	}
	fmt.Fprintf(&b, "%s %s %s %s\n",
		dress(style.Place, fmt.Sprintf("%s:%d:%d:", Printable(d.Span.File.Name), p.Line, p.Column)),
		dress(severity, d.Severity.String()+":"), Printable(d.Message), dress(style.Code, "["+d.Code+"]"))
	if line, caret, ok := snippet(d.Span, p); ok {
		fmt.Fprintf(&b, "%s %s\n", dress(style.Margin, fmt.Sprintf("%5d |", p.Line)), line)
		fmt.Fprintf(&b, "%s %s\n", dress(style.Margin, "      |"), caretLine(caret, style))
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "   %s\n", dress(style.Hint, Printable(d.Hint)))
	}
	return b.String()
}

func dress(f func(string) string, s string) string {
	if f == nil {
		return s
	}
	return f(s)
}

func caretLine(caret string, style Style) string {
	indent := strings.TrimRight(caret, "^~")
	return indent + dress(style.Caret, caret[len(indent):])
}

// snippet returns the source line of a span and the underline that fits below
// it, whatever widths the characters have.
func snippet(s Span, p Position) (line, caret string, ok bool) {
	raw := s.File.Line(p.Line)
	if len(raw) == 0 {
		return "", "", false
	}
	start := s.File.LineStart(p.Line)
	if start == 0 {
		start = s.File.BOM()
	}
	from := min(max(s.Start-start, 0), len(raw))
	to := min(max(s.End-start, from), len(raw))
	cut, from, to, before, after := window(raw, from, to)
	var b strings.Builder
	b.WriteString(before)
	b.WriteString(Printable(string(cut)))
	b.WriteString(after)
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, widen(before+Printable(string(cut[:from]))))
	width := runewidth.StringWidth(Printable(string(cut[from:to])))
	return b.String(), indent + "^" + strings.Repeat("~", max(width-1, 0)), true
}

// widen doubles the characters that take two columns and drops those that take none.
func widen(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch n := runewidth.RuneWidth(r); {
		case r == '\t':
			b.WriteRune(r)
		default:
			b.WriteString(strings.Repeat(" ", n))
		}
	}
	return b.String()
}

// window cuts a long line to the part around [from, to).
func window(raw []byte, from, to int) (cut []byte, start, end int, before, after string) {
	if utf8.RuneCount(raw) <= snippetWidth {
		return raw, from, to, "", ""
	}
	low := max(0, from-snippetWidth/3)
	high := min(len(raw), low+snippetWidth)
	for low > 0 && !utf8.RuneStart(raw[low]) {
		low--
	}
	for high < len(raw) && !utf8.RuneStart(raw[high]) {
		high++
	}
	if low > 0 {
		before = "…"
	}
	if high < len(raw) {
		after = "…"
	}
	return raw[low:high], from - low, min(to, high) - low, before, after
}

// Printable replaces what would move a terminal's cursor or turn its text
// around: control and format characters but tabs, and bytes that are no text.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == '\u2028' || r == '\u2029') {
			return utf8.RuneError
		}
		return r
	}, s)
}
