package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Measures of a picture, in pixels.
const (
	cell    = 8.4 // width of a character
	row     = 20
	margin  = 20
	heading = 34 // the bar with the three dots
)

// A style is how a stretch of text looks: SGR attributes (ECMA-48 section 8.3.117).
type style struct {
	bold, dim, italic, underline bool
	colour                       int // 30 to 37, 90 to 97; 0: the default
}

// class names the colours of a picture, which its style sheet sets for light and
// for dark screens.
func (s style) class() string {
	var names []string
	add := func(on bool, name string) {
		if on {
			names = append(names, name)
		}
	}
	add(s.bold, "b")
	add(s.dim, "d")
	add(s.italic, "i")
	add(s.underline, "u")
	add(s.colour != 0, fmt.Sprintf("c%d", s.colour%10))
	return strings.Join(names, " ")
}

// svg draws a terminal's output.
func svg(text string) []byte {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	width := 0
	var body bytes.Buffer
	for i, line := range lines {
		width = max(width, writeLine(&body, line, heading+margin+i*row))
	}
	var b bytes.Buffer
	w, h := int(float64(width)*cell)+2*margin, heading+2*margin+len(lines)*row-row/2
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
.bg { fill: #f6f8fa; stroke: #d1d9e0 } .dot { fill: #d1d9e0 }
.b { font-weight: 600 } .d { fill: #6e7781 } .i { font-style: italic } .u { text-decoration: underline }
.c1 { fill: #cf222e } .c2 { fill: #1a7f37 } .c3 { fill: #9a6700 } .c4 { fill: #0969da } .c5 { fill: #8250df } .c6 { fill: #1b7c83 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .bg { fill: #0d1117; stroke: #30363d } .dot { fill: #30363d } .d { fill: #8d96a0 }
.c1 { fill: #ff7b72 } .c2 { fill: #3fb950 } .c3 { fill: #d29922 } .c4 { fill: #58a6ff } .c5 { fill: #bc8cff } .c6 { fill: #39c5cf }
}
</style>
<rect class="bg" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>
<circle class="dot" cx="20" cy="18" r="6"/><circle class="dot" cx="40" cy="18" r="6"/><circle class="dot" cx="60" cy="18" r="6"/>
`, w, h, w, h, w-1, h-1)
	b.Write(body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// writeLine writes one line at a height and returns its width in characters. Each
// stretch says where it begins, so that no font can shift what stands behind it.
func writeLine(b *bytes.Buffer, line string, y int) int {
	column := 0
	var s style
	for line != "" {
		rest, isEscape := strings.CutPrefix(line, "\x1b[")
		if isEscape {
			codes, after, _ := strings.Cut(rest, "m")
			s = s.after(codes)
			line = after
			continue
		}
		stretch, _, _ := strings.Cut(line, "\x1b[")
		line = line[len(stretch):]
		if strings.TrimSpace(stretch) != "" {
			fmt.Fprintf(b, `<text x="%.1f" y="%d"`, float64(margin)+float64(column)*cell, y)
			if class := s.class(); class != "" {
				fmt.Fprintf(b, ` class="%s"`, class)
			}
			b.WriteString(` xml:space="preserve">`)
			_ = xml.EscapeText(b, []byte(stretch))
			b.WriteString("</text>\n")
		}
		column += runewidth.StringWidth(stretch)
	}
	return column
}

// after is the style that SGR codes change s to.
func (s style) after(codes string) style {
	for code := range strings.SplitSeq(codes, ";") {
		var n int
		if _, err := fmt.Sscan(code, &n); err != nil {
			n = 0
		}
		switch {
		case n == 0:
			s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.dim = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 22:
			s.bold, s.dim = false, false
		case n == 39:
			s.colour = 0
		case n >= 30 && n <= 37, n >= 90 && n <= 97:
			s.colour = n
		}
	}
	return s
}
