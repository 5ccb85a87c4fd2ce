package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
)

// Options are the parameters of Run and OneTurn.
type Options struct {
	IO      *iox.IO
	Session Session

	JSON   bool // NDJSON events on stdout
	Stream bool // agent_delta events in JSON; people on a terminal always get them

	// HistoryFile keeps what was typed on a terminal; "": this session only.
	HistoryFile string
	// ConversationFile is where an interactive conversation is kept after every
	// turn, without secrets, so that Resume can go on with it later; "": nowhere.
	ConversationFile string
	Resume           bool
	// Greeting is shown to people on a terminal when the loop starts.
	Greeting []string
}

// ErrShown is in every error whose text has been shown already.
var ErrShown = errors.New("shown")

// shownError is an error that has been shown.
type shownError struct{ error }

func (e shownError) Unwrap() []error { return []error{e.error, ErrShown} }

// Interactive tells whether Run will have a conversation with a person. The
// context that Run is given then must not be cancelled by an interrupt: Ctrl-C
// is the loop's own.
func Interactive(s *iox.IO) bool { return s.InTerminal }

// Run reads messages and commands until the input ends, /quit, or ctx is done:
// with a line editor when stdin and stdout are terminals, otherwise one a line.
// A turn that fails is shown and the loop goes on. The error is that of the
// first Session.Begin, of reading or writing, or the context's.
func Run(ctx context.Context, o Options, conv *chat.Conversation) error {
	l := newLoop(o, conv)
	if o.Resume && (!Interactive(o.IO) || o.ConversationFile == "") {
		return errors.New("only a conversation on a terminal can be resumed")
	}
	if Interactive(o.IO) {
		l.interrupts = make(chan os.Signal, 1)
		signal.Notify(l.interrupts, os.Interrupt)
		defer signal.Stop(l.interrupts)
	}
	var resumed *kept
	if o.Resume {
		resumed = l.resume()
	}
	if _, err := l.begin(ctx); err != nil {
		return l.failStart(err)
	}
	if Interactive(o.IO) {
		l.greet()
		l.showResumed(resumed)
	}
	in, err := l.openInput()
	if err != nil {
		return err
	}
	return l.run(ctx, in)
}

// OneTurn runs a single turn and returns its error. An error that is ErrShown
// has been shown.
func OneTurn(ctx context.Context, o Options, conv *chat.Conversation, text string) error {
	l := newLoop(o, conv)
	ready, err := l.begin(ctx)
	if err != nil {
		return l.failStart(err)
	}
	if err := l.turnOf(ctx, ready.Engine, text); err != nil {
		return shownError{err}
	}
	return l.printer.Err()
}

// A loop is the state of one Run.
type loop struct {
	Options
	conv       *chat.Conversation
	printer    *Printer
	interrupts chan os.Signal // nil: interrupts are not the loop's
	calls      recorder
	engine     *chat.Engine // of the last begin
	keptState  state        // what was written down last
	unkept     bool         // the conversation cannot be written down
	ownFile    bool         // what is in the file may be replaced
}

func newLoop(o Options, conv *chat.Conversation) *loop {
	return &loop{Options: o, conv: conv, printer: NewPrinter(o.IO, o.JSON)}
}

// begin asks the session what to run a turn with, and shows what it says.
func (l *loop) begin(ctx context.Context) (Ready, error) {
	ready, err := l.Session.Begin(ctx)
	for _, e := range ready.Events {
		l.printer.Event(e)
	}
	for _, n := range ready.Notices {
		l.printer.Notice(n)
	}
	if err == nil && ready.Engine == nil {
		err = errors.New("there is nothing to talk to")
	}
	if err == nil {
		l.engine = ready.Engine
	}
	return ready, err
}

// failStart shows an error that ends the program to programs; people get it
// from the caller.
func (l *loop) failStart(err error) error {
	if !l.JSON {
		return err
	}
	l.printer.Event(chat.Event{Type: chat.ErrorEvent, Text: err.Error()})
	return shownError{err}
}

func (l *loop) greet() {
	if l.JSON {
		return
	}
	for _, line := range l.Greeting {
		l.printer.say(line)
	}
	if len(l.Greeting) > 0 {
		l.printer.say("")
	}
}

// errInterrupted is what an input returns for a Ctrl-C at the prompt.
var errInterrupted = errors.New("interrupted")

// errEmptyInterrupted is that with nothing typed.
var errEmptyInterrupted = fmt.Errorf("%w on an empty line", errInterrupted)

// An input is where messages come from.
type input interface {
	// read returns the next message without its line break; io.EOF when there
	// are no more, errInterrupted, a *skippedLine, or the context's error.
	read(ctx context.Context) (string, error)
}

func (l *loop) openInput() (input, error) {
	if l.IO.InTerminal && l.IO.OutTerminal && l.IO.Getenv("TERM") != "dumb" {
		return newEditor(l)
	}
	return newLineReader(l), nil
}

func (l *loop) run(ctx context.Context, in input) error {
	for {
		if err := l.printer.Err(); err != nil {
			return err
		}
		text, err := in.read(ctx)
		var skipped *skippedLine
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == io.EOF:
			return l.printer.Err()
		case err == errEmptyInterrupted:
			l.printer.Notice("Ctrl-D or /quit leaves")
			continue
		case errors.Is(err, errInterrupted):
			continue
		case errors.As(err, &skipped):
			l.printer.Event(chat.Event{Type: chat.ErrorEvent, Text: skipped.Error()})
			continue
		case err != nil:
			return err
		case strings.TrimSpace(text) == "":
			continue
		}
		if quit := l.take(ctx, text); quit {
			return l.printer.Err()
		}
	}
}

// take runs one message or command and tells whether to leave. Each is set
// apart by a blank line: on a terminal after it, before the next prompt.
func (l *loop) take(ctx context.Context, text string) (quit bool) {
	if !l.IO.InTerminal {
		l.printer.setApart()
	}
	if strings.HasPrefix(text, "/") {
		quit = l.command(ctx, text)
	} else {
		_ = l.turn(ctx, text)
	}
	l.keep()
	if l.IO.InTerminal && !l.JSON && !quit {
		l.printer.say("")
	}
	return quit
}
