package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/demo"
)

// A fenced block of a page. What stands behind the language says what a test
// does with it:
//
//	console            each line that begins with $ is a command; what stands below
//	                   it is its output, in which a line … is any number of lines
//	console exits=1    the last command fails
//	yaml FILE          the file, as it stands from there on (toml, text … too)
//	yaml bad FILE      on the page of codes: gives the code of its section alone
//	yaml good FILE     gives nothing
//	sh bad, sh good    the same, for what no file can show
//
// Without more than a language a yaml, toml or json block is an excerpt.
type block struct {
	language, kind, rest string
	text                 string
	line                 int
}

var fenced = regexp.MustCompile("(?ms)^```([a-z]+)(?: ([^\n]*))?\n(.*?)^```$")

func blocksOf(page string) []block {
	var found []block
	for _, m := range fenced.FindAllStringSubmatchIndex(page, -1) {
		b := block{language: page[m[2]:m[3]], text: page[m[6]:m[7]], line: 1 + strings.Count(page[:m[0]], "\n")}
		if m[4] >= 0 {
			b.rest = page[m[4]:m[5]]
		}
		if kind, rest, ok := strings.Cut(b.rest, " "); kind == "bad" || kind == "good" {
			b.kind, b.rest = kind, rest
			if !ok {
				b.rest = ""
			}
		}
		found = append(found, b)
	}
	return found
}

// A shell runs the commands of a page, one after the other, in a directory of
// its own, with the sample backend in the place of api.example.com.
type shell struct {
	t       *testing.T
	dir     string
	env     []string
	replace *strings.Replacer // what pages say by what there is
	restore *strings.Replacer
	ran     int
}

func newShell(t *testing.T) *shell {
	t.Helper()
	shop, err := demo.Find(demo.AcmeStore)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := shop.Start(context.Background(), backendToken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { backend.Close() })
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(home, "token.txt")
	if err := os.WriteFile(token, []byte(backendToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &shell{
		t: t, dir: dir,
		env: append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "USER=tester", "LANG=C", "LC_ALL=C",
			"VATIO_HOME=", "VATIO_IDENTITY=", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ana", "GIT_AUTHOR_EMAIL=ana@example.com"),
		replace: strings.NewReplacer("https://api.example.com", backend.URL(), "token.txt", token),
		restore: strings.NewReplacer(backend.URL(), "https://api.example.com", token, "token.txt", dir, "~"),
	}
}

// run runs one command and returns its exit code and what it printed, as a page
// would say it. A cd counts for the commands that follow.
func (s *shell) run(command string) (code int, out, errs string) {
	s.t.Helper()
	cmd := exec.Command("sh", "-c", s.replace.Replace(command)+"\nstatus=$?\npwd >&3\nexit $status")
	cmd.Dir, cmd.Env = s.dir, s.env
	where, err := os.CreateTemp(s.t.TempDir(), "pwd")
	if err != nil {
		s.t.Fatal(err)
	}
	defer where.Close()
	cmd.ExtraFiles = []*os.File{where}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if _, failed := err.(*exec.ExitError); !failed {
			s.t.Fatal(err)
		}
	}
	data, err := os.ReadFile(where.Name())
	if err != nil {
		s.t.Fatal(err)
	}
	s.dir = strings.TrimSpace(string(data))
	s.ran++
	return cmd.ProcessState.ExitCode(), s.restore.Replace(stdout.String()), s.restore.Replace(stderr.String())
}

// console runs the commands of a block and compares what is shown.
func (s *shell) console(b block) {
	s.t.Helper()
	steps := strings.Split("\n"+b.text, "\n$ ")[1:]
	for i, step := range steps {
		command, want, _ := strings.Cut(step, "\n")
		for strings.HasSuffix(command, "\\") { // goes on below
			var more string
			more, want, _ = strings.Cut(want, "\n")
			command += "\n" + more
		}
		if strings.HasPrefix(command, "git clone") || strings.HasPrefix(command, "go ") {
			continue // what CI does with this very clone
		}
		wantCode := 0
		if i == len(steps)-1 && b.rest == "exits=1" {
			wantCode = 1
		}
		code, out, errs := s.run(command)
		if code != wantCode {
			s.t.Fatalf("line %d: %s: exit code %d\n%s%s", b.line, command, code, out, errs)
		}
		if want = strings.TrimRight(want, "\n"); want == "" {
			continue
		}
		if got := strings.TrimRight(out, "\n"); !shows(steady(want), steady(got)) {
			s.t.Errorf("line %d: %s (-page +got):\n%s", b.line, command, cmp.Diff(steady(want), steady(got)))
		}
	}
}

// shows compares an output with what a page shows of it, in which a line …
// stands for any number of lines.
func shows(want, got string) bool {
	var pattern strings.Builder
	for i, line := range strings.Split(want, "\n") {
		switch {
		case line == "…":
			pattern.WriteString(`(?:\n.*)*`)
			continue
		case i > 0:
			pattern.WriteString(`\n`)
		}
		pattern.WriteString(regexp.QuoteMeta(line))
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(got)
}

// write puts a file where the page says.
func (s *shell) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
