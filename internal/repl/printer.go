package repl

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/internal/markdown"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// lineLimit is how many code points of a call's arguments or of a result are
// shown on its line.
const lineLimit = 500

// A Printer shows the events of a conversation: to people, or as NDJSON. It
// is not safe for concurrent use.
type Printer struct {
	out, err       io.Writer
	json           bool
	color, errors  iox.Palette
	spinner        *spinner // nil where there is none
	buffer         []byte
	failed         error // of the first write to stdout that failed
	streamed       strings.Builder
	held           string           // the end of a delta that cannot be shown yet
	markdown       *markdown.Stream // of the answer that is streamed to a terminal
	terminal       bool             // stdout is one
	errTerminal    bool             // stderr is one
	midLine        bool             // what was streamed last does not end its line
	batch, waiting int              // calls of one answer; those without their result
	calls          []chat.Event     // those that wait, where the line of one comes with its result
	since          time.Time        // when the waiting began
	inTurn         bool
	wrote, gap     bool // something was shown; a blank line comes before the next
}

// NewPrinter returns a printer for the streams of s. People are shown a
// spinner while they wait when stdout and stderr are terminals.
func NewPrinter(s *iox.IO, json bool) *Printer {
	p := &Printer{out: s.Out, err: s.Err, json: json, terminal: s.OutTerminal, errTerminal: s.ErrTerminal, color: s.Colors(), errors: s.ErrColors()}
	if !json && s.OutTerminal && s.ErrTerminal && s.Getenv("TERM") != "dumb" {
		p.spinner = newSpinner(s.Err)
	}
	return p
}

// Err returns why stdout could not be written, if so.
func (p *Printer) Err() error { return p.failed }

// Event shows one event.
func (p *Printer) Event(e chat.Event) {
	if p.json {
		p.buffer = append(chat.AppendEvent(p.buffer[:0], e), '\n')
		p.write(p.buffer)
		return
	}
	if e.Type != chat.AgentDeltaEvent {
		p.spinner.stop()
		if e.Type != chat.AgentEvent {
			p.endStream()
		}
	}
	p.human(e)
	switch e.Type {
	case chat.UserEvent, chat.ToolResultEvent, chat.ToolCallEvent:
		p.since = time.Now()
	case chat.AgentDeltaEvent:
	default:
		return
	}
	if p.inTurn && !p.midLine {
		p.spinner.start(p.since, p.awaited())
	}
}

// awaited names the tools that are waited for.
func (p *Printer) awaited() string {
	var names []string
	for _, c := range p.calls {
		names = append(names, oneLine(c.Tool, lineLimit))
	}
	return strings.Join(names, ", ")
}

func (p *Printer) human(e chat.Event) {
	switch e.Type {
	case chat.UserEvent:
		if phone, ok := chat.SharedPhone(e.Text); ok {
			p.say(p.color.Dim("phone number shared: " + phone))
		}
	case chat.ToolCallEvent:
		if p.waiting == 0 {
			p.batch = 0
		}
		p.batch++
		p.waiting++
		if p.spinner != nil {
			p.calls = append(p.calls, e)
			return
		}
		p.say(p.color.Cyan("→ "+oneLine(e.Tool, lineLimit)) + " " + p.color.Dim(oneLine(arguments(e.Arguments), lineLimit)))
	case chat.ToolResultEvent:
		p.waiting = max(0, p.waiting-1)
		if i := slices.IndexFunc(p.calls, func(c chat.Event) bool { return c.ID == e.ID }); i >= 0 {
			call := p.calls[i]
			p.calls = slices.Delete(p.calls, i, i+1)
			p.say(callLine(call, e, p.columns(), p.color))
			return
		}
		p.say(p.result(e))
	case chat.AgentDeltaEvent:
		p.delta(e.Text)
	case chat.AgentEvent:
		p.agent(e.Text)
	case chat.HumanEvent:
		p.say(p.color.Magenta("human:") + " " + printable(e.Text))
	case chat.HandoffEvent:
		p.say(p.color.Yellow("● " + folded(e.Text, lineLimit)))
	case chat.ResumeEvent:
		p.say(p.color.Green("● the agent has the conversation again"))
	case chat.ErrorEvent:
		p.Fail(e.Text)
	case chat.ProblemEvent:
		if e.Problem != nil {
			var b strings.Builder
			_ = diag.WriteText(&b, diag.List{*e.Problem}, p.errors.DiagStyle())
			p.tell(strings.TrimRight(b.String(), "\n"))
		}
	}
}

// arguments returns what a call shows: {} where the model wrote nothing.
func arguments(s string) string {
	if strings.TrimSpace(s) == "" {
		return "{}"
	}
	return compactJSON(s)
}

// result is the line of one result. The tool's name is on it where several
// calls run at once, and where nothing was sent.
func (p *Printer) result(e chat.Event) string {
	what := ""
	if h := e.HTTP; h != nil {
		status := "no answer"
		if h.Status != 0 {
			status = fmt.Sprint(h.Status)
		}
		what = fmt.Sprintf("%s %s %s · %d ms", status, h.Method, h.URL, h.DurationMS)
	}
	name := ""
	switch {
	case what == "":
		name = e.Tool + ": "
	case p.batch > 1:
		name = e.Tool + " "
	}
	if !e.IsError {
		if what == "" {
			what = folded(messageOf(e.Content), 100)
		}
		return p.color.Green("←") + " " + p.color.Dim(oneLine(name+what, lineLimit))
	}
	message := reasonOf(e.Content)
	if what != "" {
		what += ": "
	}
	return p.color.Red("✗") + " " + oneLine(name+what+message, lineLimit)
}

// agent shows an answer, or ends the line of one that was streamed.
func (p *Printer) agent(text string) {
	streamed := p.streamed.String()
	p.endStream()
	text = strings.TrimSpace(text)
	switch {
	case strings.TrimSpace(streamed) == text:
	case p.terminal:
		p.raw(markdown.Render(text, p.markdownOptions()))
	default:
		p.say(printable(text))
	}
}

// markdownOptions are those of the terminal as it is now.
func (p *Printer) markdownOptions() markdown.Options {
	return markdown.Options{Width: p.columns(), Palette: p.color, KeepBreaks: true}
}

// columns is how wide the terminal on stdout is, 0 where there is none.
func (p *Printer) columns() int {
	if !p.terminal {
		return 0
	}
	return iox.Width(p.out)
}

// delta shows a piece of an answer. Blank space in front is left out, and what
// may be the start of a longer character waits for the rest.
func (p *Printer) delta(text string) {
	if p.streamed.Len() == 0 {
		if text = strings.TrimLeft(text, " \t\r\n"); text == "" {
			return
		}
	}
	p.streamed.WriteString(text)
	if p.terminal {
		if p.markdown == nil {
			p.markdown = markdown.NewStream(p.markdownOptions)
		}
		if shown := p.markdown.Write(text); shown != "" {
			p.raw(shown)
		}
		p.midLine = p.markdown.MidLine()
		return
	}
	text = p.held + text
	n := len(text) - incomplete(text)
	text, p.held = text[:n], text[n:]
	if text == "" {
		return
	}
	p.raw(printable(text))
	p.midLine = !strings.HasSuffix(text, "\n")
}

// incomplete returns the length of the character at the end of s that may go
// on: a carriage return, or the start of a UTF-8 sequence.
func incomplete(s string) int {
	if strings.HasSuffix(s, "\r") {
		return 1
	}
	for n := 1; n <= min(len(s), utf8.UTFMax-1); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// endStream ends the line of what was streamed.
func (p *Printer) endStream() {
	p.streamed.Reset()
	if p.markdown != nil {
		if rest := p.markdown.Close(); rest != "" {
			p.raw(rest)
		}
		p.markdown, p.midLine = nil, false
	}
	if held := strings.TrimSuffix(p.held, "\r"); held != "" {
		p.raw(printable(held))
		p.midLine = true
	}
	p.held = ""
	if p.midLine {
		p.raw("\n")
		p.midLine = false
	}
}

// setApart puts a blank line between what was shown and what will be.
func (p *Printer) setApart() { p.gap = p.wrote && !p.json }

// turnBegins and turnEnds stand around a turn: between them people see that
// something is awaited.
func (p *Printer) turnBegins() {
	p.inTurn = true
	p.batch, p.waiting, p.calls = 0, 0, nil
}

func (p *Printer) turnEnds() {
	p.spinner.stop()
	p.endStream()
	p.inTurn = false
}

// say puts lines of the conversation or the answer to a command on stdout; in
// JSON mode on stderr, because stdout holds events only.
func (p *Printer) say(lines string) {
	if p.json {
		p.tell(lines)
		return
	}
	p.raw(lines + "\n")
}

func (p *Printer) raw(s string) {
	p.spinner.stop()
	if p.gap {
		s = "\n" + s
	}
	p.gap, p.wrote = false, true
	p.write([]byte(s))
}

func (p *Printer) write(b []byte) {
	if p.failed == nil {
		_, p.failed = p.out.Write(b)
	}
}

// Notice tells people something that is no part of the conversation.
func (p *Printer) Notice(text string) {
	for line := range strings.SplitSeq(p.fitted(printable(text), 0), "\n") {
		p.tell(p.errors.Dim(line))
	}
}

// Fail tells people what went wrong, on stderr.
func (p *Printer) Fail(text string) { p.tell(p.errors.Red("✗") + " " + p.fitted(printable(text), 2)) }

// fitted breaks a text between words so that it fits the terminal on stderr, the
// first line behind something that takes so many columns.
func (p *Printer) fitted(text string, before int) string {
	if !p.errTerminal {
		return text
	}
	return strings.Join(markdown.Wrap(text, iox.Width(p.err)-before), "\n"+strings.Repeat(" ", before))
}

func (p *Printer) tell(lines string) {
	p.spinner.stop()
	_, _ = io.WriteString(p.err, lines+"\n")
}
