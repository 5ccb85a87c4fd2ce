package check_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// FuzzCheck checks a workspace of arbitrary texts twice, and wants the same
// diagnostics both times, each complete, at a place in its file.
func FuzzCheck(f *testing.F) {
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no archives (%v)", err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var texts [4]string // vatio.yml, a tool in YAML, one in TOML, deployment.toml
		for _, file := range archive.Files {
			for i, end := range []string{"vatio.yml", ".yml", ".toml", "deployment.toml"} {
				if strings.HasSuffix(file.Name, end) && (i == 0 || i == 3 || strings.HasPrefix(file.Name, "tools/")) {
					texts[i] = string(file.Data)
				}
			}
		}
		f.Add(texts[0], texts[1], texts[2], texts[3])
	}
	codes := map[string]bool{}
	for _, c := range check.Codes() {
		codes[c.Name] = true
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, config, http, service, deployment string) {
		w := workspaceDir{root: filepath.Join(dir, "acme"), secrets: []string{"API"}}
		if err := os.RemoveAll(w.root); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(w.root, "vatio.yml"), []byte(config))
		write(t, filepath.Join(w.root, "tools/look.yml"), []byte(http))
		write(t, filepath.Join(w.root, "tools/find.toml"), []byte(service))
		write(t, filepath.Join(w.root, "deployment.toml"), []byte(deployment))
		write(t, filepath.Join(w.root, "knowledge/faq/a.md"), []byte("A\n"))
		list := w.run(t)
		perFile := map[string]int{}
		for _, d := range list {
			file := d.Span.File
			perFile[file.Name]++
			switch {
			case d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(file.Data):
				t.Errorf("%s: [%d, %d) of %d bytes: %s", file.Name, d.Span.Start, d.Span.End, len(file.Data), d.Message)
			case !codes[d.Code]:
				t.Errorf("unknown code %q: %s", d.Code, d.Message)
			case d.Severity != diag.Error && d.Severity != diag.Warning:
				t.Errorf("no severity: %s", d.Message)
			case strings.TrimSpace(d.Message) == "":
				t.Errorf("%s: a %s without a message", file.Name, d.Code)
			case utf8.Valid(file.Data) && (!utf8.RuneStart(at(file.Data, d.Span.Start)) || !utf8.RuneStart(at(file.Data, d.Span.End))):
				t.Errorf("%s: [%d, %d) cuts a character: %s", file.Name, d.Span.Start, d.Span.End, d.Message)
			}
		}
		for name, n := range perFile {
			if n > check.MaxPerFile+1 {
				t.Errorf("%d diagnostics in %s", n, name)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b diag.Diagnostic) int {
			if a.Span.File.Name != b.Span.File.Name {
				return strings.Compare(a.Span.File.Name, b.Span.File.Name)
			}
			return a.Span.Start - b.Span.Start
		}) {
			t.Error("not sorted")
		}
		var first, second bytes.Buffer
		_ = diag.WriteText(&first, list, diag.Style{})
		_ = diag.WriteText(&second, w.run(t), diag.Style{})
		if first.String() != second.String() {
			t.Errorf("the second run differs:\n%s\n%s", first.String(), second.String())
		}
	})
}

// at returns the byte at an offset, and one that starts a character at the end.
func at(data []byte, offset int) byte {
	if offset == len(data) {
		return 'x'
	}
	return data[offset]
}
