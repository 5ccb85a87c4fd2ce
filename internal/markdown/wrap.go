package markdown

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/rivo/uniseg"
)

// columns is how many columns a text takes.
func columns(s string) int { return runewidth.StringWidth(s) }

// character returns the first character of s as a reader sees it, and its
// columns.
func character(s string) (string, int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1], 1
	}
	c, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return c, runewidth.StringWidth(c)
}

// chopped cuts a text into pieces of at most so many columns.
func chopped(s string, width int) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, used := 0, 0
		for i := 0; i < len(s); {
			c, w := character(s[i:])
			if used+w > width && used > 0 {
				if !yield(s[start:i]) {
					return
				}
				start, used = i, 0
			}
			used += w
			i += len(c)
		}
		yield(s[start:])
	}
}

// A liner fills lines with words.
type liner struct {
	r      *renderer
	width  int
	lines  []string
	line   strings.Builder
	run    strings.Builder // the end of the line, all in one style
	style  style           // of it
	column int
	spaces []styled // before the word
	gap    int      // columns of them
	word   []styled
	length int  // columns of it
	fixed  bool // the line has a run of spaces: it is a table's, say
}

// styled is a character.
type styled struct {
	text    string
	columns int
	style   style
}

// wrap breaks a text into lines of at most so many columns, between words and
// beside characters that are two columns wide. Words that are too long are cut.
// Where line breaks are kept, so are runs of spaces, and what stands behind one
// is not moved to the next line.
func (r *renderer) wrap(text []span, width int) []string {
	l := liner{r: r, width: width}
	for _, s := range text {
		for i := 0; i < len(s.text); {
			c, w := character(s.text[i:])
			i += len(c)
			switch {
			case c == "\n":
				l.flush()
				l.end()
			case c == " ":
				l.flush()
				l.space(s.style)
			default:
				if w > 1 || len(l.word) > 0 && l.word[len(l.word)-1].columns > 1 {
					l.flush()
				}
				l.word = append(l.word, styled{c, w, s.style})
				l.length += w
			}
		}
	}
	l.flush()
	if l.column > 0 {
		l.end()
	}
	return l.lines
}

func (l *liner) space(s style) {
	if !l.r.KeepBreaks && (l.gap > 0 || l.column == 0) {
		return
	}
	l.spaces = append(l.spaces, styled{" ", 1, s})
	l.gap++
	l.fixed = l.fixed || l.gap > 1 && l.column > 0
}

// flush puts the word on the line or the next one.
func (l *liner) flush() {
	if len(l.word) == 0 {
		return
	}
	if l.column > 0 && l.column+l.gap+l.length > l.width && !l.fixed {
		l.end()
	} else {
		for _, c := range l.spaces {
			l.put(c)
		}
	}
	for _, c := range l.word {
		l.put(c)
	}
	l.spaces, l.gap, l.word, l.length = l.spaces[:0], 0, l.word[:0], 0
}

// put writes a character, on the next line where there is no room.
func (l *liner) put(c styled) {
	if l.column > 0 && l.column+c.columns > l.width {
		fixed := l.fixed
		l.end()
		l.fixed = fixed
	}
	if c.style != l.style {
		l.paint()
		l.style = c.style
	}
	l.run.WriteString(c.text)
	l.column += c.columns
}

func (l *liner) paint() {
	l.line.WriteString(l.r.paint(l.run.String(), l.style))
	l.run.Reset()
}

func (l *liner) end() {
	l.paint()
	l.lines = append(l.lines, l.line.String())
	l.line.Reset()
	l.column, l.spaces, l.gap, l.fixed = 0, l.spaces[:0], 0, false
}

// Wrap breaks a text that is no Markdown into lines of at most so many columns,
// keeping its own line breaks. It may move the cursor as much as the text may.
func Wrap(text string, width int) []string {
	r := renderer{plain: true}
	r.KeepBreaks = true
	return r.wrap([]span{{text: text}}, max(width, leastWidth))
}
