package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// secretUse is a secret that the workspace asks for.
type secretUse struct {
	key   string
	by    []string // the keys of the tools, or deployment.toml, sorted
	grant bool     // env:NAME, which the environment of the process may give too
}

// secretUses lists every $env.KEY and env:NAME of the workspace, by key. A
// granted service is used by the tools that name it.
func secretUses(w *workspace.Workspace) []secretUse {
	byKey := map[string]*secretUse{}
	add := func(key, by string, grant bool) {
		u := byKey[key]
		if u == nil {
			u = &secretUse{key: key, grant: true}
			byKey[key] = u
		}
		u.grant = u.grant && grant
		if !slices.Contains(u.by, by) {
			u.by = append(u.by, by)
		}
	}
	for _, t := range w.Tools {
		if t.HTTP == nil {
			continue
		}
		by := cmp.Or(t.Key, t.File.Name)
		for _, text := range t.Templates() {
			for _, ref := range text.Refs() {
				if ref.Source == placeholder.Env {
					add(ref.Path[0], by, false)
				}
			}
		}
		for _, required := range t.HTTP.Requires {
			if required.Ref.Source == placeholder.Env {
				add(required.Ref.Path[0], by, false)
			}
		}
	}
	for _, service := range grantedServices(w) {
		users := serviceUsers(w, service.Name)
		for _, value := range serviceValues(service) {
			name, isEnv := workspace.EnvName(value)
			for _, by := range users {
				if isEnv && name != "" {
					add(name, by, true)
				}
			}
		}
	}
	uses := make([]secretUse, 0, len(byKey))
	for _, u := range byKey {
		slices.Sort(u.by)
		uses = append(uses, *u)
	}
	slices.SortFunc(uses, func(a, b secretUse) int { return cmp.Compare(a.key, b.key) })
	return uses
}

func grantedServices(w *workspace.Workspace) []workspace.Service {
	if w.Deployment == nil || w.Deployment.Agent == nil {
		return nil
	}
	return w.Deployment.Agent.Services
}

func serviceUsers(w *workspace.Workspace, service string) []string {
	var users []string
	for _, t := range w.Tools {
		if t.Service != nil && t.Service.Name == service {
			users = append(users, cmp.Or(t.Key, t.File.Name))
		}
	}
	if users == nil {
		return []string{workspace.DeploymentName}
	}
	return users
}

func serviceValues(s workspace.Service) []string {
	values := []string{s.URL}
	for _, h := range s.Headers {
		values = append(values, h.Value)
	}
	return values
}

// brokenFiles lists the files with errors, of which not all uses may be known.
func brokenFiles(faults diag.List) []string {
	var files []string
	for _, d := range faults {
		if name := d.Span.File.Name; d.Severity == diag.Error && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return files
}

// noticeBroken says which files may use more secrets than are known.
func (a *app) noticeBroken(files []string) {
	if len(files) > 0 {
		fmt.Fprintf(a.Err, "vatio: %s: not every use of a secret may be known; run: vatio tools check\n", diag.Printable(haveErrors(files)))
	}
}

func haveErrors(files []string) string {
	switch len(files) {
	case 1:
		return files[0] + " has errors"
	case 2:
		return files[0] + " and " + files[1] + " have errors"
	}
	return fmt.Sprintf("%s and %d other files have errors", files[0], len(files)-1)
}
