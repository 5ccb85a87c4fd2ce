package tool

import (
	"slices"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// otherFile reports a file of which no key is a tool's, nor seems to be meant as
// one, and whether it is: what it lacks of a tool is no news then.
func (l *loader) otherFile(root *syntax.Node) bool {
	if root.Kind != syntax.Map || slices.ContainsFunc(root.Pairs, func(p syntax.Pair) bool { return slices.Contains(topKeys[:], p.Key.Text) }) {
		return false
	}
	what := "no tool: none of its keys is one of a tool's"
	if kind := kindOfFile(root); kind != "" {
		what = kind + ", not a tool"
	} else if len(root.Pairs) < 2 || slices.ContainsFunc(root.Pairs, nearTool) {
		return false
	}
	l.Add(diag.Errorf(root.Pairs[0].Key.Span(), "unknown-key", "this is %s", what).
		WithHint("a tool is one HTTP call: it has description, when_to_use, parameters, request and respond"))
	return true
}

// nearTool reports whether a key at the top of a file was probably meant to be a
// tool's.
func nearTool(p syntax.Pair) bool {
	if in, ok := home(p.Key.Text); ok && in != "parameters" || shape.Nearest(p.Key.Text, topKeys[:]) != "" {
		return true
	}
	_, fields := otherWord("", p)
	return len(fields) > 0
}

// kindOfFile names what a file is by the keys at its top, "" for unknown.
func kindOfFile(root *syntax.Node) string {
	for _, k := range [...]struct {
		name string
		keys [2]string
	}{
		{"an OpenAPI document", [2]string{"openapi", "info"}},
		{"an OpenAPI document", [2]string{"swagger", "info"}},
		{"an AsyncAPI document", [2]string{"asyncapi", "info"}},
		{"a GitHub workflow", [2]string{"on", "jobs"}},
		{"a Kubernetes resource", [2]string{"apiVersion", "kind"}},
		{"an n8n workflow", [2]string{"nodes", "connections"}},
		{"a Postman collection", [2]string{"info", "item"}},
		{"a Compose file", [2]string{"services", "services"}},
		{"a configuration of MCP servers", [2]string{"mcpServers", "mcpServers"}},
		{"a function of a model provider", [2]string{"type", "function"}},
		{"a JSON Schema", [2]string{"$schema", "type"}},
		{"a JSON Schema", [2]string{"type", "properties"}},
		{"a workspace", [2]string{"workspace", "agent"}},
	} {
		if root.Get(k.keys[0]) != nil && root.Get(k.keys[1]) != nil {
			return k.name
		}
	}
	return ""
}
