package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
)

// history is a conversation in which everything comes up that the model reads
// from the messages.
func history() []chat.Message {
	return []chat.Message{
		{Role: chat.User, Text: "Reserve 2 Picker for pickup on 2026-12-04"},
		{Role: chat.Agent, Calls: []chat.Call{{ID: "1", Tool: "reserve_pickup", Arguments: `{"product":"Picker","quantity":2,"date":"2026-12-04"}`}}},
		{Role: chat.ToolResults, Results: []chat.Result{{ID: "1", Tool: "reserve_pickup", Content: `{"result":"ok","message":"Reserved."}`}}},
		{Role: chat.Agent, Text: "Reserved."},
		{Role: chat.User, Text: "I want to check stock"},
		{Role: chat.Agent, Text: "To go on I need the product: The product's name, or a part of it."},
		{Role: chat.User, Text: "Quantum Hoe"},
	}
}

func TestSameRequestSameReply(t *testing.T) {
	want := call("check_stock", `{"product":"Quantum Hoe"}`)
	shared := newTestModel()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 20 {
				m := shared
				if i%2 == 0 {
					m = newTestModel()
				}
				for name, tools := range toolSets() {
					if name != "shop" && name != "acme" {
						tools = append(shopTools(), tools...)
					}
					got, err := m.Next(context.Background(), chat.Request{Tools: tools, Messages: history()}, nil)
					if err != nil {
						t.Error(err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("with the tools of %s (-want +got):\n%s", name, diff)
					}
				}
			}
		})
	}
	group.Wait()
}

// TestThousandRuns plays conversations again and again, with a model that
// knows the tools and with new ones, and wants the same bytes every time.
func TestThousandRuns(t *testing.T) {
	sets := readTools(t, "testdata/talk/alike.json")
	tools := slices.Concat(sets["garden"], sets["clinica"])
	var requests []chat.Request
	for _, text := range []string{
		"Cancel ORD-20931 and show my open orders", "¿cuánto vale traumatología?", "hello",
	} {
		requests = append(requests, chat.Request{Tools: tools, Messages: append(history()[:4:4], chat.Message{Role: chat.User, Text: text})})
	}
	requests = append(requests, chat.Request{Tools: tools, Messages: append(history()[:2:2], chat.Message{Role: chat.ToolResults, Results: []chat.Result{{
		ID: "1", Tool: "reserve_pickup", Content: `{"result":"ok","message":"Done.","data":{"rows":[{"a":1,"b":{"c":[1,2]}},{"d":"x","a":2}],"e":{"f":1}}}`,
	}}})})
	run := func(m *Model) string {
		var b strings.Builder
		for _, r := range requests {
			reply, err := m.Next(context.Background(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%q\n", reply)
		}
		return b.String()
	}
	m := newTestModel()
	want := run(m)
	for i := range 1000 {
		if i%50 == 0 {
			m = newTestModel()
		}
		if got := run(m); got != want {
			t.Fatalf("run %d (-want +got):\n%s", i, cmp.Diff(want, got))
		}
	}
}

func TestCompiledToolsAreBounded(t *testing.T) {
	m := newTestModel()
	for i := range 3 * keep {
		m.index([]chat.Tool{{Name: fmt.Sprintf("tool_%d", i)}})
	}
	if len(m.known) != keep {
		t.Errorf("%d sets are kept, want %d", len(m.known), keep)
	}
	newest := m.known[0].ix
	if got := m.index([]chat.Tool{{Name: fmt.Sprintf("tool_%d", 3*keep-1)}}); got != newest {
		t.Error("a set that was just compiled was compiled again")
	}
}

// Another model's answers, or older tools, must not look like a question that
// was asked.
func TestAnswersOfOthersAskNothing(t *testing.T) {
	got, err := newTestModel().Next(context.Background(), chat.Request{Tools: shopTools(), Messages: []chat.Message{
		{Role: chat.User, Text: "I want to check stock"},
		{Role: chat.Agent, Text: "Sure! Which product do you have in mind?"},
		{Role: chat.User, Text: "Quantum Hoe"},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Calls) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestDoneContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newTestModel().Next(ctx, chat.Request{}, nil); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func TestWithoutMessages(t *testing.T) {
	got, err := newTestModel().Next(context.Background(), chat.Request{}, nil)
	if err != nil || len(got.Calls) != 0 || got.Text == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A message as long as a request may be is answered like any other.
func TestLongMessages(t *testing.T) {
	tools := append(append(append(shopTools(), hotelTools()...), bankTools()...), builtinTools()...)
	for _, s := range []string{"1 ", "a@b.co ", "stock ", "Picker stock ", "no ", "\"a\" ", "2026-12-04 ", "+56912345678 ", "((((", "A-1 ", "and ", "one "} {
		text := strings.Repeat(s, 64<<10/len(s))
		messages := append(history()[:4:4], chat.Message{Role: chat.User, Text: text})
		start := time.Now()
		if _, err := newTestModel().Next(context.Background(), chat.Request{Tools: tools, Messages: messages}, nil); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%q, again and again, takes %v", s, d)
		}
	}
}

// FuzzNext holds the whole model to: no panic, a reply of some kind, a call
// only of what is offered, and the same reply twice.
func FuzzNext(f *testing.F) {
	for _, s := range []string{
		"Do you have the Picker in stock?", "¿Tienen el Picker en stock?", "Reserve 2 Picker for 31/02/2026 at 25:99", "no, el rojo", "\"\"", "'", "#", "-", "1,2,3.4.5",
		"my name is", "a\u0301\u0301 b", "+56 9 1234 5678", "in 99999999999 days", "13/13/2026", "0000-00-00", "  ", "…", "\xff\xfe", "que", "what about", "and",
	} {
		f.Add(s)
	}
	m := newTestModel()
	tools := slices.Concat(shopTools(), clinicTools(), bankTools(), builtinTools(), readTools(f, "testdata/talk/sentences.json")["domains"])
	offered := map[string]bool{}
	for _, t := range tools {
		offered[t.Name] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, messages := range [][]chat.Message{
			{{Role: chat.User, Text: text}},
			append(history(), chat.Message{Role: chat.Agent, Text: "x"}, chat.Message{Role: chat.User, Text: text}),
			append(history()[:4:4], chat.Message{Role: chat.User, Text: text}),
			append(history()[:6:6], chat.Message{Role: chat.User, Text: text}),
		} {
			r := chat.Request{Tools: tools, Messages: messages}
			got, err := m.Next(context.Background(), r, nil)
			if err != nil || got.Text == "" && len(got.Calls) == 0 {
				t.Fatalf("%+v, %v", got, err)
			}
			for _, c := range got.Calls {
				if !offered[c.Tool] {
					t.Fatalf("calls %q", c.Tool)
				}
			}
			again, _ := m.Next(context.Background(), r, nil)
			if diff := cmp.Diff(got, again); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func BenchmarkNext100Tools(b *testing.B) {
	var tools []chat.Tool
	for i := range 20 {
		for _, t := range append(append(shopTools(), saasTools()[:3]...), bankTools()[:2]...)[:5] {
			t.Name = fmt.Sprintf("%s_%c", t.Name, 'a'+i)
			tools = append(tools, t)
		}
	}
	m := newTestModel()
	for _, text := range []string{"Do you have the Quantum Hoe in stock?", "Cancel my reservation R-1001", "Quiero cambiar R-1001 al 20 de diciembre", "Tell me a joke"} {
		b.Run(text, func(b *testing.B) {
			r := chat.Request{Tools: tools, Messages: []chat.Message{{Role: chat.User, Text: text}}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Next(context.Background(), r, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile100Tools(b *testing.B) {
	var tools []chat.Tool
	for i := range 20 {
		for _, t := range shopTools() {
			t.Name = fmt.Sprintf("%s_%c", t.Name, 'a'+i)
			tools = append(tools, t)
		}
	}
	lex := newLexicon()
	b.ReportAllocs()
	for b.Loop() {
		newIndex(lex, tools)
	}
}
