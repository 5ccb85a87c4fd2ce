package builtin

import (
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

// arguments are those of a call, fitted to the tool's schema.
type arguments struct{ jsondoc.Value }

// text returns a string argument without white space around it.
func (a arguments) text(name string) string { return strings.TrimSpace(a.Get(name).Text()) }

// arguments reads what a model wrote. fault says what is wrong with it, "" for
// nothing. Nothing at all counts as no arguments.
func (b *builtin) arguments(text string) (a arguments, fault string) {
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	v, err := jsondoc.Parse([]byte(text))
	if err != nil {
		return arguments{}, "the arguments are no JSON: " + err.Error()
	}
	v, violations := b.schema.Apply(v, jsonschema.Options{Defaults: true})
	if len(violations) > 0 {
		var all []string
		for _, v := range violations {
			if v.Path != "" {
				v.Message = v.Path + ": " + v.Message
			}
			all = append(all, v.Message)
		}
		return arguments{}, "the arguments do not fit: " + strings.Join(all, "; ")
	}
	a = arguments{v}
	for name := range b.schema.Properties() {
		if b.schema.Required(name) && a.text(name) == "" {
			return arguments{}, "the arguments do not fit: " + name + ": must not be blank"
		}
	}
	return a, ""
}

// control reports whether s holds a character that moves the cursor or breaks
// a line.
func control(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}
