package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// unknownParam: a $params path that the tool's parameters do not declare.
func unknownParam(r *run, t *tool.Tool) {
	if t.HTTP == nil || t.Unread("parameters") {
		return
	}
	if t.Parameters == nil {
		r.noParameters(t)
		return
	}
	found := 0
	for _, text := range t.Templates() {
		for _, ref := range text.Refs() {
			if !isUndeclared(t, ref) {
				continue
			}
			d := diag.Errorf(text.Span(ref), "unknown-param", "unknown parameter %q", strings.Join(ref.Path, "."))
			if found++; found <= MaxPerFile { // the rest is only counted
				d.Message, d.Hint = undeclared(t, ref, "$")
			}
			r.add(d)
		}
	}
}

// noParameters reports the first $params of a tool that declares no parameters:
// the one fault that all of them share.
func (r *run) noParameters(t *tool.Tool) {
	var first diag.Span
	var what string
	for _, text := range t.Templates() {
		for _, ref := range text.Refs() {
			if ref.Source != placeholder.Params {
				continue
			}
			if at := text.Span(ref); first.File == nil || at.Start < first.Start {
				first, what = at, "$"+ref.String()
			}
		}
	}
	if first.File != nil {
		r.add(diag.Errorf(first, "unknown-param", "the tool declares no parameters, so no model will send %q", what).
			WithHint("add parameters with type: object, and the name under properties"))
	}
}

// isUndeclared reports whether ref is a path that the parameters do not declare.
func isUndeclared(t *tool.Tool, ref placeholder.Ref) bool {
	return ref.Source == placeholder.Params && t.Parameters != nil && !t.Unread("parameters") &&
		!t.Unread("parameters."+ref.Path[0]) &&
		t.Parameters.Names(ref.Path) == jsonschema.Unknown
}

// undeclared says what is wrong with a path that the parameters do not declare;
// sigil is what stands before paths where this one stands.
func undeclared(t *tool.Tool, ref placeholder.Ref, sigil string) (message, hint string) {
	_, at, known := t.Parameters.Lookup(ref.Path)
	parent := "params"
	if at > 0 {
		parent += "." + strings.Join(ref.Path[:at], ".")
	}
	if at == 0 {
		message = fmt.Sprintf("unknown parameter %q", ref.Path[0])
	} else {
		message = fmt.Sprintf("%q has no %q", sigil+parent, ref.Path[at])
	}
	if near := nearest(ref.Path[at], known); near != "" {
		path := append(append([]string{}, ref.Path[:at]...), near)
		path = append(path, ref.Path[at+1:]...)
		return message, fmt.Sprintf("did you mean %q?", write(sigil, placeholder.Ref{Source: placeholder.Params, Path: path}))
	}
	// `$params.first-name` reads as $params.first and a text.
	for _, name := range known {
		if strings.HasPrefix(name, ref.Path[at]+"-") && sigil != "" {
			path := append(append([]string{}, ref.Path[:at]...), name)
			return message, fmt.Sprintf("names with other characters than letters, digits and _ stand in braces: %q", write(sigil, placeholder.Ref{Source: placeholder.Params, Path: path}))
		}
	}
	inside := func(rest ...string) string {
		return write(sigil, placeholder.Ref{Source: placeholder.Params, Path: append(slices.Clone(ref.Path[:at]), rest...)})
	}
	switch {
	case len(known) == 1 && known[0] == "0" && at > 0 && !isIndex(ref.Path[at]):
		hint = fmt.Sprintf("it is a list: name an item by its index, as in %q", inside(append([]string{"0"}, ref.Path[at:]...)...))
	case len(known) > 0:
		hint = "known here: " + listed(known)
	case at == 0:
		hint = "declare it under parameters.properties"
	case sigil != "":
		hint = fmt.Sprintf("where the text goes on with a dot, braces end the path: %q", sigil+"{"+placeholder.Ref{Source: placeholder.Params, Path: ref.Path[:at]}.String()+"}."+strings.Join(ref.Path[at:], "."))
	}
	return message, hint
}

// nearest is diag.Nearest, for as many names as anybody would declare.
func nearest(name string, known []string) string {
	if len(known) > 1000 {
		return ""
	}
	return diag.Nearest(name, known)
}

// listed joins the first of many names.
func listed(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func isIndex(s string) bool { return strings.Trim(s, "0123456789") == "" }

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
