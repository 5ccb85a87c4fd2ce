// Package builtin holds the tools that come with every agent:
// knowledge_lookup, identify_contact, request_contact_info and handoff.
//
// Every result is the object that HTTP tools give too: result, message, data,
// error_key, in this order. Arguments that do not fit give invalid_arguments.
// Whatever a tool changes or asks for goes through the Session, and whatever
// it fails at is an error result, never a Go error.
package builtin

import (
	"context"
	"slices"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/knowledge"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

// Names returns the names of all built-in tools, sorted.
func Names() []string {
	return []string{chat.HandoffTool, chat.IdentifyContactTool, chat.KnowledgeLookupTool, chat.RequestContactInfoTool}
}

// Is reports whether name is that of a built-in tool.
func Is(name string) bool { return slices.Contains(Names(), name) }

// A Session is the conversation that the tools act on. It is safe for
// concurrent use: the calls of one answer run at once. Its errors stay inside
// the program.
type Session interface {
	// Channel is where the visitor writes: "web", "whatsapp", "cli".
	Channel() string
	// Identify stores the name that the visitor gave.
	Identify(ctx context.Context, name string) error
	// RequestContactInfo asks the visitor, on the channel, to share their
	// phone number.
	RequestContactInfo(ctx context.Context) error
	// HandOff calls for a person, who is told the reason.
	HandOff(ctx context.Context, reason string) error
}

// Knowledge is what knowledge_lookup searches. It is safe for concurrent use.
type Knowledge interface {
	Search(ctx context.Context, query string, limit int) ([]knowledge.Passage, error)
}

// A Handoff is what the workspace says about giving the conversation to a
// person.
type Handoff struct {
	When    string // told to the model as when_to_use; may be blank
	Message string // the result's message; may be blank
}

// Options say which tools there are and what they act on.
type Options struct {
	Enabled   []string  // agent.tools; the names of other tools are passed over
	Handoff   *Handoff  // nil: the conversation cannot be handed off
	Knowledge Knowledge // nil: every lookup finds nothing
	Session   Session
}

// Tools are the built-in tools of one conversation. They are safe for
// concurrent use.
type Tools struct {
	session Session
	tools   []builtin
}

// A builtin is one tool as it is offered and run.
type builtin struct {
	chat.Tool
	schema  *jsonschema.Schema
	channel string // the only channel it is offered on; "" for all
	run     func(ctx context.Context, a arguments) chat.Outcome
}

// New returns the enabled tools in the order of o.Enabled, each once, with
// handoff after them where there is one.
func New(o Options) *Tools {
	t := &Tools{session: o.Session}
	for _, name := range o.Enabled {
		if t.find(name) != nil {
			continue
		}
		switch name {
		case chat.KnowledgeLookupTool:
			t.tools = append(t.tools, knowledgeLookup(o.Knowledge))
		case chat.IdentifyContactTool:
			t.tools = append(t.tools, identifyContact(o.Session))
		case chat.RequestContactInfoTool:
			t.tools = append(t.tools, requestContactInfo(o.Session))
		}
	}
	if o.Handoff != nil {
		t.tools = append(t.tools, handoff(*o.Handoff, o.Session))
	}
	return t
}

// Tools returns those that are offered on the session's channel.
func (t *Tools) Tools() []chat.Tool {
	var offered []chat.Tool
	for _, b := range t.tools {
		if t.offers(&b) {
			offered = append(offered, b.Tool)
		}
	}
	return offered
}

// Call runs an offered tool. ok is false, and nothing has happened, when no
// built-in tool of that name is offered.
func (t *Tools) Call(ctx context.Context, c chat.Call) (outcome chat.Outcome, ok bool) {
	b := t.find(c.Tool)
	if b == nil || !t.offers(b) {
		return chat.Outcome{}, false
	}
	a, fault := b.arguments(c.Arguments)
	if fault != "" {
		return failure(fault, invalidArguments), true
	}
	return b.run(ctx, a), true
}

func (t *Tools) find(name string) *builtin {
	i := slices.IndexFunc(t.tools, func(b builtin) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &t.tools[i]
}

func (t *Tools) offers(b *builtin) bool {
	return b.channel == "" || b.channel == t.session.Channel()
}
