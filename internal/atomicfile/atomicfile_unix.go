//go:build !windows

package atomicfile

import "os"

func rename(from, to string) error { return os.Rename(from, to) }

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := d.Sync(); err != nil && !unsupported(err) {
		return err
	}
	return nil
}
