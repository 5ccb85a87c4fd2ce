package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// Changes come in bursts: an editor writes a file, renames it and removes
// another. A burst has ended when nothing came for quietTime; one that does not
// end is answered after burstTime.
const (
	quietTime = 100 * time.Millisecond
	burstTime = time.Second
)

// A watcher tells when files that a check reads have changed. It watches
// directories, never files: a file that is replaced by another of its name is
// seen then, and so is one that does not exist yet.
type watcher struct {
	root   string
	key    string // the key file, relative to the root; "" for none
	events *fsnotify.Watcher
	files  map[string]bool // what matters where most does not: beside and above the workspace, and where links lead
}

func newWatcher(root string) (*watcher, error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, watchError(err)
	}
	return &watcher{root: root, events: events}, nil
}

func (w *watcher) close() { _ = w.events.Close() }

// watchError explains the limits of the system, which are what fails.
func watchError(err error) error {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOSPC):
		return withHint(errors.New("the system refuses to watch more files"),
			"end other programs that watch files, or raise its limits (on Linux: fs.inotify.max_user_watches and max_user_instances)")
	}
	return fmt.Errorf("files cannot be watched: %w", err)
}

// follow watches the key file too, whose name only vatio.yml says.
func (w *watcher) follow(key string) error {
	if key == w.key || !filepath.IsLocal(filepath.FromSlash(key)) {
		return nil
	}
	w.key = key
	return w.sync()
}

// sync watches the directories that matter now, which come and go, and no others.
func (w *watcher) sync() error {
	dirs := w.directories()
	for dir := range dirs {
		if err := w.events.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return watchError(err)
		}
	}
	for _, dir := range w.events.WatchList() {
		if !dirs[dir] {
			_ = w.events.Remove(dir) // it may be gone by itself
		}
	}
	return nil
}

// directories returns those to watch, and notes the files that matter in them.
func (w *watcher) directories() map[string]bool {
	dirs := map[string]bool{w.root: true}
	w.files = map[string]bool{}
	w.linked(dirs, filepath.Join(w.root, workspace.FileName))
	store := filepath.Join(w.root, filepath.FromSlash(secrets.FileName))
	w.file(dirs, store)
	w.linked(dirs, store)
	w.deployment(dirs)
	if w.key != "" {
		key := filepath.Join(w.root, filepath.FromSlash(w.key))
		w.file(dirs, key)
		w.linked(dirs, key)
	}
	tools := filepath.Join(w.root, "tools")
	if entries, err := os.ReadDir(tools); err == nil {
		dirs[tools] = true
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				w.linked(dirs, filepath.Join(tools, e.Name()))
			}
		}
	}
	_ = filepath.WalkDir(filepath.Join(w.root, "knowledge"), func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs[name] = true
		}
		return nil
	})
	return dirs
}

// file watches one file below the root, and the directories on the way to it,
// which may not exist yet.
func (w *watcher) file(dirs map[string]bool, name string) {
	for name != w.root {
		w.files[name] = true
		name = filepath.Dir(name)
		if isDir(name) {
			dirs[name] = true
		}
	}
}

// linked watches what name is a link to, as the link itself stays the same when
// that changes.
func (w *watcher) linked(dirs map[string]bool, name string) {
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		w.files[target] = true
		dirs[filepath.Dir(target)] = true
	}
}

// deployment watches every place where a deployment.toml may appear: from the
// workspace up to the nearest one that is there, else to the root of the
// repository, else up to the home directory or the root of the file system,
// which are not watched themselves, for their noise.
func (w *watcher) deployment(dirs map[string]bool) {
	home, _ := os.UserHomeDir()
	for dir := w.root; ; dir = filepath.Dir(dir) {
		if dir != w.root && (dir == home || dir == filepath.Dir(dir)) {
			return
		}
		name := filepath.Join(dir, workspace.DeploymentName)
		dirs[dir], w.files[name] = true, true
		w.linked(dirs, name)
		if exists(name) || exists(filepath.Join(dir, ".git")) || dir == filepath.Dir(dir) {
			return
		}
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// concerns reports whether a check may come out otherwise when name changes.
func (w *watcher) concerns(name string) bool {
	if w.files[name] {
		return true
	}
	rel, err := filepath.Rel(w.root, name)
	if err != nil {
		return false
	}
	first, rest, below := strings.Cut(rel, string(filepath.Separator))
	switch first {
	case workspace.FileName:
		return !below
	case "tools":
		return !below || !strings.HasPrefix(rest, ".") // hidden files are no tools
	case "knowledge":
		return true
	}
	return false
}

// next waits for a change and the end of its burst. It reports whether content
// may have changed, and not just modes and times.
func (w *watcher) next(ctx context.Context) (content bool, err error) {
	var quiet, enough <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-quiet:
			return content, nil
		case <-enough:
			return content, nil
		case e := <-w.events.Events:
			if !w.concerns(e.Name) {
				continue
			}
			content = content || e.Op != fsnotify.Chmod
		case err := <-w.events.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // then changes were lost, so there were some
				return false, watchError(err)
			}
			content = true
		}
		quiet = time.After(quietTime)
		if enough == nil {
			enough = time.After(burstTime)
		}
	}
}
