package secrets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"

	"github.com/vatio-dev/vatio/internal/atomicfile"
)

// lock takes the lock file at path and returns what releases it. It waits for
// other processes and goroutines; the operating system releases the lock of a
// process that dies.
func lock(path, shown string, patience time.Duration) (release func(), err error) {
	l := flock.New(path)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err = l.TryLockContext(ctx, 4*time.Millisecond)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &LockedError{Lock: shown, Waited: patience.String()}
	case err != nil:
		return nil, fmt.Errorf("cannot lock %s: %w", shown, atomicfile.Reason(err))
	}
	return func() { _ = l.Unlock() }, nil
}
