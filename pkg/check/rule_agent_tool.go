package check

import (
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// agentTool: a name in agent.tools that is no tool, stands there twice, or
// cannot work.
func agentTool(r *run) {
	seen := map[string]bool{}
	for _, listed := range r.Agent.Tools {
		at, name := listed.Node.Span(), listed.Name
		switch {
		case name == handoffTool:
			r.add(diag.Errorf(at, "agent-tool", `"handoff" is not listed: declaring agent.handoff attaches it`).
				WithHint("remove it here, and declare agent.handoff with when and message"))
		case seen[name]:
			r.add(diag.Errorf(at, "agent-tool", "%q is listed twice", name).WithHint("remove one of the two"))
		case name == "knowledge_lookup" && len(r.Agent.Knowledge) == 0 && r.Known.Knowledge:
			r.add(diag.Errorf(at, "agent-tool", `"knowledge_lookup" has nothing to search: agent.knowledge lists no base`).
				WithHint("add agent.knowledge: [BASE], with its pages in knowledge/BASE/"))
		case !slices.Contains(r.Builtins, name) && !r.exists(name):
			d := diag.Errorf(at, "agent-tool", "unknown tool %q", name)
			if near := diag.Nearest(name, r.names()); near != "" {
				d = d.WithHint("did you mean %q?", near)
			} else {
				d = d.WithHint("create tools/%s.yml, or remove the name", name)
			}
			r.add(d)
		}
		seen[name] = true
	}
}

// exists reports whether a file could be the tool called name: one whose own
// name is at fault, or that cannot be read, may be meant.
func (r *run) exists(name string) bool {
	return slices.ContainsFunc(r.Tools, func(t *tool.Tool) bool {
		unreadable := t.Key == "" || t.Root == nil && strings.HasSuffix(t.File.Name, ".toml")
		return t.Key == name || unreadable || !tool.ValidKey(t.Key) && fold(t.Key) == fold(name)
	})
}

func fold(s string) string {
	return strings.NewReplacer(" ", "_", ".", "_", "-", "_").Replace(strings.ToLower(s))
}

// names returns what agent.tools may list, sorted.
func (r *run) names() []string {
	names := slices.Clone(r.Builtins)
	for _, t := range r.Tools {
		if t.Key != "" {
			names = append(names, t.Key)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
