package repl

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/executor"
)

// terminal returns streams that pass for terminals and share one screen.
func terminal(env map[string]string) (*iox.IO, *bytes.Buffer) {
	s, out, _ := iox.Test("", "", env)
	s.Err = out
	s.InTerminal, s.OutTerminal, s.ErrTerminal = true, true, true
	return s, out
}

func TestPrinterColours(t *testing.T) {
	events := []chat.Event{
		{Type: chat.ToolCallEvent, ID: "7", Tool: "a", Arguments: "{}"},
		{Type: chat.ToolResultEvent, ID: "7", Tool: "a", Content: "fine"},
		{Type: chat.ErrorEvent, Text: "late"},
	}
	for _, tt := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"colour", map[string]string{"TERM": "xterm"}, "\x1b[32m→\x1b[0m \x1b[36ma\x1b[0m\x1b[2m {} · fine #7\x1b[22m\n\x1b[31;1m✗\x1b[0;22m late\n"},
		{"NO_COLOR", map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, "→ a {} · fine #7\n✗ late\n"},
		{"dumb", map[string]string{"TERM": "dumb"}, "→ a {}\n← a: fine\n✗ late\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, out := terminal(tt.env)
			p := NewPrinter(s, false)
			for _, e := range events {
				p.Event(e)
			}
			if d := cmp.Diff(tt.want, out.String()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestPrinterStreams(t *testing.T) {
	delta := func(text string) chat.Event { return chat.Event{Type: chat.AgentDeltaEvent, Text: text} }
	agent := func(text string) chat.Event { return chat.Event{Type: chat.AgentEvent, Text: text} }
	for _, tt := range []struct {
		name   string
		events []chat.Event
		want   string
	}{
		{"in pieces", []chat.Event{delta("Hel"), delta("lo"), agent("Hello")}, "Hello\n"},
		{"blank in front", []chat.Event{delta("\n "), delta(" Hi"), agent("\n  Hi")}, "Hi\n"},
		{"line break at the end", []chat.Event{delta("Hi\n"), agent("Hi\n")}, "Hi\n"},
		{"a letter in two pieces", []chat.Event{delta("a\xc3"), delta("\xb1o"), agent("año")}, "año\n"},
		{"half a letter", []chat.Event{delta("a\xe6\x97"), agent("a\xe6\x97")}, "a\uFFFD\uFFFD\n"},
		{"carriage return in two pieces", []chat.Event{delta("a\r"), delta("\nb\r"), agent("a\r\nb")}, "a\nb\n"},
		{"carriage return alone", []chat.Event{delta("good\rbad"), agent("good\rbad")}, "good\uFFFDbad\n"},
		{"another text in the end", []chat.Event{delta("Hel"), agent("Bye")}, "Hel\nBye\n"},
		{"cut short", []chat.Event{delta("Hel"), {Type: chat.ErrorEvent, Text: "cut"}}, "Hel\n✗ cut\n"},
		{"words before a call", []chat.Event{delta("Let me see"), agent("Let me see"), {Type: chat.ToolCallEvent, Tool: "a"}}, "Let me see\n→ a {}\n"},
		{"escape in two pieces", []chat.Event{delta("\x1b"), delta("[2J"), agent("\x1b[2J")}, "\uFFFD[2J\n"},
		{"two answers", []chat.Event{delta("a"), agent("a"), delta("b"), agent("b")}, "a\nb\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, out := terminal(map[string]string{"TERM": "dumb"})
			p := NewPrinter(s, false)
			for _, e := range tt.events {
				p.Event(e)
			}
			if d := cmp.Diff(tt.want, out.String()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestPrinterCuts(t *testing.T) {
	s, out, _ := iox.Test("", "", nil)
	p := NewPrinter(s, false)
	long := strings.Repeat("ñ", 2*lineLimit)
	p.Event(chat.Event{Type: chat.ToolCallEvent, Tool: "a", Arguments: "no json \n " + long})
	p.Event(chat.Event{Type: chat.ToolResultEvent, Tool: "a", Content: long})
	want := "→ a no json   " + strings.Repeat("ñ", lineLimit-11) + "…\n← a: " + strings.Repeat("ñ", 99) + "…\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestSpinner(t *testing.T) {
	var b bytes.Buffer
	s := newSpinner(&b)
	s.start(time.Now(), "")
	s.stop()
	if b.Len() != 0 {
		t.Errorf("a short wait shows %q", b.String())
	}
	s.start(time.Now().Add(-5*time.Second), "check_stock")
	s.start(time.Now(), "not this")
	time.Sleep(spinnerDelay + 2*spinnerPace)
	s.stop()
	s.stop()
	got := b.String()
	if !strings.HasPrefix(got, "\r\x1b[K⠋ 5 s check_stock") || !strings.HasSuffix(got, "\r\x1b[K") || strings.Contains(got, "\n") {
		t.Errorf("a long wait shows %q", got)
	}
	var none *spinner
	none.start(time.Now(), "")
	none.stop()
}

// While tools run the spinner names them, and nothing is left of it.
func TestSpinnerNamesTools(t *testing.T) {
	s, out := terminal(map[string]string{"TERM": "xterm", "NO_COLOR": "1"})
	p := NewPrinter(s, false)
	p.turnBegins()
	p.Event(chat.Event{Type: chat.ToolCallEvent, ID: "1", Tool: "check_stock", Arguments: "{}"})
	p.Event(chat.Event{Type: chat.ToolCallEvent, ID: "2", Tool: "get_order", Arguments: "{}"})
	time.Sleep(spinnerDelay + spinnerPace)
	p.Event(chat.Event{Type: chat.ToolResultEvent, ID: "1", Tool: "check_stock", Content: "a"})
	time.Sleep(spinnerDelay + spinnerPace)
	p.Event(chat.Event{Type: chat.ToolResultEvent, ID: "2", Tool: "get_order", Content: "b"})
	p.turnEnds()
	got := out.String()
	for _, want := range []string{"\r\x1b[K⠋ 0 s check_stock, get_order", "\r\x1b[K→ check_stock {} · a #1\n\r\x1b[K⠋ 0 s get_order", "\r\x1b[K→ get_order {} · b #2\n"} {
		i := strings.Index(got, want)
		if i < 0 {
			t.Fatalf("%q is not in %q", want, out.String())
		}
		got = got[i:]
	}
}

func TestTraceCutsBodies(t *testing.T) {
	s, _, _ := iox.Test("", "", nil)
	got := traceText(&executor.Trace{Method: "POST", URL: "http://h/", RequestBody: strings.Repeat("é", bodyLimit), Status: 299, ResponseBody: "a\x1bb"}, s.Colors())
	want := "POST http://h/\n\n" + strings.Repeat("é", bodyLimit/2) + "\n… 20000 bytes more\n\n299 · 0 ms · 0 bytes\n\na\uFFFDb"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestCallLine(t *testing.T) {
	s, _, _ := iox.Test("", "", nil)
	call := chat.Event{ID: "12", Tool: "check_stock", Arguments: `{"product": "Picker", "store": "日本 \u001b[2J"}`}
	sent := func(status int, ms int64) *chat.HTTP {
		return &chat.HTTP{Method: "GET", URL: "http://h/", Status: status, DurationMS: ms}
	}
	for _, tt := range []struct {
		columns int
		result  chat.Event
		want    string
	}{
		{120, chat.Event{HTTP: sent(200, 31)}, `→ check_stock {"product":"Picker","store":"日本 \u001b[2J"} · 200 · 31 ms #12`},
		{50, chat.Event{HTTP: sent(200, 31)}, `→ check_stock {"product":"Picke… · 200 · 31 ms #12`},
		{40, chat.Event{HTTP: sent(200, 12345)}, `→ check_stock {"produ… · 200 · 12.3s #12`},
		{24, chat.Event{HTTP: sent(200, 31)}, `→ check_stock · 200… #12`},
		{10, chat.Event{HTTP: sent(200, 31)}, `→ check_s…`},
		{120, chat.Event{HTTP: sent(0, 5000), IsError: true, Content: `{"error_key":"timeout"}`}, `✗ check_stock {"product":"Picker","store":"日本 \u001b[2J"} · no answer · 5000 ms · timeout #12`},
		{120, chat.Event{IsError: true, Content: `{"error_key":"invalid_arguments"}`}, `✗ check_stock {"product":"Picker","store":"日本 \u001b[2J"} · invalid_arguments #12`},
		{0, chat.Event{Content: "3 passages\nfound"}, `→ check_stock {"product":"Picker","store":"日本 \u001b[2J"} · 3 passages found #12`},
	} {
		got := callLine(call, tt.result, tt.columns, s.Colors())
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%d columns (-want +got)\n%s", tt.columns, d)
		}
		if n := runewidth.StringWidth(got); tt.columns > 0 && n > tt.columns {
			t.Errorf("%q has %d columns, more than %d", got, n, tt.columns)
		}
	}
}
