// Package atomicfile replaces files as a whole: at any moment there is the old or
// the new content, and the new one is on disk when Write returns.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// github.com/google/renameio writes like this too, but neither builds on
// Windows nor syncs the directory, without which a power failure may bring the
// old file back.

// Write replaces the file at path, or creates it, with this mode. Where others
// may write it at the same time, all of them hold one lock. The error names no
// path: callers name the file in their own words.
func Write(path string, data []byte, mode fs.FileMode) (err error) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, tempPattern(name)) // mode 0600
	if err != nil {
		return Reason(err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
			err = Reason(err)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if mode != 0o600 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

func tempPattern(name string) string { return "." + name + ".*.tmp" }

// RemoveStale deletes what killed writers of path have left. All writers hold
// the lock of path, which the caller holds now, so whatever is there is stale.
func RemoveStale(path string) {
	for _, name := range Temps(path) {
		_ = os.Remove(name)
	}
}

// Temps lists the temporary files of path, of living writers and of killed ones.
func Temps(path string) []string {
	dir, name := filepath.Split(path)
	names, err := fs.Glob(os.DirFS(filepath.Clean(dir)), tempPattern(name))
	if err != nil {
		return nil
	}
	for i := range names {
		names[i] = filepath.Join(dir, names[i])
	}
	return names
}

// Reason strips the paths of temporary and absolute files from an error of the
// operating system; callers name the file in their own words.
func Reason(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	var s *os.SyscallError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	case errors.As(err, &s):
		return s.Err
	}
	return err
}

// unsupported reports whether err says that the file system cannot sync a
// directory, which some network file systems cannot.
func unsupported(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}
