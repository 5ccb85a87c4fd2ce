package chat

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

func TestAppendEvent(t *testing.T) {
	file := diag.NewFile("tools/x.yml", []byte("año: \"$param.a\"\n"))
	problem := diag.Errorf(diag.Span{File: file, Start: 7, End: 15}, "placeholder", "unknown source %q", "param").WithHint("did you mean %q?", "$params.a")
	tests := []struct {
		event Event
		want  string
	}{
		{Event{Type: StartEvent, Start: &Start{Workspace: "acme", Environment: "local", Provider: "offline", Model: "offline", Tools: []string{"check_stock", "handoff"}}},
			`{"type":"start","workspace":"acme","environment":"local","provider":"offline","model":"offline","tools":["check_stock","handoff"]}`},
		{Event{Type: StartEvent, Start: &Start{}}, `{"type":"start","workspace":"","environment":"","provider":"","model":"","tools":[]}`},
		{Event{Type: UserEvent, Text: "<a href=\"x\">&\u2028\n\x00"}, "{\"type\":\"user\",\"text\":\"<a href=\\\"x\\\">&\u2028\\n\\u0000\"}"},
		{Event{Type: ToolCallEvent, ID: "7", Tool: "t", Arguments: "{ \"b\" : 0.10,\n\"a\": [1, 12345678901234567890] }"},
			`{"type":"tool_call","id":"7","tool":"t","arguments":{"b":0.10,"a":[1,12345678901234567890]}}`},
		{Event{Type: ToolCallEvent, ID: "7", Tool: "t", Arguments: "[1,"}, `{"type":"tool_call","id":"7","tool":"t","arguments":"[1,"}`},
		{Event{Type: ToolCallEvent, ID: "7", Tool: "t"}, `{"type":"tool_call","id":"7","tool":"t","arguments":{}}`},
		{Event{Type: ToolResultEvent, ID: "7", Tool: "t", IsError: true, Content: "no", HTTP: &HTTP{Method: "POST", URL: "http://a/?b=1&c=2", DurationMS: 20000}},
			`{"type":"tool_result","id":"7","tool":"t","is_error":true,"content":"no","http":{"method":"POST","url":"http://a/?b=1&c=2","status":0,"duration_ms":20000}}`},
		{Event{Type: AgentDeltaEvent, Text: "a"}, `{"type":"agent_delta","text":"a"}`},
		{Event{Type: ErrorEvent, Text: "no"}, `{"type":"error","message":"no"}`},
		{Event{Type: ResumeEvent}, `{"type":"resume"}`},
		{Event{Type: ProblemEvent, Problem: &problem},
			`{"type":"problem","file":"tools/x.yml","line":1,"column":7,"end_line":1,"end_column":15,"severity":"error","code":"placeholder","message":"unknown source \"param\"","hint":"did you mean \"$params.a\"?"}`},
	}
	for _, tt := range tests {
		got := string(AppendEvent(nil, tt.event))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.event.Type, diff)
		}
		if _, err := jsondoc.Parse([]byte(got)); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestConversationSurvivesStorage(t *testing.T) {
	conv := &Conversation{
		messages: []Message{
			{Role: User, Text: "<hi>"},
			{Role: Agent, Calls: []Call{{ID: "1", Tool: "t", Arguments: `{"a":0.10}`}}},
			{Role: ToolResults, Results: []Result{{ID: "1", Tool: "t", Content: "no", IsError: true}}},
			{Role: Agent, Text: "A person comes."},
			{Role: Human, Text: "Hello."},
		},
		lastID: 1, handedOff: true, shared: "+56912345678",
	}
	data, err := json.Marshal(conv)
	if err != nil {
		t.Fatal(err)
	}
	got := &Conversation{}
	if err := json.Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(conv, got, cmp.AllowUnexported(Conversation{})); diff != "" {
		t.Error(diff)
	}
}

func TestStoredConversationIsChecked(t *testing.T) {
	tests := map[string]string{
		`{"messages":[{"role":"robot"}]}`:                                                                                `the stored conversation cannot be read: message 1 has the unknown role "robot"`,
		`{"messages":[{"role":"agent","calls":[{"id":"1"}]}]}`:                                                           `the stored conversation cannot be read: message 1 has calls and results that do not match`,
		`{"messages":[{"role":"agent","calls":[{"id":"1"}]},{"role":"user","text":"x"}]}`:                                `the stored conversation cannot be read: message 2 has calls and results that do not match`,
		`{"messages":[{"role":"tool_results","results":[{"id":"1"}]}]}`:                                                  `the stored conversation cannot be read: message 1 has calls and results that do not match`,
		`{"messages":[{"role":"agent","calls":[{"id":"1"}]},{"role":"tool_results","results":[{"id":"1"},{"id":"2"}]}]}`: `the stored conversation cannot be read: message 2 has calls and results that do not match`,
		`{"messages":[{"role":"user","text":"x"},{"role":"agent","text":"y"},{"role":"user"},{"role":"tool_results"}]}`:  `the stored conversation cannot be read: message 4 has calls and results that do not match`,
	}
	for data, want := range tests {
		err := (&Conversation{}).UnmarshalJSON([]byte(data))
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", data, err, want)
		}
	}
}
