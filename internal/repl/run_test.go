package repl

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// streams is what a run wrote.
type streams struct{ Out, Err string }

func runPiped(t *testing.T, session *stubSession, json bool, dir, input string) (streams, error) {
	t.Helper()
	s, out, errs := iox.Test(dir, input, nil)
	err := Run(t.Context(), Options{IO: s, Session: session, JSON: json, Greeting: []string{"not for pipes"}}, &chat.Conversation{})
	return streams{out.String(), errs.String()}, err
}

const checked = `→ check_stock {"product":"Picker"}
← 200 GET http://127.0.0.1:8080/products?name=Picker · 3 ms
{"result":"success","message":"3 left","data":{"left":3}}
`

const startLine = `{"type":"start","workspace":"acme","environment":"local","provider":"stub","model":"stub-1","tools":["check_stock","handoff"]}` + "\n"

func TestPiped(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  streams
	}{
		{"no input", "", streams{}},
		{"one message", "check Picker\n", streams{Out: checked}},
		{"no final line break", "check Picker", streams{Out: checked}},
		{"carriage returns, blank lines and a byte order mark", "\uFEFFsay one\r\n\r\n   \n\nsay two\r\n", streams{Out: "one\n\ntwo\n"}},
		{"other letters", "say ñandú é 日本\n", streams{Out: "ñandú é 日本\n"}},
		{"bytes that are no text", "hola \xff\n", streams{Out: "you said \"hola \uFFFD\"\n"}},
		{"a failed turn goes on", "fail\nsay on\n", streams{
			Out: "on\n", Err: "✗ the provider answered 429: too many requests, wait a minute\n"}},
		{"calls at once", "check Picker Nothing\n", streams{Out: `→ check_stock {"product":"Picker"}
→ check_stock {"product":"Nothing"}
← check_stock 200 GET http://127.0.0.1:8080/products?name=Picker · 3 ms
✗ check_stock 404 GET http://127.0.0.1:8080/products?name=Nothing · 3 ms: not_found
{"result":"success","message":"3 left","data":{"left":3}}
`}},
		{"no answer", "check Down\n", streams{Out: `→ check_stock {"product":"Down"}
✗ no answer GET http://127.0.0.1:8080/products?name=Down · 3 ms: unavailable
{"result":"error","message":"the service cannot be reached","error_key":"unavailable"}
`}},
		{"nothing sent", "check\n", streams{Out: `→ check_stock {}
✗ check_stock: invalid_arguments
{"result":"error","message":"product is missing","error_key":"invalid_arguments"}
`}},
		{"text that would move the cursor", "say a\x1b[2Jb\u202Ec\x07\n", streams{Out: "a\uFFFD[2Jb\uFFFDc\uFFFD\n"}},
		{"a message that starts with a slash", " /etc/passwd\n", streams{Out: "you said \"/etc/passwd\"\n"}},

		{"help", "/help\n", streams{Out: `/help                       list the commands
/tools [--json]             list the agent's tools and their problems; --json: as the model gets them
/trace [NUMBER|all]         show the last call's request and answer, redacted, or another's
/curl                       print the last call as a curl command
/contact [FIELD=VALUE …]    show or set name, email and phone_number of the visitor
/as [APP/USER]              show or set who is talking
/token JWT                  talk as the principal of a token
/scope [SCOPE,…|all]        show or set the scopes whose tools are offered
/channel [NAME]             show or set the channel
/env [NAME]                 show or set whose secret values are used
/new                        begin a new conversation
/share PHONE                share the visitor's phone number
/human TEXT                 speak as the person who has the conversation
/resume                     give the conversation back to the agent
/save [FILE]                write the conversation to a new file, Markdown or .json
/quit                       leave

Anything else is said to the agent.
`}},
		{"near an unknown command", "/tool\n", streams{Err: "✗ there is no command \"/tool\": did you mean /tools? /help lists the commands; to say it to the agent, put a space before the slash\n"}},
		{"an unknown command", "/etc/passwd is it\n", streams{Err: "✗ there is no command \"/etc/passwd\": /help lists the commands; to say it to the agent, put a space before the slash\n"}},
		{"an argument too many", "/new now\n", streams{Err: "✗ /new takes no argument, but got \"now\"\n"}},
		{"an argument too few", "/share \n/human\n", streams{Err: "✗ /share needs an argument: /share PHONE\n✗ /human needs an argument: /human TEXT\n"}},
		{"tools", "/tools\n", streams{Out: `check_stock  http      Tells how many are left.
handoff      built-in  Gives the conversation to a person.
old_tool     service   ✗ tools/old_tool.toml has 2 errors
`}},
		{"trace and curl before a call", "/trace\n/curl\n", streams{Err: strings.Repeat("✗ nothing has been sent yet: make the agent call a tool first\n", 2)}},
		{"trace", "check Picker\n/trace\n", streams{Out: checked + `
GET http://127.0.0.1:8080/products?name=Picker
Accept: application/json
Authorization: [redacted]

200 OK · 3 ms · 29 bytes
Content-Type: application/json

{
  "product": "Picker",
  "left": 3
}
`}},
		{"trace without an answer", "check Down\n/trace\n", streams{Out: `→ check_stock {"product":"Down"}
✗ no answer GET http://127.0.0.1:8080/products?name=Down · 3 ms: unavailable
{"result":"error","message":"the service cannot be reached","error_key":"unavailable"}

GET http://127.0.0.1:8080/products?name=Down
Accept: application/json
Authorization: [redacted]

no answer · 3 ms

✗ the connection was refused
`}},
		{"curl", "check Picker\n/curl\n", streams{Out: checked + `
curl 'http://127.0.0.1:8080/products?name=Picker' \
  -H "Authorization: Bearer $SHOP_KEY"
`}},
		{"contact", "/contact\n/contact name=Ana María \"de la\" Cruz email=\"ana@example.org\"\n/contact email=\n", streams{Out: `name          -
email         -
phone_number  -

name          Ana María de la Cruz
email         ana@example.org
phone_number  -

name          Ana María de la Cruz
email         -
phone_number  -
`}},
		{"contact faults", "/contact Ana\n/contact phone=1\n/contact emial=a@b\n/contact email=x\n", streams{Err: `✗ "Ana" is no FIELD=VALUE: the fields are "name", "email" or "phone_number"
✗ a contact has no field "phone": the fields are "name", "email" or "phone_number"
✗ a contact has no field "emial": did you mean "email"?
✗ "x" is no email address
`}},
		{"as", "/as\n/as shop/bob\n/as bob\n", streams{Out: "talking as: cli/alice\n\ntalking as: shop/bob\n", Err: "✗ \"bob\" is no APP/USER\n"}},
		{"token", "/token jwt-ana\n/token nonsense\n/as\n", streams{
			Out: "talking as: acme/ana\n\ntalking as: acme/ana\n", Err: "✗ it is no JWT\n"}},
		{"scope", "/scope\n/scope stock:read,stock:write\n/scope stock:raed\n/scope other\n/scope all\n", streams{
			Out: "scopes: all\n\nscopes: stock:read, stock:write\n\nscopes: stock:raed\n\nscopes: other\n\nscopes: all\n",
			Err: "no tool asks for the scope \"stock:raed\": did you mean \"stock:read\"?\nno tool asks for the scope \"other\": they ask for \"stock:read\" or \"stock:write\"\n"}},
		{"tools as the model gets them", "/tools --json\n/tools json\n", streams{Out: `[
  {
    "name": "check_stock",
    "description": "Tells how many are left. Use it when asked.",
    "parameters": {
      "type": "object"
    },
    "changes": [
      "format was taken out"
    ]
  },
  {
    "name": "handoff",
    "description": ""
  }
]
`, Err: "✗ /tools takes --json or nothing, but got \"json\"\n"}},
		{"trace of other calls", "check Picker Nothing\ncheck\n/trace 3\n/trace #1\n/trace 9\n", streams{Out: `→ check_stock {"product":"Picker"}
→ check_stock {"product":"Nothing"}
← check_stock 200 GET http://127.0.0.1:8080/products?name=Picker · 3 ms
✗ check_stock 404 GET http://127.0.0.1:8080/products?name=Nothing · 3 ms: not_found
{"result":"success","message":"3 left","data":{"left":3}}

→ check_stock {}
✗ check_stock: invalid_arguments
{"result":"error","message":"product is missing","error_key":"invalid_arguments"}

#3 check_stock {}

nothing was sent

✗ the model gets the error
{
  "result": "error",
  "message": "product is missing",
  "error_key": "invalid_arguments"
}

#1 check_stock {"product":"Picker"}

GET http://127.0.0.1:8080/products?name=Picker
Accept: application/json
Authorization: [redacted]

200 OK · 3 ms · 29 bytes
Content-Type: application/json

{
  "product": "Picker",
  "left": 3
}

← the model gets
{
  "result": "success",
  "message": "3 left",
  "data": {
    "left": 3
  }
}
`, Err: "✗ there is no call \"9\": there are 1, 2, 3; /trace all shows them\n"}},
		{"trace of all before a call", "/trace all\n/trace 1\n", streams{Err: strings.Repeat("✗ no tool has been called yet\n", 2)}},
		{"channel", "/channel\n/channel whatsapp\n/channel fax\n", streams{
			Out: "channel: cli\n\nchannel: whatsapp\n",
			Err: "✗ there is no channel \"fax\": the channels are \"web\", \"whatsapp\" or \"cli\"\n"}},
		{"env", "/env\n/env production\n/env LOUD\n", streams{
			Out: "environment: local\n\nenvironment: production\n", Err: "✗ \"LOUD\" is no environment\n"}},
		{"new", "person\n/new\nsay hi\n", streams{Out: `→ handoff {"reason":"asked"}
← handoff: A person will answer.
● a person has this conversation; the agent does not answer until it is resumed
A person will answer.

a new conversation begins

hi
`}},
		{"share", "/share +569 1234-5678\n/contact\n/share 12\n", streams{
			Out: `phone number shared: +56912345678
you said "(The visitor shared their phone number: +56912345678)"

name          -
email         -
phone_number  +56912345678
`,
			Err: "✗ \"12\" is no phone number: use 7 to 15 digits, with the country first, such as +56912345678\n"}},
		{"handoff", "/human hi\n/resume\nperson\nsay hello\n/human I am\tAna\n/resume\nsay hello\n", streams{
			Out: `→ handoff {"reason":"asked"}
← handoff: A person will answer.
● a person has this conversation; the agent does not answer until it is resumed
A person will answer.

● a person has this conversation; the agent does not answer until it is resumed

human: I am	Ana

● the agent has the conversation again

hello
`,
			Err: `✗ no person has this conversation: it must be handed off first
✗ no person has this conversation: there is nothing to resume
`}},
		{"quit", "say one\n/quit\nsay two\n", streams{Out: "one\n"}},
		{"exit", "/exit\nsay two\n", streams{}},
		{"save without anything", "/save\n", streams{Err: "✗ there is nothing to save yet: say something first\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := runPiped(t, newStub(), false, t.TempDir(), tt.input)
			if err != nil {
				t.Errorf("error: %v", err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// What a visitor or a service says that is a secret is in no file.
func TestSaveRedacts(t *testing.T) {
	dir := t.TempDir()
	_, err := runPiped(t, newStub(), false, dir, "check "+hush+"\nsay my key is "+hush+"\n/save a.md\n/save a.json\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.md", "a.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), hush) || strings.Count(string(data), "[redacted]") != 4 {
			t.Errorf("%s is\n%s", name, data)
		}
	}
}

func TestPipedJSON(t *testing.T) {
	const input = `check Picker
fail

/help me
/tools
/trace
/curl
/contact name=Ana
/as shop/bob
/channel web
/env production
/share +56912345678
person
/human <hola>
/resume
/new
/nwe
say bye`
	const wantOut = startLine + `{"type":"user","text":"check Picker"}
{"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"Picker"}}
{"type":"tool_result","id":"1","tool":"check_stock","is_error":false,"content":"{\"result\":\"success\",\"message\":\"3 left\",\"data\":{\"left\":3}}","http":{"method":"GET","url":"http://127.0.0.1:8080/products?name=Picker","status":200,"duration_ms":3}}
{"type":"agent","text":"{\"result\":\"success\",\"message\":\"3 left\",\"data\":{\"left\":3}}"}
{"type":"turn_end","tool_calls":1}
{"type":"user","text":"fail"}
{"type":"error","message":"the provider answered 429: too many requests, wait a minute"}
{"type":"turn_end","tool_calls":0}
{"type":"user","text":"(The visitor shared their phone number: +56912345678)"}
{"type":"agent","text":"you said \"(The visitor shared their phone number: +56912345678)\""}
{"type":"turn_end","tool_calls":0}
{"type":"user","text":"person"}
{"type":"tool_call","id":"2","tool":"handoff","arguments":{"reason":"asked"}}
{"type":"tool_result","id":"2","tool":"handoff","is_error":false,"content":"{\"result\":\"success\",\"message\":\"A person will answer.\"}"}
{"type":"handoff","text":"a person has this conversation; the agent does not answer until it is resumed"}
{"type":"agent","text":"A person will answer."}
{"type":"turn_end","tool_calls":1}
{"type":"human","text":"<hola>"}
{"type":"resume"}
{"type":"user","text":"say bye"}
{"type":"agent","text":"bye"}
{"type":"turn_end","tool_calls":0}
`
	const wantErr = `✗ /help takes no argument, but got "me"
check_stock  http      Tells how many are left.
handoff      built-in  Gives the conversation to a person.
old_tool     service   ✗ tools/old_tool.toml has 2 errors
GET http://127.0.0.1:8080/products?name=Picker
Accept: application/json
Authorization: [redacted]

200 OK · 3 ms · 29 bytes
Content-Type: application/json

{
  "product": "Picker",
  "left": 3
}
curl 'http://127.0.0.1:8080/products?name=Picker' \
  -H "Authorization: Bearer $SHOP_KEY"
name          Ana
email         -
phone_number  -
talking as: shop/bob
channel: web
environment: production
a new conversation begins
✗ there is no command "/nwe": did you mean /new? /help lists the commands; to say it to the agent, put a space before the slash
`
	session := newStub()
	got, err := runPiped(t, session, true, t.TempDir(), input)
	if err != nil {
		t.Errorf("error: %v", err)
	}
	if d := cmp.Diff(streams{wantOut, wantErr}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if session.resets != 1 {
		t.Errorf("the session was reset %d times, want once", session.resets)
	}
}

func TestStreamedJSON(t *testing.T) {
	s, out, _ := iox.Test(t.TempDir(), "say hello ñ\n", nil)
	if err := Run(t.Context(), Options{IO: s, Session: newStub(), JSON: true, Stream: true}, &chat.Conversation{}); err != nil {
		t.Fatal(err)
	}
	const want = startLine + `{"type":"user","text":"say hello ñ"}
{"type":"agent_delta","text":"hello"}
{"type":"agent_delta","text":" ñ"}
{"type":"agent","text":"hello ñ"}
{"type":"turn_end","tool_calls":0}
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestSessionSpeaks(t *testing.T) {
	f := diag.NewFile("tools/old_tool.yml", []byte("url: x\n"))
	problem := diag.Errorf(diag.Span{File: f, Start: 0, End: 3}, "key", "unknown key %q", "url")
	speaking := func() *stubSession {
		s := newStub()
		s.pending = []chat.Event{{Type: chat.ProblemEvent, Problem: &problem}}
		s.notices = []string{"tools/check_stock.yml was read again"}
		return s
	}
	got, err := runPiped(t, speaking(), false, t.TempDir(), "say hi\n")
	want := streams{
		Out: "hi\n",
		Err: `tools/old_tool.yml:1:1: error: unknown key "url" [key]
    1 | url: x
      | ^~~
tools/check_stock.yml was read again
`}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	got, err = runPiped(t, speaking(), true, t.TempDir(), "")
	want = streams{
		Out: startLine + `{"type":"problem","file":"tools/old_tool.yml","line":1,"column":1,"end_line":1,"end_column":4,"severity":"error","code":"key","message":"unknown key \"url\"","hint":""}` + "\n",
		Err: "tools/check_stock.yml was read again\n",
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
}

// breaking fails at the calls of Begin that it lists, from 1.
type breaking struct {
	*stubSession
	calls int
	at    map[int]bool
}

func (b *breaking) Begin(ctx context.Context) (Ready, error) {
	b.calls++
	if b.at[b.calls] {
		return Ready{}, errors.New("vatio.yml is broken")
	}
	return b.stubSession.Begin(ctx)
}

func TestBeginFails(t *testing.T) {
	for _, tt := range []struct {
		name  string
		json  bool
		at    int
		want  streams
		error string
		shown bool
	}{
		{"at the start", false, 1, streams{}, "vatio.yml is broken", false},
		{"at the start in JSON", true, 1, streams{Out: `{"type":"error","message":"vatio.yml is broken"}` + "\n"}, "vatio.yml is broken", true},
		{"later", false, 2, streams{Out: "two\n", Err: "✗ vatio.yml is broken\n"}, "", false},
		{"later in JSON", true, 2, streams{Out: startLine + `{"type":"error","message":"vatio.yml is broken"}
{"type":"user","text":"say two"}
{"type":"agent","text":"two"}
{"type":"turn_end","tool_calls":0}
`}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, out, errs := iox.Test(t.TempDir(), "say one\nsay two\n", nil)
			session := &breaking{stubSession: newStub(), at: map[int]bool{tt.at: true}}
			err := Run(t.Context(), Options{IO: s, Session: session, JSON: tt.json}, &chat.Conversation{})
			if d := cmp.Diff(tt.want, streams{out.String(), errs.String()}); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != tt.error || errors.Is(err, ErrShown) != tt.shown {
				t.Errorf("error %q, shown %v; want %q, %v", text, errors.Is(err, ErrShown), tt.error, tt.shown)
			}
		})
	}
}

func TestOneTurn(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		json       bool
		want       streams
		fails      bool
	}{
		{"answered", "check Picker", false, streams{Out: checked}, false},
		{"failed", "fail", false, streams{Err: "✗ the provider answered 429: too many requests, wait a minute\n"}, true},
		{"blank", "  ", false, streams{Err: "✗ the message is blank: write something to say\n"}, true},
		{"commands are none", "/quit", false, streams{Out: "you said \"/quit\"\n"}, false},
		{"several lines", "say one\n two\n", false, streams{Out: "one\n two\n"}, false},
		{"failed in JSON", "fail", true, streams{Out: startLine + `{"type":"user","text":"fail"}
{"type":"error","message":"the provider answered 429: too many requests, wait a minute"}
{"type":"turn_end","tool_calls":0}
`}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, out, errs := iox.Test(t.TempDir(), "never read\n", nil)
			err := OneTurn(t.Context(), Options{IO: s, Session: newStub(), JSON: tt.json}, &chat.Conversation{}, tt.text)
			if d := cmp.Diff(tt.want, streams{out.String(), errs.String()}); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if errors.Is(err, ErrShown) != tt.fails || (err != nil) != tt.fails {
				t.Errorf("error %v, want one: %v", err, tt.fails)
			}
		})
	}
}

func TestOneTurnCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	s, out, errs := iox.Test(t.TempDir(), "", nil)
	err := OneTurn(ctx, Options{IO: s, Session: newStub()}, &chat.Conversation{}, "slow")
	if !errors.Is(err, chat.ErrCancelled) || !errors.Is(err, ErrShown) {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(streams{Err: "✗ the turn was cancelled\n"}, streams{out.String(), errs.String()}); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestLongLines(t *testing.T) {
	whole := strings.Repeat("x", maxLine)
	got, err := runPiped(t, newStub(), false, t.TempDir(), whole+"\r\n"+whole+"y\nsay on\n"+whole+whole)
	want := streams{
		Out: "you said \"" + whole + "\"\n\non\n",
		Err: "✗ line 2 is longer than 1 MiB and was skipped: send less at once\n✗ line 4 is longer than 1 MiB and was skipped: send less at once\n",
	}
	if err != nil || got != want {
		t.Errorf("error %v; %d bytes on stdout, want %d; stderr %q", err, len(got.Out), len(want.Out), cut(got.Err, 300))
	}
}

// silentReader never gives anything.
type silentReader struct{ until chan struct{} }

func (r silentReader) Read([]byte) (int, error) { <-r.until; return 0, io.EOF }

func TestDoneWhileReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	s, _, _ := iox.Test(t.TempDir(), "", nil)
	until := make(chan struct{})
	defer close(until)
	s.In = silentReader{until}
	if err := Run(ctx, Options{IO: s, Session: newStub()}, &chat.Conversation{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestBrokenStreams(t *testing.T) {
	s, _, _ := iox.Test(t.TempDir(), "", nil)
	s.In = brokenReader{}
	err := Run(t.Context(), Options{IO: s, Session: newStub()}, &chat.Conversation{})
	if err == nil || err.Error() != "the input cannot be read: the disk is gone" {
		t.Errorf("reading: %v", err)
	}
	s, _, _ = iox.Test(t.TempDir(), "say one\nsay two\n", nil)
	s.Out = brokenWriter{}
	var conv chat.Conversation
	err = Run(t.Context(), Options{IO: s, Session: newStub()}, &conv)
	if err == nil || err.Error() != "no space left" || len(conv.Messages()) != 2 {
		t.Errorf("writing: %v after %d messages", err, len(conv.Messages()))
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	input := "check Picker Nothing\nsay a\x1b[2J# b\nperson\n/human ok\n" +
		"/save\n/save talk.md\n/save talk.md\n/save \"my talk.JSON\"\n/save none/talk.md\n"
	got, err := runPiped(t, newStub(), false, dir, input)
	if err != nil {
		t.Fatal(err)
	}
	_, saved, _ := strings.Cut(got.Out, "human: ok\n\n")
	want := streams{
		Out: "saved to conversation-2026-12-01-120000.md\n\nsaved to talk.md\n\nsaved to my talk.JSON\n",
		Err: "✗ \"talk.md\" exists already and is not overwritten: choose another name\n✗ \"none/talk.md\" cannot be written: there is no such directory\n",
	}
	if d := cmp.Diff(want, streams{saved, got.Err}); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	const markdown = "# Conversation\n\nacme · cli/alice · local, saved 2026-12-01 12:00\n" +
		"\n## Visitor\n\n> check Picker Nothing\n" +
		"\nCall 1: `check_stock`\n\n```json\n{\n  \"product\": \"Picker\"\n}\n```\n" +
		"\nCall 2: `check_stock`\n\n```json\n{\n  \"product\": \"Nothing\"\n}\n```\n" +
		"\nResult 1: `check_stock`\n\n```json\n{\n  \"result\": \"success\",\n  \"message\": \"3 left\",\n  \"data\": {\n    \"left\": 3\n  }\n}\n```\n" +
		"\nError 2: `check_stock`\n\n```json\n{\n  \"result\": \"error\",\n  \"message\": \"there is no such product\",\n  \"error_key\": \"not_found\"\n}\n```\n" +
		"\n## Agent\n\n> {\"result\":\"success\",\"message\":\"3 left\",\"data\":{\"left\":3}}\n" +
		"\n## Visitor\n\n> say a\uFFFD[2J# b\n" +
		"\n## Agent\n\n> a\uFFFD[2J# b\n" +
		"\n## Visitor\n\n> person\n" +
		"\nCall 3: `handoff`\n\n```json\n{\n  \"reason\": \"asked\"\n}\n```\n" +
		"\nResult 3: `handoff`\n\n```json\n{\n  \"result\": \"success\",\n  \"message\": \"A person will answer.\"\n}\n```\n" +
		"\n## Agent\n\n> A person will answer.\n" +
		"\n## Human\n\n> ok\n"
	for _, name := range []string{"conversation-2026-12-01-120000.md", "talk.md"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(markdown, string(data)); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "my talk.JSON"))
	if err != nil {
		t.Fatal(err)
	}
	var again chat.Conversation
	if err := again.UnmarshalJSON(data); err != nil || len(again.Messages()) != 11 || !again.HandedOff() {
		t.Errorf("the saved conversation: %v, %d messages", err, len(again.Messages()))
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v: %d files, want 3", err, len(entries))
	}
}
