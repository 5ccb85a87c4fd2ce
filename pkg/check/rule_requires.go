package check

import (
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// requires: a required parameter that the tool's parameters do not declare.
func requires(r *run, t *tool.Tool) {
	if t.HTTP == nil {
		return
	}
	for _, required := range t.HTTP.Requires {
		if message, hint, ok := undeclared(t, required.Ref, ""); ok {
			r.add(diag.Errorf(required.Node.Span(), "requires", "%s", message).WithHint("%s", hint))
		}
	}
}
