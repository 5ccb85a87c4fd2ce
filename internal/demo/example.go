package demo

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The names of the examples.
const (
	AcmeStore    = "acme-store"
	RecordsAgent = "records-agent"
)

// An Example is a workspace that Copy writes, the application behind it, and a
// conversation that shows what the two do together.
type Example struct {
	Name string
	// Workspace is the directory with vatio.yml in the copy, "." or a path with
	// slashes.
	Workspace string
	// About names the application, as in "A sample shop answers at …".
	About string
	// URLKey and TokenKey are the secrets under which the workspace looks for the
	// application's address and for what it asks callers for.
	URLKey, TokenKey string
	// Script is the guided conversation, Suggestions are for whoever is to talk
	// themselves.
	Script      []Step
	Suggestions []string

	handler func(token string) http.Handler
}

// A Step is one message of a guided conversation.
type Step struct {
	As       string   // who writes, <app>/<user>; "" stays with who it was
	Scopes   []string // what the caller may do from here on; nil stays as it was
	Phone    string   // the visitor's phone number becomes known before Text; "": nothing changes
	Text     string   // what the visitor writes
	Tool     string   // the tool it leads to; "" for none
	ErrorKey string   // of the tool's result; "" when it is ok
}

// Examples returns all examples, the first one first.
func Examples() []Example { return []Example{shopExample(), recordsExample()} }

// Find returns the example of that name. The error lists those there are.
func Find(name string) (Example, error) {
	all := Examples()
	if i := slices.IndexFunc(all, func(e Example) bool { return e.Name == name }); i >= 0 {
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = fmt.Sprintf("%q", e.Name)
	}
	return Example{}, fmt.Errorf("there is no example %q: choose %s", name, strings.Join(names, ", "))
}

// Handler returns the example's application, with its opening data, for callers
// that show token.
func (e Example) Handler(token string) http.Handler { return e.handler(token) }

// Start opens the application on a free port of 127.0.0.1. It serves until the
// Server is closed or ctx ends.
func (e Example) Start(ctx context.Context, token string) (*Server, error) {
	return e.Listen(ctx, "127.0.0.1:0", token)
}

// Listen is Start with an address, which must be a loopback one.
func (e Example) Listen(ctx context.Context, address, token string) (*Server, error) {
	return listen(ctx, address, token, e.handler)
}
