package executor

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// shownViolations bounds a message that a model has to read.
const shownViolations = 20

// readArguments parses what the model wrote and fits it to the tool's schema.
// Nothing at all counts as no arguments: some models leave out the braces.
func readArguments(t *tool.Tool, text []byte) (jsondoc.Value, *failure) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	arguments, err := jsondoc.Parse(text)
	if err != nil {
		return jsondoc.Value{}, &failure{keyArguments, "the arguments are no JSON: " + err.Error()}
	}
	if arguments.Kind() != jsondoc.Object {
		return jsondoc.Value{}, &failure{keyArguments, fmt.Sprintf("the arguments must be a JSON object, not %s %s", article(arguments.Kind()), arguments.Kind())}
	}
	if t.Parameters == nil {
		return arguments, nil
	}
	fitted, violations := t.Parameters.Apply(arguments, jsonschema.Options{Defaults: t.Service == nil})
	if len(violations) > 0 {
		return jsondoc.Value{}, &failure{keyArguments, "the arguments do not fit: " + listViolations(violations)}
	}
	return fitted, nil
}

func article(k jsondoc.Kind) string {
	if k == jsondoc.Array {
		return "an"
	}
	return "a"
}

func listViolations(violations []jsonschema.Violation) string {
	var b strings.Builder
	for i, v := range violations {
		if i > 0 {
			b.WriteString("; ")
		}
		if i == shownViolations {
			fmt.Fprintf(&b, "and %d more", len(violations)-i)
			break
		}
		if v.Path != "" {
			b.WriteString(v.Path + ": ")
		}
		b.WriteString(v.Message)
	}
	return b.String()
}
