package check

import (
	"fmt"
	neturl "net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// grant: the services that tools name and those that the deployment grants
// must be the same; a grant's address and headers must be usable.
func grant(r *run) {
	if r.Deployment == nil {
		for _, t := range r.serviceTools() {
			r.add(diag.Warningf(t.Root.Get("service").Span(), "grant", "no %s grants the service %q: push will refuse", workspace.DeploymentName, t.Service.Name).
				WithHint("add a %s at or above the workspace", workspace.DeploymentName))
		}
		return
	}
	agent := r.Deployment.Agent
	if agent == nil {
		if r.Deployment.Root != nil && r.Deployment.Known {
			r.noEntry()
		}
		return
	}
	if agent.Known {
		r.missingGrants(agent)
	}
	r.unusedGrants(agent)
	reported := map[string]bool{}
	for _, s := range agent.Services {
		r.granted(s, reported)
	}
}

func (r *run) noEntry() {
	for _, t := range r.serviceTools() {
		r.add(diag.Errorf(t.Root.Get("service").Span(), "grant", "no entry of %s has this workspace as its package, so the service %q is not granted",
			r.Deployment.File.Name, t.Service.Name).WithHint("add [[agents]] with id and package, and [agents.services.%s] with its url", t.Service.Name))
	}
}

// serviceTools returns the tools that name a service.
func (r *run) serviceTools() []*tool.Tool {
	var list []*tool.Tool
	for _, t := range r.Tools {
		if t.Root != nil && t.Service != nil && tool.ValidServiceName(t.Service.Name) && !t.Unread("service") {
			list = append(list, t)
		}
	}
	return list
}

func (r *run) missingGrants(agent *workspace.Grants) {
	var names, faulty []string
	for _, s := range agent.Services {
		names = append(names, s.Name)
		if !tool.ValidServiceName(s.Name) {
			faulty = append(faulty, s.Name)
		}
	}
	for _, t := range r.serviceTools() {
		name := t.Service.Name
		if slices.Contains(names, name) || slices.ContainsFunc(faulty, func(s string) bool { return alike(s, name) }) {
			continue
		}
		d := diag.Errorf(t.Root.Get("service").Span(), "grant", "the service %q is not granted in %s", name, r.Deployment.File.Name)
		if near := diag.Nearest(name, names); near != "" {
			d = d.WithHint("did you mean %q?", near)
		} else {
			d = d.WithHint("add [agents.services.%s] with its url", name)
		}
		r.add(d)
	}
}

// alike reports whether one name was probably meant to be the other.
func alike(a, b string) bool { return diag.Nearest(a, []string{b}) != "" }

func (r *run) unusedGrants(agent *workspace.Grants) {
	if !r.Known.Files {
		return
	}
	// Names that tools use and nobody grants are reported: they may be meant.
	var used, astray []string
	for _, t := range r.Tools {
		if !strings.HasSuffix(t.File.Name, ".toml") {
			continue
		}
		if t.Root == nil || t.Service.Name == "" {
			return // it may be the one that uses the grant
		}
		name := t.Service.Name
		used = append(used, name)
		if !slices.ContainsFunc(agent.Services, func(s workspace.Service) bool { return s.Name == name }) {
			astray = append(astray, name)
		}
	}
	for _, s := range agent.Services {
		if slices.Contains(used, s.Name) || slices.ContainsFunc(astray, func(name string) bool { return alike(name, s.Name) }) ||
			!tool.ValidServiceName(s.Name) {
			continue
		}
		r.add(diag.Errorf(s.Place(), "grant", "the service %q is granted, but no tool uses it", s.Name).WithHint("remove the grant"))
	}
}

// granted checks one grant's own fields.
func (r *run) granted(s workspace.Service, reported map[string]bool) {
	if s.URLNode != nil {
		if name, isEnv := workspace.EnvName(s.URL); isEnv {
			r.grantedEnv(name, s.URLNode.Span(), reported)
		} else if message := grantURL(s.URL); message != "" {
			r.add(diag.Errorf(s.URLNode.Span(), "grant", "%s", message))
		}
	}
	seen := map[string]bool{}
	for _, h := range s.Headers {
		lower := strings.ToLower(h.Name)
		message := headerName(h.Name)
		switch {
		case strings.HasPrefix(lower, "x-vessel-"):
			message = "the header \"" + h.Name + "\" cannot be granted: names starting with X-Vessel- are the runtime's"
		case lower == "content-type":
			message = "the header \"" + h.Name + "\" cannot be granted: the body is always JSON"
		case seen[lower]:
			message = "the header \"" + h.Name + "\" is granted twice"
		}
		seen[lower] = true
		if message != "" {
			r.add(diag.Errorf(h.Key.Span(), "grant", "%s", message))
		}
		if name, isEnv := workspace.EnvName(h.Value); isEnv {
			r.grantedEnv(name, h.Node.Span(), reported)
		} else if !httpguts.ValidHeaderFieldValue(h.Value) {
			r.add(diag.Errorf(h.Node.Span(), "grant", "the value of the header %q holds %s", h.Name, control(h.Value)))
		}
	}
}

// grantedEnv looks at NAME of env:NAME; names in reported are known to have no value.
func (r *run) grantedEnv(name string, at diag.Span, reported map[string]bool) {
	switch {
	case !placeholder.ValidKey(name):
		r.add(diag.Errorf(at, "grant", "%q is no name of a variable: A-Z, 0-9 and _ are allowed, it starts with a letter and has 64 characters at most", name))
	case r.HasVariable != nil && r.HasVariable(name):
	case r.HasSecret != nil && !reported[name] && !r.HasSecret(name):
		reported[name] = true
		r.add(unset(at, name))
	}
}

func grantURL(text string) string {
	u, err := neturl.Parse(text)
	switch {
	case err == nil && u.User != nil:
		return "a service's url must not hold a user or a password: put it into headers, as env:NAME"
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return fmt.Sprintf("a service's url must start with http:// or https:// and name a host, or be env:NAME, not %q", text)
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return fmt.Sprintf("a service's url must not have a query or a fragment: %q", text)
	}
	return ""
}
