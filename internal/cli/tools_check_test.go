package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// write makes files below a new directory and returns it, links resolved.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is loaded in tests") }

// TestSARIF holds the log of a faulty workspace, with the rules of the program,
// against the schema that OASIS publishes, and its indexes against the rules.
func TestSARIF(t *testing.T) {
	dir := write(t, map[string]string{
		"vatio.yml":      "workspace: A B\nagent:\n  instructions: x\n  tools: [a]\n",
		"tools/a.yml":    "description: 5\nrequest:\n  method: GET\n  path: x?y\n  base_url: ${params.x}\n",
		"tools/b c.toml": "name = 5\n= 3\n",
		"tools/README":   "",
	})
	streams, out, _ := iox.Test(dir, "", map[string]string{"VATIO_HOME": dir + "/home"})
	if code := Main(t.Context(), []string{"tools", "check", "--format", "sarif"}, streams); code != exitFailed {
		t.Fatalf("exit code %d", code)
	}
	published, err := os.ReadFile("../../pkg/diag/testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	if err := c.AddResource("mem:///sarif", schema); err != nil {
		t.Fatal(err)
	}
	log, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MustCompile("mem:///sarif").Validate(log); err != nil {
		t.Errorf("%v\n%s", err, out)
	}

	var got struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID   string
						Help struct{ Text string }
					}
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex *int
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	rules := got.Runs[0].Tool.Driver.Rules
	if len(got.Runs[0].Results) < 6 {
		t.Errorf("only %d results\n%s", len(got.Runs[0].Results), out)
	}
	for _, r := range got.Runs[0].Results {
		if r.RuleIndex == nil || rules[*r.RuleIndex].ID != r.RuleID || rules[*r.RuleIndex].Help.Text == "" {
			t.Errorf("the index of %s is not that of its rule", r.RuleID)
		}
	}
}

func TestRepositoryPath(t *testing.T) {
	dir := write(t, map[string]string{"repo/agents/shop/vatio.yml": "", "repository/x": ""})
	if err := os.Symlink(filepath.Join(dir, "repo"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	root := filepath.Join(dir, "repo", "agents", "shop")
	for checkout, want := range map[string]string{
		"":                               "",
		filepath.Join(dir, "repo"):       "agents/shop",
		filepath.Join(dir, "repo") + "/": "agents/shop",
		filepath.Join(dir, "link"):       "agents/shop",
		root:                             "",
		filepath.Join(root, "below"):     "",
		filepath.Join(dir, "repository"): "",
		"/nowhere":                       "",
	} {
		streams, _, _ := iox.Test(dir, "", map[string]string{"GITHUB_WORKSPACE": checkout})
		o := &checkOptions{app: &app{IO: streams}}
		if got := o.repositoryPath(root); got != want {
			t.Errorf("in %q: %q, want %q", checkout, got, want)
		}
	}
}

// TestWatchShows looks at what stands around the diagnostics.
func TestWatchShows(t *testing.T) {
	file := diag.NewFile("a.yml", nil)
	list := diag.List{diag.Errorf(diag.Span{File: file}, "file", "bad")}
	for _, c := range []struct {
		name     string
		terminal bool
		env      map[string]string
		out, err string
	}{
		{"pipe", false, nil, "--- 12:00:00\nX\n", "1 error, 0 warnings at 12:00:00, watching for changes (Ctrl-C ends)\n"},
		{"terminal", true, map[string]string{"NO_COLOR": "1"}, "\x1b[H\x1b[2JX\n", "1 error, 0 warnings at 12:00:00, watching for changes (Ctrl-C ends)\n"},
		{"dumb", true, map[string]string{"TERM": "dumb"}, "--- 12:00:00\nX\n", "1 error, 0 warnings at 12:00:00, watching for changes (Ctrl-C ends)\n"},
		{"colour", true, nil, "\x1b[H\x1b[2JX\n", "\x1b[31;1m1 error, 0 warnings\x1b[0;22m at 12:00:00, watching for changes (Ctrl-C ends)\n"},
	} {
		streams, out, errs := iox.Test(t.TempDir(), "", c.env)
		streams.OutTerminal, streams.ErrTerminal = c.terminal, c.terminal
		o := &checkOptions{app: &app{IO: streams}}
		if err := o.show("X\n", o.summary(list)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{c.out, c.err}, []string{out.String(), errs.String()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
