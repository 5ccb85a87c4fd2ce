package anthropic

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote/remotetest"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// conversation has everything that a history can hold.
func conversation() chat.Request {
	return chat.Request{
		Instructions: " Be brief.\nAnswer in \"Spanish\".\n",
		Tools: []chat.Tool{
			{
				Name: "check_stock", Description: "Check product stock.", WhenToUse: "They ask what is left.",
				Parameters: jsondoc.MustParse(`{ "type": "object", "required": ["product"], "properties": { "product": {"type":"string"}, "max": {"type":"number","maximum":10.500} } }`),
			},
			{Name: "handoff"},
			{Name: "buscar", Description: "Busca.", Parameters: jsondoc.MustParse(`{"type":"object","properties":{"año":{"type":"integer"},"tags":{"type":"array"}},"anyOf":[{"required":["año"]},{"required":["tags"]}]}`)},
		},
		Messages: []chat.Message{
			{Role: chat.Human, Text: "I am Ana."},
			{Role: chat.User, Text: "Hola <b> & \u2028 \x7f"},
			{Role: chat.Agent, Text: "I look."},
			{Role: chat.Agent, Text: "Now.", Calls: []chat.Call{{ID: "1", Tool: "check_stock", Arguments: `{ "product" : "Picker", "max": 1.50 }`}, {ID: "2", Tool: "buscar", Arguments: `{"año":2026}`}}},
			{Role: chat.ToolResults, Results: []chat.Result{{ID: "1", Tool: "check_stock", Content: `{"result":"ok"}`}, {ID: "2", Tool: "buscar", Content: "no", IsError: true}}},
			{Role: chat.Agent, Text: " ", Calls: []chat.Call{{ID: "3", Tool: "functions.made up", Arguments: `{"a":`}, {ID: "4", Tool: "handoff", Arguments: " "}, {ID: "5", Tool: "handoff", Arguments: "[1]"}}},
			{Role: chat.ToolResults, Results: []chat.Result{{ID: "3", Tool: "functions.made up", Content: "\n", IsError: true}, {ID: "4", Tool: "handoff", Content: ""}, {ID: "5", Tool: "handoff", Content: "x"}}},
			{Role: chat.User, Text: "And?"},
			{Role: chat.Human, Text: "\t"},
			{Role: chat.Human, Text: "What is it?"},
			{Role: chat.User, Text: "one"},
			{Role: chat.User, Text: "two"},
			{Role: chat.Agent, Text: "  "},
			{Role: chat.User, Text: "three"},
		},
	}
}

const (
	conversationMessages = `"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"(The visitor has not written yet.)"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"(A person wrote:) I am Ana."}]},` +
		`{"role":"user","content":[{"type":"text","text":"Hola <b> & ` + "\u2028 \x7f" + `"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"I look.\n\nNow."},` +
		`{"type":"tool_use","id":"call_1","name":"check_stock","input":{"product":"Picker","max":1.50}},` +
		`{"type":"tool_use","id":"call_2","name":"buscar","input":{"ano":2026}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"{\"result\":\"ok\"}"},` +
		`{"type":"tool_result","tool_use_id":"call_2","content":"no","is_error":true}]},` +
		`{"role":"assistant","content":[` +
		`{"type":"tool_use","id":"call_3","name":"functions_made_up","input":{"invalid_arguments":"{\"a\":"}},` +
		`{"type":"tool_use","id":"call_4","name":"handoff","input":{}},` +
		`{"type":"tool_use","id":"call_5","name":"handoff","input":{"invalid_arguments":"[1]"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_3","content":"(The tool failed and said nothing.)","is_error":true},` +
		`{"type":"tool_result","tool_use_id":"call_4"},` +
		`{"type":"tool_result","tool_use_id":"call_5","content":"x"},` +
		`{"type":"text","text":"And?"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"(A person wrote:) What is it?"}]},` +
		`{"role":"user","content":[{"type":"text","text":"one\n\ntwo\n\nthree"}]}]`

	conversationBody = `{"model":"claude-\"5\"","max_tokens":8192,"system":"Be brief.\nAnswer in \"Spanish\".",` + conversationMessages +
		`,"tools":[` +
		`{"name":"check_stock","description":"Check product stock.\n\nWhen to use: They ask what is left.","input_schema":{"type":"object","required":["product"],"properties":{"product":{"type":"string"},"max":{"type":"number","maximum":10.500}}}},` +
		`{"name":"handoff","input_schema":{"type":"object","properties":{}}},` +
		`{"name":"buscar","description":"Busca.","input_schema":{"type":"object","properties":{"ano":{"type":"integer","description":"año"},"tags":{"type":"array","items":{}}}}}],` +
		`"stream":true}`
)

// The whole request, byte for byte, on every attempt.
func TestRequestBytes(t *testing.T) {
	s := remotetest.Serve(t, remotetest.Response{Body: done})
	m := newTestModel(t, Options{Key: testKey, Name: `claude-"5"`, BaseURL: s.URL + "/v1/"}, &remotetest.Timeline{})
	want := "POST /v1/messages\n" +
		"Accept: text/event-stream\n" +
		"Accept-Encoding: gzip\n" +
		"Anthropic-Version: 2023-06-01\n" +
		"Content-Length: " + strconv.Itoa(len(conversationBody)) + "\n" +
		"Content-Type: application/json\n" +
		"User-Agent: vatio/1.2.3\n" +
		"X-Api-Key: " + testKey + "\n\n" + conversationBody
	for range 2 {
		if got := ask(t, m, conversation()); got.Err != "" || got.Reply.Text != "ok" {
			t.Fatalf("%+v", got)
		}
	}
	if diff := cmp.Diff([]string{want, want}, s.Requests()); diff != "" {
		t.Error(diff)
	}
}

// Nothing is sent that was not asked for: no key, no tools, no instructions, and
// nothing of the environment.
func TestSmallestRequest(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"} {
		t.Setenv(name, "of-the-environment")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Custom: of-the-environment")
	s := remotetest.Serve(t, remotetest.Response{Body: done})
	m := newTestModel(t, Options{BaseURL: s.URL}, &remotetest.Timeline{})
	if got := ask(t, m, hello()); got.Err != "" {
		t.Fatal(got.Err)
	}
	const body = `{"model":"test-1","max_tokens":8192,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"stream":true}`
	want := "POST /v1/messages\n" +
		"Accept: text/event-stream\n" +
		"Accept-Encoding: gzip\n" +
		"Anthropic-Version: 2023-06-01\n" +
		"Content-Length: " + strconv.Itoa(len(body)) + "\n" +
		"Content-Type: application/json\n" +
		"User-Agent: vatio/1.2.3\n\n" + body
	if diff := cmp.Diff([]string{want}, s.Requests()); diff != "" {
		t.Error(diff)
	}
}

// What a conversation may lack, and what the API insists on.
func TestMessages(t *testing.T) {
	user := func(text string) chat.Message { return chat.Message{Role: chat.User, Text: text} }
	agent := func(text string) chat.Message { return chat.Message{Role: chat.Agent, Text: text} }
	tests := []struct {
		name     string
		messages []chat.Message
		want     string
	}{
		{"nothing", nil, `{"role":"user","content":[{"type":"text","text":"(The visitor has not written yet.)"}]}`},
		{"only blanks", []chat.Message{user(" \n"), agent(""), user("\u00a0\u3000\x00\x1f")}, `{"role":"user","content":[{"type":"text","text":"(The visitor has not written yet.)"}]}`},
		{"the agent first", []chat.Message{agent("Hi."), user("a")}, `{"role":"user","content":[{"type":"text","text":"(The visitor has not written yet.)"}]},{"role":"assistant","content":[{"type":"text","text":"Hi."}]},{"role":"user","content":[{"type":"text","text":"a"}]}`},
		{"the agent last", []chat.Message{user("a"), agent("Hi. ")}, `{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"Hi. "}]},{"role":"user","content":[{"type":"text","text":"(Go on.)"}]}`},
		{"no results in a message of results", []chat.Message{user("a"), {Role: chat.ToolResults}}, `{"role":"user","content":[{"type":"text","text":"a"}]}`},
	}
	for _, test := range tests {
		m := newTestModel(t, Options{}, &remotetest.Timeline{})
		want := `{"model":"test-1","max_tokens":8192,"messages":[` + test.want + `],"stream":true}`
		if diff := cmp.Diff(want, string(m.request(chat.Request{Messages: test.messages}, m.toolSet(nil)))); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// A turn without calls keeps the names of those that were, and rules them out.
func TestToolsOfEachRequest(t *testing.T) {
	m := newTestModel(t, Options{}, &remotetest.Timeline{})
	one, other := hello(), hello()
	one.Tools = []chat.Tool{{Name: "a", Description: "A."}}
	other.Tools = []chat.Tool{{Name: "b", Description: "B."}}
	none := conversation()
	none.Tools = nil
	var got []string
	for _, r := range []chat.Request{one, other, hello(), one, none} {
		body := string(m.request(r, m.toolSet(r.Tools)))
		got = append(got, body[strings.LastIndex(body, `"}]}]`)+5:])
	}
	a := `,"tools":[{"name":"a","description":"A.","input_schema":{"type":"object","properties":{}}}],"stream":true}`
	want := []string{
		a, strings.NewReplacer(`"a"`, `"b"`, "A.", "B.").Replace(a), `,"stream":true}`, a,
		`,"tools":[{"name":"check_stock","input_schema":{"type":"object"}},{"name":"buscar","input_schema":{"type":"object"}},{"name":"functions_made_up","input_schema":{"type":"object"}},{"name":"handoff","input_schema":{"type":"object"}}],"tool_choice":{"type":"none"},"stream":true}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBaseURL(t *testing.T) {
	tests := []struct{ text, want, fault string }{
		{"", "https://api.anthropic.com/v1", ""},
		{"https://api.anthropic.com", "https://api.anthropic.com/v1", ""},
		{"https://api.anthropic.com/v1/", "https://api.anthropic.com/v1", ""},
		{"https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1", ""},
		{" http://localhost:11434/ ", "http://localhost:11434/v1", ""},
		{"https://gateway.example/anthropic", "https://gateway.example/anthropic/v1", ""},
		{"https://gateway.example/anthropic/v1/messages/", "https://gateway.example/anthropic/v1", ""},
		{"localhost:11434", "", `the model's address "localhost:11434" begins with neither http:// nor https://: write --model-url as in http://localhost:11434/v1`},
		{"http://ana:secret@host/v1", "", `the model's address "http://host/v1" has a user or password in it, which do not belong there: write --model-url as in http://localhost:11434/v1`},
	}
	for _, test := range tests {
		got, fault := "", ""
		u, err := BaseURL(test.text)
		if err != nil {
			fault = err.Error()
		} else {
			got = u.String()
		}
		if got != test.want || fault != test.fault {
			t.Errorf("%q: %q, %q\nwant %q, %q", test.text, got, fault, test.want, test.fault)
		}
	}
}

func TestOptions(t *testing.T) {
	tests := []struct {
		options Options
		want    string
	}{
		{Options{}, "the provider anthropic needs the name of a model: add --model, as in --model claude-sonnet-4-5, or model.name in vatio.yml"},
		{Options{Name: "m", Key: "a\nb"}, "the key has a space, a line break or a character beyond ASCII in it: set it anew"},
		{Options{Name: "m", BaseURL: "x"}, `the model's address "x" begins with neither http:// nor https://: write --model-url as in http://localhost:11434/v1`},
	}
	for _, test := range tests {
		if m, err := New(test.options); err == nil || err.Error() != test.want || m != nil {
			t.Errorf("%+v: %v, want %s", test.options, err, test.want)
		}
	}
	m, err := New(Options{Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if provider, name := m.Name(); provider != "anthropic" || name != "m" {
		t.Errorf("%s %s", provider, name)
	}
}

func TestAdapt(t *testing.T) {
	m := newTestModel(t, Options{}, &remotetest.Timeline{})
	tool, changes := m.Adapt(conversation().Tools[2])
	want := chat.Tool{Name: "buscar", Description: "Busca."}
	parameters := string(tool.Parameters.Raw())
	tool.Parameters = jsondoc.Value{}
	if tool != want || parameters != `{"type":"object","properties":{"ano":{"type":"integer","description":"año"},"tags":{"type":"array","items":{}}}}` {
		t.Errorf("%+v %s", tool, parameters)
	}
	if diff := cmp.Diff([]string{
		`the parameter "año" travels as "ano": anthropic refuses its name`,
		`the array "tags" was given items, of any kind: anthropic refuses one that does not say what it holds`,
		`"anyOf" was taken out at the top of the parameters: anthropic refuses it`,
	}, changes); diff != "" {
		t.Error(diff)
	}
	if _, changes := m.Adapt(conversation().Tools[0]); changes != nil {
		t.Error(changes)
	}
	long := strings.Repeat("x", 5000)
	if tool, changes := m.Adapt(chat.Tool{Name: "a", Description: long, Parameters: jsondoc.MustParse(`{"type":"object","properties":{}}`)}); changes != nil || tool.Description != long {
		t.Error(tool.Description, changes)
	}
}
