package knowledge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLazy(t *testing.T) {
	ctx := context.Background()
	root := workspace(t, "knowledge/a/x.md", returns)
	cache := filepath.Join(root, ".vatio")
	l := NewLazy(Options{Root: root, Bases: []string{"a", "b"}, CacheDir: cache})
	if _, err := os.Stat(cache); err == nil {
		t.Error("the cache was made before anybody searched")
	}
	for _, want := range []int{1, 2} {
		found, err := l.Search(ctx, "returns", 5)
		if err != nil || len(found) != want {
			t.Errorf("found %d, error %v", len(found), err)
		}
		write(t, root, "knowledge/a/y.md", returns, old)
	}
	problems, err := l.Problems(ctx)
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]Problem{{"knowledge/b", "the knowledge base does not exist"}}, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	_, err = l.Search(ctx, "returns", 5)
	if diff := cmp.Diff("the knowledge index is closed", fmt.Sprint(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLazyThatCannotOpen(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	l := NewLazy(Options{Root: gone})
	_, err := l.Search(context.Background(), "x", 5)
	if diff := cmp.Diff(fmt.Sprintf("the workspace %q could not be opened: no such file or directory", gone), fmt.Sprint(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
