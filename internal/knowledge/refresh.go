package knowledge

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	cacheName = "knowledge.db"
	lockName  = "knowledge.lock"
	tempNames = "knowledge-*.tmp"
)

// lockPoll is how often a process that waits for another one's index looks.
const lockPoll = 10 * time.Millisecond

// refresh brings the index up to date, and makes it anew when bad is the
// database in use. The caller holds updating.
func (x *Index) refresh(ctx context.Context, bad *database) (bool, error) {
	now := time.Now()
	x.mu.Lock()
	inUse := x.db
	x.mu.Unlock()
	if inUse == nil && bad != nil {
		return false, errClosed
	}

	opened := make(chan *database, 1)
	if inUse == nil && x.options.CacheDir != "" {
		go func() { opened <- x.openCache(ctx) }()
	} else {
		opened <- nil
	}
	files, listed, err := x.list(ctx)
	cached := <-opened
	if err != nil {
		cached.close()
		return false, err
	}
	print := fingerprint(files)
	known := inUse
	if known == nil {
		known = cached
	}
	if known != nil && known != bad && known.current(print) {
		x.swap(known, listed)
		return inUse != known, nil
	}
	db, err := x.update(ctx, update{known: known, bad: bad, files: files, fingerprint: print, now: now})
	if cached != db {
		cached.close()
	}
	if err != nil {
		return false, err
	}
	x.swap(db, listed)
	return inUse != db, nil
}

func (x *Index) cachePath() string { return filepath.Join(x.options.CacheDir, cacheName) }

// openCache returns the published index, nil when there is none of use.
func (x *Index) openCache(ctx context.Context) *database {
	d, err := openCache(ctx, x.cachePath())
	if err != nil {
		return nil
	}
	return d
}

// lock keeps other processes from publishing. The error says that nothing can
// be published here.
func (x *Index) lock(ctx context.Context) (unlock func(), err error) {
	if x.options.CacheDir == "" {
		return nil, errors.ErrUnsupported
	}
	if err := os.MkdirAll(x.options.CacheDir, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(x.options.CacheDir, lockName))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, err
	}
	return func() { lock.Close() }, nil
}

// An update is what the index is to be brought to, and from what.
type update struct {
	known       *database // in use or found in the cache; nil for none
	bad         *database // not to be used
	files       []file
	fingerprint [sha256.Size]byte
	now         time.Time // when the files were listed, or before
}

// update returns a database that is up to date: the known one, the published
// one, or a new one. Closing the known one is the caller's.
func (x *Index) update(ctx context.Context, u update) (db *database, err error) {
	unlock, err := x.lock(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	locked := err == nil
	base := u.known
	if locked {
		defer unlock()
		if !base.same(x.cachePath()) { // another process may have been faster
			if fresh := x.openCache(ctx); fresh != nil {
				defer func() {
					if fresh != db {
						fresh.close()
					}
				}()
				if fresh.current(u.fingerprint) {
					return fresh, nil
				}
				base = fresh
			}
		}
	}
	if base != nil && base != u.bad {
		d, err := x.compare(ctx, base, u)
		switch {
		case err != nil: // made anew below
		case d.none(base), !d.content() && !locked:
			return base, nil
		case locked && base.path != "" && d.small(base):
			if db, err := x.amend(ctx, base, d, u); err == nil {
				return db, nil
			}
		}
	}
	if locked && ctx.Err() == nil {
		if db, err := x.make(ctx, u); err == nil {
			return db, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return x.inMemory(ctx, u)
}

// make publishes an index made from nothing.
func (x *Index) make(ctx context.Context, u update) (*database, error) {
	return x.publish(ctx, nil, func(d *database) error {
		if err := d.create(ctx); err != nil {
			return err
		}
		return x.fill(ctx, d, u)
	})
}

func (x *Index) inMemory(ctx context.Context, u update) (*database, error) {
	d, err := connect(ctx, ":memory:")
	if err != nil {
		return nil, err
	}
	if err = d.create(ctx); err == nil {
		err = x.fill(ctx, d, u)
	}
	if err == nil {
		err = d.load(ctx)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// fill stores all files in an empty database.
func (x *Index) fill(ctx context.Context, d *database, u update) error {
	w, err := d.write(ctx)
	if err != nil {
		return err
	}
	jobs := make([]job, len(u.files))
	for i, f := range u.files {
		jobs[i].file = f
	}
	settled, start := true, int64(gap)
	err = x.digest(ctx, jobs, u.now, func(d digest) error {
		settled = settled && d.settled
		err := w.insert(d, start)
		start += int64(len(d.rows)) + gap
		return err
	})
	if err != nil {
		return errors.Join(err, w.tx.Rollback())
	}
	return w.commit(u.fingerprint, settled)
}

// amend publishes a copy of base with the difference applied.
func (x *Index) amend(ctx context.Context, base *database, d difference, u update) (*database, error) {
	from, err := os.Open(base.path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	return x.publish(ctx, from, func(db *database) error {
		if err := db.load(ctx); err != nil {
			return err
		}
		w, err := db.write(ctx)
		if err != nil {
			return err
		}
		if err := w.apply(d); err != nil {
			return errors.Join(err, w.tx.Rollback())
		}
		return w.commit(u.fingerprint, d.settled)
	})
}

// publish lets change write to a new database, a copy of from when that is
// given, and puts it in the place of the published one. The caller holds the
// lock.
func (x *Index) publish(ctx context.Context, from io.Reader, change func(*database) error) (*database, error) {
	x.sweep()
	temp, err := os.CreateTemp(x.options.CacheDir, tempNames)
	if err != nil {
		return nil, err
	}
	name := temp.Name()
	if from != nil {
		_, err = io.Copy(temp, from)
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = x.writeTemp(ctx, name, change)
	}
	if err != nil {
		os.Remove(name)
		return nil, err
	}
	if os.Rename(name, x.cachePath()) == nil {
		return openCache(ctx, x.cachePath())
	}
	// Where a file in use cannot be replaced, this process has one to itself.
	d, err := openCache(ctx, name)
	if err != nil {
		os.Remove(name)
		return nil, err
	}
	d.own = true
	return d, nil
}

// writeTemp writes a database that nobody else sees. It needs no journal: it
// is thrown away when anything fails.
func (x *Index) writeTemp(ctx context.Context, name string, change func(*database) error) error {
	d, err := connect(ctx, source(name, "mode=rw"))
	if err != nil {
		return err
	}
	err = d.exec(ctx, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;")
	if err == nil {
		err = change(d)
	}
	if err = errors.Join(err, d.close()); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// sweep removes what processes that died have left.
func (x *Index) sweep() {
	entries, _ := os.ReadDir(x.options.CacheDir)
	for _, e := range entries {
		if left, _ := filepath.Match(tempNames, e.Name()); left {
			os.Remove(filepath.Join(x.options.CacheDir, e.Name()))
		}
	}
}
