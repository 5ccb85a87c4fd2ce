package offline

import (
	"bufio"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/vatio-dev/vatio/internal/chat"
)

// outcome writes a reply the way testdata/utterances.txt does.
func outcome(ix *index, reply chat.Reply) string {
	if len(reply.Calls) > 0 {
		var parts []string
		for _, c := range reply.Calls {
			parts = append(parts, c.Tool+" "+c.Arguments)
		}
		return strings.Join(parts, " + ")
	}
	for _, l := range []language{inEnglish, inSpanish} {
		before, after, _ := strings.Cut(l.phrases().confirm, "%s %s")
		if call, ok := strings.CutPrefix(reply.Text, before); ok && strings.HasSuffix(call, after) {
			return "confirm " + strings.TrimSuffix(call, after)
		}
	}
	for _, t := range ix.tools {
		for i := range t.params {
			for _, l := range []language{inEnglish, inSpanish} {
				if reply.Text == l.phrases().question(&t.params[i]) {
					return "ask " + strings.Join(t.params[i].path, ".")
				}
			}
		}
	}
	return "none"
}

// TestUtterances holds the matcher to its tables: nothing is ever called for a
// message that asks for nothing, and at least 95 of 100 messages give exactly
// the call they should.
func TestUtterances(t *testing.T) {
	m, sets := newTestModel(), toolSets()
	for _, name := range []string{"utterances.txt", "requests.txt"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			rows, right := 0, 0
			lines := bufio.NewScanner(file)
			for lines.Scan() {
				line := strings.TrimSpace(lines.Text())
				if line == "" || line[0] == '#' {
					continue
				}
				part := strings.SplitN(line, " | ", 3)
				if len(part) != 3 || sets[part[0]] == nil {
					t.Fatalf("bad row %q", line)
				}
				tools, text, want := sets[part[0]], part[1], part[2]
				reply, err := m.Next(context.Background(), chat.Request{Tools: tools, Messages: []chat.Message{{Role: chat.User, Text: text}}}, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := outcome(m.index(tools), reply)
				rows++
				switch {
				case got == want:
					right++
				case want == "none":
					t.Errorf("%s: %q must do nothing, got %s", part[0], text, got)
				default:
					t.Logf("%s: %q\n\tgot  %s\n\twant %s", part[0], text, got, want)
				}
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d rows are right", right, rows)
			if rows < 120 || right*100 < rows*95 {
				t.Errorf("%d of %d rows are right, want at least 120 rows and 95 of 100 right", right, rows)
			}
		})
	}
}
