package arrows

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each direct dependency has its reason in CONTRIBUTING, and no reason is left of
// one that has gone.
func TestDependenciesHaveAReason(t *testing.T) {
	read := func(path, pattern string) (list []string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			list = append(list, m[1])
		}
		slices.Sort(list)
		return list
	}
	direct := read("../../go.mod", `(?m)^\t(\S+) v\S+$`)
	reasons := read("../../.github/CONTRIBUTING.md", `(?m)^\| (\S+\.\S+/\S+) \| .+ \|$`)
	if diff := cmp.Diff(direct, reasons); diff != "" {
		t.Errorf("go.mod and .github/CONTRIBUTING.md (-go.mod +CONTRIBUTING)\n%s", diff)
	}
}
