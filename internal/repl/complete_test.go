package repl

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
)

func TestComplete(t *testing.T) {
	s, _, _ := iox.Test("", "", nil)
	l := newLoop(Options{IO: s, Session: newStub()}, &chat.Conversation{})
	l.calls.add(madeCall{Call: chat.Call{ID: "3", Tool: "check_stock"}})
	l.calls.add(madeCall{Call: chat.Call{ID: "12", Tool: "check_stock"}})
	for _, tt := range []struct {
		before string
		want   []string
	}{
		{"", []string{"check_stock ", "handoff ", "/help", "/tools ", "/trace ", "/curl", "/contact ", "/as ", "/token ", "/scope ", "/channel ", "/env ", "/new", "/share ", "/human ", "/resume", "/save ", "/quit"}},
		{"/c", []string{"/curl", "/contact ", "/channel "}},
		{"che", []string{"check_stock "}},
		{"old", nil},
		{"check_stock ", []string{"product=", "store="}},
		{"check_stock product=Picker s", []string{"store="}},
		{"hello ", nil},
		{" ", nil},
		{"/contact ", []string{"name=", "email=", "phone_number="}},
		{"/contact name=Ana e", []string{"email="}},
		{"/channel w", []string{"web", "whatsapp"}},
		{"/channel web c", nil},
		{"/env ", []string{"local", "production"}},
		{"/tools ", []string{"--json"}},
		{"/tools --json ", nil},
		{"/trace ", []string{"12", "3", "all"}},
		{"/trace 1", []string{"12"}},
		{"/scope stock", []string{"stock:read", "stock:write"}},
		{"/as ", []string{"cli/alice"}},
		{"/t", []string{"/tools ", "/trace ", "/token "}},
	} {
		var got []string
		for _, c := range l.complete(tt.before) {
			if c.spaced {
				c.text += " "
			}
			got = append(got, c.text)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q (-want +got)\n%s", tt.before, d)
		}
	}
}

func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		"plain":             "plain",
		"a\r\nb\rc\n\td":    "a\nb\nc\n\td",
		"\x1b[Za\x00\u0085": "[Za",
		"ñ\xff":             "ñ\uFFFD",
	} {
		if got := typed(text); got != want {
			t.Errorf("typed(%q) = %q, want %q", text, got, want)
		}
	}
}
