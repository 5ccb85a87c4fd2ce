package cli

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newTestWatcher(t *testing.T, root string) *watcher {
	t.Helper()
	w, err := newWatcher(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

// TestWatchedDirectories looks at what is watched, relative to the test's
// directory: the workspace is a/b/shop.
func TestWatchedDirectories(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		links map[string]string
		key   string
		want  []string
	}{
		{name: "up to the repository", files: []string{"a/.git/HEAD", "a/b/shop/vatio.yml"},
			want: []string{"a", "a/b", "a/b/shop"}},
		{name: "up to the grants", files: []string{"a/.git/HEAD", "a/b/deployment.toml", "a/b/shop/vatio.yml"},
			want: []string{"a/b", "a/b/shop"}},
		{name: "own grants", files: []string{"a/.git/HEAD", "a/b/shop/deployment.toml"},
			want: []string{"a/b/shop"}},
		{name: "everything", files: []string{"a/b/.git", "a/b/shop/tools/a.yml", "a/b/shop/tools/below/a.yml", "a/b/shop/knowledge/faq/x/y.md",
			"a/b/shop/.vatio/secrets.age", "a/b/shop/.vatio/deployments/x", "a/b/shop/node_modules/x", "a/b/shop/keys/k.pub"}, key: "keys/k.pub",
			want: []string{"a/b", "a/b/shop", "a/b/shop/.vatio", "a/b/shop/keys", "a/b/shop/knowledge", "a/b/shop/knowledge/faq", "a/b/shop/knowledge/faq/x", "a/b/shop/tools"}},
		{name: "a key that is not there", files: []string{"a/b/.git", "a/b/shop/keys/other"}, key: "keys/more/k.pub",
			want: []string{"a/b", "a/b/shop", "a/b/shop/keys"}},
		{name: "links", files: []string{"a/b/shop/.git", "a/b/shop/vatio.yml", "a/c/a.yml"}, links: map[string]string{"a/b/shop/tools/a.yml": "a/c/a.yml", "a/b/shop/tools/b.yml": "a/none"},
			want: []string{"a/b/shop", "a/b/shop/tools", "a/c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range c.files {
				files[name] = "x"
			}
			dir := write(t, files)
			for link, target := range c.links {
				link = filepath.Join(dir, link)
				if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(filepath.Join(dir, target), link)); err != nil {
					t.Skip(err)
				}
			}
			w := newTestWatcher(t, filepath.Join(dir, "a", "b", "shop"))
			w.key = c.key
			if err := w.sync(); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, name := range w.events.WatchList() {
				rel, err := filepath.Rel(dir, name)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestHomeIsNotWatched: neither the home directory nor the root of the file
// system, where much happens.
func TestHomeIsNotWatched(t *testing.T) {
	dir := write(t, map[string]string{"home/a/shop/vatio.yml": ""})
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("USERPROFILE", filepath.Join(dir, "home"))
	w := newTestWatcher(t, filepath.Join(dir, "home", "a", "shop"))
	want := []string{filepath.Join(dir, "home", "a"), filepath.Join(dir, "home", "a", "shop")}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(w.directories()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConcerns(t *testing.T) {
	dir := write(t, map[string]string{"a/.git/HEAD": "", "a/shop/vatio.yml": "", "a/shop/.vatio/secrets.age": ""})
	w := newTestWatcher(t, filepath.Join(dir, "a", "shop"))
	w.key = "keys/k.pub"
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"a/shop/vatio.yml":           true,
		"a/shop/tools":               true,
		"a/shop/tools/a.yml":         true,
		"a/shop/tools/a.yml~":        true, // reported as no tool
		"a/shop/tools/.a.yml.swp":    false,
		"a/shop/knowledge":           true,
		"a/shop/knowledge/faq/a.md":  true,
		"a/shop/.vatio":              true,
		"a/shop/.vatio/secrets.age":  true,
		"a/shop/.vatio/secrets.lock": false,
		"a/shop/keys":                true,
		"a/shop/keys/k.pub":          true,
		"a/shop/keys/k.pem":          false,
		"a/shop/deployment.toml":     true,
		"a/deployment.toml":          true,
		"deployment.toml":            false,
		"a/other":                    false,
		"a/vatio.yml":                false,
		"a/shop/README.md":           false,
	} {
		if got := w.concerns(filepath.Join(dir, filepath.FromSlash(name))); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestBurst: many changes are one, and only a new mode is no new content.
func TestBurst(t *testing.T) {
	dir := write(t, map[string]string{".git": "", "vatio.yml": "a"})
	w := newTestWatcher(t, dir)
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "vatio.yml")
	for range 20 {
		if err := os.WriteFile(name, []byte("b"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if content, err := w.next(ctx); !content || err != nil {
		t.Fatalf("next() = %v, %v", content, err)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if content, err := w.next(ctx); content || err != nil {
		t.Fatalf("next() = %v, %v after a new mode", content, err)
	}
	short, cancel := context.WithTimeout(ctx, 3*quietTime)
	defer cancel()
	if _, err := w.next(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("next() = %v, but nothing changed", err)
	}
}

// TestEndlessBurst: changes that do not stop are answered all the same.
func TestEndlessBurst(t *testing.T) {
	dir := write(t, map[string]string{".git": "", "vatio.yml": "a"})
	w := newTestWatcher(t, dir)
	if err := w.sync(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	done := make(chan struct{})
	defer func() { cancel(); <-done }()
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = os.WriteFile(filepath.Join(dir, "vatio.yml"), []byte("b"), 0o644)
			time.Sleep(quietTime / 10)
		}
	}()
	if _, err := w.next(ctx); err != nil {
		t.Fatalf("changes without a pause are never answered: %v", err)
	}
}

func TestWatchLimit(t *testing.T) {
	err := watchError(&os.PathError{Op: "inotify_add_watch", Path: "x", Err: os.ErrInvalid})
	if !strings.HasPrefix(err.Error(), "files cannot be watched: ") {
		t.Errorf("%v", err)
	}
}
