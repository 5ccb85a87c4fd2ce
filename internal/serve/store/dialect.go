package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A dialect is where the two databases differ. Both take $1 for an argument.
type dialect struct {
	goose      goose.Dialect
	migrations string
	now        string // milliseconds since 1970, by the database's clock
	forUpdate  string
	history    string // messages of $1, the newest first: $2 at most, and $3 bytes but for the last turn
	begin      sql.TxOptions
	transient  func(error) bool // trying again may help
}

// OpenSQLite opens a database in a file, which is made when there is none and is
// for its owner's eyes alone. Several processes of one machine may share it.
// A commit survives the end of the process; the last ones may be lost when the
// machine loses power.
func OpenSQLite(ctx context.Context, path string, o Options) (*Store, error) {
	o = o.filled()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the database %s cannot be made: %w", path, plain(err))
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the database %s cannot be opened: %w", path, plain(err))
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("the database %s cannot be opened: %w", path, plain(err))
	}
	name, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("the database %s cannot be opened: %w", path, plain(err))
	}
	source := func(pragmas ...string) string {
		query := url.Values{"_pragma": append([]string{"busy_timeout(10000)"}, pragmas...), "_txlock": {"immediate"}}
		slashes := filepath.ToSlash(name)
		if !strings.HasPrefix(slashes, "/") {
			slashes = "/" + slashes
		}
		return (&url.URL{Scheme: "file", Path: slashes, RawQuery: query.Encode()}).String()
	}
	// One writer at a time waits in this process, where waiting is fair, and not
	// at the file's lock.
	write, err := sql.Open("sqlite", source("journal_mode(WAL)", "synchronous(NORMAL)", "journal_size_limit(67108864)"))
	if err != nil {
		return nil, fmt.Errorf("the database %s cannot be opened", path)
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", source("query_only(1)"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the database %s cannot be opened", path), write.Close())
	}
	read.SetMaxOpenConns(8)
	read.SetMaxIdleConns(8)
	s := &Store{
		dialect: dialect{
			goose: goose.DialectSQLite3, migrations: "sqlite",
			now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
			// Rows are made as they are read: whoever has enough reads no more.
			history:   "SELECT seq, turn, body FROM messages WHERE conversation = $1 AND $3 > 0 ORDER BY seq DESC LIMIT $2",
			transient: busySQLite,
		},
		write: write, read: read, lease: o.Lease, patience: o.Patience,
		writeStatements: newStatements(write), readStatements: newStatements(read),
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the database %s cannot be used: %w", path, err), s.Close())
	}
	return s, nil
}

func busySQLite(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		kind := e.Code() & 0xff
		return kind == sqlite3.SQLITE_BUSY || kind == sqlite3.SQLITE_LOCKED
	}
	return false
}

// OpenPostgres opens a database by its URL, postgres://user:password@host/name.
// Any number of processes may share it. It is waited for, Options.Patience at
// most. Errors do not hold the password.
func OpenPostgres(ctx context.Context, address string, o Options) (*Store, error) {
	o = o.filled()
	if !IsPostgres(address) {
		return nil, errors.New("a database is given as postgres://USER:PASSWORD@HOST:PORT/NAME")
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the address of the database cannot be read: write postgres://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "vatio"
	}
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(o.Connections)
	pool.SetMaxIdleConns(o.Connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	s := &Store{
		dialect: dialect{
			goose: goose.DialectPostgres, migrations: "postgres",
			now:       "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
			forUpdate: " FOR UPDATE",
			history: `SELECT seq, turn, body FROM (
				SELECT seq, turn, body, sum(size) OVER (ORDER BY seq DESC) AS total, first_value(turn) OVER (ORDER BY seq DESC) AS newest FROM (
					SELECT seq, turn, body, size FROM messages WHERE conversation = $1 ORDER BY seq DESC LIMIT $2) AS limited) AS summed
				WHERE total <= $3 OR turn = newest ORDER BY seq DESC`,
			// Each statement sees what was committed before it: what was
			// waited for is seen.
			begin:     sql.TxOptions{Isolation: sql.LevelReadCommitted},
			transient: awayPostgres,
		},
		write: pool, read: pool, lease: o.Lease, patience: o.Patience,
	}
	if err := s.migrate(ctx); err != nil {
		where := fmt.Sprintf("the database %q at %s", config.Database, net.JoinHostPort(config.Host, fmt.Sprint(config.Port)))
		return nil, errors.Join(fmt.Errorf("%s cannot be used: %s", where, reasonPostgres(err)), pool.Close())
	}
	return s, nil
}

// IsPostgres reports whether an address is that of a PostgreSQL database.
func IsPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// awayPostgres reports whether the server could not be reached, was stopping or
// starting, or refused a transaction that can be tried again.
func awayPostgres(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch e.Code {
		case "40001", "40P01", // serialization failure, deadlock
			"57P01", "57P02", "57P03", // stopping, crashed, starting
			"53300", // too many connections
			"25006": // read-only, as a standby is before it takes over
			return true
		}
		return strings.HasPrefix(e.Code, "08")
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return connecting || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed")
}

// reasonPostgres says in the server's words what is wrong, where it has spoken.
func reasonPostgres(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Message
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return "the host " + e.Name + " is not known"
	}
	return "it cannot be reached"
}

// plain drops the name of the system call.
func plain(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
