package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// update runs fn in a transaction and commits it. fn is run again when the
// database was away, also after a commit of which nobody knows whether it was
// done: what fn does twice must be as if it was done once.
func (s *Store) update(ctx context.Context, fn func(tx *transaction) error) error {
	return s.patiently(ctx, func() error {
		tx, err := s.write.BeginTx(ctx, &s.begin)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // also when fn panics; nothing after a commit
		t := &transaction{tx: tx, prepared: s.writeStatements}
		if err := fn(t); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		s.writeStatements.prepare(ctx, t.missing...)
		return nil
	})
}

// patiently runs fn until the database answers, for as long as patience lasts.
func (s *Store) patiently(ctx context.Context, fn func() error) error {
	deadline := time.Now().Add(s.patience)
	err := s.again(ctx, func(err error) bool { return s.transient(err) && time.Now().Before(deadline) }, fn)
	if err != nil && s.transient(err) {
		return fmt.Errorf("%w%w", ErrUnavailable, silent{err})
	}
	return err
}

// again runs fn until it succeeds or once more is refused.
func (s *Store) again(ctx context.Context, once func(error) bool, fn func() error) error {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := fn()
		if err == nil || ctx.Err() != nil || known(err) || !once(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}

func known(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrBusy) || errors.Is(err, ErrFenced)
}

// silent keeps an error findable and out of the text that people read.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }
