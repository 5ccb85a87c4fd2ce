package chat

import "github.com/vatio-dev/vatio/pkg/diag"

// EventType is what an event tells; its text is the "type" of the NDJSON form.
type EventType string

const (
	StartEvent      EventType = "start"       // the conversation begins: Start
	UserEvent       EventType = "user"        // Text, as the model gets it
	ToolCallEvent   EventType = "tool_call"   // ID, Tool, Arguments
	ToolResultEvent EventType = "tool_result" // ID, Tool, IsError, Content, HTTP
	AgentEvent      EventType = "agent"       // Text: one whole answer
	AgentDeltaEvent EventType = "agent_delta" // Text: a piece of the answer, when streaming
	HumanEvent      EventType = "human"       // Text: the person who has the conversation speaks
	HandoffEvent    EventType = "handoff"     // Text: a person has the conversation, the agent does not answer
	ResumeEvent     EventType = "resume"      // the agent has the conversation again
	TurnEndEvent    EventType = "turn_end"    // ToolCalls
	ErrorEvent      EventType = "error"       // Text: what failed
	ProblemEvent    EventType = "problem"     // Problem: a fault of a file
)

// An Event is one thing that happened in a conversation. Type tells which of
// the other fields hold something.
type Event struct {
	Type EventType
	Text string

	ID        string
	Tool      string
	Arguments string // JSON text as the model wrote it
	Content   string
	IsError   bool
	HTTP      *HTTP // nil: nothing was sent

	ToolCalls int // calls of the turn, those refused included
	Start     *Start
	Problem   *diag.Diagnostic
}

// Start describes a conversation to whoever reads its events.
type Start struct {
	Workspace, Environment string
	Provider, Model        string
	Tools                  []string // every tool offered, built-ins included
}

// HTTP is the part of a call's trace that a tool_result event carries.
type HTTP struct {
	Method     string
	URL        string // redacted
	Status     int    // 0: no answer
	DurationMS int64
}
