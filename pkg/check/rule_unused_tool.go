package check

import (
	"slices"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// unusedTool: a file that agent.tools does not list, so that no model sees it.
func unusedTool(r *run) {
	if r.Config == nil || !r.Known.Tools {
		return
	}
	for _, t := range r.Tools {
		if t.Root == nil || !tool.ValidKey(t.Key) || r.meant(t.Key) {
			continue
		}
		r.add(diag.Warningf(fileStart(t), "unused-tool", "%q is not in agent.tools, so the agent does not have it", t.Key).
			WithHint("add %s to agent.tools in %s", t.Key, workspace.FileName))
	}
}

// meant reports whether agent.tools lists the key, or an unknown name that was
// probably meant to be it.
func (r *run) meant(key string) bool {
	return slices.ContainsFunc(r.Agent.Tools, func(l workspace.Listed) bool {
		return l.Name == key || !slices.Contains(r.Builtins, l.Name) && !r.exists(l.Name) && diag.Nearest(l.Name, r.names()) == key
	})
}
