package knowledge

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// childRoot is set in the processes that TestProcesses starts.
const childRoot = "KNOWLEDGE_TEST_ROOT"

// TestProcesses lets several processes open one cache at once, while the
// files keep changing: each must find all that was there when it started.
func TestProcesses(t *testing.T) {
	if root := os.Getenv(childRoot); root != "" {
		child(root)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	root := workspace(t)
	corpus(t, root, "a", 200, 9)
	for round := range 3 {
		write(t, root, fmt.Sprintf("knowledge/a/%02d/round.md", round), fmt.Sprintf("# Round\n\nmarker%d\n", round), old)
		var children []*exec.Cmd
		for range 6 {
			c := exec.Command(os.Args[0], "-test.run=^TestProcesses$")
			c.Env = append(os.Environ(), childRoot+"="+root, fmt.Sprintf("ROUNDS=%d", round+1))
			out, err := os.Create(filepath.Join(t.TempDir(), "out"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			c.Stdout, c.Stderr = out, out
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			children = append(children, c)
		}
		for _, c := range children {
			if err := c.Wait(); err != nil {
				out, _ := os.ReadFile(c.Stdout.(*os.File).Name())
				t.Errorf("round %d: %v\n%s", round, err, out)
			}
		}
	}
	if diff := cmp.Diff([]string{cacheName, lockName}, names(t, filepath.Join(root, ".vatio"))); diff != "" {
		t.Errorf("left in the cache (-want +got):\n%s", diff)
	}
}

func child(root string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fail := func(v ...any) {
		fmt.Println(v...)
		os.Exit(1)
	}
	cache := filepath.Join(root, ".vatio")
	x, err := Open(ctx, Options{Root: root, Bases: []string{"a"}, CacheDir: cache})
	if err != nil {
		fail(err)
	}
	defer x.Close()
	if x.db.path != filepath.Join(cache, cacheName) {
		fail("the index is in", x.db.path)
	}
	var rounds int
	fmt.Sscan(os.Getenv("ROUNDS"), &rounds)
	for i := range rounds {
		found, err := x.Search(ctx, fmt.Sprintf("marker%d", i), 5)
		if err != nil || len(found) != 1 {
			fail("marker", i, "found", len(found), err)
		}
	}
	if found, err := x.Search(ctx, "orders pedidos", 5); err != nil || len(found) != 5 {
		fail("found", len(found), err)
	}
}
