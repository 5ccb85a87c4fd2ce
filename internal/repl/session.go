// Package repl is the terminal loop of a conversation: it reads messages and
// commands, runs turns of the chat engine and shows their events, to people or
// as NDJSON. What the conversation is about (workspace, secrets, tools, who is
// talking) stands behind Session.
//
// Events and the answers to commands go to stdout; prompts, notices, faults of
// files and errors go to stderr. In JSON mode stdout holds events and nothing
// else. Whatever comes from models, tools and services is stripped of what
// could move a terminal's cursor before it is shown. On a terminal the Markdown
// of a model is rendered while it arrives; elsewhere it stays as it was written.
// What is written to a file, by /save and to resume from, holds no secret that
// the session knows.
package repl

import (
	"context"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/executor"
)

// A Session is the workspace side of a conversation. No two of its methods are
// called at once, and none while a turn runs; the Engine's Toolbox, which
// may well be the same value, is used concurrently then.
type Session interface {
	// Begin is called when the loop starts and again before every turn, and
	// picks up files that were edited. Events and notices are those that came
	// up since the last call, the start event first of all; what was returned
	// once is not returned again. An error means that no turn can run now: at
	// the start it ends the loop, later it is shown and the loop goes on.
	Begin(ctx context.Context) (Ready, error)
	// Reset is called when a new conversation begins (/new).
	Reset()

	// Workspace is its slug, for the prompt.
	Workspace() string
	// Tools lists what is offered, then what is left out, for /tools and for
	// completion.
	Tools() []ToolLine
	// Curl returns the last call that was sent as a shell command with $KEY for
	// its secrets.
	Curl() (string, error)
	// Redact replaces the secret values that the session knows, and the keys of
	// model providers, wherever they stand in a text.
	Redact(text string) string

	Contact() executor.Contact
	// SetContact sets "name", "email" or "phone_number"; "" forgets it.
	SetContact(field, value string) error
	Owner() string
	SetOwner(owner string) error // "APP/USER"; a token counts no longer
	// SetToken makes the caller the principal of a JWT. One that is not valid is
	// an error, and who is talking stays as it was.
	SetToken(jwt string) error
	Scopes() []string          // nil: the tools of all scopes are offered
	SetScopes(scopes []string) // nil: of all
	Channel() string
	SetChannel(name string) error
	Environment() string
	SetEnvironment(name string) error
	// Channels, Environments and AllScopes list what these can be set to, as far
	// as it is known, for completion.
	Channels() []string
	Environments() []string
	AllScopes() []string
}

// Ready is what a turn needs and what there is to say before it.
type Ready struct {
	Engine  *chat.Engine // its Stream field is set by the loop, on a copy
	Events  []chat.Event
	Notices []string // for people, on stderr in every mode
}

// A ToolLine is one tool as /tools shows it.
type ToolLine struct {
	Name        string
	Kind        string // "http", "service", "built-in"
	Description string
	Parameters  []string // names of the arguments, in the file's order
	Problem     string   // why it is left out; "" when it is offered
}
