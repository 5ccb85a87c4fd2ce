// Package editorschema describes the files of a workspace as JSON Schema
// 2020-12, for editors: yaml-language-server and taplo complete keys, show what
// they mean, and underline what does not fit while one types.
//
// A schema refuses exactly what `vatio tools check` reports as unknown-key,
// type, required or value, and of a tool's parameters the plainest mistakes. It
// cannot refuse a date where a string is wanted, which is a string to JSON, nor
// 3.0 where a whole number is; those and all that fields mean together are left
// to the checker.
package editorschema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// Names are what can be described: the HTTP tool (tools/*.yml), the service
// tool (tools/*.toml), vatio.yml, and deployment.toml.
var Names = [...]string{"tool", "service", "workspace", "deployment"}

// JSON returns the schema called name, indented and the same each time.
func JSON(name string) ([]byte, error) {
	var s *schema
	switch name {
	case "tool":
		s = httpTool()
	case "service":
		s = serviceTool()
	case "workspace":
		s = workspaceFile()
	case "deployment":
		s = deployment()
	default:
		return nil, fmt.Errorf("there is no schema %q, but %s", name, diag.Quoted(Names[:]))
	}
	s.Dialect = "https://json-schema.org/draft/2020-12/schema"
	compact, err := marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
