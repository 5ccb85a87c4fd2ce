//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pictures of the README are what the program prints today. When they are
// not: go build -o vatio ./cmd/vatio && go run ./cmd/pictures vatio .github/pictures
func TestPicturesAreCurrent(t *testing.T) {
	dir := t.TempDir()
	vatio := filepath.Join(dir, "vatio")
	if out, err := exec.Command("go", "build", "-o", vatio, "../vatio").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := draw(vatio, dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"check.svg", "chat.svg"} {
		want, err := os.ReadFile(filepath.Join("..", "..", ".github", "pictures", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-README +now)\n%s", name, diff)
		}
	}
}
