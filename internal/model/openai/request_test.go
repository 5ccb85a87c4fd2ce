package openai

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote/remotetest"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const done = `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

// conversation has everything that a history can hold.
func conversation() chat.Request {
	return chat.Request{
		Instructions: "Be brief.\nAnswer in \"Spanish\".",
		Tools: []chat.Tool{
			{
				Name: "check_stock", Description: "Check product stock.", WhenToUse: "They ask what is left.",
				Parameters: jsondoc.MustParse(`{ "type": "object", "required": ["product"], "properties": { "product": {"type":"string"}, "max": {"type":"number","maximum":10.500} } }`),
			},
			{Name: "handoff", Description: "A person takes over."},
			{Name: "buscar", Description: "Busca.", Parameters: jsondoc.MustParse(`{"type":"object","properties":{"año":{"type":"integer"},"tags":{"type":"array"}},"anyOf":[{"required":["año"]},{"required":["tags"]}]}`)},
		},
		Messages: []chat.Message{
			{Role: chat.User, Text: "Hola <b> & \u2028 \x7f"},
			{Role: chat.Agent, Text: "I look."},
			{Role: chat.Agent, Text: "Now.", Calls: []chat.Call{{ID: "1", Tool: "check_stock", Arguments: `{ "product" : "Picker", "max": 1.50 }`}, {ID: "2", Tool: "buscar", Arguments: `{"año":2026}`}}},
			{Role: chat.ToolResults, Results: []chat.Result{{ID: "1", Tool: "check_stock", Content: `{"result":"ok"}`}, {ID: "2", Tool: "buscar", Content: "no", IsError: true}}},
			{Role: chat.Agent, Calls: []chat.Call{{ID: "3", Tool: "functions.made up", Arguments: `{"a":`}, {ID: "4", Tool: "handoff", Arguments: " "}, {ID: "5", Tool: "handoff", Arguments: "[1]"}}},
			{Role: chat.ToolResults, Results: []chat.Result{{ID: "3", Tool: "functions.made up", Content: "unknown"}, {ID: "4", Tool: "handoff", Content: ""}, {ID: "5", Tool: "handoff", Content: "x"}}},
			{Role: chat.Human, Text: "I am Ana."},
			{Role: chat.Human, Text: "What is it?"},
			{Role: chat.User, Text: "one"},
			{Role: chat.User, Text: "two"},
			{Role: chat.Agent, Text: "  "},
			{Role: chat.User, Text: "three"},
		},
	}
}

const conversationBody = `{"model":"gpt-\"5\"","messages":[` +
	`{"role":"system","content":"Be brief.\nAnswer in \"Spanish\"."},` +
	`{"role":"user","content":"Hola <b> & ` + "\u2028 \x7f" + `"},` +
	`{"role":"assistant","content":"I look.\n\nNow.","tool_calls":[` +
	`{"id":"call_1","type":"function","function":{"name":"check_stock","arguments":"{\"product\":\"Picker\",\"max\":1.50}"}},` +
	`{"id":"call_2","type":"function","function":{"name":"buscar","arguments":"{\"ano\":2026}"}}]},` +
	`{"role":"tool","tool_call_id":"call_1","content":"{\"result\":\"ok\"}"},` +
	`{"role":"tool","tool_call_id":"call_2","content":"no"},` +
	`{"role":"assistant","content":"","tool_calls":[` +
	`{"id":"call_3","type":"function","function":{"name":"functions_made_up","arguments":"{\"invalid_arguments\":\"{\\\"a\\\":\"}"}},` +
	`{"id":"call_4","type":"function","function":{"name":"handoff","arguments":"{}"}},` +
	`{"id":"call_5","type":"function","function":{"name":"handoff","arguments":"{\"invalid_arguments\":\"[1]\"}"}}]},` +
	`{"role":"tool","tool_call_id":"call_3","content":"unknown"},` +
	`{"role":"tool","tool_call_id":"call_4","content":""},` +
	`{"role":"tool","tool_call_id":"call_5","content":"x"},` +
	`{"role":"assistant","content":"(A person wrote:) I am Ana.\n\n(A person wrote:) What is it?"},` +
	`{"role":"user","content":"one\n\ntwo\n\nthree"}],` +
	`"tools":[` +
	`{"type":"function","function":{"name":"check_stock","description":"Check product stock.\n\nWhen to use: They ask what is left.","parameters":{"type":"object","required":["product"],"properties":{"product":{"type":"string"},"max":{"type":"number","maximum":10.500}}}}},` +
	`{"type":"function","function":{"name":"handoff","description":"A person takes over.","parameters":{"type":"object","properties":{}}}},` +
	`{"type":"function","function":{"name":"buscar","description":"Busca.","parameters":{"type":"object","properties":{"ano":{"type":"integer","description":"año"},"tags":{"type":"array","items":{}}}}}}],` +
	`"stream":true}`

// The whole request, byte for byte, on every attempt.
func TestRequestBytes(t *testing.T) {
	s := remotetest.Serve(t, remotetest.Response{Body: done})
	m := newTestModel(t, Options{Key: testKey, Name: `gpt-"5"`, BaseURL: s.URL + "/v1/"}, &remotetest.Timeline{})
	want := "POST /v1/chat/completions\n" +
		"Accept: text/event-stream\n" +
		"Accept-Encoding: gzip\n" +
		"Authorization: Bearer " + testKey + "\n" +
		"Content-Length: " + strconv.Itoa(len(conversationBody)) + "\n" +
		"Content-Type: application/json\n" +
		"User-Agent: vatio/1.2.3\n\n" + conversationBody
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
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, "of-the-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: of-the-environment")
	s := remotetest.Serve(t, remotetest.Response{Body: done})
	m := newTestModel(t, Options{BaseURL: s.URL}, &remotetest.Timeline{})
	if got := ask(t, m, hello()); got.Err != "" {
		t.Fatal(got.Err)
	}
	want := "POST /v1/chat/completions\n" +
		"Accept: text/event-stream\n" +
		"Accept-Encoding: gzip\n" +
		"Content-Length: 82\n" +
		"Content-Type: application/json\n" +
		"User-Agent: vatio/1.2.3\n\n" +
		`{"model":"test-1","messages":[{"role":"user","content":"hi"}],"stream":true}`
	want = strings.Replace(want, "82", strconv.Itoa(len(want[strings.Index(want, "{"):])), 1)
	if diff := cmp.Diff([]string{want}, s.Requests()); diff != "" {
		t.Error(diff)
	}
}

// Tools that change are written anew; those of a turn without calls are left out.
func TestToolsOfEachRequest(t *testing.T) {
	s := remotetest.Serve(t, remotetest.Response{Body: done})
	m := newTestModel(t, Options{BaseURL: s.URL}, &remotetest.Timeline{})
	one, other := hello(), hello()
	one.Tools = []chat.Tool{{Name: "a", Description: "A."}}
	other.Tools = []chat.Tool{{Name: "b", Description: "B."}}
	for _, r := range []chat.Request{one, other, hello(), one} {
		if got := ask(t, m, r); got.Err != "" {
			t.Fatal(got.Err)
		}
	}
	var got []string
	for _, request := range s.Requests() {
		_, after, _ := strings.Cut(request, `"content":"hi"}]`)
		got = append(got, after)
	}
	a := `,"tools":[{"type":"function","function":{"name":"a","description":"A.","parameters":{"type":"object","properties":{}}}}],"stream":true}`
	want := []string{a, strings.NewReplacer(`"a"`, `"b"`, "A.", "B.").Replace(a), `,"stream":true}`, a}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLongDescription(t *testing.T) {
	long := strings.Repeat("ñandú ", 200) + "end"
	s := remotetest.Serve(t, remotetest.Response{Body: done})
	m := newTestModel(t, Options{BaseURL: s.URL}, &remotetest.Timeline{})
	r := hello()
	r.Tools = []chat.Tool{{Name: "a", Description: long}, {Name: "b", Description: strings.Repeat("ñ", 1024)}, {Name: "c", Description: strings.Repeat("x", 1025)}}
	if got := ask(t, m, r); got.Err != "" {
		t.Fatal(got.Err)
	}
	body, err := jsondoc.Parse([]byte(s.Requests()[0][strings.Index(s.Requests()[0], "{"):]))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{body.Get("messages").Index(0).Get("content").Text()}
	for tool := range body.Get("tools").Elements() {
		got = append(got, tool.Get("function").Get("description").Text())
	}
	want := []string{
		"More about the tool a:\n" + long + "\n\nMore about the tool c:\n" + strings.Repeat("x", 1025),
		strings.TrimSuffix(strings.Repeat("ñandú ", 170), " ") + "…", strings.Repeat("ñ", 1024), strings.Repeat("x", 1023) + "…",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBaseURL(t *testing.T) {
	tests := []struct{ text, want, fault string }{
		{"", "https://api.openai.com/v1", ""},
		{"https://api.openai.com", "https://api.openai.com/v1", ""},
		{"https://api.openai.com/v1/", "https://api.openai.com/v1", ""},
		{"http://localhost:11434", "http://localhost:11434/v1", ""},
		{"http://localhost:11434/", "http://localhost:11434/v1", ""},
		{" http://localhost:11434/v1// ", "http://localhost:11434/v1", ""},
		{"http://[::1]:8080", "http://[::1]:8080/v1", ""},
		{"https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1", ""},
		{"https://generativelanguage.googleapis.com/v1beta/openai/", "https://generativelanguage.googleapis.com/v1beta/openai", ""},
		{"http://vllm:8000/v1/chat/completions", "http://vllm:8000/v1", ""},
		{"http://vllm:8000/v1/chat/completions/", "http://vllm:8000/v1", ""},
		{"localhost:11434", "", `the model's address "localhost:11434" begins with neither http:// nor https://: write --model-url as in http://localhost:11434/v1`},
		{"ftp://host", "", `the model's address "ftp://host" begins with neither http:// nor https://: write --model-url as in http://localhost:11434/v1`},
		{"http://", "", `the model's address "http://" has no host: write --model-url as in http://localhost:11434/v1`},
		{"http://:80/v1", "", `the model's address "http://:80/v1" has no host: write --model-url as in http://localhost:11434/v1`},
		{"http://ana:secret@host/v1", "", `the model's address "http://host/v1" has a user or password in it, which do not belong there: write --model-url as in http://localhost:11434/v1`},
		{"http://ana:sec ret@host/v1", "", `the model's address "http://host/v1" is no URL: write --model-url as in http://localhost:11434/v1`},
		{"http://host/v1?key=1", "", `the model's address "http://host/v1" has a query or fragment, which do not belong there: write --model-url as in http://localhost:11434/v1`},
		{"http://host/v1#a", "", `the model's address "http://host/v1" has a query or fragment, which do not belong there: write --model-url as in http://localhost:11434/v1`},
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
		{Options{}, "the provider openai needs the name of a model: add --model, as in --model gpt-5-mini, or model.name in vatio.yml"},
		{Options{Name: "m", Key: "a\nb"}, "the key has a space, a line break or a character beyond ASCII in it: set it anew"},
		{Options{Name: "m", Key: "clé"}, "the key has a space, a line break or a character beyond ASCII in it: set it anew"},
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
	if provider, name := m.Name(); provider != "openai" || name != "m" {
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
		`the parameter "año" travels as "ano": openai refuses its name`,
		`the array "tags" was given items, of any kind: openai refuses one that does not say what it holds`,
		`"anyOf" was taken out at the top of the parameters: openai refuses it`,
	}, changes); diff != "" {
		t.Error(diff)
	}
	if _, changes := m.Adapt(conversation().Tools[0]); changes != nil {
		t.Error(changes)
	}
	tool, changes = m.Adapt(chat.Tool{Name: "a", Description: strings.Repeat("x", 1025)})
	if diff := cmp.Diff([]string{"the description is longer than 1024 characters: the whole of it stands in the instructions"}, changes); diff != "" || tool.Description != strings.Repeat("x", 1023)+"…" {
		t.Error(tool.Description, diff)
	}
}
