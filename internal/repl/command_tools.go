package repl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
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

// toolsCommand lists the tools as the files are now.
func (l *loop) toolsCommand(ctx context.Context, argument string) error {
	if argument != "" && argument != "--json" {
		return fmt.Errorf("/tools takes --json or nothing, but got %q", argument)
	}
	if _, err := l.begin(ctx); err != nil {
		return err
	}
	if argument != "" {
		l.printer.say(l.Session.Redact(toolsJSON(l.engine.Model, l.engine.Tools.Tools(ctx))))
		return nil
	}
	tools := l.Session.Tools()
	if len(tools) == 0 {
		l.printer.say("the agent has no tools")
		return nil
	}
	color, columns := l.color(), l.columns()
	name, kind := 0, 0
	for _, t := range tools {
		name = max(name, runewidth.StringWidth(oneLine(t.Name, lineLimit)))
		kind = max(kind, runewidth.StringWidth(oneLine(t.Kind, lineLimit)))
	}
	var lines []string
	for _, t := range tools {
		head := color.Bold(pad(oneLine(t.Name, lineLimit), name)) + "  " + color.Dim(pad(oneLine(t.Kind, lineLimit), kind))
		text, paint := t.Description, func(s string) string { return s }
		if t.Problem != "" {
			text, paint = "✗ "+t.Problem, color.Red
		}
		text = folded(text, lineLimit)
		if columns < wideEnough {
			lines = append(lines, strings.TrimRight(color.Bold(oneLine(t.Name, lineLimit))+"  "+color.Dim(oneLine(t.Kind, lineLimit)), " "))
			if text != "" {
				lines = append(lines, paint(indented(text, columns)))
			}
			continue
		}
		lines = append(lines, strings.TrimRight(head+"  "+paint(runewidth.Truncate(text, columns-name-kind-4, "…")), " "))
	}
	l.printer.say(strings.Join(lines, "\n"))
	return nil
}

// toolsJSON is what the model is given, and what its provider made necessary.
func toolsJSON(model chat.Model, tools []chat.Tool) string {
	adapter, _ := model.(chat.SchemaAdapter)
	b := []byte{'['}
	for i, t := range tools {
		var changes []string
		if adapter != nil {
			t, changes = adapter.Adapt(t)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = jsondoc.AppendQuote(append(b, `{"name":`...), t.Name)
		b = jsondoc.AppendQuote(append(b, `,"description":`...), t.Description)
		if t.WhenToUse != "" {
			b = jsondoc.AppendQuote(append(b, `,"when_to_use":`...), t.WhenToUse)
		}
		if t.Parameters.Exists() {
			b = t.Parameters.AppendCompact(append(b, `,"parameters":`...))
		}
		if len(changes) > 0 {
			b = append(b, `,"changes":[`...)
			for i, c := range changes {
				if i > 0 {
					b = append(b, ',')
				}
				b = jsondoc.AppendQuote(b, c)
			}
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	v, err := jsondoc.Parse(append(b, ']'))
	if err != nil {
		return printable(string(b)) // a schema that is no JSON text is never offered
	}
	return printable(string(jsondoc.Indent(nil, v)))
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
		if calls = l.calls.calls; len(calls) == 0 {
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
