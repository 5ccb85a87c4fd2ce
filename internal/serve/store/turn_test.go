package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/pkg/executor"
)

const alice, bob = "web/alice", "web/bob"

func create(t testing.TB, s *store.Store) string {
	t.Helper()
	id, err := s.Create(context.Background(), alice, "web", executor.Contact{})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func begin(t testing.TB, s *store.Store, id string) *store.Turn {
	t.Helper()
	turn, _, err := s.Begin(context.Background(), alice, id, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func bodies(events ...chat.Event) [][]byte {
	var all [][]byte
	for _, e := range events {
		all = append(all, chat.AppendEvent(nil, e))
	}
	return all
}

// say does a whole turn.
func say(t testing.TB, s *store.Store, id, text, answer string) {
	t.Helper()
	turn := begin(t, s, id)
	_, err := turn.Finish(context.Background(), store.Batch{Name: turn.Contact.Name, Events: bodies(
		chat.Event{Type: chat.UserEvent, Text: text}, chat.Event{Type: chat.AgentEvent, Text: answer}, chat.Event{Type: chat.TurnEndEvent},
	)}, []chat.Message{{Role: chat.User, Text: text}, {Role: chat.Agent, Text: answer}}, false)
	if err != nil {
		t.Fatal(err)
	}
}

func eventsOf(t testing.TB, s *store.Store, id string, after int64) []string {
	t.Helper()
	events, _, err := s.Events(context.Background(), alice, id, after, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%d %d %s", e.Seq, e.Turn, e.Body))
	}
	return lines
}

func messagesOf(t testing.TB, s *store.Store, id string) []string {
	t.Helper()
	messages, err := s.Messages(context.Background(), alice, id, 0, 10000)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range messages {
		lines = append(lines, fmt.Sprintf("%d %s", m.Seq, m.Body))
	}
	return lines
}

func same(t testing.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestATurnIsStored(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		s := d.open(t, store.Options{})
		id := create(t, s)
		turn := begin(t, s, id)
		if !turn.First || turn.Number != 1 || !turn.Running {
			t.Errorf("the first turn: First %t, Number %d, Running %t", turn.First, turn.Number, turn.Running)
		}
		stored, err := turn.Append(ctx, store.Batch{Events: bodies(chat.Event{Type: chat.UserEvent, Text: "Hola ñ \x00 <b>"})})
		if err != nil {
			t.Fatal(err)
		}
		same(t, int64(1), stored[0].Seq)
		call := chat.Call{ID: "7", Tool: "check_stock", Arguments: `{"product": "Picker"}`}
		result := chat.Result{ID: "7", Tool: "check_stock", Content: `{"result":"ok"}`}
		_, err = turn.Finish(ctx, store.Batch{Name: "Alice", Traces: []store.Trace{{Call: "7", Body: []byte(`{"tool":"check_stock"}`)}}, Events: bodies(
			chat.Event{Type: chat.ToolCallEvent, ID: "7", Tool: call.Tool, Arguments: call.Arguments},
			chat.Event{Type: chat.ToolResultEvent, ID: "7", Tool: call.Tool, Content: result.Content},
			chat.Event{Type: chat.AgentEvent, Text: "Yes."}, chat.Event{Type: chat.TurnEndEvent, ToolCalls: 1},
		)}, []chat.Message{
			{Role: chat.User, Text: "Hola ñ \x00 <b>"}, {Role: chat.Agent, Calls: []chat.Call{call}},
			{Role: chat.ToolResults, Results: []chat.Result{result}}, {Role: chat.Agent, Text: "Yes."},
		}, true)
		if err != nil {
			t.Fatal(err)
		}
		same(t, []string{
			`1 1 {"type":"user","text":"Hola ñ \u0000 <b>"}`,
			`2 1 {"type":"tool_call","id":"7","tool":"check_stock","arguments":{"product":"Picker"}}`,
			`3 1 {"type":"tool_result","id":"7","tool":"check_stock","is_error":false,"content":"{\"result\":\"ok\"}"}`,
			`4 1 {"type":"agent","text":"Yes."}`,
			`5 1 {"type":"turn_end","tool_calls":1}`,
		}, eventsOf(t, s, id, 0))
		same(t, []string{`5 1 {"type":"turn_end","tool_calls":1}`}, eventsOf(t, s, id, 4))
		same(t, []string{
			"1 {\"role\":\"user\",\"text\":\"Hola ñ \\u0000 \\u003cb\\u003e\"}",
			`2 {"role":"agent","calls":[{"id":"7","tool":"check_stock","arguments":"{\"product\": \"Picker\"}"}]}`,
			`3 {"role":"tool_results","results":[{"id":"7","tool":"check_stock","content":"{\"result\":\"ok\"}"}]}`,
			`4 {"role":"agent","text":"Yes."}`,
		}, messagesOf(t, s, id))

		c, err := s.Get(ctx, alice, id)
		if err != nil {
			t.Fatal(err)
		}
		if !c.HandedOff || c.Running || c.Contact.Name != "Alice" {
			t.Errorf("after the turn: %+v", c)
		}
		trace, err := s.Trace(ctx, alice, id, "7")
		same(t, `{"tool":"check_stock"}`, trace)
		if err != nil {
			t.Error(err)
		}

		// The next turn goes on where this one ended, and numbers its calls on.
		again := begin(t, s, id)
		same(t, []chat.Message{
			{Role: chat.User, Text: "Hola ñ \x00 <b>"}, {Role: chat.Agent, Calls: []chat.Call{call}},
			{Role: chat.ToolResults, Results: []chat.Result{result}}, {Role: chat.Agent, Text: "Yes."},
		}, again.History.Messages())
		var continued struct {
			LastID    int  `json:"last_id"`
			HandedOff bool `json:"handed_off"`
		}
		data, err := json.Marshal(again.History)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &continued); err != nil {
			t.Fatal(err)
		}
		if continued.LastID != 7 || !continued.HandedOff || again.First {
			t.Errorf("the second turn begins with %+v, First %t", continued, again.First)
		}
	})
}

// The stored form of messages is that of a marshalled conversation.
func TestMessagesReadAsAConversation(t *testing.T) {
	s := sqliteDatabase(t).open(t, store.Options{})
	id := create(t, s)
	text := strings.Repeat("<&> \u2028 ñ ", 3)
	messages := []chat.Message{
		{Role: chat.User, Text: text}, {Role: chat.Agent, Text: text, Calls: []chat.Call{{ID: "1", Tool: "a", Arguments: text}}},
		{Role: chat.ToolResults, Results: []chat.Result{{ID: "1", Tool: "a", Content: text, IsError: true}}}, {Role: chat.Human, Text: text},
	}
	if _, err := begin(t, s, id).Finish(context.Background(), store.Batch{}, messages, false); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(begin(t, s, id).History)
	if err != nil {
		t.Fatal(err)
	}
	var stored []string
	for _, m := range messagesOf(t, s, id) {
		_, body, _ := strings.Cut(m, " ")
		stored = append(stored, body)
	}
	same(t, `{"messages":[`+strings.Join(stored, ",")+`],"last_id":1}`, string(got))
}

func TestOneTurnAtATime(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		one, two := d.open(t, store.Options{}), d.open(t, store.Options{})
		id := create(t, one)
		turn := begin(t, one, id)
		for _, s := range []*store.Store{one, two} {
			if _, _, err := s.Begin(ctx, alice, id, "", nil); !errors.Is(err, store.ErrBusy) {
				t.Errorf("a second turn: %v", err)
			}
			if _, err := s.Act(ctx, alice, id, (*chat.Conversation).Resume); !errors.Is(err, store.ErrBusy) {
				t.Errorf("a person: %v", err)
			}
		}
		if closed, err := two.CloseExpired(ctx, 10); err != nil || len(closed) != 0 {
			t.Errorf("closed %q, %v", closed, err)
		}
		if _, err := turn.Finish(ctx, store.Batch{}, nil, false); err != nil {
			t.Fatal(err)
		}
		if _, _, err := two.Begin(ctx, alice, id, "", nil); err != nil {
			t.Errorf("after the end: %v", err)
		}
	})
}

// Many processes want the same conversation: each turn runs alone.
func TestManyWantOneConversation(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		stores := []*store.Store{d.open(t, store.Options{}), d.open(t, store.Options{}), d.open(t, store.Options{})}
		id := create(t, stores[0])
		const each = 10
		var running, done sync.Mutex
		var group sync.WaitGroup
		for w := range 12 {
			group.Go(func() {
				s := stores[w%len(stores)]
				for n := range each {
					turn, _, err := s.Begin(ctx, alice, id, "", nil)
					for errors.Is(err, store.ErrBusy) {
						time.Sleep(time.Millisecond)
						turn, _, err = s.Begin(ctx, alice, id, "", nil)
					}
					if err != nil {
						t.Error(err)
						return
					}
					if !running.TryLock() {
						t.Error("two turns run at once")
						return
					}
					text := fmt.Sprintf("%d %d", w, n)
					_, err = turn.Append(ctx, store.Batch{Events: bodies(chat.Event{Type: chat.UserEvent, Text: text})})
					running.Unlock()
					if err != nil {
						t.Error(err)
						return
					}
					if _, err := turn.Finish(ctx, store.Batch{Events: bodies(chat.Event{Type: chat.TurnEndEvent})}, []chat.Message{{Role: chat.User, Text: text}}, false); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		done.Lock()
		seen := map[string]int{}
		for i, line := range messagesOf(t, stores[0], id) {
			var seq int
			_, err := fmt.Sscanf(line, "%d", &seq)
			if err != nil || seq != i+1 {
				t.Fatalf("message %d is %s", i+1, line)
			}
			seen[line[strings.Index(line, "{"):]]++
		}
		if len(seen) != 12*each {
			t.Errorf("%d different messages, want %d", len(seen), 12*each)
		}
		same(t, 2*12*each, len(eventsOf(t, stores[0], id, 0)))
	})
}

func TestADeadTurnIsClosed(t *testing.T) {
	call := chat.Event{Type: chat.ToolCallEvent, ID: "1", Tool: "a", Arguments: `{"x":1}`}
	other := chat.Event{Type: chat.ToolCallEvent, ID: "2", Tool: "b"}
	hello := chat.Event{Type: chat.UserEvent, Text: "hello"}
	interrupted := `{"result":"error","message":"the turn was interrupted before the tool answered; whether it did its work is not known","error_key":"interrupted"}`
	quoted := strings.ReplaceAll(interrupted, `"`, `\"`)
	const note = `{"role":"agent","text":"(This turn was interrupted before it was answered.)"}`
	const failed = `{"type":"error","message":"the turn was interrupted: the process that ran it stopped"}`
	tests := map[string]struct {
		events    []chat.Event
		messages  []string
		more      []string
		handedOff bool
	}{
		"nothing happened": {nil, nil, nil, false},
		"the visitor spoke": {
			[]chat.Event{hello},
			[]string{`{"role":"user","text":"hello"}`, note},
			[]string{failed, `{"type":"turn_end","tool_calls":0}`}, false,
		},
		"calls without results": {
			[]chat.Event{hello, {Type: chat.AgentEvent, Text: "Let me see."}, call, other},
			[]string{
				`{"role":"user","text":"hello"}`,
				`{"role":"agent","text":"Let me see.","calls":[{"id":"1","tool":"a","arguments":"{\"x\":1}"},{"id":"2","tool":"b","arguments":"{}"}]}`,
				`{"role":"tool_results","results":[{"id":"1","tool":"a","content":"` + quoted + `","is_error":true},{"id":"2","tool":"b","content":"` + quoted + `","is_error":true}]}`,
				note,
			},
			[]string{
				`{"type":"tool_result","id":"1","tool":"a","is_error":true,"content":"` + quoted + `"}`,
				`{"type":"tool_result","id":"2","tool":"b","is_error":true,"content":"` + quoted + `"}`,
				failed, `{"type":"turn_end","tool_calls":2}`,
			}, false,
		},
		"one of two results": {
			[]chat.Event{hello, call, other, {Type: chat.ToolResultEvent, ID: "1", Tool: "a", Content: "done"}},
			[]string{
				`{"role":"user","text":"hello"}`,
				`{"role":"agent","calls":[{"id":"1","tool":"a","arguments":"{\"x\":1}"},{"id":"2","tool":"b","arguments":"{}"}]}`,
				`{"role":"tool_results","results":[{"id":"1","tool":"a","content":"done"},{"id":"2","tool":"b","content":"` + quoted + `","is_error":true}]}`,
				note,
			},
			[]string{
				`{"type":"tool_result","id":"2","tool":"b","is_error":true,"content":"` + quoted + `"}`,
				failed, `{"type":"turn_end","tool_calls":2}`,
			}, false,
		},
		"a second round": {
			[]chat.Event{hello, call, {Type: chat.ToolResultEvent, ID: "1", Tool: "a", Content: "done"}, other},
			[]string{
				`{"role":"user","text":"hello"}`,
				`{"role":"agent","calls":[{"id":"1","tool":"a","arguments":"{\"x\":1}"}]}`,
				`{"role":"tool_results","results":[{"id":"1","tool":"a","content":"done"}]}`,
				`{"role":"agent","calls":[{"id":"2","tool":"b","arguments":"{}"}]}`,
				`{"role":"tool_results","results":[{"id":"2","tool":"b","content":"` + quoted + `","is_error":true}]}`,
				note,
			},
			[]string{
				`{"type":"tool_result","id":"2","tool":"b","is_error":true,"content":"` + quoted + `"}`,
				failed, `{"type":"turn_end","tool_calls":2}`,
			}, false,
		},
		"a handoff": {
			[]chat.Event{
				hello, {Type: chat.ToolCallEvent, ID: "1", Tool: "handoff", Arguments: `{"reason":"r"}`},
				{Type: chat.ToolResultEvent, ID: "1", Tool: "handoff", Content: "ok"},
			},
			[]string{
				`{"role":"user","text":"hello"}`,
				`{"role":"agent","calls":[{"id":"1","tool":"handoff","arguments":"{\"reason\":\"r\"}"}]}`,
				`{"role":"tool_results","results":[{"id":"1","tool":"handoff","content":"ok"}]}`,
				note,
			},
			[]string{failed, `{"type":"turn_end","tool_calls":1}`}, true,
		},
	}
	closers := map[string]func(t *testing.T, s *store.Store, id string){
		"by a turn": func(t *testing.T, s *store.Store, id string) {
			turn := begin(t, s, id)
			if _, err := turn.Finish(context.Background(), store.Batch{}, nil, turn.History.HandedOff()); err != nil {
				t.Fatal(err)
			}
		},
		"by a sweep": func(t *testing.T, s *store.Store, id string) {
			closed, err := s.CloseExpired(context.Background(), 10)
			if err != nil {
				t.Fatal(err)
			}
			same(t, []string{id}, closed)
		},
		"by a person": func(t *testing.T, s *store.Store, id string) {
			_, err := s.Act(context.Background(), alice, id, func(*chat.Conversation) (chat.Event, error) { return chat.Event{}, errors.New("nothing to say") })
			if err == nil || err.Error() != "nothing to say" {
				t.Fatal(err)
			}
			// What the person could not do leaves the turn as it was.
			if closed, err := s.CloseExpired(context.Background(), 10); err != nil || len(closed) != 1 {
				t.Fatalf("closed %q, %v", closed, err)
			}
		},
	}
	onBoth(t, func(t *testing.T, d database) {
		const lease = 50 * time.Millisecond
		dying, living := d.open(t, store.Options{Lease: lease}), d.open(t, store.Options{})
		for name, test := range tests {
			for how, closeTurn := range closers {
				t.Run(name+" "+how, func(t *testing.T) {
					id := create(t, living)
					say(t, living, id, "before", "answer")
					dead := begin(t, dying, id)
					if _, err := dead.Append(context.Background(), store.Batch{Events: bodies(test.events...)}); err != nil {
						t.Fatal(err)
					}
					time.Sleep(2 * lease)
					closeTurn(t, living, id)

					messages := messagesOf(t, living, id)
					want := []string{`1 {"role":"user","text":"before"}`, `2 {"role":"agent","text":"answer"}`}
					for i, m := range test.messages {
						want = append(want, fmt.Sprintf("%d %s", i+3, m))
					}
					same(t, want, messages)
					var events []string
					for i, e := range test.more {
						events = append(events, fmt.Sprintf("%d 2 %s", 4+len(test.events)+i, e))
					}
					same(t, events, eventsOf(t, living, id, int64(3+len(test.events))))
					c, err := living.Get(context.Background(), alice, id)
					if err != nil {
						t.Fatal(err)
					}
					if c.HandedOff != test.handedOff || c.Running {
						t.Errorf("HandedOff %t, Running %t", c.HandedOff, c.Running)
					}

					// The dead one rises, and can do no harm.
					ctx := context.Background()
					if _, err := dead.Append(ctx, store.Batch{Events: bodies(hello)}); !errors.Is(err, store.ErrFenced) {
						t.Errorf("Append: %v", err)
					}
					if err := dead.Renew(ctx); !errors.Is(err, store.ErrFenced) {
						t.Errorf("Renew: %v", err)
					}
					if _, err := dead.Finish(ctx, store.Batch{Events: bodies(hello)}, []chat.Message{{Role: chat.User, Text: "x"}}, true); !errors.Is(err, store.ErrFenced) {
						t.Errorf("Finish: %v", err)
					}
					if err := dead.Abandon(ctx); !errors.Is(err, store.ErrFenced) {
						t.Errorf("Abandon: %v", err)
					}
					same(t, messages, messagesOf(t, living, id))
					say(t, living, id, "after", "answer")
				})
			}
		}
	})
}

func TestARenewedLeaseLasts(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		const lease = 400 * time.Millisecond
		s := d.open(t, store.Options{Lease: lease})
		id := create(t, s)
		turn := begin(t, s, id)
		for range 4 {
			time.Sleep(lease / 2)
			if err := turn.Renew(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := s.Begin(ctx, alice, id, "", nil); !errors.Is(err, store.ErrBusy) {
			t.Errorf("a second turn: %v", err)
		}
	})
}

func TestAnAbandonedTurnIsClosedAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		s := d.open(t, store.Options{})
		id := create(t, s)
		turn := begin(t, s, id)
		if _, err := turn.Append(context.Background(), store.Batch{Events: bodies(chat.Event{Type: chat.UserEvent, Text: "hi"})}); err != nil {
			t.Fatal(err)
		}
		if err := turn.Abandon(context.Background()); err != nil {
			t.Fatal(err)
		}
		same(t, []string{`1 {"role":"user","text":"hi"}`, `2 {"role":"agent","text":"(This turn was interrupted before it was answered.)"}`}, messagesOf(t, s, id))
		say(t, s, id, "after", "answer")
	})
}

func TestARequestIsDoneOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		s := d.open(t, store.Options{Lease: 50 * time.Millisecond})
		id := create(t, s)
		say(t, s, id, "before", "answer")
		turn, _, err := s.Begin(ctx, alice, id, "r1", nil)
		if err != nil {
			t.Fatal(err)
		}
		again := func() *store.Repeated {
			t.Helper()
			_, _, err := s.Begin(ctx, alice, id, "r1", nil)
			var repeated *store.Repeated
			if !errors.As(err, &repeated) {
				t.Fatalf("the same request: %v", err)
			}
			return repeated
		}
		same(t, &store.Repeated{Turn: 2, After: 3}, again())
		if _, err := turn.Finish(ctx, store.Batch{Events: bodies(chat.Event{Type: chat.TurnEndEvent})}, nil, false); err != nil {
			t.Fatal(err)
		}
		say(t, s, id, "between", "answer")
		same(t, &store.Repeated{Turn: 2, After: 3}, again())

		// One of which nothing was stored may be made again.
		if _, _, err := s.Begin(ctx, alice, id, "r2", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if _, err := s.CloseExpired(ctx, 10); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Begin(ctx, alice, id, "r2", nil); err != nil {
			t.Errorf("a request that was never begun: %v", err)
		}
	})
}
