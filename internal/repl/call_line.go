package repl

import (
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
)

// shortArguments is how many columns of a call's arguments are shown at most,
// and leastArguments at least.
const shortArguments, leastArguments = 60, 8

// callLine is a call and what became of it, on one line that fits so many
// columns: the tool, its arguments as far as there is room, the status, how long
// it took, and the number by which /trace knows it.
func callLine(call, result chat.Event, columns int, color iox.Palette) string {
	mark, paint := "→", color.Green
	if result.IsError {
		mark, paint = "✗", color.Red
	}
	name := oneLine(call.Tool, lineLimit)
	var tail string
	if h := result.HTTP; h != nil {
		status := "no answer"
		if h.Status != 0 {
			status = fmt.Sprint(h.Status)
		}
		tail = " · " + status + " · " + elapsed(h.DurationMS)
	} else if !result.IsError {
		tail = " · " + folded(messageOf(result.Content), shortArguments)
	}
	if result.IsError {
		tail += " · " + folded(reasonOf(result.Content), shortArguments)
	}
	number := ""
	if call.ID != "" {
		number = " #" + call.ID
	}
	if columns <= 0 {
		columns = lineLimit
	}
	room := columns - runewidth.StringWidth(mark+" "+name+tail+number) - 1
	args := ""
	switch a := oneLine(arguments(call.Arguments), lineLimit); {
	case room >= min(leastArguments, runewidth.StringWidth(a)):
		args = " " + runewidth.Truncate(a, min(room, shortArguments), "…")
	default:
		// The start of the line says most.
		tail = runewidth.Truncate(tail, max(0, columns-runewidth.StringWidth(mark+" "+name+number)), "…")
	}
	line := paint(mark) + " " + color.Cyan(name) + color.Dim(args+tail+number)
	if runewidth.StringWidth(mark+" "+name+args+tail+number) > columns {
		return paint(mark) + " " + color.Cyan(runewidth.Truncate(name, max(1, columns-2), "…"))
	}
	return strings.TrimRight(line, " ")
}

// elapsed writes a duration for people.
func elapsed(ms int64) string {
	if d := time.Duration(ms) * time.Millisecond; d >= 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return fmt.Sprintf("%d ms", ms)
}
