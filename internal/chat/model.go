// Package chat is the turn engine: it carries one conversation between a
// visitor, a model and the tools. It asks the model, dispatches the calls the
// model makes, hands their results back in the model's order, and repeats
// that until the model answers in words. It declares what it needs from the
// outside, a Model and a Toolbox, and knows neither HTTP nor terminals.
//
// It promises that a conversation stays usable whatever happens in a turn: a
// failing model, a cancelled context or a spent budget never leave a call
// without its result in the history.
package chat

import (
	"context"

	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A Model answers a conversation, in words or with tool calls. It is safe for
// concurrent use: everything about a conversation stands in the request.
type Model interface {
	// Next returns the next answer. When delta is not nil and the model
	// streams, pieces of the text are given to it, on the goroutine that
	// called Next, before Next returns the whole. Errors are for people:
	// they say what failed and what to do, and hold no credentials.
	Next(ctx context.Context, r Request, delta func(text string)) (Reply, error)
	// Name returns the provider and the model, for the start event.
	Name() (provider, model string)
}

// A SchemaAdapter is a Model that changes tools to what its provider accepts.
type SchemaAdapter interface {
	// Adapt returns t as it travels: its WhenToUse is part of its Description.
	// The changes are sentences for people about what it had that the provider
	// refuses; nil when there was nothing.
	Adapt(t Tool) (adapted Tool, changes []string)
}

// A Request is all that a model is told. A Model does not change it.
type Request struct {
	Instructions string
	Tools        []Tool // empty: no call is possible
	Messages     []Message
}

// A Tool is one tool as a model is told of it.
type Tool struct {
	Name        string
	Description string
	WhenToUse   string        // "" for none
	Parameters  jsondoc.Value // a JSON Schema; the zero Value: any object
	ReadOnly    bool          // it is known to change nothing
}

// Role says who a message is from. The zero value is invalid.
type Role uint8

// User is the visitor, Agent the model, Human the person who took the
// conversation over. ToolResults answers the calls of the Agent message
// before it, all of them, in their order.
const (
	User Role = iota + 1
	Agent
	Human
	ToolResults
)

func (r Role) String() string {
	switch r {
	case User:
		return "user"
	case Agent:
		return "agent"
	case Human:
		return "human"
	case ToolResults:
		return "tool_results"
	}
	return "invalid"
}

// A Message is one step of a conversation.
type Message struct {
	Role    Role
	Text    string   // User, Human and Agent; "" when an Agent only calls
	Calls   []Call   // Agent
	Results []Result // ToolResults
}

// A Call is one tool call of a model.
type Call struct {
	ID        string // of the conversation: "1", "2" …; what a Model writes here is replaced
	Tool      string
	Arguments string // JSON text as the model wrote it
}

// A Result answers the call with the same ID.
type Result struct {
	ID      string
	Tool    string
	Content string // exactly what the model gets
	IsError bool
}

// A Reply is one answer of a model: a text, calls, or both.
type Reply struct {
	Text  string
	Calls []Call
}

// A Toolbox offers the tools of one conversation and runs them. Call is used
// concurrently and returns soon after ctx is done.
type Toolbox interface {
	// Tools returns what is offered in the turn that begins, in a fixed order.
	Tools(ctx context.Context) []Tool
	// Call runs one offered tool. The arguments are well-formed JSON.
	Call(ctx context.Context, c Call) Outcome
}

// An Outcome is what became of one call.
type Outcome struct {
	Content string
	IsError bool
	HTTP    *executor.Trace // nil: nothing was sent
	EndTurn bool            // the turn ends after the results of this answer
}

// The names of the built-in tools that change how a turn goes.
const (
	HandoffTool            = "handoff"              // a success gives the conversation to a person
	RequestContactInfoTool = "request_contact_info" // its outcome ends the turn
	IdentifyContactTool    = "identify_contact"
	KnowledgeLookupTool    = "knowledge_lookup"
)
