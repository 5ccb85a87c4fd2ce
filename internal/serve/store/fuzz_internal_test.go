package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vatio-dev/vatio/internal/chat"
)

// However a turn was cut off, what is made of its events can be continued: every
// call has its result, and the last word is the agent's.
func FuzzInterrupted(f *testing.F) {
	f.Add("u")
	f.Add("uacc")
	f.Add("uaccr")
	f.Add("ucrcrrach")
	f.Fuzz(func(t *testing.T, turn string) {
		var bodies []string
		var open []string
		calls := 0
		answered := true // the answers of a round are complete
		for _, step := range turn {
			var e chat.Event
			switch step {
			case 'u':
				e = chat.Event{Type: chat.UserEvent, Text: "hi"}
			case 'a':
				e = chat.Event{Type: chat.AgentEvent, Text: "text"}
			case 'c':
				calls++
				e = chat.Event{Type: chat.ToolCallEvent, ID: string(rune('0' + calls%10)), Tool: "a", Arguments: `{"n":1}`}
			case 'r':
				e = chat.Event{Type: chat.ToolResultEvent, Tool: "a", Content: "done"}
			default:
				return
			}
			// The engine tells all calls of an answer, then their results in order.
			switch {
			case step == 'r' && len(open) == 0, step != 'r' && step != 'c' && len(open) > 0, step == 'c' && !answered:
				return
			case step == 'c':
				open = append(open, e.ID)
			case step == 'r':
				e.ID, open = open[0], open[1:]
				answered = len(open) == 0
			}
			bodies = append(bodies, string(chat.AppendEvent(nil, e)))
		}
		h, err := read(bodies)
		if err != nil {
			t.Fatal(err)
		}
		events := h.complete()
		if len(events) != len(open)+2 {
			t.Errorf("%q: %d events complete it, want %d", turn, len(events), len(open)+2)
		}
		var stored []string
		for _, m := range h.messages {
			stored = append(stored, string(encode(m)))
		}
		var c chat.Conversation
		if err := json.Unmarshal([]byte(`{"messages":[`+strings.Join(stored, ",")+`]}`), &c); err != nil {
			t.Fatalf("%q: %v", turn, err)
		}
		if last := c.Messages()[len(c.Messages())-1]; last.Role != chat.Agent || last.Text != interruptedNote {
			t.Errorf("%q ends with %+v", turn, last)
		}
	})
}
