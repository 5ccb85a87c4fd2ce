package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vatio-dev/vatio/internal/agent"
	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/repl"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// A session is the workspace side of a conversation: it keeps the agent that the
// files make, has it made anew when they change, and knows who is talking. It
// implements repl.Session.
type session struct {
	*loader
	env     string
	token   string // verified anew for each turn
	visitor *builtin.Visitor
	caller  toolbox.Caller

	agent   *loadedAgent // nil: none yet
	stamp   string       // of the files that were looked at last; "": look again
	pending repl.Ready   // what there is to say before the next turn
	began   bool
	box     *toolbox.Toolbox // of agent and caller; nil: to be made
	engine  *chat.Engine

	mu   sync.Mutex
	last *toolbox.Record
}

var _ repl.Session = (*session)(nil)

func newSession(l *loader, env string) *session {
	return &session{loader: l, env: env, visitor: &builtin.Visitor{}, caller: toolbox.Caller{Owner: l.defaultOwner()}}
}

func (s *session) close() {
	s.loader.close()
	if s.agent != nil {
		_ = s.agent.Close()
	}
}

// Begin makes the agent when there is none, or when a file has changed.
func (s *session) Begin(ctx context.Context) (repl.Ready, error) {
	files := s.filesStamp()
	if s.agent == nil || s.stamp != files+s.keyStamp() {
		if err := s.reload(); err != nil {
			return repl.Ready{}, err
		}
		s.stamp = files + s.keyStamp()
	}
	if err := s.identify(); err != nil {
		return repl.Ready{}, fmt.Errorf("--token: %w", err)
	}
	if s.box == nil {
		s.box = s.agent.Toolbox(s.visitor, s.caller, s.called)
		s.engine = s.agent.Engine(s.box)
	}
	ready := s.pending
	s.pending = repl.Ready{}
	offered := s.box.Tools(ctx)
	switch {
	case len(offered) == 0 && len(s.agent.Tools) > 0:
		return ready, fmt.Errorf("the caller has none of the scopes that the agent's tools ask for: %s", diag.Quoted(scopesOf(s.agent.Tools)))
	case len(offered) == 0:
		return ready, withHint(errors.New("the agent has no usable tool"), "run: vatio tools check")
	case !s.began:
		s.began = true
		ready.Events = slices.Insert(ready.Events, 0, chat.Event{Type: chat.StartEvent, Start: s.start(offered)})
	}
	ready.Engine = s.engine
	return ready, nil
}

// keyStamp is that of the key, where there is a token to verify.
func (s *session) keyStamp() string {
	if s.token == "" {
		return ""
	}
	return stampOfFile(s.agent.KeyFile())
}

func (s *session) start(offered []chat.Tool) *chat.Start {
	provider, model := s.agent.Model.Name()
	start := &chat.Start{Workspace: s.agent.Slug, Environment: s.env, Provider: provider, Model: model}
	for _, t := range offered {
		start.Tools = append(start.Tools, t.Name)
	}
	return start
}

// reload makes the agent anew. Where vatio.yml is broken the one before goes on.
func (s *session) reload() error {
	var before *agent.Agent
	if s.agent != nil && s.agent.env == s.env {
		before = s.agent.Agent
	}
	made, err := s.load(s.env, before)
	var broken *brokenWorkspace
	switch {
	case errors.As(err, &broken) && before != nil:
		s.pending.Events = append(s.pending.Events, problems(broken.faults)...)
		s.pending.Notices = append(s.pending.Notices, workspace.FileName+" has errors: the workspace goes on as it was until they are mended")
		return nil
	case broken != nil:
		return s.tell(broken)
	case err != nil:
		return err
	}
	if s.agent != nil {
		_ = s.agent.Close()
		s.pending.Notices = append(s.pending.Notices, "the workspace has changed and was read again")
	}
	s.agent, s.box = made, nil
	s.pending.Events = append(s.pending.Events, problems(made.faults)...)
	for _, name := range made.Kept {
		s.pending.Notices = append(s.pending.Notices, name+" has errors: its tool goes on as it was until they are mended")
	}
	s.pending.Notices = append(s.pending.Notices, unsetNotices(made.workspace, made.faults)...)
	for _, l := range made.Left {
		if l.Silent {
			s.pending.Notices = append(s.pending.Notices, l.Tool+" is left out: "+l.Why)
		}
	}
	return nil
}

// identify verifies the token, if there is one.
func (s *session) identify() error {
	if s.token == "" || s.agent == nil {
		return nil
	}
	caller, err := s.agent.Caller(s.token)
	if err != nil {
		return err
	}
	if before := s.caller.Principal; before == nil || before.Token != caller.Principal.Token {
		s.box = nil
	}
	caller.Scopes = s.caller.Scopes
	s.caller = caller
	return nil
}

func scopesOf(tools []*tool.Tool) []string {
	var scopes []string
	for _, t := range tools {
		if !slices.Contains(scopes, t.Scope) {
			scopes = append(scopes, t.Scope)
		}
	}
	return scopes
}

// problems returns the errors of files as events.
func problems(faults diag.List) []chat.Event {
	var events []chat.Event
	for _, d := range faults {
		if d.Severity == diag.Error {
			events = append(events, chat.Event{Type: chat.ProblemEvent, Problem: &d})
		}
	}
	return events
}

// unsetNotices names each secret without a value once. What a grant asks for has
// one: it is resolved when the workspace is loaded.
func unsetNotices(w *workspace.Workspace, faults diag.List) []string {
	var notices []string
	for _, d := range faults {
		if w.Deployment != nil && d.Span.File == w.Deployment.File {
			continue
		}
		if d.Code == "unset-secret" {
			if text := d.Message + ": " + d.Hint; !slices.Contains(notices, text) {
				notices = append(notices, text)
			}
		}
	}
	return notices
}

func (s *session) called(r toolbox.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = &r
}

func (s *session) lastCall() *toolbox.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Reset forgets what belongs to one conversation.
func (s *session) Reset() {
	s.visitor.Update(func(c *executor.Contact) { *c = executor.Contact{} })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = nil
}

// Tools lists what is offered, then what is left out.
func (s *session) Tools() []repl.ToolLine {
	var lines []repl.ToolLine
	if s.box == nil {
		return nil
	}
	for _, t := range s.box.Tools(context.Background()) {
		line := repl.ToolLine{Name: t.Name, Kind: "built-in", Description: t.Description}
		for _, own := range s.box.Options.Tools {
			if own.Key == t.Name && own.Service != nil {
				line.Kind = "service"
			} else if own.Key == t.Name {
				line.Kind = "http"
			}
		}
		for name := range t.Parameters.Get("properties").Members() {
			line.Parameters = append(line.Parameters, name)
		}
		lines = append(lines, line)
	}
	for _, l := range s.agent.Left {
		lines = append(lines, repl.ToolLine{Name: l.Tool, Problem: l.Why})
	}
	return lines
}

// Curl returns the last call as a command.
func (s *session) Curl() (string, error) {
	last := s.lastCall()
	if last == nil {
		return "", errors.New("no call was sent yet")
	}
	return s.box.Curl(context.Background(), *last)
}

// Contact returns what is known of the visitor.
func (s *session) Contact() executor.Contact { return s.visitor.Contact() }

// SetContact changes one field of the contact.
func (s *session) SetContact(field, value string) error {
	fields := []string{"name", "email", "phone_number"}
	if !slices.Contains(fields, field) {
		return fmt.Errorf("a contact has %s, not %q", diag.Quoted(fields), field)
	}
	s.visitor.Update(func(c *executor.Contact) {
		switch field {
		case "name":
			c.Name = value
		case "email":
			c.Email = value
		case "phone_number":
			c.PhoneNumber = value
		}
	})
	return nil
}

// Owner returns who is talking.
func (s *session) Owner() string { return s.caller.Owner }

// SetOwner makes the caller the user of an app; a token counts no longer.
func (s *session) SetOwner(text string) error {
	owner, err := toolbox.ParseOwner(text)
	if err != nil {
		return err
	}
	s.token, s.caller.Principal, s.caller.Owner = "", nil, owner
	s.box = nil
	return nil
}

// SetScopes narrows what the caller is offered to the tools of these scopes;
// nil offers all.
func (s *session) SetScopes(scopes []string) {
	s.caller.Scopes = scopes
	s.box = nil
}

// Channel returns where the visitor writes.
func (s *session) Channel() string { return s.visitor.Channel() }

// SetChannel changes where the visitor writes.
func (s *session) SetChannel(name string) error {
	if err := validChannel(name); err != nil {
		return err
	}
	s.visitor.SetChannel(name)
	return nil
}

// Environment returns whose secrets are used.
func (s *session) Environment() string { return s.env }

// SetEnvironment changes whose secrets are used.
func (s *session) SetEnvironment(name string) error {
	if err := secrets.ValidEnvironment(name); err != nil {
		return err
	}
	s.env, s.stamp = name, ""
	return nil
}

// Channels lists what SetChannel takes.
func (s *session) Channels() []string { return channels[:] }

// Environments lists those that have values of their own.
func (s *session) Environments() []string {
	list := []string{"local"}
	snapshot, err := s.store.Read()
	if err != nil {
		return list
	}
	for _, e := range snapshot.Entries() {
		if e.Environment != "" && !slices.Contains(list, e.Environment) {
			list = append(list, e.Environment)
		}
	}
	slices.Sort(list)
	return list
}
