package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// readTools reads sets of tools, as testdata/talk/*.json have them.
func readTools(t testing.TB, name string) map[string][]chat.Tool {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var file map[string][]struct {
		Name, Description string
		WhenToUse         string `json:"when_to_use"`
		ReadOnly          bool   `json:"read_only"`
		Parameters        json.RawMessage
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	sets := map[string][]chat.Tool{}
	for set, tools := range file {
		for _, own := range tools {
			sets[set] = append(sets[set], chat.Tool{
				Name: own.Name, Description: own.Description, WhenToUse: own.WhenToUse,
				ReadOnly: own.ReadOnly, Parameters: jsondoc.MustParse(string(own.Parameters)),
			})
		}
	}
	return sets
}

// A talkRow is one message of a table and what must come of it.
type talkRow struct {
	set, text, want string
	goesOn          bool // it belongs to the conversation of the row before
}

func readTalk(t *testing.T, name string) []talkRow {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var rows []talkRow
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		part := strings.SplitN(line, " | ", 3)
		if len(part) != 3 {
			t.Fatalf("%s: bad row %q", name, line)
		}
		row := talkRow{set: part[0], text: part[1], want: part[2]}
		if row.set == ".." {
			row.set, row.goesOn = rows[len(rows)-1].set, true
		}
		rows = append(rows, row)
	}
	return rows
}

// TestTalk holds the model to tables of conversations: no row that wants no
// call gets one, and at least 95 of 100 rows are as they should.
func TestTalk(t *testing.T) {
	for _, name := range []string{"everyday", "members", "alike", "sentences", "travel", "counter"} {
		t.Run(name, func(t *testing.T) {
			m, sets := newTestModel(), readTools(t, "testdata/talk/"+name+".json")
			var messages []chat.Message
			rows, right, calls, rightCalls := 0, 0, 0, 0
			for _, row := range readTalk(t, "testdata/talk/"+name+".txt") {
				tools := sets[row.set]
				if tools == nil {
					t.Fatalf("there is no set %q", row.set)
				}
				if !row.goesOn {
					messages = nil
				}
				messages = append(messages, chat.Message{Role: chat.User, Text: row.text})
				reply, err := m.Next(context.Background(), chat.Request{Tools: tools, Messages: messages}, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := outcome(m.index(tools), reply)
				rows++
				if len(reply.Calls) > 0 {
					calls++
				}
				switch {
				case got == row.want:
					right++
					rightCalls += min(1, len(reply.Calls))
				case row.want == "none" && len(reply.Calls) > 0:
					t.Errorf("%s: %q must do nothing, got %s", row.set, row.text, got)
				default:
					t.Logf("%s: %q\n\tgot  %s\n\twant %s", row.set, row.text, got, row.want)
				}
				messages = append(messages, answered(t, m, tools, messages, reply)...)
			}
			t.Logf("%d of %d rows are right; %d of %d calls are right", right, rows, rightCalls, calls)
			if right*100 < rows*95 {
				t.Errorf("%d of %d rows are right, want 95 of 100", right, rows)
			}
		})
	}
}

// answered is what a reply adds to the conversation: its calls succeed, and
// the model says so.
func answered(t *testing.T, m *Model, tools []chat.Tool, messages []chat.Message, reply chat.Reply) []chat.Message {
	t.Helper()
	agent := chat.Message{Role: chat.Agent, Text: reply.Text}
	if len(reply.Calls) == 0 {
		return []chat.Message{agent}
	}
	results := chat.Message{Role: chat.ToolResults}
	for i, c := range reply.Calls {
		c.ID = fmt.Sprint(len(messages)*10 + i)
		agent.Calls = append(agent.Calls, c)
		results.Results = append(results.Results, chat.Result{ID: c.ID, Tool: c.Tool, Content: `{"result":"ok","message":"Done."}`})
	}
	added := []chat.Message{agent, results}
	last, err := m.Next(context.Background(), chat.Request{Tools: tools, Messages: append(messages[:len(messages):len(messages)], added...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(last.Calls) > 0 {
		t.Errorf("a call after a result: %+v", last.Calls)
	}
	return append(added, chat.Message{Role: chat.Agent, Text: last.Text})
}
