package repl

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// A wrapper breaks lines between words so that they fit a width in columns.
// Text may come in pieces; a word is held until it is known to be whole. Lines
// of a table, recognised by runs of spaces, are left to the terminal.
type wrapper struct {
	width  int // below 1: nothing is broken
	column int
	spaces int
	word   strings.Builder
	wide   bool // the line has a run of spaces
}

// add returns what can be shown of the text so far.
func (w *wrapper) add(text string) string {
	if w.width < 1 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		switch r {
		case '\n':
			out.WriteString(w.flush())
			out.WriteByte('\n')
			w.column, w.spaces, w.wide = 0, 0, false
		case ' ':
			out.WriteString(w.flush())
			w.spaces++
			w.wide = w.wide || w.spaces > 1 && w.column > 0
		default:
			w.word.WriteRune(r)
		}
	}
	return out.String()
}

// flush returns the word that was held, and the spaces or the line break
// before it.
func (w *wrapper) flush() string {
	if w.word.Len() == 0 {
		return ""
	}
	word := w.word.String()
	w.word.Reset()
	columns := runewidth.StringWidth(word)
	before := strings.Repeat(" ", w.spaces)
	if w.column > 0 && !w.wide && w.column+w.spaces+columns > w.width {
		before, w.column = "\n", 0
	} else {
		w.column += w.spaces
	}
	w.spaces = 0
	w.column += columns
	return before + word
}

// end returns what is left and begins a new line.
func (w *wrapper) end() string {
	rest := w.flush()
	w.column, w.spaces, w.wide = 0, 0, false
	return rest
}
