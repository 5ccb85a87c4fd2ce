package repl

import (
	"fmt"
	"io"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/vatio-dev/vatio/internal/iox"
)

const (
	spinnerDelay = 300 * time.Millisecond // what is quicker than this shows none
	spinnerPace  = 100 * time.Millisecond
)

var spinnerFrames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// A spinner shows on its own line that something is awaited, and for how many
// seconds. A nil spinner shows nothing. start and stop are called from one
// goroutine; after stop the line is blank and nothing is written any more.
type spinner struct {
	w        io.Writer
	stopping chan struct{} // nil: not running
	stopped  chan struct{}
}

func newSpinner(w io.Writer) *spinner { return &spinner{w: w} }

// start shows what is awaited since a time, after a while.
func (s *spinner) start(since time.Time, what string) {
	if s == nil || s.stopping != nil {
		return
	}
	s.stopping, s.stopped = make(chan struct{}), make(chan struct{})
	go s.run(since, what, s.stopping, s.stopped)
}

func (s *spinner) stop() {
	if s == nil || s.stopping == nil {
		return
	}
	close(s.stopping)
	<-s.stopped
	s.stopping = nil
}

func (s *spinner) run(since time.Time, what string, stopping <-chan struct{}, stopped chan<- struct{}) {
	defer close(stopped)
	wait := time.NewTimer(spinnerDelay)
	defer wait.Stop()
	for frame := 0; ; frame++ {
		select {
		case <-stopping:
			if frame > 0 {
				_, _ = io.WriteString(s.w, "\r\x1b[K")
			}
			return
		case <-wait.C:
		}
		text := fmt.Sprintf("%s %d s", spinnerFrames[frame%len(spinnerFrames)], int(time.Since(since).Seconds()))
		if what != "" {
			text += " " + what
		}
		// The window may have become narrower: what does not fit would leave
		// lines behind.
		text = runewidth.Truncate(text, iox.Width(s.w)-1, "…")
		_, _ = io.WriteString(s.w, "\r\x1b[K"+text)
		wait.Reset(spinnerPace)
	}
}
