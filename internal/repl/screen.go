package repl

import (
	"os"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"github.com/vatio-dev/vatio/internal/iox"
)

// A textRow is one row of a message on the screen.
type textRow struct {
	start int  // of its characters in the message
	full  bool // it starts at the left edge, because the row before it is full
}

// textRows lays out a message that starts at a column and goes on there after a
// line break. Where the last row is full there is an empty one after it, for the
// cursor.
func textRows(text []rune, start, columns int) []textRow {
	list := []textRow{{}}
	column := start
	for i, r := range text {
		if r == '\n' {
			list = append(list, textRow{start: i + 1})
			column = start
			continue
		}
		w := runewidth.RuneWidth(r)
		if column+w > columns {
			list = append(list, textRow{i, true})
			column = 0
		}
		if column += w; column >= columns {
			if i+1 == len(text) || text[i+1] == '\n' {
				list = append(list, textRow{i + 1, true})
			}
		}
	}
	return list
}

// height is how many rows the terminal has; 0 when it does not say.
func height() int {
	_, rows, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return rows
}

// place gets the screen ready for the library, which is about to go up to the
// prompt and draw all from there. It knows neither that the terminal has moved
// the rows when its width changed, nor that a message can have more of them than
// the screen.
func (e *editor) place(start, columns int) {
	line := []rune(*e.shell.Line())
	before := string(line[:min(e.shell.Cursor().Pos(), len(line))])
	below, cursor := rows(string(line), start, columns), rows(before, start, columns)
	screen := height()
	switch tall := screen > 0 && below+3 > screen; {
	case tall:
		// The message has the screen for itself.
		if !e.tall {
			e.write(strings.Repeat("\n", screen))
		}
		e.write("\x1b[H\x1b[J")
		e.tall = true
	case e.tall:
		e.write("\x1b[H\x1b[J")
		e.tall, e.row = false, 0
		e.makeRoom(below)
	default:
		if e.columns > 0 && e.columns != columns {
			e.follow(rows(before, e.start, columns))
		}
		e.makeRoom(below)
	}
	e.row, e.start, e.columns = cursor, start, columns
}

// follow takes the cursor from the row to which the terminal has moved it to the
// one at which the library takes it to be.
func (e *editor) follow(row int) {
	if n := row - e.row; n > 0 {
		e.write("\x1b[" + strconv.Itoa(n) + "A")
	} else {
		e.write(strings.Repeat("\n", -n))
	}
}

// shown returns what the library is to draw of a message: all of it, or of one
// that is taller than the screen the rows around the cursor. From its last row
// the library goes up to the cursor's, as far as the screen goes: so either the
// last row is shown, or the cursor's is the first.
func (e *editor) shown(line []rune) string {
	screen := height()
	if !e.tall || screen < 3 {
		return string(line)
	}
	list := textRows(line, e.start, iox.Width(e.l.IO.Out))
	n := screen - 2
	first := len(list) - n
	if first <= 0 {
		return string(line)
	}
	end := len(line)
	if e.row < first {
		first = e.row
		if last := first + n; last < len(list) {
			end = list[last].start
		}
	}
	text := strings.TrimSuffix(string(line[list[first].start:end]), "\n")
	if list[first].full {
		return "\r" + text
	}
	return text
}

func (e *editor) write(s string) { _, _ = e.l.IO.Out.Write([]byte(s)) }
