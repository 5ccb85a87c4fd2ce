package chat

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTurn(t *testing.T) {
	tests := []struct {
		name    string
		answers []answer
		bench   func(b *bench)
		budget  int
		stream  bool
		text    string
		want    string
		err     string
		calls   []string // that reached the toolbox
		tools   []int    // how many tools each request offered
	}{
		{
			name:    "an answer in words",
			answers: []answer{{text: "Hello."}},
			text:    "  hi <there> ",
			want:    lines(`{"type":"user","text":"hi <there>"}`, `{"type":"agent","text":"Hello."}`, `{"type":"turn_end","tool_calls":0}`),
			tools:   []int{1},
		},
		{
			name:    "one call",
			answers: []answer{{calls: []Call{stock("Picker")}}, {text: "There are 3."}},
			text:    "Picker?",
			want: lines(`{"type":"user","text":"Picker?"}`,
				`{"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"Picker"}}`,
				`{"type":"tool_result","id":"1","tool":"check_stock","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Found <Picker>.\"}","http":{"method":"GET","url":"http://shop.example/products?name=Picker","status":200,"duration_ms":3}}`,
				`{"type":"agent","text":"There are 3."}`, `{"type":"turn_end","tool_calls":1}`),
			calls: []string{`check_stock {"product": "Picker"}`},
			tools: []int{1, 1},
		},
		{
			name:    "streaming, and words before a call",
			stream:  true,
			answers: []answer{{text: "One moment.", deltas: []string{"One ", "moment."}, calls: []Call{{Tool: "quiet"}}}, {text: "Done.", deltas: []string{"Do", "", "ne."}}},
			bench:   func(b *bench) { b.add("quiet", func(context.Context, Call) Outcome { return Outcome{Content: "ok"} }) },
			text:    "go",
			want: lines(`{"type":"user","text":"go"}`,
				`{"type":"agent_delta","text":"One "}`, `{"type":"agent_delta","text":"moment."}`, `{"type":"agent","text":"One moment."}`,
				`{"type":"tool_call","id":"1","tool":"quiet","arguments":{}}`,
				`{"type":"tool_result","id":"1","tool":"quiet","is_error":false,"content":"ok"}`,
				`{"type":"agent_delta","text":"Do"}`, `{"type":"agent_delta","text":"ne."}`, `{"type":"agent","text":"Done."}`,
				`{"type":"turn_end","tool_calls":1}`),
			calls: []string{"quiet {}"},
			tools: []int{2, 2},
		},
		{
			name:    "an invented name, and arguments that are no JSON",
			answers: []answer{{calls: []Call{{Tool: "chek_stock", Arguments: "{}"}, {Tool: "check_stock", Arguments: "{oops"}}}, {text: "Sorry."}},
			text:    "go",
			want: lines(`{"type":"user","text":"go"}`,
				`{"type":"tool_call","id":"1","tool":"chek_stock","arguments":{}}`,
				`{"type":"tool_call","id":"2","tool":"check_stock","arguments":"{oops"}`,
				`{"type":"tool_result","id":"1","tool":"chek_stock","is_error":true,"content":"{\"result\":\"error\",\"message\":\"there is no tool \\\"chek_stock\\\": the tools are check_stock\",\"error_key\":\"unknown_tool\"}"}`,
				`{"type":"tool_result","id":"2","tool":"check_stock","is_error":true,"content":"{\"result\":\"error\",\"message\":\"the arguments are no JSON: unexpected word \\\"oops\\\" at byte 1, wanted a member name in double quotes or '}'\",\"error_key\":\"invalid_arguments\"}"}`,
				`{"type":"agent","text":"Sorry."}`, `{"type":"turn_end","tool_calls":2}`),
			tools: []int{1, 1},
		},
		{
			name:    "a spent budget takes the tools away",
			budget:  1,
			answers: []answer{{calls: []Call{stock("A"), stock("B")}}, {calls: []Call{stock("C")}}, {text: "That is all."}},
			text:    "go",
			want: lines(`{"type":"user","text":"go"}`,
				`{"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"A"}}`,
				`{"type":"tool_call","id":"2","tool":"check_stock","arguments":{"product":"B"}}`,
				`{"type":"tool_result","id":"1","tool":"check_stock","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Found <A>.\"}","http":{"method":"GET","url":"http://shop.example/products?name=A","status":200,"duration_ms":3}}`,
				`{"type":"tool_result","id":"2","tool":"check_stock","is_error":true,"content":"{\"result\":\"error\",\"message\":\"all 1 tool calls of this turn are used: answer with what is known\",\"error_key\":\"tool_budget_spent\"}"}`,
				`{"type":"tool_call","id":"3","tool":"check_stock","arguments":{"product":"C"}}`,
				`{"type":"tool_result","id":"3","tool":"check_stock","is_error":true,"content":"{\"result\":\"error\",\"message\":\"all 1 tool calls of this turn are used: answer with what is known\",\"error_key\":\"tool_budget_spent\"}"}`,
				`{"type":"agent","text":"That is all."}`, `{"type":"turn_end","tool_calls":3}`),
			calls: []string{`check_stock {"product": "A"}`},
			tools: []int{1, 1, 0},
		},
		{
			name:    "a model that never stops calling",
			budget:  1,
			answers: []answer{{calls: []Call{stock("A")}}, {calls: []Call{stock("B")}}, {calls: []Call{stock("C")}}, {calls: []Call{stock("D")}}, {text: "never asked"}},
			text:    "go",
			want: lines(`{"type":"user","text":"go"}`,
				`{"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"A"}}`,
				`{"type":"tool_result","id":"1","tool":"check_stock","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Found <A>.\"}","http":{"method":"GET","url":"http://shop.example/products?name=A","status":200,"duration_ms":3}}`,
				`{"type":"tool_call","id":"2","tool":"check_stock","arguments":{"product":"B"}}`,
				`{"type":"tool_result","id":"2","tool":"check_stock","is_error":true,"content":"{\"result\":\"error\",\"message\":\"all 1 tool calls of this turn are used: answer with what is known\",\"error_key\":\"tool_budget_spent\"}"}`,
				`{"type":"tool_call","id":"3","tool":"check_stock","arguments":{"product":"C"}}`,
				`{"type":"tool_result","id":"3","tool":"check_stock","is_error":true,"content":"{\"result\":\"error\",\"message\":\"all 1 tool calls of this turn are used: answer with what is known\",\"error_key\":\"tool_budget_spent\"}"}`,
				`{"type":"tool_call","id":"4","tool":"check_stock","arguments":{"product":"D"}}`,
				`{"type":"tool_result","id":"4","tool":"check_stock","is_error":true,"content":"{\"result\":\"error\",\"message\":\"all 1 tool calls of this turn are used: answer with what is known\",\"error_key\":\"tool_budget_spent\"}"}`,
				`{"type":"error","message":"the model kept calling tools after 4 of its answers: the turn was ended"}`,
				`{"type":"turn_end","tool_calls":4}`),
			err:   "the model kept calling tools after 4 of its answers: the turn was ended",
			calls: []string{`check_stock {"product": "A"}`},
			tools: []int{1, 1, 0, 0},
		},
		{
			name:    "a failing model",
			answers: []answer{{calls: []Call{stock("A")}}, {err: errors.New("the provider answered HTTP 529")}},
			text:    "go",
			want: lines(`{"type":"user","text":"go"}`,
				`{"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"A"}}`,
				`{"type":"tool_result","id":"1","tool":"check_stock","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Found <A>.\"}","http":{"method":"GET","url":"http://shop.example/products?name=A","status":200,"duration_ms":3}}`,
				`{"type":"error","message":"the provider answered HTTP 529"}`, `{"type":"turn_end","tool_calls":1}`),
			err:   "the provider answered HTTP 529",
			calls: []string{`check_stock {"product": "A"}`},
			tools: []int{1, 1},
		},
		{
			name:    "an empty answer",
			answers: []answer{{text: " \n"}},
			text:    "go",
			want: lines(`{"type":"user","text":"go"}`, `{"type":"error","message":"the model gave an empty answer: ask again, or choose another model"}`,
				`{"type":"turn_end","tool_calls":0}`),
			err:   "the model gave an empty answer: ask again, or choose another model",
			tools: []int{1},
		},
		{
			name: "blank text",
			text: " \t\n",
			want: lines(`{"type":"error","message":"the message is blank: write something to say"}`),
			err:  "the message is blank: write something to say",
		},
		{
			name:    "a tool that ends the turn",
			answers: []answer{{calls: []Call{{Tool: RequestContactInfoTool, Arguments: "{}"}}}, {text: "never asked"}},
			bench: func(b *bench) {
				b.add(RequestContactInfoTool, func(context.Context, Call) Outcome {
					return Outcome{Content: `{"result":"ok","message":"Please share your number."}`, EndTurn: true}
				})
			},
			text: "go",
			want: lines(`{"type":"user","text":"go"}`,
				`{"type":"tool_call","id":"1","tool":"request_contact_info","arguments":{}}`,
				`{"type":"tool_result","id":"1","tool":"request_contact_info","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Please share your number.\"}"}`,
				`{"type":"agent","text":"Please share your number."}`, `{"type":"turn_end","tool_calls":1}`),
			calls: []string{"request_contact_info {}"},
			tools: []int{2},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model, box := &script{answers: tt.answers}, newBench()
			if tt.bench != nil {
				tt.bench(box)
			}
			conv := &Conversation{}
			got, err := events(t, &Engine{Model: model, Tools: box, Budget: tt.budget, Stream: tt.stream}, conv, tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != tt.err {
				t.Errorf("error %q, want %q", text, tt.err)
			}
			if diff := cmp.Diff(tt.calls, box.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			var tools []int
			for _, r := range model.requests {
				tools = append(tools, len(r.Tools))
			}
			if diff := cmp.Diff(tt.tools, tools); diff != "" {
				t.Errorf("tools offered (-want +got):\n%s", diff)
			}
			// Whatever happened, the next turn works.
			model.answers = []answer{{text: "Still here."}}
			if _, err := events(t, &Engine{Model: model, Tools: box}, conv, "again"); err != nil {
				t.Errorf("the next turn: %v", err)
			}
		})
	}
}

func TestResultsKeepTheOrderOfTheCalls(t *testing.T) {
	box := newBench()
	second := make(chan struct{})
	box.add("slow", func(context.Context, Call) Outcome {
		<-second // only a concurrent call can get past this
		return Outcome{Content: "slow"}
	})
	box.add("fast", func(context.Context, Call) Outcome {
		close(second)
		return Outcome{Content: "fast"}
	})
	model := &script{answers: []answer{{calls: []Call{{ID: "x", Tool: "slow"}, {ID: "x", Tool: "fast"}}}, {text: "ok"}}}
	conv := &Conversation{}
	if _, err := events(t, &Engine{Model: model, Tools: box}, conv, "go"); err != nil {
		t.Fatal(err)
	}
	want := []Message{
		{Role: User, Text: "go"},
		{Role: Agent, Calls: []Call{{ID: "1", Tool: "slow", Arguments: "{}"}, {ID: "2", Tool: "fast", Arguments: "{}"}}},
		{Role: ToolResults, Results: []Result{{ID: "1", Tool: "slow", Content: "slow"}, {ID: "2", Tool: "fast", Content: "fast"}}},
		{Role: Agent, Text: "ok"},
	}
	if diff := cmp.Diff(want, conv.Messages()); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:3], model.requests[1].Messages); diff != "" {
		t.Errorf("second request (-want +got):\n%s", diff)
	}
}

func TestCancelledTurn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	box := newBench()
	box.add("hang", func(ctx context.Context, _ Call) Outcome {
		cancel()
		<-ctx.Done()
		return Outcome{Content: "hang: the service is unreachable", IsError: true}
	})
	box.add("quick", func(context.Context, Call) Outcome { return Outcome{Content: "done"} })
	model := &script{answers: []answer{{calls: []Call{{Tool: "hang", Arguments: "{}"}, {Tool: "quick", Arguments: "{}"}}}}}
	conv := &Conversation{}
	e := &Engine{Model: model, Tools: box}
	got, err := eventsContext(t, ctx, e, conv, "go")
	if !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) || err.Error() != "the turn was cancelled" {
		t.Errorf("error %v", err)
	}
	want := lines(`{"type":"user","text":"go"}`,
		`{"type":"tool_call","id":"1","tool":"hang","arguments":{}}`,
		`{"type":"tool_call","id":"2","tool":"quick","arguments":{}}`,
		`{"type":"tool_result","id":"1","tool":"hang","is_error":true,"content":"{\"result\":\"error\",\"message\":\"the turn was cancelled before the tool answered; whether it did its work is not known\",\"error_key\":\"cancelled\"}"}`,
		`{"type":"tool_result","id":"2","tool":"quick","is_error":false,"content":"done"}`,
		`{"type":"error","message":"the turn was cancelled"}`, `{"type":"turn_end","tool_calls":2}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if m := conv.Messages(); m[len(m)-1].Text != cancelledNote || m[len(m)-1].Role != Agent {
		t.Errorf("the history ends with %+v", m[len(m)-1])
	}
	model.answers = []answer{{text: "Hello."}}
	if _, err := events(t, e, conv, "again"); err != nil {
		t.Errorf("the next turn: %v", err)
	}
}

func TestCancelWhileTheModelWrites(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	conv := &Conversation{}
	e := &Engine{Model: &script{answers: []answer{{text: "late", before: cancel}}}, Tools: newBench()}
	got, err := eventsContext(t, ctx, e, conv, "go")
	if !errors.Is(err, ErrCancelled) {
		t.Errorf("error %v", err)
	}
	want := lines(`{"type":"user","text":"go"}`, `{"type":"error","message":"the turn was cancelled"}`, `{"type":"turn_end","tool_calls":0}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestHandoff(t *testing.T) {
	box := newBench()
	box.add(HandoffTool, func(context.Context, Call) Outcome {
		return Outcome{Content: `{"result":"ok","message":"A person will take over."}`}
	})
	model := &script{answers: []answer{{calls: []Call{{Tool: HandoffTool, Arguments: `{"reason":"asked"}`}}}, {text: "I am back."}}}
	e, conv := &Engine{Model: model, Tools: box}, &Conversation{}

	if _, err := conv.Human("too early"); err == nil {
		t.Error("a person may speak before the handoff")
	}
	if _, err := conv.Resume(); err == nil {
		t.Error("a conversation may resume before the handoff")
	}
	first, err := events(t, e, conv, "a person please")
	if err != nil || !conv.HandedOff() {
		t.Fatalf("error %v, handed off %v", err, conv.HandedOff())
	}
	second, err := events(t, e, conv, "are you there?")
	if err != nil {
		t.Fatal(err)
	}
	human, err := conv.Human("Yes, I am Eva.")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conv.Human("  "); err == nil {
		t.Error("a person may say nothing")
	}
	resume, err := conv.Resume()
	if err != nil {
		t.Fatal(err)
	}
	third, err := events(t, e, conv, "thanks")
	if err != nil {
		t.Fatal(err)
	}
	got := first + second + string(AppendEvent(nil, human)) + "\n" + string(AppendEvent(nil, resume)) + "\n" + third
	handoff := `{"type":"handoff","text":"a person has this conversation; the agent does not answer until it is resumed"}`
	want := lines(`{"type":"user","text":"a person please"}`,
		`{"type":"tool_call","id":"1","tool":"handoff","arguments":{"reason":"asked"}}`,
		`{"type":"tool_result","id":"1","tool":"handoff","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"A person will take over.\"}"}`,
		handoff, `{"type":"agent","text":"A person will take over."}`, `{"type":"turn_end","tool_calls":1}`,
		`{"type":"user","text":"are you there?"}`, handoff, `{"type":"turn_end","tool_calls":0}`,
		`{"type":"human","text":"Yes, I am Eva."}`, `{"type":"resume"}`,
		`{"type":"user","text":"thanks"}`, `{"type":"agent","text":"I am back."}`, `{"type":"turn_end","tool_calls":0}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	roles := ""
	for _, m := range model.requests[1].Messages {
		roles += m.Role.String() + " "
	}
	if roles != "user agent tool_results agent user human user " {
		t.Errorf("the model sees %s", roles)
	}
}

func TestShare(t *testing.T) {
	model := &script{answers: []answer{{text: "Thanks."}, {text: "Both."}}}
	e, conv := &Engine{Model: model, Tools: newBench()}, &Conversation{}
	for _, bad := range []string{"", "12", "+", "call me", "+1234567890123456", "123+4567890"} {
		if _, err := conv.Share(bad); err == nil {
			t.Errorf("%q passes for a phone number", bad)
		}
	}
	phone, err := conv.Share(" +56 9 1234-5678 ")
	if err != nil || phone != "+56912345678" || !conv.Shared() {
		t.Fatalf("%q, %v", phone, err)
	}
	got, err := events(t, e, conv, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conv.Share("912345678"); err != nil {
		t.Fatal(err)
	}
	more, err := events(t, e, conv, "done")
	if err != nil {
		t.Fatal(err)
	}
	want := lines(`{"type":"user","text":"(The visitor shared their phone number: +56912345678)"}`, `{"type":"agent","text":"Thanks."}`, `{"type":"turn_end","tool_calls":0}`,
		`{"type":"user","text":"(The visitor shared their phone number: 912345678)"}`, `{"type":"user","text":"done"}`, `{"type":"agent","text":"Both."}`, `{"type":"turn_end","tool_calls":0}`)
	if diff := cmp.Diff(want, got+more); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if p, ok := SharedPhone(SharedNote("+56912345678")); !ok || p != "+56912345678" {
		t.Errorf("the note gives %q, %v", p, ok)
	}
	if _, ok := SharedPhone("my number is +56912345678"); ok {
		t.Error("any text passes for a note")
	}
}

func TestRequestCarriesEverything(t *testing.T) {
	model, box := &script{answers: []answer{{text: "ok"}}}, newBench()
	if _, err := events(t, &Engine{Model: model, Tools: box, Instructions: "Be kind."}, &Conversation{}, "hi"); err != nil {
		t.Fatal(err)
	}
	want := []Request{{Instructions: "Be kind.", Tools: box.tools, Messages: []Message{{Role: User, Text: "hi"}}}}
	if diff := cmp.Diff(want, model.requests, cmp.Comparer(func(a, b Tool) bool { return a.Name == b.Name && a.Description == b.Description })); diff != "" {
		t.Error(diff)
	}
}

// TestLongConversation holds the engine to what a conversation may cost: the
// history, and nothing beside it.
func TestLongConversation(t *testing.T) {
	conv, box := &Conversation{}, newBench()
	e := &Engine{Model: echo{}, Tools: box}
	for range 2000 {
		if err := e.Turn(context.Background(), conv, "hi", func(Event) {}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(conv.Messages()); n != 8000 {
		t.Errorf("%d messages, want 8000", n)
	}
	if conv.lastID != 2000 {
		t.Errorf("the last id is %d", conv.lastID)
	}
}

// echo calls one tool and then says what came of it.
type echo struct{}

func (echo) Name() (string, string) { return "echo", "echo" }

func (echo) Next(_ context.Context, r Request, _ func(string)) (Reply, error) {
	last := r.Messages[len(r.Messages)-1]
	if last.Role == ToolResults {
		return Reply{Text: last.Results[0].Content}, nil
	}
	return Reply{Calls: []Call{{Tool: r.Tools[len(r.Tools)-1].Name, Arguments: `{"product":"Picker"}`}}}, nil
}

func BenchmarkTurn100Tools(b *testing.B) {
	box := newBench()
	for i := range 99 {
		box.add("tool_"+strings.Repeat("x", i), func(context.Context, Call) Outcome { return Outcome{Content: "ok"} })
	}
	e := &Engine{Model: echo{}, Tools: box}
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		conv := &Conversation{}
		if err := e.Turn(context.Background(), conv, "hi", func(ev Event) { line = AppendEvent(line[:0], ev) }); err != nil {
			b.Fatal(err)
		}
	}
}
