package check

import (
	"fmt"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// unknownParam: a $params path that the tool's parameters do not declare.
func unknownParam(r *run, t *tool.Tool) {
	for _, text := range t.Templates() {
		for _, ref := range text.Refs() {
			if message, hint, ok := undeclared(t, ref, "$"); ok {
				r.add(diag.Errorf(text.Span(ref), "unknown-param", "%s", message).WithHint("%s", hint))
			}
		}
	}
}

// undeclared says what is wrong with a path into the parameters; sigil is what
// stands before paths where this one stands.
func undeclared(t *tool.Tool, ref placeholder.Ref, sigil string) (message, hint string, found bool) {
	if ref.Source != placeholder.Params || t.Parameters == nil {
		return "", "", false
	}
	presence, at, known := t.Parameters.Lookup(ref.Path)
	if presence != jsonschema.Unknown {
		return "", "", false
	}
	parent := "params"
	if at > 0 {
		parent += "." + strings.Join(ref.Path[:at], ".")
	}
	if at == 0 {
		message = fmt.Sprintf("unknown parameter %q", ref.Path[0])
	} else {
		message = fmt.Sprintf("%q has no %q", sigil+parent, ref.Path[at])
	}
	if near := diag.Nearest(ref.Path[at], known); near != "" {
		path := append(append([]string{}, ref.Path[:at]...), near)
		path = append(path, ref.Path[at+1:]...)
		return message, fmt.Sprintf("did you mean %q?", write(sigil, placeholder.Ref{Source: placeholder.Params, Path: path})), true
	}
	// `$params.first-name` reads as $params.first and a text.
	for _, name := range known {
		if strings.HasPrefix(name, ref.Path[at]+"-") && sigil != "" {
			path := append(append([]string{}, ref.Path[:at]...), name)
			return message, fmt.Sprintf("names with other characters than letters, digits and _ stand in braces: %q", write(sigil, placeholder.Ref{Source: placeholder.Params, Path: path})), true
		}
	}
	switch {
	case len(known) == 0 && at == 0:
		hint = "declare it under parameters.properties"
	case len(known) > 0:
		hint = "known here: " + strings.Join(known, ", ")
	}
	return message, hint, true
}

// write gives a reference as it is written in a file.
func write(sigil string, ref placeholder.Ref) string {
	bare := sigil + ref.String()
	if sigil == "" {
		return bare
	}
	if template, faults := placeholder.Compile(bare); len(faults) == 0 && template.Lone() {
		return bare
	}
	return "${" + ref.String() + "}"
}
