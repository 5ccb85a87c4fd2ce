package serve

import (
	"errors"
	"sync"

	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/toolbox"
)

// An Agent answers conversations. It is safe for concurrent use.
type Agent interface {
	// Toolbox returns the tools of one conversation.
	Toolbox(visitor *builtin.Visitor, caller toolbox.Caller, called func(toolbox.Record)) *toolbox.Toolbox
	// Engine returns what runs turns with these tools.
	Engine(box chat.Toolbox) *chat.Engine
	// Caller verifies a token. The error says in plain words what is wrong.
	Caller(token string) (toolbox.Caller, error)
}

// A Deployment is an agent that answers, and where it comes from.
type Deployment struct {
	Agent
	Workspace   string // slug
	Environment string
	Version     string // tells deployments apart in logs, such as a digest
	// Close is called when no turn needs the agent any more; it may be nil.
	Close func()
}

// A Source gives the deployment that answers now. It is safe for concurrent use.
type Source interface {
	// Acquire returns it for one request. It stays usable until release, which
	// is called once.
	Acquire() (d Deployment, release func(), err error)
}

// Current is a Source of the deployment that was set last. One that is replaced is
// closed when the last turn that it answers has ended. The zero Current has
// none.
type Current struct {
	mu   sync.Mutex
	held *held
}

type held struct {
	Deployment
	users int // one of them is Current itself
}

// ErrNone says that nothing is deployed yet.
var ErrNone = errors.New("no agent is deployed yet")

// Acquire returns the deployment that was set last, or ErrNone.
func (c *Current) Acquire() (Deployment, func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.held
	if h == nil {
		return Deployment{}, nil, ErrNone
	}
	h.users++
	return h.Deployment, sync.OnceFunc(func() { c.leave(h) }), nil
}

// Set makes d the deployment that answers from now on.
func (c *Current) Set(d Deployment) { c.replace(&held{d, 1}) }

// Close gives the deployment up. Turns that run end with it.
func (c *Current) Close() { c.replace(nil) }

func (c *Current) replace(h *held) {
	c.mu.Lock()
	before := c.held
	c.held = h
	c.mu.Unlock()
	if before != nil {
		c.leave(before)
	}
}

func (c *Current) leave(h *held) {
	c.mu.Lock()
	h.users--
	last := h.users == 0
	c.mu.Unlock()
	if last && h.Deployment.Close != nil {
		h.Deployment.Close()
	}
}
