package ignore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ignored is what Match says of every path and of what is above it.
func ignored(r *Rules, paths []string) []string {
	var list []string
	for _, p := range paths {
		name, dir := strings.CutSuffix(p, "/")
		for at := 1; at <= len(name); at++ {
			if at != len(name) && name[at] != '/' {
				continue
			}
			if _, yes := r.Match(name[:at], at < len(name) || dir); yes {
				list = append(list, p)
				break
			}
		}
	}
	return list
}

func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if out, err := git(dir, nil, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return dir
}

func git(dir string, in []byte, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "core.excludesFile=", "-c", "core.ignoreCase=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Stdin = bytes.NewReader(in)
	return cmd
}

// asGit asks the real git which of the paths are ignored.
func asGit(t *testing.T, dir string, paths []string) []string {
	t.Helper()
	// A path that ends in a slash has no name for check-ignore; it looks itself
	// which paths are directories.
	names := make(map[string]string)
	var in []byte
	for _, p := range paths {
		name := strings.TrimSuffix(p, "/")
		names[name] = p
		in = append(append(in, name...), 0)
	}
	out, err := git(dir, in, "check-ignore", "-z", "--stdin", "--no-index").Output()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
		return nil // none
	} else if err != nil {
		t.Fatalf("git check-ignore: %v", err)
	}
	list := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := range list {
		list[i] = names[list[i]]
	}
	return list
}

// makePaths creates the files and directories that do not contradict those before
// them, and returns them.
func makePaths(t *testing.T, dir string, paths []string) []string {
	t.Helper()
	var made []string
	for _, p := range paths {
		name, isDir := strings.CutSuffix(p, "/")
		full := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Lstat(full); err == nil || os.MkdirAll(filepath.Dir(full), 0o755) != nil {
			continue
		}
		create := func() error { return os.WriteFile(full, nil, 0o644) }
		if isDir {
			create = func() error { return os.Mkdir(full, 0o755) }
		}
		if err := create(); err != nil {
			t.Fatal(err)
		}
		made = append(made, p)
	}
	return made
}

func put(t *testing.T, dir string, files map[string]string) *Rules {
	t.Helper()
	r := &Rules{}
	for name, data := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		r.Add(strings.TrimSuffix(strings.TrimSuffix(name, path.Base(name)), "/"), name, []byte(data))
	}
	return r
}

func TestAsGit(t *testing.T) {
	paths := []string{
		"a", "b", "abc", "a.log", "a.log ", "a ", " a", "#a", "!a", "a\\", "[", "a]", "-", "é", "日本.txt", "a*b", "a?b", "foobar",
		"d/", "d/a", "d/b", "d/e/", "d/e/a", "d/e/f/", "d/e/f/a", "d/e/f/a.log", "d/e/f/b", "e/", "e/a", "x/d/", "x/d/a", "x/y/z/a", "foo/bar",
		"foo/x/bar", "foo/x/y/bar", "foox/bar", "foo/foo/bar", "build/", "build/out", "src/build/", "src/build/x", "build.txt", "ab", "aXb", "p/b", "a5", "aa", "aZ", "a\tb", "a\t",
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
	}{
		{"name", map[string]string{".gitignore": "a\n"}},
		{"comments and blank lines", map[string]string{".gitignore": "# a\n\n  \n\\#a\n#b\n"}},
		{"negation", map[string]string{".gitignore": "*.log\n!a.log\nd/*\n!d/a\n"}},
		{"not below an ignored directory", map[string]string{".gitignore": "d/\n!d/a\n!d/e/a\n"}},
		{"negated directory", map[string]string{".gitignore": "*\n!*/\n!*.log\n"}},
		{"escaped negation", map[string]string{".gitignore": "\\!a\n"}},
		{"anchored", map[string]string{".gitignore": "/a\n/d/e\n"}},
		{"slash in the middle", map[string]string{".gitignore": "d/a\n"}},
		{"directories only", map[string]string{".gitignore": "build/\nfoo/\n"}},
		{"two slashes at the end", map[string]string{".gitignore": "build//\n"}},
		{"only a slash", map[string]string{".gitignore": "/\n//\n!\n!/\n"}},
		{"stars before", map[string]string{".gitignore": "**/a\n"}},
		{"stars behind", map[string]string{".gitignore": "foo/**\n"}},
		{"stars between", map[string]string{".gitignore": "foo/**/bar\n"}},
		{"stars in a name", map[string]string{".gitignore": "foo**/bar\nd**a\n"}},
		{"stars alone", map[string]string{".gitignore": "**\n!**/\n!a\n"}},
		{"three stars", map[string]string{".gitignore": "foo/***/bar\n***/e\n"}},
		{"star and slash", map[string]string{".gitignore": "*/a\nfoo/*/bar\n"}},
		{"two stars, twice", map[string]string{".gitignore": "**/e/**/a\n"}},
		{"escaped slash behind", map[string]string{".gitignore": "foo/**\\/bar\n"}},
		{"trailing spaces", map[string]string{".gitignore": "a.log   \n"}},
		{"escaped trailing space", map[string]string{".gitignore": "a\\ \na.log\\  \n"}},
		{"trailing tab", map[string]string{".gitignore": "a\t\n"}},
		{"leading space", map[string]string{".gitignore": " a\n"}},
		{"backslash at the end", map[string]string{".gitignore": "a\\\n"}},
		{"escaped backslash", map[string]string{".gitignore": "a\\\\\n"}},
		{"escaped wildcards", map[string]string{".gitignore": "a\\*b\na\\?b\n"}},
		{"question mark", map[string]string{".gitignore": "a?b\n?\n"}},
		{"class", map[string]string{".gitignore": "a[0-9]\n[ab]\n"}},
		{"negated class", map[string]string{".gitignore": "a[!0-9]\n"}},
		{"negated class with a caret", map[string]string{".gitignore": "a[^a-z]\n"}},
		{"class with a bracket", map[string]string{".gitignore": "[]]\na[]]\n[[]\n[a-]\n"}},
		{"class with an escape", map[string]string{".gitignore": "a[\\]]\n[\\-]\n"}},
		{"class never closed", map[string]string{".gitignore": "a[b\n[\n[]\n[a-\n"}},
		{"named classes", map[string]string{".gitignore": "a[[:digit:]]\na[[:upper:]]\na[[:blank:]]b\n"}},
		{"unknown class", map[string]string{".gitignore": "a[[:nothing:]]\n"}},
		{"class that names none", map[string]string{".gitignore": "a[[:upper]\n[[:a]\n"}},
		{"class and slash", map[string]string{".gitignore": "a[/]b\na[!x]b\n"}},
		{"bytes", map[string]string{".gitignore": "??\n日本*\n"}},
		{"CRLF", map[string]string{".gitignore": "a.log\r\nd/\r\n"}},
		{"CR alone", map[string]string{".gitignore": "a.log\r"}},
		{"byte order mark", map[string]string{".gitignore": "\xef\xbb\xbfa\n"}},
		{"no newline", map[string]string{".gitignore": "a\nb"}},
		{"nested", map[string]string{".gitignore": "*.log\nb\n", "d/.gitignore": "!b\n/a\n", "d/e/.gitignore": "!a\nf/b\n"}},
		{"nested anchored", map[string]string{"d/.gitignore": "/e/a\n/b\n", "x/.gitignore": "d/a\n**/z\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := repository(t)
			rules := put(t, dir, tt.files)
			asked := makePaths(t, dir, paths)
			if diff := cmp.Diff(asGit(t, dir, asked), ignored(rules, asked)); diff != "" {
				t.Errorf("ignored (-git +ours):\n%s", diff)
			}
		})
	}
}

// TestRandomAsGit compares patterns put together at random, of the pieces that
// matter, with the real git.
func TestRandomAsGit(t *testing.T) {
	dir := repository(t)
	rng := rand.New(rand.NewPCG(7, 11))
	pieces := []string{"a", "b", "ab", "*", "**", "***", "/", "/", "?", "[ab]", "[!a]", "[a-c]", "[^b]", "\\a", "\\*", "!", "#", " ", "\\ ", ".x", "[", "]", "\\", "[[:alpha:]]", "\\/", "-"}
	names := []string{"a", "b", "ab", "c", "a.x", "b.x", "!a", "#a", "a ", "[", "a-b", "*", "\\", "ac"}
	var paths []string
	for range 160 {
		var parts []string
		for range 1 + rng.IntN(4) {
			parts = append(parts, names[rng.IntN(len(names))])
		}
		p := strings.Join(parts, "/")
		if rng.IntN(4) == 0 {
			p += "/"
		}
		paths = append(paths, p)
	}
	slices.Sort(paths)
	paths = makePaths(t, dir, slices.Compact(paths))
	rounds := 400
	if testing.Short() {
		rounds = 50
	}
	matched := 0
	for i := range rounds {
		var text strings.Builder
		for range 1 + rng.IntN(4) {
			for range 1 + rng.IntN(7) {
				text.WriteString(pieces[rng.IntN(len(pieces))])
			}
			text.WriteByte('\n')
		}
		rules := put(t, dir, map[string]string{".gitignore": text.String()})
		want, got := asGit(t, dir, paths), ignored(rules, paths)
		matched += len(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d, patterns %q (-git +ours):\n%s", i, text.String(), diff)
		}
	}
	if matched < rounds {
		t.Errorf("only %d paths were ignored in %d rounds: the patterns test nothing", matched, rounds)
	}
}

func TestSource(t *testing.T) {
	var r Rules
	r.Add("", ".gitignore", []byte("# first\n*.log\n"))
	r.Add("d", "d/.gitignore", []byte("\n!a.log\n"))
	var got []string
	for _, name := range []string{"a.log", "d/a.log", "d/b.log", "d/b"} {
		source, yes := r.Match(name, false)
		got = append(got, fmt.Sprintf("%s %s:%d %t", name, source.File, source.Line, yes))
	}
	want := []string{"a.log .gitignore:2 true", "d/a.log d/.gitignore:2 false", "d/b.log .gitignore:2 true", "d/b :0 false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("deciding lines (-want +got):\n%s", diff)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("*.log\n!a.log\n", "d/a.log", false)
	f.Add("foo/**/bar[!a-z[:digit:]]\\ \n", "foo/x/bar1", true)
	f.Add("[[:a\n[]\n\\", "[", false)
	f.Fuzz(func(t *testing.T, patterns, name string, dir bool) {
		// Stars upon stars take their time, as they do in git.
		if strings.Count(patterns, "*") > 8 || len(name) > 100 || name != path.Clean(name) || path.IsAbs(name) || name == "." || strings.HasPrefix(name, "..") {
			return
		}
		var r Rules
		r.Add("", ".gitignore", []byte(patterns))
		source, yes := r.Match(name, dir)
		if lines := strings.Count(patterns, "\n") + 1; source.Line > lines || yes && source.Line == 0 {
			t.Errorf("line %d of %d decided", source.Line, lines)
		}
	})
}
