package check

import (
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// unsetSecret: a $env.KEY that has no value, once a file and key, where the file
// uses it first. It is a warning: files are often written before the secrets
// are set.
func unsetSecret(r *run, t *tool.Tool) {
	if r.HasSecret == nil || t.HTTP == nil {
		return
	}
	first := map[string]diag.Span{} // of the keys without a value
	var keys []string
	note := func(ref placeholder.Ref, at func() diag.Span) {
		if ref.Source != placeholder.Env || r.HasSecret(ref.Path[0]) {
			return
		}
		key, here := ref.Path[0], at()
		before, known := first[key]
		if !known {
			keys = append(keys, key)
		}
		if !known || here.Start < before.Start {
			first[key] = here
		}
	}
	for _, text := range t.Templates() {
		for _, ref := range text.Refs() {
			note(ref, func() diag.Span { return text.Span(ref) })
		}
	}
	for _, required := range t.HTTP.Requires {
		note(required.Ref, required.Node.Span)
	}
	for _, key := range keys {
		r.add(unset(first[key], key))
	}
}

func unset(at diag.Span, name string) diag.Diagnostic {
	return diag.Warningf(at, "unset-secret", "the secret %s has no value", name).WithHint("run: vatio secrets set %s", name)
}
