package check

import (
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// unusedTool: a file whose key agent.tools does not list, under any spelling, so that
// no model sees it.
func unusedTool(r *run) {
	if r.Config == nil || !r.Known.Tools {
		return
	}
	meant := map[string]bool{}
	for _, l := range r.Agent.Tools {
		meant[l.Name] = true
		meant[r.names.meant[l.Name]] = true
	}
	for _, t := range r.Tools {
		if t.Root == nil || t.Root.Kind != syntax.Map || t.Unread("") || !tool.ValidKey(t.Key) || r.reserved(t.Key) || meant[t.Key] || r.names.joined[t.Key] {
			continue
		}
		meant[t.Key] = true // another file with this key is reported as that
		r.add(diag.Warningf(fileStart(t), "unused-tool", "%q is not in agent.tools, so the agent does not have it", t.Key).
			WithHint("add %s to agent.tools in %s", t.Key, workspace.FileName))
	}
}
