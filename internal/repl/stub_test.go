package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// stubSession is a workspace with two tools and a model that does what the
// first word of a message says.
type stubSession struct {
	started     bool
	resets      int
	contact     executor.Contact
	owner       string
	channel     string
	environment string
	scopes      []string
	pending     []chat.Event // shown before the next turn
	notices     []string
	beginError  error
}

func newStub() *stubSession {
	return &stubSession{owner: "cli/alice", channel: "cli", environment: "local"}
}

func (s *stubSession) Begin(context.Context) (Ready, error) {
	if s.beginError != nil {
		err := s.beginError
		s.beginError = nil
		return Ready{}, err
	}
	r := Ready{
		Engine: &chat.Engine{Model: stubModel{}, Tools: stubToolbox{s}, Instructions: "Help."},
		Events: s.pending, Notices: s.notices,
	}
	if !s.started {
		r.Events = append([]chat.Event{{Type: chat.StartEvent, Start: &chat.Start{
			Workspace: "acme", Environment: s.environment, Provider: "stub", Model: "stub-1", Tools: []string{"check_stock", "handoff"},
		}}}, r.Events...)
	}
	s.started, s.pending, s.notices = true, nil, nil
	return r, nil
}

func (s *stubSession) Reset() {
	s.resets++
	s.contact = executor.Contact{}
}
func (s *stubSession) Workspace() string { return "acme" }

// hush is the one secret.
const hush = "hush-4711"

func (s *stubSession) Redact(text string) string {
	return strings.ReplaceAll(text, hush, "[redacted]")
}

func (s *stubSession) Tools() []ToolLine { return stubTools() }

func stubTools() []ToolLine {
	return []ToolLine{
		{Name: "check_stock", Kind: "http", Description: "Tells how many\nare left.", Parameters: []string{"product", "store"}},
		{Name: "handoff", Kind: "built-in", Description: "Gives the conversation to a person."},
		{Name: "old_tool", Kind: "service", Problem: "tools/old_tool.toml has 2 errors"},
	}
}

func (s *stubSession) Curl() (string, error) {
	return "curl 'http://127.0.0.1:8080/products?name=Picker' \\\n  -H \"Authorization: Bearer $SHOP_KEY\"\n", nil
}

func (s *stubSession) Contact() executor.Contact { return s.contact }

func (s *stubSession) SetContact(field, value string) error {
	switch field {
	case "name":
		s.contact.Name = value
	case "email":
		if value != "" && !strings.Contains(value, "@") {
			return fmt.Errorf("%q is no email address", value)
		}
		s.contact.Email = value
	case "phone_number":
		s.contact.PhoneNumber = value
	default:
		return fmt.Errorf("no field %q", field)
	}
	return nil
}

func (s *stubSession) Owner() string { return s.owner }

func (s *stubSession) SetOwner(owner string) error {
	if strings.Count(owner, "/") != 1 {
		return fmt.Errorf("%q is no APP/USER", owner)
	}
	s.owner = owner
	return nil
}

func (s *stubSession) SetToken(jwt string) error {
	user, ok := strings.CutPrefix(jwt, "jwt-")
	if !ok {
		return errors.New("it is no JWT")
	}
	s.owner = "acme/" + user
	return nil
}

func (s *stubSession) Scopes() []string          { return s.scopes }
func (s *stubSession) SetScopes(scopes []string) { s.scopes = scopes }
func (s *stubSession) AllScopes() []string       { return []string{"stock:read", "stock:write"} }

func (s *stubSession) Channel() string { return s.channel }

func (s *stubSession) SetChannel(name string) error {
	for _, c := range s.Channels() {
		if c == name {
			s.channel = name
			return nil
		}
	}
	return fmt.Errorf("there is no channel %q: the channels are %s", name, diag.Quoted(s.Channels()))
}

func (s *stubSession) Environment() string { return s.environment }

func (s *stubSession) SetEnvironment(name string) error {
	if strings.ToLower(name) != name {
		return fmt.Errorf("%q is no environment", name)
	}
	s.environment = name
	return nil
}

func (s *stubSession) Channels() []string     { return []string{"web", "whatsapp", "cli"} }
func (s *stubSession) Environments() []string { return []string{"local", "production"} }

// Tools of the turn and Call make it the engine's toolbox.
type stubToolbox struct{ *stubSession }

func (s stubToolbox) Tools(context.Context) []chat.Tool {
	return []chat.Tool{
		{Name: "check_stock", Description: "Tells how many are left.", WhenToUse: "Use it when asked.", Parameters: jsondoc.MustParse(`{"type":"object"}`)},
		{Name: "handoff"},
	}
}

func (s stubToolbox) Call(ctx context.Context, c chat.Call) chat.Outcome {
	if c.Tool == "handoff" {
		return chat.Outcome{Content: `{"result":"success","message":"A person will answer."}`}
	}
	v := jsondoc.MustParse(c.Arguments)
	product := v.Get("product").Text()
	t := &executor.Trace{
		Method: "GET", URL: "http://127.0.0.1:8080/products?name=" + product,
		RequestHeaders:  []executor.Header{{Name: "Accept", Value: "application/json"}, {Name: "Authorization", Value: "[redacted]"}},
		Status:          200,
		ResponseHeaders: []executor.Header{{Name: "Content-Type", Value: "application/json"}},
		ResponseBody:    `{"product":"` + product + `","left":3}`,
		Duration:        3 * time.Millisecond, ResponseBytes: 29,
	}
	o := chat.Outcome{Content: `{"result":"success","message":"3 left","data":{"left":3}}`, HTTP: t}
	switch product {
	case "Nothing":
		t.Status, t.ResponseBody = 404, `{"error":"none"}`
		o.Content, o.IsError = executor.ErrorResult("there is no such product", "not_found"), true
	case "Down":
		t.Status, t.ResponseHeaders, t.ResponseBody, t.ResponseBytes, t.Err = 0, nil, "", 0, "the connection was refused"
		o.Content, o.IsError = executor.ErrorResult("the service cannot be reached", "unavailable"), true
	case "":
		o.Content, o.IsError, o.HTTP = executor.ErrorResult("product is missing", "invalid_arguments"), true, nil
	}
	return o
}

// stubModel obeys: check PRODUCT…, fail, slow, say TEXT, person.
type stubModel struct{}

func (stubModel) Name() (string, string) { return "stub", "stub-1" }

// Adapt makes the model a chat.SchemaAdapter.
func (stubModel) Adapt(t chat.Tool) (chat.Tool, []string) {
	if t.WhenToUse == "" {
		return t, nil
	}
	t.Description, t.WhenToUse = t.Description+" "+t.WhenToUse, ""
	return t, []string{"format was taken out"}
}

func (stubModel) Next(ctx context.Context, r chat.Request, delta func(string)) (chat.Reply, error) {
	last := r.Messages[len(r.Messages)-1]
	if last.Role == chat.ToolResults {
		return stubAnswer(last.Results[0].Content, delta), nil
	}
	verb, rest, _ := strings.Cut(last.Text, " ")
	switch verb {
	case "check":
		var calls []chat.Call
		for _, product := range strings.Fields(rest) {
			calls = append(calls, chat.Call{Tool: "check_stock", Arguments: `{"product": "` + product + `"}`})
		}
		if len(calls) == 0 {
			calls = []chat.Call{{Tool: "check_stock"}}
		}
		return chat.Reply{Calls: calls}, nil
	case "person":
		return chat.Reply{Calls: []chat.Call{{Tool: "handoff", Arguments: `{"reason":"asked"}`}}}, nil
	case "fail":
		return chat.Reply{}, errors.New("the provider answered 429: too many requests, wait a minute")
	case "slow":
		if delta != nil && os.Getenv("TERM") == "dumb" {
			delta("begun\n") // no spinner tells it
		}
		<-ctx.Done()
		return chat.Reply{}, ctx.Err()
	case "recite": // a file, slowly
		text, err := os.ReadFile(rest)
		if err != nil {
			return chat.Reply{}, err
		}
		for piece := range slices.Chunk([]byte(text), 7) {
			if delta != nil {
				delta(string(piece))
			}
			select {
			case <-ctx.Done():
				return chat.Reply{}, ctx.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
		return chat.Reply{Text: string(text)}, nil
	case "say":
		return stubAnswer(rest, delta), nil
	}
	return stubAnswer(fmt.Sprintf("you said %q", last.Text), delta), nil
}

func stubAnswer(text string, delta func(string)) chat.Reply {
	if delta != nil {
		for i := 0; i < len(text); i += 5 {
			delta(text[i:min(i+5, len(text))])
		}
	}
	return chat.Reply{Text: text}
}
