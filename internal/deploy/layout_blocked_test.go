package deploy_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/deploy"
)

// TestLayoutBlocked: where the layout or its index should be stands something
// else. Nothing waits for it, and a person is told what is in the way.
func TestLayoutBlocked(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(dir string) error
		want string // behind the directory
	}{
		{"a file", func(dir string) error { return os.WriteFile(dir, []byte("x"), 0o644) },
			" is no directory: move away what is there, or make the directory that the link leads to"},
		{"a link to nothing", func(dir string) error { return os.Symlink("nowhere", dir) },
			" is no directory: move away what is there, or make the directory that the link leads to"},
		{"a named pipe", func(dir string) error { return syscall.Mkfifo(dir, 0o644) },
			" is no directory: move away what is there, or make the directory that the link leads to"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "deployments")
			if err := tt.make(dir); err != nil {
				t.Fatal(err)
			}
			checkBlocked(t, dir, dir+tt.want)
		})
	}
	t.Run("an index that is a named pipe", func(t *testing.T) {
		dir := t.TempDir()
		index := filepath.Join(dir, "index.json")
		if err := syscall.Mkfifo(index, 0o644); err != nil {
			t.Fatal(err)
		}
		checkBlocked(t, dir, "cannot read "+index+": it is no regular file")
	})
}

func checkBlocked(t *testing.T, dir, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s := deploy.OpenLayout(dir, deploy.Options{})
	_, _, pushed := s.Push(ctx, "live", deploy.Artifact{Config: []byte("{}"), Layer: []byte("x")})
	_, read := s.Environments(ctx)
	_, _, back := s.Rollback(ctx, "live")
	for what, err := range map[string]error{"push": pushed, "read": read, "rollback": back} {
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v\nwant %s", what, err, want)
		}
	}
}
