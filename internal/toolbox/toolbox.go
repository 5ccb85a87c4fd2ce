// Package toolbox is the tools of one conversation: those of a workspace,
// called through the executor for whoever is talking, and the built-in ones.
package toolbox

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// A Caller is who the agent acts for.
type Caller struct {
	// Owner is <app>/<user> for an app caller and <issuer>|<subject> for a
	// token caller.
	Owner     string
	Principal *executor.Principal // nil for an app caller
	// Scopes narrows what an app caller is offered; nil is every scope. A
	// token caller has the scopes of the token.
	Scopes []string
}

// Has reports whether the caller has a scope; everybody has "".
func (c Caller) Has(scope string) bool {
	if scope == "" {
		return true
	}
	if c.Principal != nil && !slices.Contains(auth.Scopes(c.Principal), scope) {
		return false
	}
	return c.Scopes == nil || slices.Contains(c.Scopes, scope)
}

// Options are what a Toolbox is made of.
type Options struct {
	Tools    []*tool.Tool // usable ones, in the order of agent.tools
	Builtins *builtin.Tools
	Order    []string // agent.tools: the order in which all are offered
	Client   *executor.Client
	Env      func(key string) (string, bool)
	Grants   map[string]Grant // by service
	Agent    string           // the agent's id in the deployment
	Timeout  time.Duration
	Visitor  *builtin.Visitor
	Caller   Caller
	// Called is told of every call that was sent; it is nil or safe for
	// concurrent use.
	Called func(Record)
}

// A Record is one call and what was sent for it.
type Record struct {
	Tool      *tool.Tool
	Arguments string
	Trace     *executor.Trace
}

// A Toolbox implements chat.Toolbox. It is safe for concurrent use.
type Toolbox struct {
	Options
}

var _ chat.Toolbox = (*Toolbox)(nil)

// openObject is what a tool without parameters tells a model.
var openObject = sync.OnceValue(func() jsondoc.Value { return jsondoc.MustParse(`{"type":"object","properties":{}}`) })

// Tools returns what the caller is offered: the tools of agent.tools in its
// order, then handoff.
func (t *Toolbox) Tools(context.Context) []chat.Tool {
	var offered []chat.Tool
	for _, own := range t.Options.Tools {
		if !t.Caller.Has(own.Scope) {
			continue
		}
		c := chat.Tool{Name: own.Key, Description: own.Description, WhenToUse: own.WhenToUse, Parameters: openObject(), ReadOnly: own.HTTP != nil && own.HTTP.Method == http.MethodGet}
		if own.Parameters != nil {
			c.Parameters = own.Parameters.Raw()
		}
		offered = append(offered, c)
	}
	offered = append(offered, t.Builtins.Tools()...)
	place := func(c chat.Tool) int {
		if i := slices.Index(t.Order, c.Name); i >= 0 {
			return i
		}
		return len(t.Order)
	}
	slices.SortStableFunc(offered, func(a, b chat.Tool) int { return place(a) - place(b) })
	return offered
}

// Call runs one tool for the caller.
func (t *Toolbox) Call(ctx context.Context, c chat.Call) chat.Outcome {
	if outcome, ok := t.Builtins.Call(ctx, c); ok {
		return outcome
	}
	i := slices.IndexFunc(t.Options.Tools, func(own *tool.Tool) bool { return own.Key == c.Tool && t.Caller.Has(own.Scope) })
	if i < 0 {
		return chat.Outcome{Content: executor.ErrorResult("There is no tool "+c.Tool+".", "unknown_tool"), IsError: true}
	}
	own := t.Options.Tools[i]
	o := t.Client.Call(ctx, own, []byte(c.Arguments), t.scope(own))
	if o.Trace != nil && t.Called != nil {
		t.Called(Record{Tool: own, Arguments: c.Arguments, Trace: o.Trace})
	}
	return chat.Outcome{Content: o.Content, IsError: o.IsError, HTTP: o.Trace}
}

func (t *Toolbox) scope(own *tool.Tool) executor.Scope {
	s := executor.Scope{
		Env: t.Env, Principal: t.Caller.Principal, Contact: t.Visitor.Contact(), Timeout: t.Timeout,
		Owner: t.Caller.Owner, Agent: t.Agent,
	}
	if own.Service != nil {
		grant := t.Grants[own.Service.Name].Grant
		s.Grant = &grant
	}
	return s
}
