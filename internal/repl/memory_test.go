package repl

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// manyTools is an agent with a number of tools whose model calls one of them in
// every turn.
type manyTools struct {
	*stubSession
	engine *chat.Engine
	tools  []chat.Tool
}

func newManyTools(n int) *manyTools {
	m := &manyTools{stubSession: newStub()}
	for i := range n {
		m.tools = append(m.tools, chat.Tool{
			Name: fmt.Sprintf("tool_%d", i), Description: "Does one thing of many.",
			Parameters: jsondoc.MustParse(`{"type":"object","properties":{"product":{"type":"string"}}}`),
		})
	}
	m.engine = &chat.Engine{Model: callingModel{}, Tools: manyToolbox{m}, Instructions: "Help."}
	return m
}

func (m *manyTools) Begin(context.Context) (Ready, error) { return Ready{Engine: m.engine}, nil }
func (m *manyTools) Tools() []ToolLine                    { return nil }
func (m manyToolbox) Tools(context.Context) []chat.Tool   { return m.tools }
func (m manyToolbox) Call(c context.Context, k chat.Call) chat.Outcome {
	k.Tool = "check_stock"
	return stubToolbox{m.stubSession}.Call(c, k)
}

type manyToolbox struct{ *manyTools }

type callingModel struct{}

func (callingModel) Name() (string, string) { return "stub", "stub-1" }

func (callingModel) Next(_ context.Context, r chat.Request, _ func(string)) (chat.Reply, error) {
	if r.Messages[len(r.Messages)-1].Role == chat.ToolResults {
		return chat.Reply{Text: "There are 3 left."}, nil
	}
	return chat.Reply{Calls: []chat.Call{{Tool: "tool_7", Arguments: `{"product":"Picker"}`}}}, nil
}

// turns reads as a file of so many messages, and tells when some of them were read.
type turns struct {
	left  int
	after func(left int)
}

func (r *turns) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	r.after(r.left)
	r.left--
	return copy(p, "how many are left?\n"), nil
}

// Beyond its messages a conversation holds nothing that grows with its turns.
func TestMemoryIsFlat(t *testing.T) {
	const few, many = 200, 2000
	session := newManyTools(100)
	var conv chat.Conversation
	heap := map[int]int64{}
	s, _, _ := iox.Test(t.TempDir(), "", nil)
	s.Out = io.Discard
	s.In = &turns{left: many, after: func(left int) {
		if n := many - left; n == few || n == many-1 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			heap[n] = int64(m.HeapAlloc) - historySize(&conv)
		}
	}}
	if err := Run(t.Context(), Options{IO: s, Session: session}, &conv); err != nil {
		t.Fatal(err)
	}
	if n := len(conv.Messages()); n != 4*many {
		t.Fatalf("there are %d messages, want %d", n, 4*many)
	}
	if grown := heap[many-1] - heap[few]; grown > 256<<10 {
		t.Errorf("%d bytes more are held after %d turns than after %d", grown, many, few)
	}
}

// historySize is about what the messages take.
func historySize(conv *chat.Conversation) int64 {
	const message, call, result = 104, 48, 64
	messages := conv.Messages()
	n := int64(cap(messages)) * message
	for _, m := range messages {
		n += int64(len(m.Text)) + int64(cap(m.Calls))*call + int64(cap(m.Results))*result
		for _, c := range m.Calls {
			n += int64(len(c.Arguments))
		}
		for _, r := range m.Results {
			n += int64(len(r.Content))
		}
	}
	return n
}

func TestCallsAreBounded(t *testing.T) {
	var r recorder
	for i := range 3 * keptCalls {
		r.event(chat.Event{Type: chat.ToolCallEvent, ID: fmt.Sprint(i), Tool: "a", Arguments: "{}"})
		r.event(chat.Event{Type: chat.ToolResultEvent, ID: fmt.Sprint(i), Content: "b"})
	}
	if len(r.calls) != keptCalls || r.calls[0].ID != fmt.Sprint(2*keptCalls) || len(r.open) != 0 {
		t.Errorf("%d calls from %s on", len(r.calls), r.calls[0].ID)
	}
	large := strings.Repeat("x", keptCallBytes/2)
	for i := range 4 {
		r.add(madeCall{Call: chat.Call{ID: fmt.Sprint(i)}, content: large})
	}
	if len(r.calls) != 2 || r.size != keptCallBytes {
		t.Errorf("%d calls of %d bytes", len(r.calls), r.size)
	}
	r.add(madeCall{content: large + large + large})
	if len(r.calls) != 1 {
		t.Errorf("%d calls", len(r.calls))
	}
}

// A turn of a conversation as long as it gets, with 100 tools and with one: what
// the loop and the engine need beside the model and the call.
func BenchmarkTurn(b *testing.B) {
	for _, c := range []struct{ tools, before int }{{8, 0}, {100, 0}, {100, 2000}} {
		b.Run(fmt.Sprintf("tools=%d/before=%d", c.tools, c.before), func(b *testing.B) {
			session := newManyTools(c.tools)
			s, _, _ := iox.Test(b.TempDir(), "", nil)
			s.Out = io.Discard
			var conv chat.Conversation
			l := newLoop(Options{IO: s, Session: session}, &conv)
			for range c.before {
				if err := l.turn(b.Context(), "how many are left?"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := l.turn(b.Context(), "how many are left?"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
