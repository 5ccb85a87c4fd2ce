package check

import (
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// ignored: input in a service tool. Files in tools/ that are no tools are
// reported when the directory is read.
func ignored(r *run, t *tool.Tool) {
	if t.Service == nil {
		return
	}
	if p, ok := t.Root.Pair("input"); ok {
		r.add(diag.Warningf(p.Key.Span(), "ignored", `"input" has no effect on a service tool`).WithHint("remove it"))
	}
}
