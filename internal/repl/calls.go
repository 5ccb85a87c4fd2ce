package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/executor"
)

const (
	keptCalls     = 50      // calls that /trace can show
	keptCallBytes = 8 << 20 // of them altogether
)

// A madeCall is a call and all that became of it.
type madeCall struct {
	chat.Call
	content string // what the model got
	isError bool
	trace   *executor.Trace // nil: nothing was sent
}

func (c madeCall) size() int {
	n := len(c.Arguments) + len(c.content)
	if t := c.trace; t != nil {
		n += len(t.URL) + len(t.RequestBody) + len(t.ResponseBody)
		for _, h := range slices.Concat(t.RequestHeaders, t.ResponseHeaders) {
			n += len(h.Name) + len(h.Value)
		}
	}
	return n
}

// A recorder remembers the last calls, as many as its bounds allow and the last
// one in any case. It sees a turn's events, and its toolbox for what was sent.
type recorder struct {
	calls []madeCall
	size  int
	open  []chat.Call // those without a result

	mu   sync.Mutex
	sent map[string]*executor.Trace // by call ID: of those without a result
}

// recording is a toolbox whose calls a recorder sees.
type recording struct {
	chat.Toolbox
	to *recorder
}

func (r recording) Call(ctx context.Context, c chat.Call) chat.Outcome {
	o := r.Toolbox.Call(ctx, c)
	if o.HTTP != nil {
		r.to.mu.Lock()
		defer r.to.mu.Unlock()
		if r.to.sent == nil {
			r.to.sent = map[string]*executor.Trace{}
		}
		r.to.sent[c.ID] = o.HTTP
	}
	return o
}

// event takes what the recorder needs from an event of the turn.
func (r *recorder) event(e chat.Event) {
	switch e.Type {
	case chat.ToolCallEvent:
		r.open = append(r.open, chat.Call{ID: e.ID, Tool: e.Tool, Arguments: e.Arguments})
	case chat.ToolResultEvent:
		i := slices.IndexFunc(r.open, func(c chat.Call) bool { return c.ID == e.ID })
		if i < 0 {
			return
		}
		c := r.open[i]
		r.open = slices.Delete(r.open, i, i+1)
		r.mu.Lock()
		trace := r.sent[c.ID]
		delete(r.sent, c.ID)
		r.mu.Unlock()
		r.add(madeCall{c, e.Content, e.IsError, trace})
	}
}

func (r *recorder) add(c madeCall) {
	r.calls = append(r.calls, c)
	r.size += c.size()
	for len(r.calls) > keptCalls || r.size > keptCallBytes && len(r.calls) > 1 {
		r.size -= r.calls[0].size()
		r.calls = slices.Delete(r.calls, 0, 1)
	}
}

func (r *recorder) reset() { r.calls, r.size = nil, 0 }

var errNoCall = errors.New("nothing has been sent yet: make the agent call a tool first")

// lastSent returns the last call that was sent.
func (r *recorder) lastSent() (madeCall, error) {
	for _, c := range slices.Backward(r.calls) {
		if c.trace != nil {
			return c, nil
		}
	}
	return madeCall{}, errNoCall
}

// numbered returns the call with a number.
func (r *recorder) numbered(text string) (madeCall, error) {
	calls := r.calls
	if len(calls) == 0 {
		return madeCall{}, errors.New("no tool has been called yet")
	}
	var numbers []string
	for _, c := range calls {
		if c.ID == strings.TrimPrefix(text, "#") {
			return c, nil
		}
		numbers = append(numbers, c.ID)
	}
	if n := len(numbers); n > 6 {
		numbers = []string{numbers[0], "…", numbers[n-1]}
	}
	return madeCall{}, fmt.Errorf("there is no call %q: there are %s; /trace all shows them", text, strings.Join(numbers, ", "))
}
