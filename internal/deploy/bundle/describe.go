package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/internal/deploy/credential"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// A Description is what a deployment says about its workspace, in its
// configuration blob.
type Description struct {
	Workspace string           `json:"workspace"`
	Agent     DescribedAgent   `json:"agent"`
	Auth      *DescribedAuth   `json:"auth,omitempty"`
	Model     *DescribedModel  `json:"model,omitempty"`
	Tools     []DescribedTool  `json:"tools"` // in the order of agent.tools
	Grants    *DescribedGrants `json:"grants,omitempty"`
}

// DescribedAgent is the agent block of vatio.yml, defaults filled in.
type DescribedAgent struct {
	Instructions       string            `json:"instructions"`
	Tools              []string          `json:"tools"`
	Knowledge          []string          `json:"knowledge"`
	Handoff            *DescribedHandoff `json:"handoff,omitempty"`
	ToolTimeoutSeconds int               `json:"tool_timeout_seconds"`
	ToolBudget         int               `json:"tool_budget"`
}

// DescribedHandoff is when a person takes over.
type DescribedHandoff struct {
	When    string `json:"when,omitempty"`
	Message string `json:"message,omitempty"`
}

// DescribedAuth is how tokens are verified.
type DescribedAuth struct {
	PublicKey string `json:"public_key"`
	Algorithm string `json:"algorithm"`
	Issuer    string `json:"issuer,omitempty"`
}

// DescribedModel is which language model answers.
type DescribedModel struct {
	Provider string `json:"provider,omitempty"`
	Name     string `json:"name,omitempty"`
	BaseURL  string `json:"base_url,omitempty"`
}

// DescribedTool is one enabled tool: what the model sees of it, and where its
// calls go.
type DescribedTool struct {
	Key            string          `json:"key"`
	Kind           string          `json:"kind"` // http or service
	File           string          `json:"file"`
	Description    string          `json:"description"`
	WhenToUse      string          `json:"when_to_use,omitempty"`
	Access         string          `json:"access"`
	Scope          string          `json:"scope,omitempty"`
	TimeoutSeconds int             `json:"timeout_seconds,omitempty"` // 0: the agent's
	Parameters     json.RawMessage `json:"parameters,omitempty"`
	Method         string          `json:"method"`
	BaseURL        string          `json:"base_url,omitempty"`
	Service        string          `json:"service,omitempty"`
	Path           string          `json:"path"`
}

// DescribedGrants is the entry of deployment.toml for this workspace. Values are
// as they are written: env:NAME stays env:NAME.
type DescribedGrants struct {
	ID       string                      `json:"id"`
	Services map[string]DescribedService `json:"services"`
}

// DescribedService is one granted service.
type DescribedService struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
}

// Describe returns the configuration of a workspace without errors, as JSON: the
// same for the same workspace on every machine, without times, versions and
// secrets. A granted header or address that looks like a credential is refused.
func Describe(w *workspace.Workspace) ([]byte, error) {
	d := Description{Workspace: w.Slug, Tools: []DescribedTool{}}
	d.Agent = DescribedAgent{
		Instructions: credential.Redact(w.Agent.Instructions), Tools: namesOf(w.Agent.Tools), Knowledge: namesOf(w.Agent.Knowledge),
		ToolTimeoutSeconds: int(w.Agent.ToolTimeout / time.Second), ToolBudget: w.Agent.ToolBudget,
	}
	if h := w.Agent.Handoff; h != nil {
		d.Agent.Handoff = &DescribedHandoff{When: credential.Redact(h.When), Message: credential.Redact(h.Message)}
	}
	if w.Auth != nil {
		d.Auth = &DescribedAuth{PublicKey: w.Auth.PublicKey, Algorithm: w.Auth.Algorithm, Issuer: w.Auth.Issuer}
	}
	if m := (DescribedModel{w.Model.Provider, w.Model.Name, credential.Redact(w.Model.BaseURL)}); m != (DescribedModel{}) {
		d.Model = &m
	}
	for _, t := range Enabled(w) {
		d.Tools = append(d.Tools, describeTool(t))
	}
	if w.Deployment != nil && w.Deployment.Agent != nil {
		grants, err := describeGrants(w.Deployment)
		if err != nil {
			return nil, err
		}
		d.Grants = grants
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("the workspace cannot be described: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func namesOf(list []workspace.Listed) []string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.Name
	}
	return names
}

func describeTool(t *tool.Tool) DescribedTool {
	d := DescribedTool{
		Key: t.Key, File: t.File.Name, Description: credential.Redact(t.Description), WhenToUse: credential.Redact(t.WhenToUse),
		Access: "public", Scope: t.Scope, TimeoutSeconds: int(t.Timeout / time.Second),
	}
	if t.Private {
		d.Access = "private"
	}
	if p := t.Root.Get("parameters"); p != nil && p.Kind == syntax.Map {
		d.Parameters = redactJSON(p.AppendJSON(nil))
	}
	if t.HTTP != nil {
		d.Kind, d.Method = "http", t.HTTP.Method
		d.BaseURL, d.Path = textOf(t.HTTP.BaseURL), textOf(t.HTTP.Path)
	}
	if t.Service != nil {
		d.Kind, d.Method, d.Service, d.Path = "service", "POST", t.Service.Name, credential.Redact(t.Service.Path)
	}
	return d
}

// redactJSON hides what looks like a credential in a schema, unless that would
// break its JSON.
func redactJSON(data []byte) []byte {
	if clean := []byte(credential.Redact(string(data))); json.Valid(clean) {
		return clean
	}
	return []byte("{}")
}

func textOf(t tool.Text) string {
	if t.Node == nil {
		return ""
	}
	return credential.Redact(t.Node.Text)
}

func describeGrants(d *workspace.Deployment) (*DescribedGrants, error) {
	g := &DescribedGrants{ID: d.Agent.ID, Services: make(map[string]DescribedService)}
	var list []Refusal
	refuse := func(at diag.Span, format string, args ...any) {
		list = append(list, Refusal{d.File.Name, d.File.Position(at.Start).Line, fmt.Sprintf(format, args...)})
	}
	for _, s := range d.Agent.Services {
		one := DescribedService{URL: s.URL}
		if credential.In("", s.URL) || strings.Contains(s.URL, "@") {
			refuse(s.URLNode.Span(), "the url of %q looks like it holds a credential: write env:NAME, and set NAME where the agent runs", s.Name)
		}
		for _, h := range s.Headers {
			if one.Headers == nil {
				one.Headers = make(map[string]string)
			}
			if _, env := workspace.EnvName(h.Value); !env && credential.In(h.Name, h.Value) {
				refuse(h.Node.Span(), "the header %q of %q looks like a credential: write env:NAME, and set NAME where the agent runs", h.Name, s.Name)
			}
			one.Headers[h.Name] = h.Value
		}
		g.Services[s.Name] = one
	}
	return g, refused(list)
}
