package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/internal/secrets"
)

const lookTool = `description: Look at stock.
when_to_use: The visitor asks for stock.
request:
  method: GET
  base_url: "$env.SHOP_API"
  path: /stock
  headers: { Authorization: "Bearer $env.SHOP_TOKEN" }
respond:
  message: Looked.
`

// An edit that breaks a file never takes a working tool away: what was good last
// goes on, each time with one word about it, until the file is mended.
func TestABrokenEditKeepsTheLastGoodVersion(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	edits := 0
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		edits++ // two edits within the clock's tick are told apart
		stamp := time.Date(2026, 12, 1, 12, 0, edits, 0, time.UTC)
		if err := os.Chtimes(path, stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{IO: &iox.IO{
		Out: io.Discard, Err: io.Discard, Dir: root, Now: time.Now,
		Getenv: func(key string) string { return map[string]string{"VATIO_HOME": home, "USER": "tester"}[key] },
	}}
	store := a.secretStore(root)
	for key, value := range map[string]string{"SHOP_API": "http://127.0.0.1:1", "SHOP_TOKEN": "a-token-of-the-shop"} {
		if err := store.Set(key, "", secrets.NewValue([]byte(value))); err != nil {
			t.Fatal(err)
		}
	}
	const config = "workspace: shop\nagent:\n  instructions: Be brief.\n  tools: [look, see]\n"
	write("vatio.yml", config)
	write("tools/look.yml", lookTool)
	write("tools/see.yml", strings.ReplaceAll(lookTool, "Look", "See"))

	s := newSession(a.newLoader(root, viper.New()), "local")
	defer s.close()
	type state struct {
		Tools    []string // name and description
		Problems []string
		Kept     []string
		Error    string
	}
	begin := func() state {
		t.Helper()
		ready, err := s.Begin(t.Context())
		var got state
		for _, n := range ready.Notices {
			if name, _, kept := strings.Cut(n, " has errors: "); kept {
				got.Kept = append(got.Kept, name)
			}
		}
		if err != nil {
			got.Error = err.Error()
		}
		for _, e := range ready.Events {
			if e.Problem != nil {
				got.Problems = append(got.Problems, e.Problem.Span.File.Name+": "+e.Problem.Code)
			}
		}
		if ready.Engine != nil {
			for _, offered := range ready.Engine.Tools.Tools(t.Context()) {
				got.Tools = append(got.Tools, offered.Name+": "+offered.Description)
			}
		}
		return got
	}
	both := []string{"look: Look at stock.", "see: See at stock."}
	for _, step := range []struct {
		name string
		edit func()
		want state
	}{
		{"at the start", func() {}, state{Tools: both}},
		{"a broken tool", func() { write("tools/look.yml", "description: [") },
			state{Tools: both, Problems: []string{"tools/look.yml: syntax"}, Kept: []string{"tools/look.yml"}}},
		{"said once", func() {}, state{Tools: both}},
		{"broken still, while another changes", func() { write("tools/see.yml", strings.ReplaceAll(lookTool, "Look", "Find")) },
			state{Tools: []string{both[0], "see: Find at stock."}, Problems: []string{"tools/look.yml: syntax"}, Kept: []string{"tools/look.yml"}}},
		{"mended", func() { write("tools/look.yml", strings.ReplaceAll(lookTool, "Look", "Peek")) },
			state{Tools: []string{"look: Peek at stock.", "see: Find at stock."}}},
		{"a broken vatio.yml", func() { write("vatio.yml", config+"  nonsense: 1\n") },
			state{Tools: []string{"look: Peek at stock.", "see: Find at stock."}, Problems: []string{"vatio.yml: unknown-key"}, Kept: []string{"vatio.yml"}}},
		{"a tool that is gone", func() {
			write("vatio.yml", config)
			if err := os.Remove(filepath.Join(root, "tools", "look.yml")); err != nil {
				t.Fatal(err)
			}
		}, state{Tools: []string{"look: Peek at stock.", "see: Find at stock."}, Problems: []string{"vatio.yml: agent-tool"}, Kept: []string{"vatio.yml"}}},
		{"not for another environment", func() {
			if err := s.SetEnvironment("live"); err != nil {
				t.Fatal(err)
			}
		}, state{Error: "vatio.yml has 1 error"}},
		{"no longer enabled", func() { write("vatio.yml", strings.Replace(config, "look, ", "", 1)) },
			state{Tools: []string{"see: Find at stock."}}},
	} {
		step.edit()
		if diff := cmp.Diff(step.want, begin()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", step.name, diff)
		}
	}
}

// A transcript holds no secret of the environment; addresses are none.
func TestRedactedForATranscript(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "tools"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"vatio.yml":      "workspace: shop\nagent:\n  instructions: Be brief.\n  tools: [look]\n",
		"tools/look.yml": lookTool,
	} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{IO: &iox.IO{
		Out: io.Discard, Err: io.Discard, Dir: root, Now: time.Now,
		Getenv: func(key string) string {
			return map[string]string{"VATIO_HOME": home, "USER": "tester", "OPENAI_API_KEY": "sk-of-the-provider"}[key]
		},
	}}
	store := a.secretStore(root)
	for key, value := range map[string]string{"SHOP_API": "http://127.0.0.1:1", "SHOP_TOKEN": "a-token-of-the-shop", "UNUSED": "a-value-nobody-uses"} {
		if err := store.Set(key, "", secrets.NewValue([]byte(value))); err != nil {
			t.Fatal(err)
		}
	}
	s := newSession(a.newLoader(root, viper.New()), "local")
	defer s.close()
	if _, err := s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := s.Redact("http://127.0.0.1:1 a-token-of-the-shop sk-of-the-provider a-value-nobody-uses YS10b2tlbi1vZi10aGUtc2hvcA==")
	if want := "http://127.0.0.1:1 [redacted] [redacted] [redacted] [redacted]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
