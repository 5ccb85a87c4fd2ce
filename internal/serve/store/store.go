// Package store keeps what the runtime must not lose: conversations with their
// messages and events, who may run a turn of them, and the app keys. It keeps
// them in an SQLite file or in a PostgreSQL database, with the same statements
// and the same promises:
//
//   - What a conversation holds is found with its owner's name alone. For
//     anybody else it does not exist.
//   - One turn runs at a time in a conversation, whichever process it runs in.
//     Whoever begins one holds a lease that runs out when it is not renewed,
//     and every write names the holder: a process that has lost its lease
//     changes nothing any more.
//   - A turn whose process died is closed by the next one that looks: its calls
//     get results, and a note says that it was interrupted.
//   - A write is whole or absent. It is tried again while the database cannot be
//     reached, and never done twice.
//   - How long a turn takes does not depend on how many conversations there are,
//     nor on how long this one is: the newest messages are read, see History.
//
// The times of leases are those of the database's clock.
package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Errors that a caller may want to tell apart.
var (
	ErrNotFound = errors.New("there is no such conversation")
	ErrBusy     = errors.New("a turn of this conversation is running: wait until it has ended")
	// ErrFenced says that another process has closed the turn.
	ErrFenced = errors.New("the turn was closed by another process")
	// ErrUnavailable says that the database did not answer in time.
	ErrUnavailable = errors.New("the database does not answer")
)

const (
	// DefaultLease is how long a turn stays with a process that does not renew
	// its lease.
	DefaultLease = 10 * time.Second
	// DefaultPatience is how long a database that cannot be reached is tried.
	DefaultPatience = 10 * time.Second
)

// A Store is safe for concurrent use.
type Store struct {
	dialect
	write, read                     *sql.DB // the same one where the database takes many writers
	writeStatements, readStatements *statements
	lease                           time.Duration
	patience                        time.Duration
}

// Options are the same for both kinds of database. The zero value is usable.
type Options struct {
	Lease    time.Duration // 0: DefaultLease
	Patience time.Duration // 0: DefaultPatience
	// Connections is how many PostgreSQL connections are used at most; 0: 20.
	Connections int
}

func (o Options) filled() Options {
	if o.Lease <= 0 {
		o.Lease = DefaultLease
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.Connections <= 0 {
		o.Connections = 20
	}
	return o
}

// Lease is how long a lease lasts; renew it several times within.
func (s *Store) Lease() time.Duration { return s.lease }

// Close ends all use of the database.
func (s *Store) Close() error {
	if s.read == s.write {
		return s.write.Close()
	}
	return errors.Join(s.read.Close(), s.write.Close())
}

// Ping reports whether the database answers and can be read. It does not wait
// for one that is away.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM leases LIMIT 1) AS some").Scan(&one); err != nil {
		return ErrUnavailable
	}
	return nil
}
