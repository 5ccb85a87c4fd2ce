package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
)

// talk is an interactive run without a line editor.
func talk(t *testing.T, session *stubSession, file string, resume bool, input string) streams {
	t.Helper()
	s, out, errs := iox.Test(filepath.Dir(file), input, map[string]string{"TERM": "dumb"})
	s.InTerminal = true
	err := Run(t.Context(), Options{IO: s, Session: session, ConversationFile: file, Resume: resume}, &chat.Conversation{})
	if err != nil {
		t.Error(err)
	}
	return streams{out.String(), strings.ReplaceAll(errs.String(), "acme · cli/alice · local > ", "")}
}

func TestResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".vatio", "conversation.json")
	first := newStub()
	talk(t, first, file, false, "check Picker\n/contact name=Ana\n/channel whatsapp\n/as shop/bob\nperson\n/human Hello, "+hush+"!\n")

	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", err, info)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"version":1,"saved":"2026-12-01T12:00:00Z","owner":"shop/bob","environment":"local","channel":"whatsapp","contact":{"name":"Ana"},"conversation":{"messages":[` +
		`{"role":"user","text":"check Picker"},` +
		`{"role":"agent","calls":[{"id":"1","tool":"check_stock","arguments":"{\"product\": \"Picker\"}"}]},` +
		`{"role":"tool_results","results":[{"id":"1","tool":"check_stock","content":"{\"result\":\"success\",\"message\":\"3 left\",\"data\":{\"left\":3}}"}]},` +
		`{"role":"agent","text":"{\"result\":\"success\",\"message\":\"3 left\",\"data\":{\"left\":3}}"},` +
		`{"role":"user","text":"person"},` +
		`{"role":"agent","calls":[{"id":"2","tool":"handoff","arguments":"{\"reason\":\"asked\"}"}]},` +
		`{"role":"tool_results","results":[{"id":"2","tool":"handoff","content":"{\"result\":\"success\",\"message\":\"A person will answer.\"}"}]},` +
		`{"role":"agent","text":"A person will answer."},{"role":"human","text":"Hello, [redacted]!"}],"last_id":2,"handed_off":true}}` + "\n"
	if d := cmp.Diff(want, string(data)); d != "" {
		t.Errorf("what is kept (-want +got)\n%s", d)
	}

	again := newStub()
	got := talk(t, again, file, true, "say hello\n/resume\nsay hello\n")
	if again.contact.Name != "Ana" || again.channel != "whatsapp" || again.owner != "cli/alice" {
		t.Errorf("it goes on with %+v", again)
	}
	wantStreams := streams{Out: `the conversation of 2026-12-01 12:00 goes on
visitor: person
agent: → handoff
agent: A person will answer.
human: Hello, [redacted]!
it was with shop/bob; contact: Ana; channel: whatsapp
● a person has this conversation; /resume gives it back to the agent

● a person has this conversation; the agent does not answer until it is resumed

● the agent has the conversation again

hello

`, Err: strings.Repeat("acme · cli/alice (Ana) · whatsapp · local > ", 4) + "\n"}
	if d := cmp.Diff(wantStreams, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	k, err := readKept(file)
	if err != nil || len(k.Conversation.Messages()) != 12 || k.Conversation.HandedOff() {
		t.Errorf("%v: %+v", err, k)
	}

	// What the session says itself goes first.
	own := newStub()
	own.contact.Name, own.channel = "Eva", "web"
	talk(t, own, file, true, "")
	if own.contact.Name != "Eva" || own.channel != "web" {
		t.Errorf("it goes on with %+v", own)
	}
}

func TestResumeTrouble(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		resume        bool
		err           string
		moved         bool
	}{
		{"no file", "", true, "there is no conversation to go on with: a new one begins\n", false},
		{"cut short", `{"version":1,"conversation":{"messages":[{"ro`, true, "the last conversation cannot be read: it is damaged; the file is %q now\n", true},
		{"cut short, and not asked for", `{"version":1,"conversation":{"messages":[{"ro`, false, "the last conversation cannot be read: it is damaged; the file is %q now\n", true},
		{"a call without a result", `{"version":1,"conversation":{"messages":[{"role":"agent","calls":[{"id":"1","tool":"a"}]}]}}`, true,
			"the last conversation cannot be read: it is damaged; the file is %q now\n", true},
		{"another kind of file", "[]", true, "the last conversation cannot be read: it is damaged; the file is %q now\n", true},
		{"from the future", `{"version":2,"turns":[]}`, true, "the last conversation cannot be read: a newer version wrote it; the file is %q now\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "conversation.json")
			if tt.content != "" {
				if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := talk(t, newStub(), file, tt.resume, "say on\n")
			moved := filepath.Join(dir, "conversation.2026-12-01-120000.unread.json")
			want := tt.err
			if tt.moved {
				want = fmt.Sprintf(tt.err, moved)
				if data, err := os.ReadFile(moved); err != nil || string(data) != tt.content {
					t.Errorf("moved aside: %v, %q", err, data)
				}
			}
			if d := cmp.Diff(streams{"on\n\n", want + "\n"}, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if k, err := readKept(file); err != nil || len(k.Conversation.Messages()) != 2 {
				t.Errorf("the new one is kept: %v, %+v", err, k)
			}
		})
	}
}

// What cannot be kept is said once, and the conversation goes on.
func TestKeepTrouble(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a", "conversation.json")
	got := talk(t, newStub(), file, false, "say one\nsay two\n")
	want := streams{"one\n\ntwo\n\n", fmt.Sprintf("the conversation is not kept in %q: not a directory\n\n", file)}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// A new conversation takes the place of the last one when something is said.
func TestKeepNew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "conversation.json")
	talk(t, newStub(), file, false, "say one\n/new\n")
	if k, err := readKept(file); err != nil || k.Conversation.Messages()[0].Text != "say one" {
		t.Errorf("%v: %+v", err, k)
	}
	talk(t, newStub(), file, false, "say one\n/new\nsay two\n")
	if k, err := readKept(file); err != nil || k.Conversation.Messages()[0].Text != "say two" {
		t.Errorf("%v: %+v", err, k)
	}
	talk(t, newStub(), file, false, "/help\n")
	if k, err := readKept(file); err != nil || k.Conversation.Messages()[0].Text != "say two" {
		t.Errorf("%v: %+v", err, k)
	}
}

func TestResumeNeedsATerminal(t *testing.T) {
	s, _, _ := iox.Test(t.TempDir(), "", nil)
	err := Run(t.Context(), Options{IO: s, Session: newStub(), ConversationFile: "conversation.json", Resume: true}, &chat.Conversation{})
	if err == nil || err.Error() != "only a conversation on a terminal can be resumed" {
		t.Error(err)
	}
}
