package atomicfile

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// rename waits for readers: Windows refuses to replace a file that is open.
func rename(from, to string) error {
	const accessDenied, sharingViolation = syscall.Errno(5), syscall.Errno(32)
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := os.Rename(from, to)
		busy := errors.Is(err, accessDenied) || errors.Is(err, sharingViolation)
		if !busy || time.Now().After(deadline) {
			return err
		}
	}
}

// SyncDir does nothing: Windows cannot sync a directory, and NTFS journals the
// rename.
func SyncDir(string) error { return nil }
