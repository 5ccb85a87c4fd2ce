package openapi_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/openapi"
	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// checksClean checks the tools in a workspace that lists them and has no secret.
func checksClean(t *testing.T, tools []*openapi.Tool) {
	t.Helper()
	dir := t.TempDir()
	config := "workspace: shop\nagent:\n  instructions: Help.\n  tools:\n"
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		config += "    - " + tool.Key + "\n"
		if err := os.WriteFile(filepath.Join(dir, "tools", tool.Key+".yml"), tool.YAML, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "vatio.yml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	w, loaded, err := workspace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range check.Run(w, loaded, check.Options{HasSecret: func(string) bool { return true }}) {
		if i < 5 {
			t.Errorf("%s: %s [%s]: %s", d.Span.File.Name, d.Message, d.Code, d.Span.Text())
		}
	}
}

func TestMake(t *testing.T) {
	for _, name := range []string{"shop.yml", "swagger.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		d, err := openapi.Parse(name, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		var tools []*openapi.Tool
		var got strings.Builder
		for _, op := range d.Operations() {
			got.WriteString("== " + op.Key + " " + op.Method + " " + op.Path + "\n")
			if op.Unsupported != "" {
				got.WriteString("unsupported: " + op.Unsupported + "\n")
				continue
			}
			tool, err := d.Make(op)
			if err != nil {
				t.Fatal(err)
			}
			tools = append(tools, tool)
			got.Write(tool.YAML)
		}
		checksClean(t, tools)
		golden := filepath.Join("testdata", name+".golden")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRefuses(t *testing.T) {
	tests := map[string][2]string{
		"empty":       {"", "a.yml is no OpenAPI document: it holds null, not a map"},
		"other":       {"a: 1", `a.yml is no OpenAPI document: it has neither "openapi" nor "swagger" at its top`},
		"version":     {"swagger: '1.2'", `a.yml is of version "1.2": OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 can be imported`},
		"circle":      {"openapi: 3.0.0\npaths:\n  /a: { $ref: '#/paths/~1a' }", "a.yml: /a: its references go round in a circle"},
		"remote":      {"openapi: 3.0.0\npaths:\n  /a: { $ref: 'https://example.com/a.yml' }", `a.yml: /a: the reference "https://example.com/a.yml" leads out of the document: only files beside it are read, so bundle it first`},
		"file scheme": {"openapi: 3.0.0\npaths:\n  /a: { $ref: 'file:///etc/passwd' }", `a.yml: /a: the reference "file:///etc/passwd" leads out of the document: only files beside it are read, so bundle it first`},
		"above":       {"openapi: 3.0.0\npaths:\n  /a: { $ref: '../a.yml' }", `a.yml: /a: the reference "../a.yml" leads out of the document's directory`},
	}
	for name, test := range tests {
		_, err := openapi.Parse("a.yml", []byte(test[0]), func(string) ([]byte, error) { return nil, errors.New("not reached") })
		if err == nil || err.Error() != test[1] {
			t.Errorf("%s: got %v, want %s", name, err, test[1])
		}
	}
}

func TestEnable(t *testing.T) {
	tests := map[string][2]string{
		"block": {"agent:\n  tools:\n    # one\n    - a # first\n# end\n", "agent:\n  tools:\n    # one\n    - a # first\n    - b\n    - c\n# end\n"},
		"flow":  {"agent: { tools: [a] } # x\n", "agent: { tools: [a, b, c] } # x\n"},
		"empty": {"agent:\n  tools: [] # none\n", "agent:\n  tools: [b, c] # none\n"},
		"crlf":  {"agent:\r\n  tools:\r\n  - a\r\n", "agent:\r\n  tools:\r\n  - a\r\n  - b\r\n  - c\r\n"},
		"there": {"agent:\n  tools: [c, b]\n", "agent:\n  tools: [c, b]\n"},
	}
	for name, test := range tests {
		got, ok := openapi.Enable(diag.NewFile("vatio.yml", []byte(test[0])), []string{"b", "c"})
		if !ok || string(got) != test[1] {
			t.Errorf("%s: got %q, %v", name, got, ok)
		}
	}
	if _, ok := openapi.Enable(diag.NewFile("vatio.yml", []byte("agent: {}\n")), []string{"b"}); ok {
		t.Error("a file without the list was changed")
	}
}

func FuzzMake(f *testing.F) {
	f.Add([]byte("openapi: 3.0.0\npaths:\n  /a/{id}:\n    get: { parameters: [{ name: id, in: path, schema: { $ref: '#/x' } }] }\nx: { allOf: [{ $ref: '#/x' }] }"))
	f.Add([]byte(`{"swagger":"2.0","paths":{"/a":{"post":{"parameters":[{"in":"body","name":"b","schema":{"type":"object","properties":{"x":{"type":"array"}}}}]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := openapi.Parse("a.yml", data, nil)
		if err != nil {
			return
		}
		for _, op := range d.Operations() {
			_, _ = d.Make(op)
		}
	})
}
