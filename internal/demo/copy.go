package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	examples "github.com/vatio-dev/vatio/tools-examples"
)

// Copy writes the example of that name into the directory dst, which is made
// when there is none. Nothing is written when one of its files is there already,
// or when there is no such example.
func Copy(dst string, example string) error {
	if _, err := Find(example); err != nil {
		return err
	}
	files, err := fs.Sub(examples.FS, example)
	if err != nil {
		return err
	}
	err = each(files, dst, func(_, target string, dir bool) error {
		info, err := os.Lstat(target)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("%q cannot be read: %w", target, reason(err))
		case dir && isDir(target):
			return nil
		case dir:
			return fmt.Errorf("%q is in the way: it is no directory", target)
		case info.IsDir():
			return fmt.Errorf("%q is in the way: it is a directory", target)
		}
		return fmt.Errorf("%q exists already: choose an empty directory", target)
	})
	if err != nil {
		return err
	}
	return each(files, dst, func(name, target string, dir bool) error {
		if dir {
			if err := os.MkdirAll(target, 0o755); err != nil {
				return fmt.Errorf("%q cannot be made: %w", target, reason(err))
			}
			return nil
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := write(target, data); err != nil {
			return fmt.Errorf("%q cannot be written: %w", target, reason(err))
		}
		return nil
	})
}

// each calls do for every file and directory of files, in order, with its place
// below dst.
func each(files fs.FS, dst string, do func(name, target string, dir bool) error) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return do(name, filepath.Join(dst, filepath.FromSlash(name)), d.IsDir())
	})
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// write makes a new file; one that came in between is not overwritten.
func write(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// reason returns what the system said, without the path and the call.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
