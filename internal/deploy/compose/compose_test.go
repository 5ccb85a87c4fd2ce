package compose

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/workspace"
)

const grants = `[[agents]]
id = "Records Agent"
package = "agents/records"
[agents.services.records]
url = "env:RECORDS_URL"
headers = { "X-Internal-Token" = "env:RECORDS_TOKEN", "X-Team" = "blue" }
[agents.services.archive]
url = "http://archive:8000"
headers = { "X-Internal-Token" = "env:RECORDS_TOKEN" }

[[agents]]
id = "desk"
package = "agents/$desk"
`

const want = header + `# vatio: sha256:SUM
services:
  desk:
    image: ghcr.io/vatio-dev/vatio:1.2.3
    entrypoint: [vatio]
    command: [serve, --addr, '0.0.0.0:8080']
    working_dir: /workspace
    environment:
      - OPENAI_API_KEY
      - VATIO_DATABASE
      - VATIO_IDENTITY
    volumes:
      - type: bind
        source: ./agents/$$desk
        target: /workspace
        read_only: true
        bind:
          create_host_path: false
      - type: bind
        source: ./agents/$$desk/.vatio
        target: /workspace/.vatio
        bind:
          create_host_path: false
    expose: ["8080"]
    networks: [front]
    healthcheck:
      test: [CMD, vatio, serve, --healthy, --addr, '127.0.0.1:8080']
      interval: 30s
      timeout: 5s
      retries: 3
      start_period: 10s
    restart: unless-stopped
    stop_grace_period: 35s
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: ['no-new-privileges:true']
  records-agent:
`

func lay(t *testing.T) *workspace.Workspace {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"deployment.toml":          grants,
		"agents/records/vatio.yml": "workspace: records\nagent:\n  instructions: Help.\nmodel: { provider: offline }\n",
		"agents/$desk/vatio.yml":   "workspace: desk\nagent:\n  instructions: Help.\nmodel: { provider: openai, name: x }\n",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := workspace.Load(filepath.Join(dir, "agents", "records"))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestFile(t *testing.T) {
	w := lay(t)
	agents, err := Agents(w)
	if err != nil {
		t.Fatal(err)
	}
	wantAgents := []Agent{
		{ID: "Records Agent", Package: "agents/records", Env: []string{"RECORDS_TOKEN", "RECORDS_URL"}, Provider: "offline"},
		{ID: "desk", Package: "agents/$desk", Provider: "openai"},
	}
	if diff := cmp.Diff(wantAgents, agents); diff != "" {
		t.Fatalf("agents (-want +got):\n%s", diff)
	}
	text, err := File([]Agent{agents[1], agents[0]}, Options{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[2] = "# vatio: sha256:SUM\n"
	if diff := cmp.Diff(want, strings.Join(lines[:len(strings.Split(want, "\n"))-1], "")); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}

	// The library that docker compose itself reads files with.
	dir := w.Deployment.Dir
	project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  dir,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(dir, Name), Content: text}},
		Environment: types.Mapping{"RECORDS_TOKEN": "t0ken", "RECORDS_URL": "http://records", "OTHER": "x"},
	}, func(o *loader.Options) { o.SetProjectName("test", true) })
	if err != nil {
		t.Fatalf("docker compose would not take it: %v\n%s", err, text)
	}
	records, err := project.GetService("records-agent")
	if err != nil {
		t.Fatal(err)
	}
	token, url := "t0ken", "http://records"
	wantEnv := types.MappingWithEquals{"RECORDS_TOKEN": &token, "RECORDS_URL": &url, "VATIO_DATABASE": nil, "VATIO_IDENTITY": nil}
	if diff := cmp.Diff(wantEnv, records.Environment); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	desk, err := project.GetService("desk")
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, v := range desk.Volumes {
		sources = append(sources, v.Source)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "agents/$desk"), filepath.Join(dir, "agents/$desk/.vatio")}, sources); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
	if _, there := project.Networks["front"]; !there || len(project.Networks) != 1 {
		t.Errorf("networks: %v", project.Networks)
	}
}

func TestFileRefuses(t *testing.T) {
	for _, tt := range []struct {
		agents []Agent
		want   string
	}{
		{[]Agent{{ID: "a b"}, {ID: "a-b"}}, `the agents "a b" and "a-b" would both be the service "a-b" in compose.yaml: give one of them another id`},
		{[]Agent{{ID: "?"}}, `the agent id "?" has no letter or digit that could name its service in compose.yaml`},
	} {
		if _, err := File(tt.agents, Options{}); err == nil || err.Error() != tt.want {
			t.Errorf("File(%v): %v, want %s", tt.agents, err, tt.want)
		}
	}
}

func TestAgentsMissingWorkspace(t *testing.T) {
	w := lay(t)
	if err := os.Remove(filepath.Join(w.Deployment.Dir, "agents/$desk/vatio.yml")); err != nil {
		t.Fatal(err)
	}
	_, err := Agents(w)
	if want := `the agent "desk" has the package "agents/$desk" in deployment.toml, but there is no workspace that can be read`; err == nil || err.Error() != want {
		t.Errorf("Agents: %v, want %s", err, want)
	}
}

func TestReplace(t *testing.T) {
	render := func(version string) []byte {
		text, err := File([]Agent{{ID: "a", Package: "."}}, Options{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	one, two := render("1"), render("2")
	for _, tt := range []struct {
		name string
		old  []byte
		want bool
		err  error
	}{
		{"the same", two, false, nil},
		{"another version", one, true, nil},
		{"with CRLF", []byte(strings.ReplaceAll(string(one), "\n", "\r\n")), true, nil},
		{"edited", []byte(strings.Replace(string(one), "unless-stopped", "always", 1)), false, ErrEdited},
		{"edited header", append([]byte("# mine\n"), one...), false, ErrEdited},
		{"something else", []byte("services: {}\n"), false, ErrEdited},
		{"empty", nil, false, ErrEdited},
	} {
		got, err := Replace(tt.old, two)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %t, %v, want %t, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}
