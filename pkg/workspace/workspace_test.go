package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const httpTool = "description: Do it.\nwhen_to_use: Asked.\nrequest: { method: GET, base_url: \"https://acme.example\", path: / }\n"

const serviceTool = "name = \"look\"\ndescription = \"Look.\"\nservice = \"records\"\npath = \"/look\"\n"

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "agents", "acme")
	write(t, filepath.Join(root, "vatio.yml"), `workspace: acme
agent:
  instructions: Help.
  tools: [do, look]
  knowledge: [faq]
  handoff: { when: Asked., message: Wait. }
  tool_timeout_seconds: 30
  tool_budget: 3
auth: { public_key: keys/identity.pub, algorithm: EdDSA, issuer: "https://id.example" }
model: { provider: anthropic, name: m, base_url: "http://localhost:1" }
registry: oci://registry.example:5000/acme/agent
`)
	write(t, filepath.Join(root, "tools/do.yaml"), httpTool)
	write(t, filepath.Join(root, "tools/z.toml"), serviceTool)
	write(t, filepath.Join(root, "tools/.hidden.yml"), "a: b: c")
	write(t, filepath.Join(dir, "deployment.toml"), `[[agents]]
id = "other"
package = "agents/other"
[[agents]]
id = "acme-agent"
package = "agents/../agents/acme/"
[agents.services.records]
url = "env:RECORDS_URL"
headers = { X-B = "b", X-A = "env:TOKEN" }
[agents.services.more]
url = "http://more"
`)
	w, faults, err := workspace.Load(root)
	if err != nil || len(faults) > 0 {
		t.Fatalf("%v, %v", err, faults)
	}
	ignored := cmpopts.IgnoreTypes(&syntax.Node{})
	granted := &workspace.Grants{ID: "acme-agent", Package: "agents/../agents/acme/", Known: true, Services: []workspace.Service{
		{Name: "records", URL: "env:RECORDS_URL", Headers: []workspace.Header{{Name: "X-B", Value: "b"}, {Name: "X-A", Value: "env:TOKEN"}}},
		{Name: "more", URL: "http://more"},
	}}
	want := &workspace.Workspace{
		Slug: "acme",
		Agent: workspace.Agent{
			Instructions: "Help.", Tools: []workspace.Listed{{Name: "do"}, {Name: "look"}}, Knowledge: []workspace.Listed{{Name: "faq"}},
			Handoff: &workspace.Handoff{When: "Asked.", Message: "Wait."}, ToolTimeout: 30 * time.Second, ToolBudget: 3,
		},
		Auth:     &workspace.Auth{PublicKey: "keys/identity.pub", Algorithm: "EdDSA", Issuer: "https://id.example"},
		Model:    workspace.Model{Provider: "anthropic", Name: "m", BaseURL: "http://localhost:1"},
		Registry: "oci://registry.example:5000/acme/agent",
		Deployment: &workspace.Deployment{
			Known: true, Agent: granted, All: []*workspace.Grants{{ID: "other", Package: "agents/other", Known: true}, granted},
		},
		Known: workspace.Known{Tools: true, Knowledge: true, Auth: true, Files: true},
	}
	if diff := cmp.Diff(want, w, ignored, cmpopts.IgnoreFields(workspace.Workspace{}, "Root", "File", "Tools"), cmpopts.IgnoreFields(workspace.Deployment{}, "File", "Dir")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var tools []string
	for _, tool := range w.Tools {
		tools = append(tools, tool.File.Name+" "+tool.Key)
	}
	if diff := cmp.Diff([]string{"tools/do.yaml do", "tools/z.toml look"}, tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if w.Root != root || w.File.Name != "vatio.yml" || w.Deployment.File.Name != "../../deployment.toml" {
		t.Errorf("root %s, files %s and %s", w.Root, w.File.Name, w.Deployment.File.Name)
	}
}

func TestDefaults(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "vatio.yml"), "workspace: acme\nagent:\n  instructions: Help.\n")
	w, faults, err := workspace.Load(root)
	if err != nil || len(faults) > 0 {
		t.Fatalf("%v, %v", err, faults)
	}
	if w.Agent.ToolTimeout != workspace.DefaultToolTimeout || w.Agent.ToolBudget != workspace.DefaultToolBudget || w.Auth != nil || w.Agent.Handoff != nil {
		t.Errorf("%+v", w)
	}
}

// TestSameFaults loads one workspace often: many tools are read side by side,
// and the faults stand in the same order each time.
func TestSameFaults(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "vatio.yml"), "workspace: Acme\n")
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		write(t, filepath.Join(root, "tools", name+".yml"), "descripton: a\naccess: b\n")
	}
	_, first, err := workspace.Load(root)
	if err != nil || len(first) != 1+1+26*4 {
		t.Fatalf("%v, %d faults", err, len(first))
	}
	for range 10 {
		_, faults, err := workspace.Load(root)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range faults {
			if d.Span.File.Name != first[i].Span.File.Name || d.Span.Start != first[i].Span.Start || d.Message != first[i].Message {
				t.Fatalf("fault %d is %v, and was %v", i, d, first[i])
			}
		}
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	write(t, filepath.Join(deep, "x"), "")
	if _, err := workspace.Find(deep); !errors.Is(err, workspace.ErrNone) {
		t.Errorf("without a workspace: %v", err)
	}
	write(t, filepath.Join(root, "vatio.yml"), "")
	if got, err := workspace.Find(deep); err != nil || got != root {
		t.Errorf("found %q, %v; want %q", got, err, root)
	}
	write(t, filepath.Join(root, "a", "vatio.yml"), "")
	if got, err := workspace.Find(deep); err != nil || got != filepath.Join(root, "a") {
		t.Errorf("found %q, %v; want the nearest", got, err)
	}
	if _, _, err := workspace.Load(filepath.Join(root, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

func TestSlugs(t *testing.T) {
	for slug, want := range map[string]bool{
		"a": true, "acme-store-2": true, strings.Repeat("a", 40): true,
		"": false, "-a": false, "a-": false, "a--b": false, "A": false, "a b": false, "a_b": false, "é": false, strings.Repeat("a", 41): false,
	} {
		if got := workspace.ValidSlug(slug); got != want {
			t.Errorf("ValidSlug(%q) = %t", slug, got)
		}
	}
	for name, want := range map[string]string{
		"Acme Store!": "acme-store", "--": "", "a_b": "a-b", "Ünï": "n", strings.Repeat("a", 39) + " b": strings.Repeat("a", 39),
	} {
		if got := workspace.Slugify(name); got != want {
			t.Errorf("Slugify(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestRegistry(t *testing.T) {
	root := t.TempDir()
	for registry, want := range map[string]bool{
		"oci://localhost:5000/a": true, "oci://r.example/a/b-c/d_e/f__g/h.i/j---k": true, "oci://[::1]:5000/a": true,
		"oci://": false, "oci://r.example": false, "oci://r.example/": false, "oci://r.example/a/": false, "oci://r.example//a": false,
		"oci://r.example/A": false, "oci://r.example/a:b": false, "oci://r.example/a@b": false, "oci://u@r.example/a": false,
		"oci://r.example/a..b": false, "oci://r.example/-a": false, "oci://r.example/a?b": false, "https://r.example/a": false, "oci:r.example/a": false,
	} {
		write(t, filepath.Join(root, "vatio.yml"), "workspace: acme\nagent:\n  instructions: Help.\nregistry: \""+registry+"\"\n")
		_, faults, err := workspace.Load(root)
		if err != nil || (len(faults) == 0) != want {
			t.Errorf("%s: %v, %v", registry, err, faults)
		}
	}
}
