package repl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/executor"
)

// bodyLimit is how many bytes of a body /trace shows.
const bodyLimit = 20_000

// color is the palette of the stream that answers to commands go to.
func (l *loop) color() iox.Palette {
	if l.JSON {
		return l.printer.errors
	}
	return l.printer.color
}

func (l *loop) toolsCommand(context.Context, string) error {
	tools := l.Session.Tools()
	if len(tools) == 0 {
		l.printer.say("the agent has no tools")
		return nil
	}
	color := l.color()
	name, kind := 0, 0
	for _, t := range tools {
		name = max(name, utf8.RuneCountInString(t.Name))
		kind = max(kind, utf8.RuneCountInString(t.Kind))
	}
	room := lineLimit
	if l.IO.OutTerminal {
		room = max(20, iox.Width(l.IO.Out)-name-kind-4)
	}
	var lines []string
	for _, t := range tools {
		line := color.Bold(pad(oneLine(t.Name, lineLimit), name)) + "  " + color.Dim(pad(oneLine(t.Kind, lineLimit), kind)) + "  "
		if t.Problem != "" {
			line += color.Red("✗ " + folded(t.Problem, room-2))
		} else {
			line += folded(t.Description, room)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	l.printer.say(strings.Join(lines, "\n"))
	return nil
}

// traceCommand shows the last call that was sent, the one with a number, or
// all that are remembered.
func (l *loop) traceCommand(_ context.Context, which string) error {
	var calls []madeCall
	switch which {
	case "":
		c, err := l.calls.lastSent()
		if err != nil {
			return err
		}
		l.printer.say(l.Session.Redact(traceText(c.trace, l.color())))
		return nil
	case "all":
		if calls = l.calls.all(); len(calls) == 0 {
			return errors.New("no tool has been called yet")
		}
	default:
		c, err := l.calls.numbered(which)
		if err != nil {
			return err
		}
		calls = []madeCall{c}
	}
	for i, c := range calls {
		if i > 0 {
			l.printer.say("")
		}
		l.printer.say(l.Session.Redact(callText(c, l.color())))
	}
	return nil
}

// callText is what the model asked for, what went over the wire, and what the
// model got.
func callText(c madeCall, color iox.Palette) string {
	var b strings.Builder
	b.WriteString(color.Cyan("#"+c.ID+" "+oneLine(c.Tool, lineLimit)) + " " + oneLine(arguments(c.Arguments), bodyLimit) + "\n\n")
	if c.trace != nil {
		b.WriteString(traceText(c.trace, color) + "\n\n")
	} else {
		b.WriteString(color.Dim("nothing was sent") + "\n\n")
	}
	what := color.Green("←") + " the model gets"
	if c.isError {
		what = color.Red("✗") + " the model gets the error"
	}
	b.WriteString(what)
	writeBody(&b, c.content)
	return strings.TrimRight(b.String(), "\n")
}

func (l *loop) curlCommand(context.Context, string) error {
	if _, err := l.calls.lastSent(); err != nil {
		return err
	}
	text, err := l.Session.Curl()
	if err != nil {
		return err
	}
	l.printer.say(printable(strings.TrimRight(text, "\n")))
	return nil
}

// traceText is a call as it went over the wire, but that JSON is indented.
func traceText(t *executor.Trace, color iox.Palette) string {
	var b strings.Builder
	b.WriteString(color.Bold(oneLine(t.Method+" "+t.URL, bodyLimit)) + "\n")
	writeHeaders(&b, t.RequestHeaders, color)
	writeBody(&b, t.RequestBody)
	b.WriteByte('\n')

	timing := fmt.Sprintf(" · %d ms", t.Duration.Milliseconds())
	if t.Status == 0 {
		b.WriteString(color.Red("no answer") + color.Dim(timing))
	} else {
		paint := color.Green
		if t.Status >= 300 {
			paint = color.Red
		}
		b.WriteString(paint(statusLine(t.Status)) + color.Dim(fmt.Sprintf("%s · %d bytes", timing, t.ResponseBytes)))
	}
	b.WriteByte('\n')
	writeHeaders(&b, t.ResponseHeaders, color)
	writeBody(&b, t.ResponseBody)
	if t.Err != "" {
		b.WriteString("\n" + color.Red("✗") + " " + oneLine(t.Err, bodyLimit) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func writeHeaders(b *strings.Builder, headers []executor.Header, color iox.Palette) {
	for _, h := range headers {
		b.WriteString(color.Dim(oneLine(h.Name, bodyLimit)+":") + " " + oneLine(h.Value, bodyLimit) + "\n")
	}
}

// writeBody writes a blank line and the body, if there is one.
func writeBody(b *strings.Builder, body string) {
	if body == "" {
		return
	}
	text, rest := indentedJSON(body), 0
	if len(text) > bodyLimit {
		end := bodyLimit
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text, rest = text[:end], len(text)-end
	}
	b.WriteString("\n" + printable(strings.TrimRight(text, "\n")) + "\n")
	if rest > 0 {
		fmt.Fprintf(b, "… %d bytes more\n", rest)
	}
}

// statusLine is a status with its name, such as "404 Not Found".
func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
