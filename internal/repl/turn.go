package repl

import (
	"context"
	"os"
	"os/signal"

	"github.com/vatio-dev/vatio/internal/chat"
)

// turn runs one turn. Its error has been shown.
func (l *loop) turn(ctx context.Context, text string) error {
	ctx, end := l.interruptible(ctx)
	defer end()
	if l.IO.InTerminal && l.IO.OutTerminal {
		defer hushed(int(os.Stdin.Fd()))()
	}
	ready, err := l.begin(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = chat.ErrCancelled
		}
		l.printer.Event(chat.Event{Type: chat.ErrorEvent, Text: err.Error()})
		return err
	}
	return l.turnOf(ctx, ready.Engine, text)
}

// turnOf runs one turn of engine.
func (l *loop) turnOf(ctx context.Context, engine *chat.Engine, text string) error {
	e := *engine
	e.Tools = recording{engine.Tools, &l.calls}
	e.Stream = l.Stream || !l.JSON && l.IO.OutTerminal
	l.printer.turnBegins()
	defer l.printer.turnEnds()
	return e.Turn(ctx, l.conv, text, func(e chat.Event) {
		l.calls.event(e)
		l.printer.Event(e)
	})
}

// interruptible returns a context that an interrupt cancels until end is
// called. A second interrupt means that the turn hangs: after it, a third one
// ends the program.
func (l *loop) interruptible(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	if l.interrupts == nil {
		return ctx, cancel
	}
	select { // one that came before is none of this turn's
	case <-l.interrupts:
	default:
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for n := 1; ; n++ {
			select {
			case <-l.interrupts:
				cancel()
				if n == 2 {
					signal.Stop(l.interrupts)
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		close(done)
		<-gone
		cancel()
		signal.Notify(l.interrupts, os.Interrupt)
	}
}
