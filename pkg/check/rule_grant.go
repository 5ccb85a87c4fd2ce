package check

import (
	neturl "net/url"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
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
	if r.Deployment.Root == nil {
		return
	}
	agent := r.Deployment.Agent
	if agent == nil {
		for _, t := range r.serviceTools() {
			r.add(diag.Errorf(t.Root.Get("service").Span(), "grant", "no entry of %s has this workspace as its package, so the service %q is not granted",
				r.Deployment.File.Name, t.Service.Name))
		}
		return
	}
	r.missingGrants(agent)
	r.unusedGrants(agent)
	for _, s := range agent.Services {
		r.granted(s)
	}
}

func (r *run) serviceTools() []*tool.Tool {
	var list []*tool.Tool
	for _, t := range r.Tools {
		if t.Root != nil && t.Service != nil && t.Service.Name != "" && tool.ValidServiceName(t.Service.Name) {
			list = append(list, t)
		}
	}
	return list
}

func (r *run) missingGrants(agent *workspace.Grants) {
	var names []string
	for _, s := range agent.Services {
		names = append(names, s.Name)
	}
	for _, t := range r.serviceTools() {
		if slices.Contains(names, t.Service.Name) {
			continue
		}
		d := diag.Errorf(t.Root.Get("service").Span(), "grant", "the service %q is not granted in %s", t.Service.Name, r.Deployment.File.Name)
		if near := diag.Nearest(t.Service.Name, names); near != "" {
			d = d.WithHint("did you mean %q?", near)
		} else {
			d = d.WithHint("add [agents.services.%s] with its url", t.Service.Name)
		}
		r.add(d)
	}
}

func (r *run) unusedGrants(agent *workspace.Grants) {
	unreadable := slices.ContainsFunc(r.Tools, func(t *tool.Tool) bool {
		return strings.HasSuffix(t.File.Name, ".toml") && (t.Root == nil || t.Service.Name == "")
	})
	if unreadable { // it may be the one that uses the grant
		return
	}
	tools := r.serviceTools()
	for _, s := range agent.Services {
		used := slices.ContainsFunc(tools, func(t *tool.Tool) bool {
			return t.Service.Name == s.Name || diag.Nearest(t.Service.Name, []string{s.Name}) != ""
		})
		if !used {
			r.add(diag.Errorf(s.Key.Span(), "grant", "the service %q is granted, but no tool uses it", s.Name).WithHint("remove the grant"))
		}
	}
}

// granted checks one grant's own fields.
func (r *run) granted(s workspace.Service) {
	if s.URLNode != nil {
		if name, isEnv := workspace.EnvName(s.URL); isEnv {
			r.grantedEnv(name, s.URLNode.Span())
		} else if message := grantURL(s.URL); message != "" {
			r.add(diag.Errorf(s.URLNode.Span(), "grant", "%s: %q", message, s.URL))
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
			r.grantedEnv(name, h.Node.Span())
		} else if strings.ContainsAny(h.Value, "\r\n\x00") {
			r.add(diag.Errorf(h.Node.Span(), "grant", "the value of header %q holds a line break", h.Name))
		}
	}
}

func (r *run) grantedEnv(name string, at diag.Span) {
	switch {
	case !envName(name):
		r.add(diag.Errorf(at, "grant", "%q is no name of a variable: A-Z, 0-9 and _ are allowed, and it starts with a letter", name))
	case r.HasSecret != nil && !r.HasSecret(name):
		r.add(unset(at, name))
	}
}

func envName(s string) bool {
	return s != "" && len(s) <= 64 && s[0] >= 'A' && s[0] <= 'Z' &&
		strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func grantURL(text string) string {
	u, err := neturl.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "a service's url must start with http:// or https:// and name a host, or be env:NAME"
	case u.User != nil:
		return "a service's url must not hold a user or a password"
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return "a service's url must not have a query or a fragment"
	}
	return ""
}
