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

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// blocks returns the fenced blocks of the README in one language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range fence.FindAllStringSubmatch(string(readme), -1) {
		if m[1] == language {
			found = append(found, m[2])
		}
	}
	if len(found) == 0 {
		t.Fatalf("the README has no %s block", language)
	}
	return found
}

// TestReadmeCommands runs every command of the README, one after the other in
// one shell's directory, with the sample backend in place of
// api.example.com. Where output is shown it must be that.
func TestReadmeCommands(t *testing.T) {
	shop, err := demo.Find(demo.AcmeStore)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := shop.Start(context.Background(), backendToken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { backend.Close() })
	dir := t.TempDir()
	token := filepath.Join(dir, "token.txt")
	if err := os.WriteFile(token, []byte(backendToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"), "USER=tester", "VATIO_HOME=", "VATIO_IDENTITY=")
	ran := 0
	for _, block := range blocks(t, "console") {
		for _, step := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			if strings.HasPrefix(command, "git clone") || strings.HasPrefix(command, "go ") {
				continue // what CI does with this very clone
			}
			command = strings.ReplaceAll(command, "https://api.example.com", backend.URL())
			command = strings.ReplaceAll(command, "token.txt", token)
			shell := exec.Command("sh", "-c", command+"\nstatus=$?\npwd >&3\nexit $status")
			shell.Dir, shell.Env = dir, env
			where, err := os.CreateTemp(t.TempDir(), "pwd")
			if err != nil {
				t.Fatal(err)
			}
			shell.ExtraFiles = []*os.File{where}
			var out, errs bytes.Buffer
			shell.Stdout, shell.Stderr = &out, &errs
			if err := shell.Run(); err != nil {
				t.Fatalf("%s: %v\n%s%s", command, err, out.String(), errs.String())
			}
			data, err := os.ReadFile(where.Name())
			if err != nil {
				t.Fatal(err)
			}
			dir = strings.TrimSpace(string(data)) // cd counts for the commands that follow
			ran++
			if want = strings.TrimRight(want, "\n"); want == "" {
				continue
			}
			got := strings.ReplaceAll(out.String(), backend.URL(), "https://api.example.com")
			if diff := cmp.Diff(steady(want), steady(strings.TrimRight(got, "\n"))); diff != "" {
				t.Errorf("%s (-README +got):\n%s", command, diff)
			}
		}
	}
	if ran < 8 {
		t.Errorf("only %d commands were run", ran)
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
