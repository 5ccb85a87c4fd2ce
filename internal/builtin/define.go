package builtin

import (
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

// define starts a tool whose parameters are the JSON Schema given, which is a
// constant of this package: a fault in it would be one of the program.
func define(t chat.Tool, schema string) builtin {
	t.Parameters = jsondoc.MustParse(schema)
	compiled, faults := jsonschema.Compile(t.Parameters)
	if len(faults) > 0 {
		panic("builtin: the schema of " + t.Name + " is invalid: " + faults[0].Message)
	}
	return builtin{Tool: t, schema: compiled}
}
