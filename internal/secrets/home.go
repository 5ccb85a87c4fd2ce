package secrets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vatio-dev/vatio/internal/atomicfile"
)

// HomeDir returns the directory of the user's own files, absolute: VATIO_HOME,
// else vatio under XDG_CONFIG_HOME, else under the place that the operating
// system (a runtime.GOOS) has for configuration. It touches no file.
func HomeDir(getenv func(string) string, goos string) (string, error) {
	if dir := getenv("VATIO_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	dir := getenv("XDG_CONFIG_HOME")
	if dir != "" && !filepath.IsAbs(dir) {
		return "", fmt.Errorf("XDG_CONFIG_HOME is %q, which is not absolute: make it an absolute path, or set VATIO_HOME", dir)
	}
	if dir == "" && goos == "windows" {
		if dir = getenv("AppData"); dir == "" {
			return "", errors.New("no directory for your files is known: set VATIO_HOME, or AppData")
		}
	}
	if dir == "" {
		home := getenv("HOME")
		if home == "" {
			return "", errors.New("no directory for your files is known: set VATIO_HOME, XDG_CONFIG_HOME or HOME")
		}
		dir = filepath.Join(home, ".config")
		if goos == "darwin" {
			dir = filepath.Join(home, "Library", "Application Support")
		}
	}
	return filepath.Join(dir, "vatio"), nil
}

// withHome runs do with the lock of a file of the user's own directory, which
// it makes where it is missing.
func (s *Store) withHome(path string, do func() error) error {
	if err := makeDirs(filepath.Dir(path)); err != nil {
		return fmt.Errorf("cannot make %s: %w: set VATIO_HOME to a directory that you can write to, or give your key in %s",
			filepath.Dir(path), atomicfile.Reason(err), identityVariable)
	}
	release, err := lock(path+".lock", path+".lock", s.patience)
	if err != nil {
		return err
	}
	defer release()
	atomicfile.RemoveStale(path)
	return do()
}

// makeDirs makes a directory that only its owner may enter, and those above
// it, so that they survive a power failure.
func makeDirs(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDirs(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && info.IsDir() {
			return nil // another process was faster
		}
		return err
	}
	return atomicfile.SyncDir(parent)
}
