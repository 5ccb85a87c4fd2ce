package repl

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
)

// However an answer is cut into pieces, it is shown as it is in one piece, and
// nothing of it reaches the terminal but text.
func FuzzDeltas(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if text == "" || strings.TrimSpace(text) != text {
			t.Skip("white space around an answer is cut")
		}
		var want, got bytes.Buffer
		NewPrinter(&iox.IO{Out: &want, Getenv: func(string) string { return "" }}, false).Event(chat.Event{Type: chat.AgentEvent, Text: text})
		p := NewPrinter(&iox.IO{Out: &got, Getenv: func(string) string { return "" }}, false)
		for piece := range slices.Chunk([]byte(text), int(size)+1) {
			p.Event(chat.Event{Type: chat.AgentDeltaEvent, Text: string(piece)})
		}
		p.Event(chat.Event{Type: chat.AgentEvent, Text: text})
		if got.String() != want.String() {
			t.Errorf("in pieces %q, in one %q", got.String(), want.String())
		}
		if i := strings.IndexFunc(got.String(), func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 }); i >= 0 {
			t.Errorf("a control character at %d of %q", i, got.String())
		}
	})
}

// What is understood of a contact can be written down again.
func FuzzContact(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseContact(text)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, a := range list {
			if !isContactField(a.field) {
				t.Fatalf("unknown field %q", a.field)
			}
			if strings.ContainsAny(a.value, `"'`) {
				t.Skip("quotes inside of a value")
			}
			b.WriteString(a.field + `="` + a.value + `" `)
		}
		again, err := parseContact(b.String())
		if err != nil || !slices.Equal(list, again) {
			t.Errorf("%q: %v, then %v (%v)", b.String(), list, again, err)
		}
	})
}
