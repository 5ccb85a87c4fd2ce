package check

import (
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// unsetSecret: a $env.KEY that has no value, once a file and key. It is a
// warning: files are often written before the secrets are set.
func unsetSecret(r *run, t *tool.Tool) {
	if r.HasSecret == nil || t.HTTP == nil {
		return
	}
	seen := map[string]bool{}
	report := func(ref placeholder.Ref, at diag.Span) {
		if ref.Source != placeholder.Env || seen[ref.Path[0]] || r.HasSecret(ref.Path[0]) {
			return
		}
		seen[ref.Path[0]] = true
		r.add(unset(at, ref.Path[0]))
	}
	for _, text := range t.Templates() {
		for _, ref := range text.Refs() {
			report(ref, text.Span(ref))
		}
	}
	for _, required := range t.HTTP.Requires {
		report(required.Ref, required.Node.Span())
	}
}

func unset(at diag.Span, name string) diag.Diagnostic {
	return diag.Warningf(at, "unset-secret", "the secret %s has no value", name).WithHint("run: vatio secrets set %s", name)
}
