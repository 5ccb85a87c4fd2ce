package check_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// TestHasSecret wants each name to be asked for once, whatever the number of
// tools, and nothing to be said where nobody can be asked.
func TestHasSecret(t *testing.T) {
	w, faults, err := workspace.Load("../../tools-examples/acme-store")
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	list := check.Run(w, faults, check.Options{Builtins: builtins, HasSecret: func(name string) bool {
		asked[name]++
		return false
	}})
	if diff := cmp.Diff(map[string]int{"ACME_API": 1, "ACME_TOKEN": 1}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	if errors, warnings := list.Count(); errors != 0 || warnings != 2*len(w.Tools) {
		t.Errorf("%d errors and %d warnings, want two warnings for each of %d tools", errors, warnings, len(w.Tools))
	}
	if list := check.Run(w, faults, check.Options{Builtins: builtins}); len(list) != 0 {
		t.Errorf("without a store: %v", list)
	}
}

// TestInputIsKept wants Run to leave the list of the loaders as it was.
func TestInputIsKept(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "vatio.yml"), []byte("workspace: acme\nagent: {}\n"))
	write(t, filepath.Join(dir, "tools/a.yml"), []byte("b: c\n"))
	w, faults, err := workspace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	before := len(faults)
	first := check.Run(w, faults, check.Options{})
	second := check.Run(w, faults, check.Options{})
	if len(faults) != before || len(first) != len(second) {
		t.Errorf("%d of %d faults, %d and %d diagnostics", len(faults), before, len(first), len(second))
	}
}

// TestHasVariable wants an env:NAME to be content with a variable, and to be
// named where neither a variable nor a secret has a value.
func TestHasVariable(t *testing.T) {
	w, faults, err := workspace.Load("../../tools-examples/records-agent/agents/records")
	if err != nil {
		t.Fatal(err)
	}
	never := func(string) bool { return false }
	for variable, want := range map[string]int{"": 2, "RECORDS_URL": 1} {
		list := check.Run(w, faults, check.Options{Builtins: builtins, HasSecret: never, HasVariable: func(name string) bool { return name == variable }})
		if errors, warnings := list.Count(); errors != 0 || warnings != want {
			t.Errorf("with %q set: %d errors and %d warnings, want %d warnings: %v", variable, errors, warnings, want, list)
		}
	}
}
