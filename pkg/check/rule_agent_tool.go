package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// agentTool: a name in agent.tools that is no tool, stands there twice, or
// cannot work.
func agentTool(r *run) {
	seen := map[string]bool{}
	for _, listed := range r.Agent.Tools {
		at, name := listed.Node.Span(), listed.Name
		switch {
		case strings.TrimSpace(name) == "":
			r.add(diag.Errorf(at, "agent-tool", "a blank name is no tool").WithHint("remove it"))
		case name == handoffTool:
			r.add(diag.Errorf(at, "agent-tool", `"handoff" is not listed: declaring agent.handoff attaches it`).
				WithHint("remove it here, and declare agent.handoff with when and message"))
		case seen[name]:
			r.add(diag.Errorf(at, "agent-tool", "%q is listed twice", name).WithHint("remove one of the two"))
		case name == "knowledge_lookup" && len(r.Agent.Knowledge) == 0 && r.Known.Knowledge:
			r.add(diag.Errorf(at, "agent-tool", `"knowledge_lookup" has nothing to search: agent.knowledge lists no base`).
				WithHint("add agent.knowledge: [BASE], with its pages in knowledge/BASE/"))
		case r.unknown(name):
			d := diag.Errorf(at, "agent-tool", "unknown tool %q", name)
			if stray, ok := r.stray(name); ok {
				r.explained[stray.Ignored] = true
				d = d.WithHint("%s", strayHint(stray))
			} else if near := r.names.meant[name]; near != "" {
				d = d.WithHint("did you mean %q?", near)
			} else if r.names.joined[name] {
				d = d.WithHint("each name is an item of its own: [first, second]")
			} else if tool.ValidKey(name) {
				d = d.WithHint("create tools/%s.yml, or remove the name", name)
			} else {
				d = d.WithHint("remove the name: keys are a-z, 0-9, _ and -, and start with a letter")
			}
			r.add(d)
		}
		seen[name] = true
	}
}

// stray returns the file that is no tool and is called like name.
func (r *run) stray(name string) (workspace.Stray, bool) {
	i := slices.IndexFunc(r.Strays, func(s workspace.Stray) bool { return s.Key == name })
	if i < 0 {
		return workspace.Stray{}, false
	}
	return r.Strays[i], true
}

// strayHint says how to make a tool of a file.
func strayHint(s workspace.Stray) string {
	ext := path.Ext(s.Path)
	switch proper := strings.ToLower(ext); {
	case proper != ".yml" && proper != ".yaml" && proper != ".toml":
		return fmt.Sprintf("%s is no tool: write it as tools/%s.yml", s.Path, s.Key)
	case path.Dir(s.Path) == "tools":
		return fmt.Sprintf("rename %s to tools/%s%s", s.Path, s.Key, proper)
	default:
		return fmt.Sprintf("move %s to tools/%s%s: tools stand directly in tools/", s.Path, s.Key, proper)
	}
}
