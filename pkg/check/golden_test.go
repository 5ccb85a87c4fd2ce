package check_test

import (
	"bytes"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

var update = flag.Bool("update", false, "rewrite the file want of every golden archive")

// TestGolden checks the workspaces in testdata/<code>/*.txtar. Each archive
// holds the files of a workspace, in the root or in a folder of its own;
// `secrets`, the names that have a value (without it all have); and `want`, the
// diagnostics as text. Every code has archives in which it fires and one that
// is clean.
func TestGolden(t *testing.T) {
	for _, code := range check.Codes() {
		t.Run(code.Name, func(t *testing.T) {
			names, err := filepath.Glob(filepath.Join("testdata", code.Name, "*.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			fires, quiet := 0, 0
			for _, name := range names {
				got := golden(t, name)
				if strings.Contains(got, "["+code.Name+"]\n") {
					fires++
				} else if got == "" {
					quiet++
				}
			}
			if fires < 2 || quiet < 1 {
				t.Errorf("it fires in %d archives and %d are clean: want two and one at least", fires, quiet)
			}
		})
	}
}

func golden(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	if at < 0 {
		archive.Files = append(archive.Files, txtar.File{Name: "want"})
		at = len(archive.Files) - 1
	}
	got := text(t, unpack(t, archive))
	switch {
	case *update && got != string(archive.Files[at].Data):
		archive.Files[at].Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	case !*update:
		if diff := cmp.Diff(string(archive.Files[at].Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	return got
}

// builtins are the built-in tools that agent.tools may list.
var builtins = []string{"knowledge_lookup", "identify_contact", "request_contact_info"}

// A workspaceDir is a workspace on disk and what is known of its secrets.
type workspaceDir struct {
	root    string
	secrets []string // nil: all have a value
}

// unpack writes the files of an archive to a temporary directory.
func unpack(t testing.TB, archive *txtar.Archive) workspaceDir {
	t.Helper()
	dir := t.TempDir()
	w := workspaceDir{root: dir}
	for _, f := range archive.Files {
		switch f.Name {
		case "want":
			continue
		case "secrets":
			w.secrets = append([]string{}, strings.Fields(string(f.Data))...)
			continue
		}
		if path.Base(f.Name) == workspace.FileName {
			w.root = filepath.Join(dir, filepath.FromSlash(path.Dir(f.Name)))
		}
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	return w
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w workspaceDir) run(t testing.TB) diag.List {
	t.Helper()
	loaded, faults, err := workspace.Load(w.root)
	if err != nil {
		t.Fatal(err)
	}
	return check.Run(loaded, faults, check.Options{
		Builtins:  builtins,
		HasSecret: func(name string) bool { return w.secrets == nil || slices.Contains(w.secrets, name) },
	})
}

func text(t testing.TB, w workspaceDir) string {
	t.Helper()
	var b bytes.Buffer
	if err := diag.WriteText(&b, w.run(t), diag.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExamplesAreClean holds the example workspaces against all rules.
func TestExamplesAreClean(t *testing.T) {
	for _, root := range []string{"acme-store", "records-agent/agents/records"} {
		if got := text(t, workspaceDir{root: filepath.Join("../../tools-examples", root)}); got != "" {
			t.Errorf("%s:\n%s", root, got)
		}
	}
}
