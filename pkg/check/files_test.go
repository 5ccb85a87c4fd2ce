package check_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

const plainConfig = "workspace: acme\nagent:\n  instructions: Help.\n  tools: [look]\n"

const plainTool = `description: Look up a product.
when_to_use: The visitor asks for a product.
request:
  method: GET
  base_url: https://api.acme.example
  path: /products
respond:
  message: Done.
`

// TestFiles checks what no archive can hold: each case changes a clean
// workspace on disk, and nothing but the file itself is reported.
func TestFiles(t *testing.T) {
	link := func(from, to string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, from))
			if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
				t.Skip(err)
			}
		}
	}
	content := func(name, data string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { write(t, filepath.Join(dir, name), []byte(data)) }
	}
	padded := func(size int) string {
		return plainTool + "#" + strings.Repeat("x", size-len(plainTool)-1)
	}
	const outside = "this link leads out of the workspace, or to nothing [file]\n   replace the link by the file\n"
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string
	}{
		{"clean", func(*testing.T, string) {}, ""},
		{"as large as allowed", content("tools/look.yml", padded(workspace.MaxFileSize)), ""},
		{"too large", content("tools/look.yml", padded(workspace.MaxFileSize+1)), "tools/look.yml:1:1: error: the file is too large: 1048577 bytes, 1048576 are allowed [file]\n"},
		{"huge", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "tools/look.yml"), 1<<34); err != nil {
				t.Skip(err)
			}
		}, "tools/look.yml:1:1: error: the file is too large: 17179869184 bytes, 1048576 are allowed [file]\n"},
		{"directory", func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, "tools/look.yml"))
			content("tools/look.yml/a.yml", plainTool)(t, dir)
		}, "tools/look.yml:1:1: error: this is a directory, not a file [file]\n"},
		{"link inside", func(t *testing.T, dir string) {
			content("shared.yml", plainTool)(t, dir)
			link("tools/look.yml", "../shared.yml")(t, dir)
		}, ""},
		{"link to nothing", link("tools/look.yml", "gone.yml"), "tools/look.yml:1:1: error: " + outside},
		{"link outside", link("tools/look.yml", "../../other.yml"), "tools/look.yml:1:1: error: " + outside},
		{"absolute link", link("tools/look.yml", "/etc/hostname"), "tools/look.yml:1:1: error: " + outside},
		{"link to itself", link("tools/look.yml", "look.yml"), "tools/look.yml:1:1: error: " + outside},
		{"named pipe", func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, "tools/look.yml"))
			if err := syscall.Mkfifo(filepath.Join(dir, "tools/look.yml"), 0o644); err != nil {
				t.Skip(err)
			}
		}, "tools/look.yml:1:1: error: this is not a regular file [file]\n"},
		{"not readable", func(t *testing.T, dir string) {
			if os.Geteuid() == 0 {
				t.Skip("root reads everything")
			}
			_ = os.Chmod(filepath.Join(dir, "tools/look.yml"), 0)
		}, "tools/look.yml:1:1: error: the file cannot be read: permission denied [file]\n"},
		{"tools is a file", func(t *testing.T, dir string) {
			_ = os.RemoveAll(filepath.Join(dir, "tools"))
			content("tools", plainTool)(t, dir)
		}, "tools:1:1: error: the directory cannot be read: not a directory [file]\n"},
		{"tools is a link outside", func(t *testing.T, dir string) {
			_ = os.RemoveAll(filepath.Join(dir, "tools"))
			link("tools", "/etc")(t, dir)
		}, "tools:1:1: error: this link leads out of the workspace, or to nothing [file]\n   replace the link by the directory\n"},
		{"vatio.yml is a directory", func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, "vatio.yml"))
			content("vatio.yml/a", "")(t, dir)
		}, "vatio.yml:1:1: error: this is a directory, not a file [file]\n"},
		{"vatio.yml is missing", func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "vatio.yml")) },
			"vatio.yml:1:1: error: the file cannot be read: no such file or directory [file]\n"},
		{"deployment.toml is a directory", content("deployment.toml/a", ""), "deployment.toml:1:1: error: this is a directory, not a file [file]\n"},
		{"deployment.toml is a link", link("deployment.toml", "/etc/hostname"), "deployment.toml:1:1: error: " + outside},
		{"key is a link", func(t *testing.T, dir string) {
			content("vatio.yml", plainConfig+"auth:\n  public_key: identity.pub\n  algorithm: ES256\n")(t, dir)
			link("identity.pub", "/etc/hostname")(t, dir)
		}, "vatio.yml:6:15: error: \"identity.pub\" is a link that leads out of the workspace, or to nothing [key-file]\n    6 |   public_key: identity.pub\n      |               ^~~~~~~~~~~~\n   replace the link by the file\n"},
		{"knowledge is a link", func(t *testing.T, dir string) {
			content("vatio.yml", plainConfig+"  knowledge: [faq]\n")(t, dir)
			content("knowledge/other/a.md", "A\n")(t, dir)
			link("knowledge/faq", "/etc")(t, dir)
		}, "vatio.yml:5:15: error: there is no directory knowledge/faq/ [knowledge]\n    5 |   knowledge: [faq]\n      |               ^~~\n   create it and put Markdown files (.md) there\n"},
		{"odd file name", content("tools/lo\x1bok.yml", plainTool), "tools/lo\ufffdok.yml:1:1: error: \"lo\\x1bok\" is no tool key: keys are a-z, 0-9, _ and -, start with a letter and have 64 characters at most [tool-key]\n    1 | description: Look up a product.\n      | ^\n"},
		{"deep", content("tools/look.yml", plainTool+"extra: "+strings.Repeat("[", 20000)), "tools/look.yml:9:1008: error: nested too deep: at most 1000 levels are allowed [syntax]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "acme")
			write(t, filepath.Join(dir, "vatio.yml"), []byte(plainConfig))
			write(t, filepath.Join(dir, "tools/look.yml"), []byte(plainTool))
			write(t, filepath.Join(dir, "../other.yml"), []byte(plainTool))
			c.change(t, dir)
			got := text(t, workspaceDir{root: dir})
			if c.name == "deep" {
				got = withoutSnippet(got)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// withoutSnippet drops the lines that show the source.
func withoutSnippet(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if len(line) < 7 || line[6] != '|' {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestManyFaults wants the first faults of a file, in its order, and one line
// that counts the rest, for each file.
func TestManyFaults(t *testing.T) {
	many := func(n int) []byte {
		b := bytes.NewBufferString(plainTool)
		for i := range n {
			fmt.Fprintf(b, "k%03d: 1\n", i)
		}
		return b.Bytes()
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "vatio.yml"), []byte(strings.Replace(plainConfig, "look", "look, many, more", 1)))
	write(t, filepath.Join(dir, "tools/look.yml"), []byte(plainTool))
	write(t, filepath.Join(dir, "tools/many.yml"), many(check.MaxPerFile))
	write(t, filepath.Join(dir, "tools/more.yml"), many(check.MaxPerFile+30))
	var want, got []string
	for _, name := range []string{"many", "more"} {
		for i := range check.MaxPerFile {
			want = append(want, fmt.Sprintf("tools/%s.yml:%d: error: unknown key \"k%03d\" [unknown-key]", name, i+9, i))
		}
	}
	want = append(want, "tools/more.yml:109: error: 30 more problems in this file are not listed [file]")
	for _, d := range (workspaceDir{root: dir}).run(t) {
		p := d.Span.File.Position(d.Span.Start)
		got = append(got, fmt.Sprintf("%s:%d: %s: %s [%s]", d.Span.File.Name, p.Line, d.Severity, d.Message, d.Code))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
