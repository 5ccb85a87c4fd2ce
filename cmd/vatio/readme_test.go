package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// blocks returns the fenced blocks of the README in one language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, b := range blocksOf(string(readme)) {
		if b.language == language {
			found = append(found, b.text)
		}
	}
	if len(found) == 0 {
		t.Fatalf("the README has no %s block", language)
	}
	return found
}

// TestReadmeCommands runs every command of the README, one after the other.
// Where output is shown it must be that.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t)
	for _, b := range blocksOf(string(readme)) {
		if b.language == "console" {
			s.console(b)
		}
	}
	if s.ran < 8 {
		t.Errorf("only %d commands were run", s.ran)
	}
}

func steady(s string) string {
	for _, c := range changing {
		s = c.find.ReplaceAllString(s, c.replace)
	}
	return s
}

// TestReadmeFiles checks the tool of the README, and that the fault it shows is
// what the checker prints.
func TestReadmeFiles(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("vatio", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "VATIO_HOME="+filepath.Join(dir, ".home"), "VATIO_IDENTITY=")
		out, err := cmd.Output()
		if _, failed := err.(*exec.ExitError); err != nil && !failed {
			t.Fatal(err)
		}
		return string(out)
	}
	run("init", "shop")
	tool := blocks(t, "yaml")[0]
	path := filepath.Join(dir, "tools", "check_stock.yml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(tool)
	run("secrets", "set", "API_URL", "http://127.0.0.1:1")
	run("secrets", "set", "API_TOKEN", "x-x-x-x-x")
	if out := run("tools", "check", "--strict"); out != "" {
		t.Errorf("the README's tool has problems:\n%s", out)
	}
	// The fault stands in the tool as init writes it.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "vatio.yml")); err != nil {
		t.Fatal(err)
	}
	run("init", "shop")
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(strings.Replace(string(original), "$params.product", "$param.product", 1))
	if diff := cmp.Diff(blocks(t, "text")[0], run("tools", "check")); diff != "" {
		t.Errorf("the fault (-README +got):\n%s", diff)
	}
}
