package cli

import (
	"slices"
	"strings"
)

// Workspace returns the slug of the workspace.
func (s *session) Workspace() string {
	if s.agent == nil {
		return ""
	}
	return s.agent.Slug
}

// Redact takes the secret values out of a text.
func (s *session) Redact(text string) string {
	if s.agent == nil || s.agent.redact == nil {
		return text
	}
	return s.agent.redact(text)
}

// SetToken makes the caller the principal of a token; one that is not valid
// changes nothing.
func (s *session) SetToken(jwt string) error {
	before, caller := s.token, s.caller
	s.token = strings.TrimSpace(jwt)
	if s.agent == nil {
		return nil // it is verified when there is one
	}
	if err := s.identify(); err != nil {
		s.token, s.caller = before, caller
		return err
	}
	s.box = nil
	return nil
}

// Scopes returns what SetScopes was given.
func (s *session) Scopes() []string { return s.caller.Scopes }

// AllScopes lists the scopes of the agent's tools.
func (s *session) AllScopes() []string {
	if s.agent == nil {
		return nil
	}
	var scopes []string
	for _, t := range s.agent.Tools {
		if t.Scope != "" && !slices.Contains(scopes, t.Scope) {
			scopes = append(scopes, t.Scope)
		}
	}
	slices.Sort(scopes)
	return scopes
}
