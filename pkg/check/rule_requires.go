package check

import (
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// requires: a required parameter that the tool's parameters do not declare.
func requires(r *run, t *tool.Tool) {
	if t.HTTP == nil {
		return
	}
	found := 0
	for _, required := range t.HTTP.Requires {
		if t.Parameters == nil && required.Ref.Source == placeholder.Params {
			if !t.Unread("parameters") && !usesParams(t) {
				r.add(diag.Errorf(required.Node.Span(), "requires", "the tool declares no parameters, so no model will send %q", required.Ref.String()).
					WithHint("add parameters with type: object, and the name under properties"))
				return
			}
			continue
		}
		if !isUndeclared(t, required.Ref) {
			continue
		}
		d := diag.Errorf(required.Node.Span(), "requires", "unknown parameter %q", strings.Join(required.Ref.Path, "."))
		if found++; found <= MaxPerFile { // the rest is only counted
			d.Message, d.Hint = undeclared(t, required.Ref, "")
		}
		r.add(d)
	}
}

// usesParams reports whether a template has a $params, where unknown-param says
// what is missing.
func usesParams(t *tool.Tool) bool {
	for _, text := range t.Templates() {
		if slices.ContainsFunc(text.Refs(), func(ref placeholder.Ref) bool { return ref.Source == placeholder.Params }) {
			return true
		}
	}
	return false
}
