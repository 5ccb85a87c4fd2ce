package repl

import (
	"fmt"
	"io"
	"time"
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

func (s *spinner) start() {
	if s == nil || s.stopping != nil {
		return
	}
	s.stopping, s.stopped = make(chan struct{}), make(chan struct{})
	go s.run(time.Now(), s.stopping, s.stopped)
}

func (s *spinner) stop() {
	if s == nil || s.stopping == nil {
		return
	}
	close(s.stopping)
	<-s.stopped
	s.stopping = nil
}

func (s *spinner) run(start time.Time, stopping <-chan struct{}, stopped chan<- struct{}) {
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
		fmt.Fprintf(s.w, "\r\x1b[K%s %d s", spinnerFrames[frame%len(spinnerFrames)], int(time.Since(start).Seconds()))
		wait.Reset(spinnerPace)
	}
}
