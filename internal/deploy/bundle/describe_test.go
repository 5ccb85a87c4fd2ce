package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const records = `name = "lookup"
description = "Look up a record by its id."
service = "records"
path = "/agent-tools/lookup"
scope = "tools:read"
timeout_seconds = 15
[parameters]
type = "object"
required = ["id"]
[parameters.properties.id]
type = "string"
`

const described = `{"workspace":"acme","agent":{"instructions":"Help <all>.","tools":["lookup","check_stock"],"knowledge":[],"handoff":{"when":"Asked.","message":"Wait."},"tool_timeout_seconds":20,"tool_budget":8},` +
	`"auth":{"public_key":"identity.pub","algorithm":"ES256"},"model":{"provider":"offline"},"tools":[` +
	`{"key":"lookup","kind":"service","file":"tools/lookup.toml","description":"Look up a record by its id.","access":"public","scope":"tools:read","timeout_seconds":15,"parameters":{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}},"method":"POST","service":"records","path":"/agent-tools/lookup"},` +
	`{"key":"check_stock","kind":"http","file":"tools/check_stock.yml","description":"Check stock.","when_to_use":"Always.","access":"public","parameters":{"type":"object","properties":{"product":{"type":"string"}}},"method":"GET","base_url":"https://api.acme.example","path":"/products"}],` +
	`"grants":{"id":"records-agent","services":{"records":{"url":"http://app:8000","headers":{"X-Internal-Token":"env:RECORDS_TOKEN","X-Team":"blue \"1\""}}}}}`

func grantedWorkspace(t *testing.T, header string) string {
	t.Helper()
	return lay(t, map[string]string{
		"vatio.yml": `workspace: acme
agent:
  instructions: Help <all>.
  tools: [lookup, check_stock]
  handoff: { when: Asked., message: Wait. }
auth: { public_key: identity.pub, algorithm: ES256 }
model: { provider: offline }
registry: oci://registry.example/acme/agent
`,
		"tools/lookup.toml": records,
		"tools/unused.yml":  stock,
		"identity.pub":      "x",
		"deployment.toml": `[[agents]]
id = "records-agent"
package = "."
[agents.services.records]
url = "http://app:8000"
headers = { "X-Team" = 'blue "1"', ` + header + ` }
[[agents]]
id = "other"
package = "elsewhere"
`,
	})
}

// TestDescribe goes all the way round: what was pushed, unpacked and given its
// grants is described by the same bytes.
func TestDescribe(t *testing.T) {
	dir := grantedWorkspace(t, `"X-Internal-Token" = "env:RECORDS_TOKEN"`)
	w := load(t, dir)
	config, err := Describe(w)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(described, string(config)); diff != "" {
		t.Fatalf("description (-want +got):\n%s", diff)
	}
	files, _, err := Collect(w)
	if err != nil {
		t.Fatal(err)
	}
	text, ok, err := Grants(config)
	if err != nil || !ok {
		t.Fatalf("Grants: %t, %v", ok, err)
	}
	unpacked := filepath.Join(t.TempDir(), "new")
	if err := Write(unpacked, append(files, File{"deployment.toml", text}, File{"compose.yaml", nil})); err != nil {
		t.Fatal(err)
	}
	again := load(t, unpacked)
	second, err := Describe(again)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(config), string(second)); diff != "" {
		t.Errorf("description of the unpacked deployment (-first +second):\n%s", diff)
	}
	filesAgain, _, err := Collect(again)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, filesAgain); diff != "" {
		t.Errorf("files of the unpacked deployment (-first +second):\n%s", diff)
	}
}

func TestDescribeRefusesCredentials(t *testing.T) {
	_, err := Describe(load(t, grantedWorkspace(t, `"X-Internal-Token" = "abc123def456ghi"`)))
	want := `deployment.toml:6: the header "X-Internal-Token" of "records" looks like a credential: write env:NAME, and set NAME where the agent runs`
	if err == nil || err.Error() != want {
		t.Errorf("Describe: %v, want %s", err, want)
	}
	dir := grantedWorkspace(t, `"X-Internal-Token" = "env:A"`)
	name := filepath.Join(dir, "deployment.toml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte("http://app"), []byte("http://u:p@app"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Describe(load(t, dir))
	want = `deployment.toml:5: the url of "records" looks like it holds a credential: write env:NAME, and set NAME where the agent runs`
	if err == nil || err.Error() != want {
		t.Errorf("Describe: %v, want %s", err, want)
	}
}

func TestGrants(t *testing.T) {
	for _, tt := range []struct {
		name, config, want, err string
		ok                      bool
	}{
		{name: "none", config: `{"workspace":"a"}`},
		{name: "damaged", config: `{"workspace":`, err: "the description of the deployment is damaged"},
		{name: "in order", ok: true, config: `{"grants":{"id":"a\"b","services":{"z":{"url":"env:Z"},"a":{"url":"http://a","headers":{"B":"env:B","A":"1"}}}}}`,
			want: "[[agents]]\nid = 'a\"b'\npackage = '.'\n\n[agents.services]\n[agents.services.a]\nurl = 'http://a'\nheaders = {A = '1', B = 'env:B'}\n\n[agents.services.z]\nurl = 'env:Z'\n"},
		{name: "name", config: `{"grants":{"id":"a","services":{"A\n[x]":{}}}}`, err: "the description of the deployment grants \"A\uFFFD[x]\", which is no name of a service"},
		{name: "header", config: `{"grants":{"id":"a","services":{"a":{"headers":{"A":"x\r\ny"}}}}}`, err: `the description of the deployment has a header for "a" that is not plain text`},
		{name: "id", config: `{"grants":{"id":"a\u001b"}}`, err: `the description of the deployment has an agent id that is not plain text`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, ok, err := Grants([]byte(tt.config))
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff(tt.err, message); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, string(text)); diff != "" || ok != tt.ok {
				t.Errorf("ok is %t; text (-want +got):\n%s", ok, diff)
			}
		})
	}
}
