package deploy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
)

// Push stores the artifact and makes it what env runs. Only blobs that are not
// there yet travel. When env runs the same configuration and layer already,
// nothing is added, pushed is false and the deployment is the one that runs.
// When it fails, env runs what it ran before.
func (s *Store) Push(ctx context.Context, env string, a Artifact) (d Deployment, pushed bool, err error) {
	if err := checkEnvironment(env); err != nil {
		return Deployment{}, false, err
	}
	for _, part := range []struct {
		name string
		size int
		max  int
	}{{"configuration", len(a.Config), maxConfig}, {"layer", len(a.Layer), maxLayer}} {
		if part.size == 0 || part.size > part.max {
			return Deployment{}, false, fmt.Errorf("the %s of a deployment has %d bytes (1 to %d)", part.name, part.size, part.max)
		}
	}
	if a.Created.IsZero() {
		a.Created = s.now()
	}
	m, err := newManifest(a)
	if err != nil {
		return Deployment{}, false, err
	}
	blobs := []blob{{m.config, a.Config}, {m.layer, a.Layer}}
	err = s.backend.change(ctx, func(tx transaction) error {
		current, _, err := s.current(ctx, tx, readLogs(tx.tags()), env)
		if err != nil && !isUnknown(err) && !isLost(err) {
			return err
		}
		// Also of an unchanged push: a blob may have been lost.
		if err := tx.put(ctx, blobs...); err != nil {
			return err
		}
		if current != nil && current.config.Digest == m.config.Digest && current.layer.Digest == m.layer.Digest {
			d, pushed = current.deployment, false
			return s.repoint(ctx, tx, env)
		}
		d, pushed = m.deployment, true
		return s.append(ctx, tx, record{environment: env, action: actionPush}, m)
	})
	if err != nil {
		return Deployment{}, false, err
	}
	return d, pushed, nil
}

// Point makes env run a deployment that is in the store, given by its whole
// digest. When env runs it already, nothing is added. When it fails, env runs
// what it ran before.
func (s *Store) Point(ctx context.Context, env, digest string) error {
	if err := checkEnvironment(env); err != nil {
		return err
	}
	if err := checkDigest(digest); err != nil {
		return err
	}
	return s.backend.change(ctx, func(tx transaction) error {
		l := readLogs(tx.tags())
		m, err := s.byDigest(ctx, tx, l, digest)
		if err != nil {
			return err
		}
		if err := tx.check(ctx, m); err != nil {
			return err
		}
		current, _, err := s.current(ctx, tx, l, env)
		switch {
		case err != nil && !isUnknown(err):
			return err
		case current != nil && current.desc.Digest == m.desc.Digest:
			return s.repoint(ctx, tx, env)
		}
		return s.append(ctx, tx, record{environment: env, action: actionPoint}, m)
	})
}

// Rollback returns env to what it ran before, and each further one goes a step
// further back; *NothingBeforeError when there is none. A publish that comes at
// the same time is not taken back. When it fails, env runs what it ran before.
func (s *Store) Rollback(ctx context.Context, env string) (from, to Deployment, err error) {
	if err := checkEnvironment(env); err != nil {
		return Deployment{}, Deployment{}, err
	}
	err = s.backend.change(ctx, func(tx transaction) error {
		l := readLogs(tx.tags())
		current, _, err := s.current(ctx, tx, l, env)
		if err != nil {
			return err
		}
		steps, ran, err := s.standing(ctx, tx, l.entries[env], 2)
		if err != nil {
			return err
		}
		if len(ran) < 2 {
			return &NothingBeforeError{env, s.String(), current.deployment}
		}
		back := ran[1]
		if err := tx.check(ctx, back); err != nil {
			return err
		}
		from, to = ran[0].deployment, back.deployment
		undo := record{environment: env, action: actionUndo, undoes: steps[len(steps)-1][0].place}
		return s.append(ctx, tx, undo, back)
	})
	if err != nil {
		return Deployment{}, Deployment{}, err
	}
	return from, to, nil
}

// append adds an entry that makes m current, then moves the plain tag.
func (s *Store) append(ctx context.Context, tx transaction, r record, m *manifest) error {
	if err := tx.refresh(ctx); err != nil {
		return err
	}
	l := readLogs(tx.tags())
	if len(l.entries[r.environment]) == 0 && l.plain[r.environment] {
		if err := s.adopt(ctx, tx, r.environment); err != nil {
			return err
		}
	}
	r.sequence = max(s.now().UnixMilli(), l.last()+1)
	if r.sequence > maxSequence {
		return fmt.Errorf("%s has an entry that is dated too far in the future to follow it", s)
	}
	r.nonce = nonce()
	r.short = short(m.desc.Digest.String())
	if err := tx.tag(ctx, r.tag(), m); err != nil {
		return err
	}
	return s.repoint(ctx, tx, r.environment)
}

// adopt makes a plain tag, set by another tool, the first entry of the log, so
// that a rollback can return to it.
func (s *Store) adopt(ctx context.Context, tx transaction, env string) error {
	m, err := tx.manifest(ctx, env)
	var foreign *foreignError
	switch {
	case isMissing(err) || errors.As(err, &foreign):
		return nil
	case err != nil:
		return err
	}
	r := record{environment: env, action: actionPush, short: short(m.desc.Digest.String())}
	r.nonce = adoptedNonce
	return tx.tag(ctx, r.tag(), m)
}

// repoint moves the plain tag of env to what the log says. The log being
// written, the deployment is in place whatever happens here: failing is a notice.
//
// Every writer lists again after it has moved the tag, and moves it again if the
// log went on meanwhile. So whoever moves it last has seen the whole log.
func (s *Store) repoint(ctx context.Context, tx transaction, env string) error {
	const tries = 16
	failed := func(err error) error {
		s.notice(fmt.Sprintf("%q is in place in %s, but its plain tag could not be moved: %v", env, s, err))
		return nil
	}
	at, err := tx.pointed(ctx, env)
	if err != nil {
		return failed(err)
	}
	for range tries {
		if err := tx.refresh(ctx); err != nil {
			return failed(err)
		}
		_, ran, err := s.standing(ctx, tx, readLogs(tx.tags()).entries[env], 1)
		if err != nil {
			return failed(err)
		}
		if len(ran) == 0 || ran[0].desc.Digest.String() == at {
			return nil // a plain tag without a log is what it is
		}
		m := ran[0]
		if err := tx.tag(ctx, env, m); err != nil {
			return failed(err)
		}
		at = m.desc.Digest.String()
	}
	return nil
}

func nonce() string {
	var b [nonceLength / 2]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
