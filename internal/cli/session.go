package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/knowledge"
	"github.com/vatio-dev/vatio/internal/repl"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// A session is the workspace side of a conversation: it loads the files, loads
// them again when they change, and knows who is talking. It implements
// repl.Session.
type session struct {
	*app
	root   string
	env    string
	config *viper.Viper
	token  string // verified anew for each turn

	store    *secrets.Store // one, so that a passphrase is asked for once
	client   *executor.Client
	verifier *auth.Verifier // of token; nil before the workspace is loaded
	keyFile  string         // path of the key that it verifies with; "" for none
	keyStamp string         // of keyFile
	visitor  *builtin.Visitor
	caller   toolbox.Caller
	lookup   *knowledge.Lazy

	stamp   string // of the files the workspace was loaded from
	started bool
	slug    string
	engine  *chat.Engine
	box     *toolbox.Toolbox
	left    map[string]string // tools left out and why

	mu   sync.Mutex
	last *toolbox.Record
}

var _ repl.Session = (*session)(nil)

func newSession(a *app, root, env string) *session {
	return &session{
		app: a, root: root, env: env, store: a.secretStore(root),
		client:  executor.New(executor.Options{Version: buildInfo().Version}),
		visitor: &builtin.Visitor{},
		caller:  toolbox.Caller{Owner: a.defaultOwner()},
	}
}

func (s *session) close() {
	s.client.Close()
	s.closeLookup()
}

func (s *session) closeLookup() {
	if s.lookup != nil {
		_ = s.lookup.Close()
	}
}

// Begin loads the workspace when it has not been, or when a file has changed.
func (s *session) Begin(ctx context.Context) (repl.Ready, error) {
	stamp := stampOf(s.root)
	if s.engine != nil && stamp == s.stamp && s.keyStamp == stampOfFile(s.keyFile) {
		return repl.Ready{Engine: s.engine}, s.stillValid()
	}
	ready, err := s.load(ctx)
	if err != nil {
		return ready, err
	}
	s.stamp = stamp
	return ready, nil
}

// load reads the workspace and everything that depends on it.
func (s *session) load(ctx context.Context) (repl.Ready, error) {
	snapshot, unread := s.store.Read()
	w, faults, notice, err := s.checkAgainst(snapshot, unread, s.root, s.env)
	if err != nil {
		return repl.Ready{}, err
	}
	fmt.Fprint(s.Err, notice)
	if hasErrors(faults, w.File) {
		return repl.Ready{}, s.brokenWorkspace(faults)
	}
	if unread != nil && s.needsSecrets(w) {
		return repl.Ready{}, unread
	}
	model, err := modelOf(s.config, w, s.app)
	if err != nil {
		return repl.Ready{}, err
	}
	if err := s.identify(w); err != nil {
		return repl.Ready{}, err
	}
	usable, left := usableTools(w, faults)
	grants, agent, err := s.grants(w, usable, snapshot)
	if err != nil {
		return repl.Ready{}, err
	}
	s.closeLookup()
	s.lookup = knowledge.NewLazy(knowledge.Options{
		Root: s.root, Bases: names(w.Agent.Knowledge), CacheDir: filepath.Join(s.root, ".vatio"),
	})
	order := names(w.Agent.Tools)
	box := &toolbox.Toolbox{Options: toolbox.Options{
		Tools: usable, Order: order, Client: s.client, Grants: grants, Agent: agent, Timeout: w.Agent.ToolTimeout,
		Env: envOf(snapshot, s.env), Visitor: s.visitor, Caller: s.caller, Called: s.called,
		Builtins: builtin.New(builtin.Options{Enabled: order, Handoff: handoffOf(w), Knowledge: s.lookup, Session: s.visitor}),
	}}
	offered := box.Tools(ctx)
	ready := repl.Ready{Events: problems(w, faults)}
	switch {
	case len(offered) == 0 && len(usable) > 0:
		return ready, fmt.Errorf("the caller has none of the scopes that the agent's tools ask for: %s", diag.Quoted(scopesOf(usable)))
	case len(offered) == 0:
		return ready, withHint(errors.New("the agent has no usable tool"), "run: vatio tools check")
	}
	s.box, s.left, s.slug = box, left, w.Slug
	s.engine = &chat.Engine{Model: model, Tools: box, Instructions: w.Agent.Instructions, Budget: w.Agent.ToolBudget}
	ready.Engine = s.engine
	if !s.started {
		s.started = true
		provider, name := model.Name()
		start := &chat.Start{Workspace: w.Slug, Environment: s.env, Provider: provider, Model: name}
		for _, t := range offered {
			start.Tools = append(start.Tools, t.Name)
		}
		ready.Events = append([]chat.Event{{Type: chat.StartEvent, Start: start}}, ready.Events...)
	} else {
		ready.Notices = append(ready.Notices, "the workspace has changed and was read again")
	}
	ready.Notices = append(ready.Notices, unsetNotices(w, faults)...)
	if w.Deployment == nil {
		for _, name := range order {
			if why := left[name]; why != "" && hasService(w, name) {
				ready.Notices = append(ready.Notices, name+" is left out: "+why)
			}
		}
	}
	return ready, nil
}

func hasErrors(faults diag.List, f *diag.File) bool {
	return slices.ContainsFunc(faults, func(d diag.Diagnostic) bool {
		return d.Span.File.Name == f.Name && d.Severity == diag.Error
	})
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

func hasService(w *workspace.Workspace, key string) bool {
	return slices.ContainsFunc(w.Tools, func(t *tool.Tool) bool { return t.Key == key && t.Service != nil })
}

// needsSecrets reports whether a tool asks for a secret, or a grant for one that
// the environment does not have.
func (s *session) needsSecrets(w *workspace.Workspace) bool {
	for _, t := range w.Tools {
		for _, text := range t.Templates() {
			for _, ref := range text.Refs() {
				if ref.Source == placeholder.Env {
					return true
				}
			}
		}
	}
	if w.Deployment == nil || w.Deployment.Agent == nil {
		return false
	}
	return slices.ContainsFunc(toolbox.EnvNames(w.Deployment.Agent), func(name string) bool { return s.Getenv(name) == "" })
}

func envOf(snapshot *secrets.Snapshot, env string) func(string) (string, bool) {
	return func(key string) (string, bool) {
		if snapshot == nil {
			return "", false
		}
		v, ok := snapshot.Lookup(key, env)
		return v.Reveal(), ok
	}
}

// usableTools returns the enabled tools whose files have no error, in the
// order of agent.tools, and why the others are left out.
func usableTools(w *workspace.Workspace, faults diag.List) (usable []*tool.Tool, left map[string]string) {
	left = map[string]string{}
	for _, l := range w.Agent.Tools {
		i := slices.IndexFunc(w.Tools, func(t *tool.Tool) bool { return t.Key == l.Name })
		switch {
		case i < 0:
		case hasErrors(faults, w.Tools[i].File):
			left[l.Name] = w.Tools[i].File.Name + " has errors"
		default:
			if why := ungranted(w, w.Tools[i], faults); why != "" {
				left[l.Name] = why
				continue
			}
			usable = append(usable, w.Tools[i])
		}
	}
	return usable, left
}

// ungranted says why a service tool cannot be called; "" when it can.
func ungranted(w *workspace.Workspace, t *tool.Tool, faults diag.List) string {
	switch {
	case t.Service == nil:
		return ""
	case w.Deployment == nil:
		return fmt.Sprintf("no %s grants the service %q", workspace.DeploymentName, t.Service.Name)
	case w.Deployment.Root == nil:
		return w.Deployment.File.Name + " has errors"
	case w.Deployment.Agent == nil:
		return fmt.Sprintf("%s does not grant the service %q", w.Deployment.File.Name, t.Service.Name)
	}
	for _, d := range faults {
		if d.Severity == diag.Error && d.Span.File.Name == w.Deployment.File.Name && !ofAnotherService(w.Deployment.Agent, t, d) {
			return w.Deployment.File.Name + " has errors"
		}
	}
	return ""
}

// ofAnotherService reports whether a fault stands at a service that t does not
// use, such as a grant that is one too many.
func ofAnotherService(agent *workspace.Grants, t *tool.Tool, d diag.Diagnostic) bool {
	return slices.ContainsFunc(agent.Services, func(s workspace.Service) bool {
		return s.Name != t.Service.Name && s.Place() == d.Span
	})
}

// problems returns the errors of files other than vatio.yml, as events.
func problems(w *workspace.Workspace, faults diag.List) []chat.Event {
	var events []chat.Event
	for _, d := range faults {
		if d.Severity == diag.Error && d.Span.File.Name != w.File.Name {
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

func (s *session) grants(w *workspace.Workspace, usable []*tool.Tool, snapshot *secrets.Snapshot) (map[string]toolbox.Grant, string, error) {
	if !slices.ContainsFunc(usable, func(t *tool.Tool) bool { return t.Service != nil }) {
		return nil, "", nil
	}
	lookup := func(name string) (string, bool) {
		if value := s.Getenv(name); value != "" {
			return value, true
		}
		return envOf(snapshot, s.env)(name)
	}
	grants, err := toolbox.ResolveGrants(w.Deployment.Agent, lookup)
	return grants, w.Deployment.Agent.ID, err
}

// identify verifies the token, if there is one.
func (s *session) identify(w *workspace.Workspace) error {
	s.keyFile, s.keyStamp = "", ""
	if s.token == "" {
		return nil
	}
	if w.Auth == nil {
		return fmt.Errorf("--token needs an auth block in %s", workspace.FileName)
	}
	s.keyFile = filepath.Join(s.root, filepath.FromSlash(w.Auth.PublicKey))
	s.keyStamp = stampOfFile(s.keyFile)
	var err error
	if s.verifier, err = newVerifier(s.root, w, s.Now); err != nil {
		return err
	}
	principal, err := s.verifier.Verify(s.token)
	if err != nil {
		return fmt.Errorf("--token: %w", err)
	}
	owner, err := toolbox.TokenOwner(principal, w.Slug)
	if err != nil {
		return fmt.Errorf("--token: %w", err)
	}
	s.caller.Principal, s.caller.Owner = principal, owner
	return nil
}

// stillValid reports when a token has expired since the workspace was loaded.
func (s *session) stillValid() error {
	if s.token == "" {
		return nil
	}
	if _, err := s.verifier.Verify(s.token); err != nil {
		return fmt.Errorf("--token: %w", err)
	}
	return nil
}

func handoffOf(w *workspace.Workspace) *builtin.Handoff {
	if w.Agent.Handoff == nil {
		return nil
	}
	return &builtin.Handoff{When: w.Agent.Handoff.When, Message: w.Agent.Handoff.Message}
}

func names(list []workspace.Listed) []string {
	var all []string
	for _, l := range list {
		all = append(all, l.Name)
	}
	return all
}

// stampOf changes when a file of the workspace is written, added or removed.
func stampOf(root string) string {
	var b strings.Builder
	add := func(path string) { b.WriteString(stampOfFile(path)) }
	add(filepath.Join(root, workspace.FileName))
	add(filepath.Join(root, ".vatio", "secrets.age"))
	for dir := root; ; dir = filepath.Dir(dir) {
		add(filepath.Join(dir, workspace.DeploymentName))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	entries, _ := os.ReadDir(filepath.Join(root, "tools"))
	for _, e := range entries {
		add(filepath.Join(root, "tools", e.Name()))
	}
	return b.String()
}

func stampOfFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
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

// Prompt says where one is and who is talking.
func (s *session) Prompt() string {
	parts := []string{s.slug, s.caller.Owner, s.env}
	if channel := s.visitor.Channel(); channel != "cli" {
		parts = append(parts, channel)
	}
	return strings.Join(parts, " · ")
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
	for _, name := range s.box.Order {
		if why := s.left[name]; why != "" {
			lines = append(lines, repl.ToolLine{Name: name, Problem: why})
		}
	}
	return lines
}

// Trace returns the last call that was sent.
func (s *session) Trace() *executor.Trace {
	if last := s.lastCall(); last != nil {
		return last.Trace
	}
	return nil
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
	s.forget()
	return nil
}

// SetScopes narrows what the caller is offered to the tools of these scopes;
// nil offers all.
func (s *session) SetScopes(scopes []string) {
	s.caller.Scopes = scopes
	s.forget()
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
	s.env = name
	s.forget()
	return nil
}

// forget makes the next Begin load everything again.
func (s *session) forget() { s.stamp = "" }

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
