package secrets

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

// writeFile replaces the file at path, or creates it, so that at any moment
// there is the old or the new content, and the new one is on disk when it
// returns. The file is readable by its owner alone. The caller holds the lock
// that all writers of path hold.
func writeFile(path string, data []byte) (err error) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, tempPattern(name)) // mode 0600
	if err != nil {
		return reason(err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
			err = reason(err)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
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
	return syncDir(dir)
}

func tempPattern(name string) string { return "." + name + ".*.tmp" }

// removeTemps deletes what killed writers of path have left. All writers hold
// the lock of path, which the caller holds now, so whatever is there is stale.
func removeTemps(path string) {
	for _, name := range temps(path) {
		_ = os.Remove(name)
	}
}

// temps lists the temporary files of path, of living writers and of killed ones.
func temps(path string) []string {
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

// reason strips the paths of temporary and absolute files from an error of the
// operating system; callers name the file in their own words.
func reason(err error) error {
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
