package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// A recorder is a toolbox that remembers the last calls, as many as its bounds
// allow and the last one in any case.
type recorder struct {
	mu    sync.Mutex
	calls []madeCall // by number: those of one answer end in any order
	size  int
}

// recording is a toolbox whose calls a recorder sees.
type recording struct {
	chat.Toolbox
	to *recorder
}

func (r recording) Call(ctx context.Context, c chat.Call) chat.Outcome {
	o := r.Toolbox.Call(ctx, c)
	r.to.add(madeCall{c, o.Content, o.IsError, o.HTTP})
	return o
}

func (r *recorder) add(c madeCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := len(r.calls)
	for at > 0 && number(r.calls[at-1]) > number(c) {
		at--
	}
	r.calls = slices.Insert(r.calls, at, c)
	r.size += c.size()
	for len(r.calls) > keptCalls || r.size > keptCallBytes && len(r.calls) > 1 {
		r.size -= r.calls[0].size()
		r.calls = slices.Delete(r.calls, 0, 1)
	}
}

func number(c madeCall) int {
	n, _ := strconv.Atoi(c.ID)
	return n
}

// all returns the calls that are remembered, oldest first.
func (r *recorder) all() []madeCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls, r.size = nil, 0
}

var errNoCall = errors.New("nothing has been sent yet: make the agent call a tool first")

// lastSent returns the last call that was sent.
func (r *recorder) lastSent() (madeCall, error) {
	for _, c := range slices.Backward(r.all()) {
		if c.trace != nil {
			return c, nil
		}
	}
	return madeCall{}, errNoCall
}

// numbered returns the call with a number.
func (r *recorder) numbered(text string) (madeCall, error) {
	calls := r.all()
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
