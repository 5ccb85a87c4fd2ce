package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGitDir(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tree/.git/HEAD": "ref: refs/heads/main\n",
		"absolute/.git":  "gitdir: " + filepath.Join(root, "tree", ".git", "worktrees", "a") + "\n",
		"relative/.git":  "gitdir: ../tree/.git/modules/b\n",
		"broken/.git":    "something else\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"tree":         filepath.Join(root, "tree", ".git"),
		"tree/a/b":     filepath.Join(root, "tree", ".git"),
		"absolute":     filepath.Join(root, "tree", ".git", "worktrees", "a"),
		"relative/sub": filepath.Join(root, "tree", ".git", "modules", "b"),
		"broken":       "",
	} {
		if got := gitDir(filepath.Join(root, filepath.FromSlash(dir))); got != want {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
}
