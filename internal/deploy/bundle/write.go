package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Write writes the files into dir, which must be empty or absent; its parent must
// exist. Modes are 0644 and 0755. When it fails, nothing is left of it: an absent
// directory appears complete or not at all.
func Write(dir string, files []File) error {
	var seen names
	var list []Refusal
	for _, f := range files {
		if fault := seen.add(f.Path); fault != "" {
			list = append(list, Refusal{f.Path, 0, fault})
		}
	}
	if err := refused(list); err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return writeNew(dir, files)
	case err != nil:
		return fmt.Errorf("%s is no directory that can be read: %s", dir, cause(err))
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: name an empty or a new directory", dir)
	}
	return writeInto(dir, files)
}

// writeNew writes beside dir and moves the result there.
func writeNew(dir string, files []File) (err error) {
	stage, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".*.tmp")
	if err != nil {
		return fmt.Errorf("%s cannot be created: %s", dir, cause(err))
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(stage)
		}
	}()
	if err := writeAll(stage, files); err != nil {
		return fmt.Errorf("%s cannot be written: %s", dir, cause(err))
	}
	if err := os.Chmod(stage, 0o755); err != nil {
		return fmt.Errorf("%s cannot be written: %s", dir, cause(err))
	}
	if err := os.Rename(stage, dir); err != nil {
		return fmt.Errorf("%s cannot be created: %s", dir, reason(err))
	}
	return nil
}

// writeInto writes below an empty directory, which stays the same one, and moves
// the result up.
func writeInto(dir string, files []File) (err error) {
	stage, err := os.MkdirTemp(dir, ".*.tmp")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %s", dir, cause(err))
	}
	var moved []string
	defer func() {
		if err != nil {
			for _, name := range moved {
				_ = os.RemoveAll(filepath.Join(dir, name))
			}
		}
		_ = os.RemoveAll(stage)
	}()
	if err := writeAll(stage, files); err != nil {
		return fmt.Errorf("%s cannot be written: %s", dir, cause(err))
	}
	entries, err := os.ReadDir(stage)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %s", dir, cause(err))
	}
	for _, entry := range entries {
		target := filepath.Join(dir, entry.Name())
		if _, err := os.Lstat(target); err == nil {
			return fmt.Errorf("%s is not empty any more: somebody else writes there", dir)
		}
		if err := os.Rename(filepath.Join(stage, entry.Name()), target); err != nil {
			return fmt.Errorf("%s cannot be written: %s", dir, reason(err))
		}
		moved = append(moved, entry.Name())
	}
	return nil
}

func writeAll(dir string, files []File) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		for i := strings.IndexByte(f.Path, '/'); i >= 0; {
			if err := root.Mkdir(f.Path[:i], 0o755); err == nil {
				// Whatever the umask.
				if err := root.Chmod(f.Path[:i], 0o755); err != nil {
					return err
				}
			} else if !errors.Is(err, fs.ErrExist) {
				return err
			}
			next := strings.IndexByte(f.Path[i+1:], '/')
			if next < 0 {
				break
			}
			i += 1 + next
		}
		out, err := root.OpenFile(path.Clean(f.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = out.Write(f.Data)
		err = errors.Join(err, out.Chmod(0o644), out.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

// reason is cause for an error of renaming, which names two paths.
func reason(err error) string {
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err.Error()
	}
	return cause(err)
}
