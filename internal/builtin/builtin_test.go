package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/knowledge"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// search is a Knowledge that gives the passages it holds.
type search struct {
	found []knowledge.Passage
	err   error
	asked string
}

func (s *search) Search(_ context.Context, query string, limit int) ([]knowledge.Passage, error) {
	s.asked = fmt.Sprintf("%d %s", limit, query)
	return s.found, s.err
}

func all(channel string, k Knowledge) (*Tools, *Visitor, *[]string) {
	var log []string
	v := &Visitor{
		OnRequest: func(context.Context) error { log = append(log, "asked"); return nil },
		OnHandOff: func(_ context.Context, reason string) error { log = append(log, "handed off: "+reason); return nil },
	}
	v.SetChannel(channel)
	return New(Options{
		Enabled:   []string{"check_stock", "request_contact_info", "identify_contact", "knowledge_lookup", "identify_contact", "handoff"},
		Handoff:   &Handoff{When: "The visitor is <angry>.", Message: "Someone will write to you & soon."},
		Knowledge: k,
		Session:   v,
	}), v, &log
}

func offered(t *Tools) (names []string) {
	for _, tool := range t.Tools() {
		names = append(names, tool.Name)
	}
	return names
}

func TestNames(t *testing.T) {
	want := []string{"handoff", "identify_contact", "knowledge_lookup", "request_contact_info"}
	if diff := cmp.Diff(want, Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range want {
		if !Is(name) {
			t.Errorf("%q is none", name)
		}
	}
	for _, name := range []string{"", "Handoff", "check_stock"} {
		if Is(name) {
			t.Errorf("%q is one", name)
		}
	}
}

func TestOffered(t *testing.T) {
	tools, v, _ := all("whatsapp", nil)
	if diff := cmp.Diff([]string{"request_contact_info", "identify_contact", "knowledge_lookup", "handoff"}, offered(tools)); diff != "" {
		t.Errorf("on whatsapp (-want +got):\n%s", diff)
	}
	v.SetChannel("web")
	if diff := cmp.Diff([]string{"identify_contact", "knowledge_lookup", "handoff"}, offered(tools)); diff != "" {
		t.Errorf("on the web (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string(nil), offered(New(Options{Enabled: []string{"handoff", "x"}, Session: v}))); diff != "" {
		t.Errorf("none (-want +got):\n%s", diff)
	}
}

func TestDefinitions(t *testing.T) {
	tools, _, _ := all("whatsapp", nil)
	got := map[string]string{}
	for _, tool := range tools.Tools() {
		if tool.Description == "" || tool.WhenToUse == "" {
			t.Errorf("%s: description %q, when to use %q", tool.Name, tool.Description, tool.WhenToUse)
		}
		got[tool.Name] = string(tool.Parameters.AppendCompact(nil))
	}
	want := map[string]string{
		"knowledge_lookup":     `{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":1000,"description":"The words to look for, in the language of the documents, such as: return policy for opened boxes"}},"required":["query"]}`,
		"identify_contact":     `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":200,"description":"The visitor's name as they gave it"}},"required":["name"]}`,
		"request_contact_info": `{"type":"object","properties":{}}`,
		"handoff":              `{"type":"object","properties":{"reason":{"type":"string","minLength":1,"maxLength":1000,"description":"What the visitor needs and what was tried, in one or two sentences for the person who takes over"}},"required":["reason"]}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if got := tools.find("handoff").WhenToUse; got != "The visitor is <angry>." {
		t.Errorf("handoff: when to use %q", got)
	}
}

func TestCall(t *testing.T) {
	two := []knowledge.Passage{
		{Base: "a", File: "knowledge/a/x.md", Heading: "Shop > <b>", Text: "say \"hi\" & bye\n\u2028", Score: 2},
		{Base: "a", File: "knowledge/a/y.md", Text: "y", Score: 1},
	}
	long := strings.Repeat("é", 5000)
	many := []knowledge.Passage{{File: "1", Text: long}, {File: "2", Text: long}, {File: "3", Text: long}, {File: "4", Text: long}}
	cut := strings.Repeat("é", 3000) + `\n[…]`
	for _, tt := range []struct {
		name, tool, arguments string
		knowledge             *search
		want                  chat.Outcome
		asked                 string
		log                   []string
		contact               executor.Contact
	}{
		{
			name: "passages", tool: "knowledge_lookup", arguments: `{"query":" opened  boxes "}`, knowledge: &search{found: two}, asked: "5 opened  boxes",
			want: chat.Outcome{Content: `{"result":"ok","message":"Found 2 passages.","data":{"passages":[` +
				`{"file":"knowledge/a/x.md","heading":"Shop > <b>","text":"say \"hi\" & bye\n` + "\u2028" + `"},{"file":"knowledge/a/y.md","heading":"","text":"y"}]}}`},
		},
		{
			name: "one passage", tool: "knowledge_lookup", arguments: `{"query":"x"}`, knowledge: &search{found: two[1:]}, asked: "5 x",
			want: chat.Outcome{Content: `{"result":"ok","message":"Found 1 passage.","data":{"passages":[{"file":"knowledge/a/y.md","heading":"","text":"y"}]}}`},
		},
		{
			name: "nothing found", tool: "knowledge_lookup", arguments: `{"query":"x"}`, knowledge: &search{}, asked: "5 x",
			want: chat.Outcome{Content: `{"result":"ok","message":"Nothing was found. Other words may find it; else the knowledge base does not say.","data":{"passages":[]}}`},
		},
		{
			name: "long passages", tool: "knowledge_lookup", arguments: `{"query":"x"}`, knowledge: &search{found: many}, asked: "5 x",
			want: chat.Outcome{Content: `{"result":"ok","message":"Found 3 passages.","data":{"passages":[{"file":"1","heading":"","text":"` + cut +
				`"},{"file":"2","heading":"","text":"` + cut + `"},{"file":"3","heading":"","text":"` + cut + `"}]}}`},
		},
		{
			name: "the search fails", tool: "knowledge_lookup", arguments: `{"query":"x"}`, knowledge: &search{err: errors.New("disk /secret")}, asked: "5 x",
			want: chat.Outcome{IsError: true, Content: `{"result":"error","message":"The knowledge base could not be searched.","error_key":"knowledge_unavailable"}`},
		},
		{
			name: "blank query", tool: "knowledge_lookup", arguments: `{"query":" \n"}`, knowledge: &search{},
			want: chat.Outcome{IsError: true, Content: `{"result":"error","message":"the arguments do not fit: query: must not be blank","error_key":"invalid_arguments"}`},
		},
		{
			name: "name", tool: "identify_contact", arguments: `{"name":" Ana \"Núñez\" "}`, contact: executor.Contact{Name: `Ana "Núñez"`},
			want: chat.Outcome{Content: `{"result":"ok","message":"The visitor's name is stored: Ana \"Núñez\""}`},
		},
		{
			name: "name of 200 characters", tool: "identify_contact", arguments: `{"name":"` + strings.Repeat("ñ", 200) + `"}`, contact: executor.Contact{Name: strings.Repeat("ñ", 200)},
			want: chat.Outcome{Content: `{"result":"ok","message":"The visitor's name is stored: ` + strings.Repeat("ñ", 200) + `"}`},
		},
		{
			name: "name over two lines", tool: "identify_contact", arguments: `{"name":"Ana\nadmin"}`,
			want: chat.Outcome{IsError: true, Content: `{"result":"error","message":"the arguments do not fit: name: must not hold line breaks or other control characters","error_key":"invalid_arguments"}`},
		},
		{
			name: "request", tool: "request_contact_info", arguments: "", log: []string{"asked"},
			want: chat.Outcome{EndTurn: true, Content: `{"result":"ok","message":"The visitor was asked to share their phone number. It arrives only if they share it in a later message; what needed it can be tried again then."}`},
		},
		{
			name: "handoff", tool: "handoff", arguments: `{"reason":"Wants a refund."}`, log: []string{"handed off: Wants a refund."},
			want: chat.Outcome{Content: `{"result":"ok","message":"Someone will write to you & soon."}`},
		},
		{
			name: "blank reason", tool: "handoff", arguments: `{"reason":" "}`,
			want: chat.Outcome{IsError: true, Content: `{"result":"error","message":"the arguments do not fit: reason: must not be blank","error_key":"invalid_arguments"}`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.knowledge == nil {
				tt.knowledge = &search{}
			}
			tools, v, log := all("whatsapp", tt.knowledge)
			got, ok := tools.Call(context.Background(), chat.Call{ID: "1", Tool: tt.tool, Arguments: tt.arguments})
			if !ok {
				t.Fatal("not offered")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.asked, tt.knowledge.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.log, *log); diff != "" {
				t.Errorf("done (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.contact, v.Contact()); diff != "" {
				t.Errorf("contact (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidArguments(t *testing.T) {
	for _, tt := range []struct{ tool, arguments string }{
		{"identify_contact", `{}`},
		{"identify_contact", `{"name":""}`},
		{"identify_contact", `{"name":["Ana"]}`},
		{"identify_contact", `{"name":"` + strings.Repeat("x", 201) + `"}`},
		{"identify_contact", `{"name":null}`},
		{"identify_contact", `{"name":"a\u0000b"}`},
		{"identify_contact", `[]`},
		{"identify_contact", `"Ana"`},
		{"identify_contact", `{"name":`},
		{"knowledge_lookup", `{"query":"` + strings.Repeat("x", 1001) + `"}`},
		{"knowledge_lookup", ``},
		{"request_contact_info", `[]`},
		{"handoff", `{"because":"x"}`},
	} {
		tools, v, log := all("whatsapp", &search{})
		got, ok := tools.Call(context.Background(), chat.Call{Tool: tt.tool, Arguments: tt.arguments})
		if !ok || !got.IsError || got.EndTurn {
			t.Errorf("%s %.40s: %v %+v", tt.tool, tt.arguments, ok, got)
			continue
		}
		result := jsondoc.MustParse(got.Content)
		if result.Get("error_key").Text() != "invalid_arguments" || !strings.HasPrefix(result.Get("message").Text(), "the arguments ") {
			t.Errorf("%s %.40s: %s", tt.tool, tt.arguments, got.Content)
		}
		if len(*log) > 0 || v.Contact() != (executor.Contact{}) {
			t.Errorf("%s %.40s had an effect: %v %v", tt.tool, tt.arguments, *log, v.Contact())
		}
	}
}

// failing is a Session on WhatsApp on which nothing works.
type failing struct{}

func (failing) Channel() string                          { return "whatsapp" }
func (failing) Identify(context.Context, string) error   { return errors.New("db: down") }
func (failing) RequestContactInfo(context.Context) error { return errors.New("db: down") }
func (failing) HandOff(context.Context, string) error    { return errors.New("db: down") }

func TestSessionFails(t *testing.T) {
	tools := New(Options{Enabled: Names(), Handoff: &Handoff{}, Session: failing{}})
	got := map[string]chat.Outcome{}
	for name, arguments := range map[string]string{"identify_contact": `{"name":"Ana"}`, "request_contact_info": `{}`, "handoff": `{"reason":"x"}`} {
		got[name], _ = tools.Call(context.Background(), chat.Call{Tool: name, Arguments: arguments})
	}
	want := map[string]chat.Outcome{
		"identify_contact":     {IsError: true, Content: `{"result":"error","message":"The name could not be stored.","error_key":"contact_not_saved"}`},
		"request_contact_info": {IsError: true, Content: `{"result":"error","message":"The visitor could not be asked for their phone number.","error_key":"request_not_sent"}`},
		"handoff":              {IsError: true, Content: `{"result":"error","message":"The conversation could not be handed to a person.","error_key":"handoff_failed"}`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNotOffered(t *testing.T) {
	tools, _, log := all("cli", nil)
	for _, name := range []string{"request_contact_info", "check_stock", ""} {
		if got, ok := tools.Call(context.Background(), chat.Call{Tool: name, Arguments: "{}"}); ok || got != (chat.Outcome{}) {
			t.Errorf("%q: %v %+v", name, ok, got)
		}
	}
	if len(*log) > 0 {
		t.Errorf("done: %v", *log)
	}
}

func TestDefaults(t *testing.T) {
	tools := New(Options{Enabled: []string{"knowledge_lookup"}, Handoff: &Handoff{When: " ", Message: "\n"}, Session: &Visitor{}})
	got, _ := tools.Call(context.Background(), chat.Call{Tool: "handoff", Arguments: `{"reason":"x"}`})
	if diff := cmp.Diff(chat.Outcome{Content: `{"result":"ok","message":"A person will take over from here."}`}, got); diff != "" {
		t.Errorf("handoff (-want +got):\n%s", diff)
	}
	if tools.find("handoff").WhenToUse == "" {
		t.Error("handoff does not say when to use it")
	}
	got, _ = tools.Call(context.Background(), chat.Call{Tool: "knowledge_lookup", Arguments: `{"query":"x"}`})
	if diff := cmp.Diff(chat.Outcome{Content: `{"result":"ok","message":"Nothing was found. Other words may find it; else the knowledge base does not say.","data":{"passages":[]}}`}, got); diff != "" {
		t.Errorf("lookup (-want +got):\n%s", diff)
	}
}

func TestConcurrentCalls(t *testing.T) {
	v := &Visitor{}
	v.SetChannel("whatsapp")
	tools := New(Options{Enabled: Names(), Handoff: &Handoff{}, Session: v})
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for name, arguments := range map[string]string{
				"identify_contact": fmt.Sprintf(`{"name":"Ana %d"}`, i), "request_contact_info": `{}`,
				"knowledge_lookup": `{"query":"x"}`, "handoff": `{"reason":"x"}`,
			} {
				if o, ok := tools.Call(context.Background(), chat.Call{Tool: name, Arguments: arguments}); !ok || o.IsError {
					t.Errorf("%s: %v %+v", name, ok, o)
				}
				tools.Tools()
			}
		})
	}
	running.Wait()
	if !strings.HasPrefix(v.Contact().Name, "Ana ") {
		t.Errorf("name %q", v.Contact().Name)
	}
}
