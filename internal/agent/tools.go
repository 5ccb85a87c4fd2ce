package agent

import (
	"fmt"
	"slices"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// choose takes the enabled tools whose files have no error. For a file that has,
// the tool of the last agent goes on.
func (a *Agent) choose(w *workspace.Workspace, faults diag.List, last *Agent) {
	for _, name := range a.order {
		i := slices.IndexFunc(w.Tools, func(t *tool.Tool) bool { return t.Key == name })
		if i < 0 {
			continue // a built-in one
		}
		t := w.Tools[i]
		if HasErrors(faults, t.File) {
			before := last.tool(name)
			if before == nil {
				a.Left = append(a.Left, Left{Tool: name, Why: t.File.Name + " has errors"})
				continue
			}
			a.Kept = append(a.Kept, t.File.Name)
			t = before
		}
		if why := ungranted(w, t, faults); why != "" {
			a.Left = append(a.Left, Left{Tool: name, Why: why, Silent: w.Deployment == nil})
			continue
		}
		a.Tools = append(a.Tools, t)
	}
}

func (a *Agent) tool(key string) *tool.Tool {
	if a == nil {
		return nil
	}
	if i := slices.IndexFunc(a.Tools, func(t *tool.Tool) bool { return t.Key == key }); i >= 0 {
		return a.Tools[i]
	}
	return nil
}

// HasErrors reports whether an error stands in a file.
func HasErrors(faults diag.List, f *diag.File) bool {
	return slices.ContainsFunc(faults, func(d diag.Diagnostic) bool {
		return d.Span.File.Name == f.Name && d.Severity == diag.Error
	})
}

// ungranted says why a service tool cannot be called; "" when it can.
func ungranted(w *workspace.Workspace, t *tool.Tool, faults diag.List) string {
	switch {
	case t.Service == nil:
		return ""
	case w.Deployment == nil:
		return fmt.Sprintf("no %s grants the service %q", workspace.DeploymentName, t.Service.Name)
	case w.Deployment.Root == nil:
		return w.Deployment.File.Name + " has errors"
	case w.Deployment.Agent == nil:
		return fmt.Sprintf("%s does not grant the service %q", w.Deployment.File.Name, t.Service.Name)
	}
	for _, d := range faults {
		if d.Severity == diag.Error && d.Span.File.Name == w.Deployment.File.Name && !ofAnotherService(w.Deployment.Agent, t, d) {
			return w.Deployment.File.Name + " has errors"
		}
	}
	return ""
}

// ofAnotherService reports whether a fault stands at a service that t does not
// use, such as a grant that is one too many.
func ofAnotherService(agent *workspace.Grants, t *tool.Tool, d diag.Diagnostic) bool {
	return slices.ContainsFunc(agent.Services, func(s workspace.Service) bool {
		return s.Name != t.Service.Name && s.Place() == d.Span
	})
}
