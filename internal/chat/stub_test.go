package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// script is a Model that gives its answers one after the other and keeps what
// it was asked.
type script struct {
	answers  []answer
	requests []Request
}

type answer struct {
	text   string
	calls  []Call
	deltas []string
	err    error
	before func()
}

func (s *script) Name() (string, string) { return "script", "script" }

func (s *script) Next(ctx context.Context, r Request, delta func(string)) (Reply, error) {
	r.Messages = slices.Clone(r.Messages)
	s.requests = append(s.requests, r)
	if len(s.answers) == 0 {
		return Reply{}, errors.New("the script is over")
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	if a.before != nil {
		a.before()
	}
	if delta != nil {
		for _, d := range a.deltas {
			delta(d)
		}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	return Reply{Text: a.text, Calls: a.calls}, a.err
}

// bench is a Toolbox whose tools are functions.
type bench struct {
	tools []Tool
	run   map[string]func(ctx context.Context, c Call) Outcome

	mu    sync.Mutex
	calls []string
}

func newBench() *bench {
	b := &bench{run: map[string]func(context.Context, Call) Outcome{}}
	b.add("check_stock", func(_ context.Context, c Call) Outcome {
		v, _ := jsondoc.Parse([]byte(c.Arguments))
		return Outcome{
			Content: fmt.Sprintf(`{"result":"ok","message":"Found <%s>."}`, v.Get("product").Text()),
			HTTP:    &executor.Trace{Method: "GET", URL: "http://shop.example/products?name=" + v.Get("product").Text(), Status: 200, Duration: 3600 * time.Microsecond},
		}
	})
	return b
}

func (b *bench) add(name string, run func(context.Context, Call) Outcome) {
	b.tools = append(b.tools, Tool{Name: name, Description: "Does " + name + "."})
	b.run[name] = run
}

func (b *bench) Tools(context.Context) []Tool { return b.tools }

func (b *bench) Call(ctx context.Context, c Call) Outcome {
	b.mu.Lock()
	b.calls = append(b.calls, c.Tool+" "+c.Arguments)
	b.mu.Unlock()
	return b.run[c.Tool](ctx, c)
}

func stock(product string) Call {
	return Call{ID: "provider-" + product, Tool: "check_stock", Arguments: `{"product": "` + product + `"}`}
}

// events runs one turn and returns its events as lines.
func events(t *testing.T, e *Engine, conv *Conversation, text string) (string, error) {
	t.Helper()
	return eventsContext(t, context.Background(), e, conv, text)
}

func eventsContext(t *testing.T, ctx context.Context, e *Engine, conv *Conversation, text string) (string, error) {
	t.Helper()
	var b []byte
	err := e.Turn(ctx, conv, text, func(ev Event) {
		b = AppendEvent(b, ev)
		b = append(b, '\n')
	})
	if at, bad := dangling(conv.messages); bad {
		t.Errorf("message %d has calls and results that do not match: %+v", at, conv.messages)
	}
	return string(b), err
}

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }
