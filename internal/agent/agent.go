// Package agent makes a loaded workspace into an agent that can answer: its
// usable tools with their grants resolved, its model, its knowledge, and the
// key that tokens are verified with. One Agent serves any number of
// conversations at once; what belongs to one of them is given to Toolbox.
//
// An Agent does not change. Where files have changed a new one is made, which
// takes over from the one before it the tools whose files are broken now.
package agent

import (
	"slices"
	"sync"
	"time"

	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/knowledge"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// Options are what an Agent needs beside the files.
type Options struct {
	Model  chat.Model
	Client *executor.Client // stays the caller's
	// Secret looks up a secret of the environment. Variable looks up one of the
	// process, which goes first where a grant says env:NAME.
	Secret   func(key string) (string, bool)
	Variable func(name string) string
	Now      func() time.Time
	CacheDir string // where the index of the knowledge is kept
	Last     *Agent // made of the same files before; nil for none
}

// An Agent is safe for concurrent use until it is closed.
type Agent struct {
	Slug  string
	Model chat.Model
	Tools []*tool.Tool // usable ones, in the order of agent.tools
	Left  []Left       // enabled ones that are left out, in that order
	Kept  []string     // files with errors, whose tools go on as they were

	order    []string // agent.tools
	base     toolbox.Options
	handoff  *builtin.Handoff
	lookup   *knowledge.Lazy
	engine   chat.Engine
	keyFile  string
	verifier func() (*auth.Verifier, error) // nil: vatio.yml has no auth
}

// A Left is a tool that is left out.
type Left struct {
	Tool string
	Why  string
	// Silent: no diagnostic says so, because there is no deployment.toml.
	Silent bool
}

// New makes the agent of a workspace that was loaded and checked; whether
// vatio.yml has errors is the caller's to look at first. It fails when a grant
// cannot be resolved. The caller closes the Agent.
func New(w *workspace.Workspace, faults diag.List, o Options) (*Agent, error) {
	a := &Agent{
		Slug: w.Slug, Model: o.Model, order: names(w.Agent.Tools),
		engine: chat.Engine{Model: o.Model, Instructions: w.Agent.Instructions, Budget: w.Agent.ToolBudget},
	}
	a.choose(w, faults, o.Last)
	a.base = toolbox.Options{Tools: a.Tools, Order: a.order, Client: o.Client, Env: o.Secret, Timeout: w.Agent.ToolTimeout}
	if w.Agent.Handoff != nil {
		a.handoff = &builtin.Handoff{When: w.Agent.Handoff.When, Message: w.Agent.Handoff.Message}
	}
	if slices.ContainsFunc(a.Tools, func(t *tool.Tool) bool { return t.Service != nil }) {
		if err := a.grant(w.Deployment.Agent, o); err != nil {
			return nil, err
		}
	}
	if w.Auth != nil {
		a.keyFile = keyPath(w)
		a.verifier = sync.OnceValues(func() (*auth.Verifier, error) { return Verifier(w, o.Now) })
	}
	a.lookup = knowledge.NewLazy(knowledge.Options{Root: w.Root, Bases: names(w.Agent.Knowledge), CacheDir: o.CacheDir})
	return a, nil
}

// grant resolves env:NAME, from a variable or else a secret.
func (a *Agent) grant(grants *workspace.Grants, o Options) error {
	resolved, err := toolbox.ResolveGrants(grants, func(name string) (string, bool) {
		if value := o.Variable(name); value != "" {
			return value, true
		}
		return o.Secret(name)
	})
	a.base.Grants, a.base.Agent = resolved, grants.ID
	return err
}

// Toolbox returns the tools of one conversation: what they know of its visitor,
// and who they act for. called is told of each call that was sent; it is nil or
// safe for concurrent use.
func (a *Agent) Toolbox(visitor *builtin.Visitor, caller toolbox.Caller, called func(toolbox.Record)) *toolbox.Toolbox {
	o := a.base
	o.Visitor, o.Caller, o.Called = visitor, caller, called
	o.Builtins = builtin.New(builtin.Options{Enabled: a.order, Handoff: a.handoff, Knowledge: a.lookup, Session: visitor})
	return &toolbox.Toolbox{Options: o}
}

// Engine returns what runs the turns of a conversation with these tools.
func (a *Agent) Engine(box chat.Toolbox) *chat.Engine {
	e := a.engine
	e.Tools = box
	return &e
}

// Close releases the index of the knowledge. Calls that search it fail then.
func (a *Agent) Close() error { return a.lookup.Close() }

func names(list []workspace.Listed) []string {
	var all []string
	for _, l := range list {
		all = append(all, l.Name)
	}
	return all
}
