package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLast(t *testing.T) {
	c := &Conversation{lastID: 3, handedOff: true, messages: []Message{
		{Role: User, Text: "one"},
		{Role: Agent, Text: "1"},
		{Role: User, Text: "two"},
		{Role: Agent, Calls: []Call{{ID: "3", Tool: "t", Arguments: "{}"}}},
		{Role: ToolResults, Results: []Result{{ID: "3", Tool: "t", Content: "12345"}}},
		{Role: Agent, Text: "2"},
	}}
	for _, tt := range []struct{ limit, from int }{{1000, 0}, {17, 0}, {16, 2}, {13, 2}, {12, 6}, {0, 6}} {
		got := c.Last(tt.limit)
		want := &Conversation{lastID: 3, handedOff: true, messages: append([]Message(nil), c.messages[tt.from:]...)}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(Conversation{})); d != "" {
			t.Errorf("%d bytes (-want +got)\n%s", tt.limit, d)
		}
	}
}

func TestRedacted(t *testing.T) {
	redact := func(s string) string { return strings.ReplaceAll(s, "4711", "[redacted]") }
	c := &Conversation{shared: "4711", messages: []Message{
		{Role: User, Text: "it is 4711"},
		{Role: Agent, Calls: []Call{
			{ID: "1", Tool: "t", Arguments: `{"key":"4711"}`},
			{ID: "2", Tool: "t", Arguments: `{"key":4711}`},
			{ID: "3", Tool: "t", Arguments: `no JSON 4711`},
		}},
		{Role: ToolResults, Results: []Result{{ID: "1", Content: "4711"}, {ID: "2"}, {ID: "3", IsError: true}}},
	}}
	want := &Conversation{shared: "[redacted]", messages: []Message{
		{Role: User, Text: "it is [redacted]"},
		{Role: Agent, Calls: []Call{
			{ID: "1", Tool: "t", Arguments: `{"key":"[redacted]"}`},
			{ID: "2", Tool: "t", Arguments: `{"redacted":"{\"key\":[redacted]}"}`},
			{ID: "3", Tool: "t", Arguments: `no JSON [redacted]`},
		}},
		{Role: ToolResults, Results: []Result{{ID: "1", Content: "[redacted]"}, {ID: "2"}, {ID: "3", IsError: true}}},
	}}
	if d := cmp.Diff(want, c.Redacted(redact), cmp.AllowUnexported(Conversation{})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if c.messages[0].Text != "it is 4711" || c.messages[1].Calls[0].Arguments != `{"key":"4711"}` {
		t.Error("the conversation itself was changed")
	}
}
