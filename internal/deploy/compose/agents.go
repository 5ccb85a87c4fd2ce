package compose

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/vatio-dev/vatio/pkg/workspace"
)

// Agents returns the services that a deployment.toml asks for. Current is the
// workspace that was loaded with it; the others are read for their model. An
// entry whose workspace is not there is an error for people.
func Agents(current *workspace.Workspace) ([]Agent, error) {
	d := current.Deployment
	var list []Agent
	for _, g := range d.All {
		w := current
		if g != d.Agent {
			dir := filepath.Join(d.Dir, filepath.FromSlash(g.Package))
			var err error
			if w, _, err = workspace.Load(dir); err != nil || w.Config == nil {
				return nil, fmt.Errorf("the agent %q has the package %q in %s, but there is no workspace that can be read", g.ID, g.Package, workspace.DeploymentName)
			}
		}
		list = append(list, Agent{ID: g.ID, Package: g.Package, Env: names(g), Provider: w.Model.Provider})
	}
	slices.SortStableFunc(list, func(a, b Agent) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// names returns the variables that grants name, sorted.
func names(g *workspace.Grants) []string {
	var list []string
	add := func(value string) {
		if name, ok := workspace.EnvName(value); ok {
			list = append(list, name)
		}
	}
	for _, s := range g.Services {
		add(s.URL)
		for _, h := range s.Headers {
			add(h.Value)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
