package check

import (
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// handoffTool is the built-in that agent.handoff attaches and nothing lists.
const handoffTool = "handoff"

// toolKey: two files with one key, or a key that a built-in tool has.
func toolKey(r *run) {
	first := map[string]*tool.Tool{}
	for _, t := range r.Tools {
		if !tool.ValidKey(t.Key) || nameless(t) {
			continue
		}
		at := fileStart(t)
		if t.Service != nil && t.Root != nil {
			at = t.Root.Get("name").Span()
		}
		if r.reserved(t.Key) {
			r.add(diag.Errorf(at, "tool-key", "%q is the name of a built-in tool", t.Key).WithHint("give the tool another name"))
			continue
		}
		if other := first[t.Key]; other != nil {
			r.add(diag.Errorf(at, "tool-key", "the key %q is taken by %s", t.Key, other.File.Name).WithHint("give one of the two another name"))
			continue
		}
		first[t.Key] = t
	}
}
