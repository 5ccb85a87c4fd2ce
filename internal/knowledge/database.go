package knowledge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// format is raised with every change of the schema, of the terms that words
// give or of how documents are split.
const format = 1

// The rowids of passages rise with the name of the file and the place in it,
// whatever the order in which files came: equal scores are ordered by rowid.
// The words table keeps terms only, made of ASCII letters and digits and of
// letters outside ASCII, all of which the ascii tokenizer takes as they are.
// The hash size is how many bytes are gathered before they are written: the
// default takes twice the time.
const schema = `
CREATE TABLE state (fingerprint BLOB NOT NULL, dropped INTEGER NOT NULL);
CREATE TABLE files (
	name TEXT NOT NULL PRIMARY KEY,
	size INTEGER NOT NULL,
	changed INTEGER NOT NULL,
	settled INTEGER NOT NULL,
	hash BLOB NOT NULL,
	start INTEGER NOT NULL,
	count INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE problems (name TEXT NOT NULL PRIMARY KEY, message TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE passages (id INTEGER PRIMARY KEY, name TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(heading, body, path, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO words (words, rank) VALUES ('hashsize', 67108864);
INSERT INTO state VALUES (x'', 0);
`

// A heading's words weigh most, then those of the file's name.
const selectPassages = `
SELECT p.name, p.heading, p.text, -f.score
FROM (SELECT rowid AS id, bm25(words, 4.0, 1.0, 2.0) AS score FROM words WHERE words MATCH ?
	ORDER BY score, rowid LIMIT ?) f
JOIN passages p ON p.id = f.id
ORDER BY f.score, f.id`

// A database is one state of the index. All its use is over one connection,
// which holds the file it was opened with even when another takes its name.
type database struct {
	pool *sql.DB
	conn *sql.Conn

	path   string      // "" in memory
	opened os.FileInfo // the file behind path when it was opened
	own    bool        // the file goes when the database is closed

	fingerprint []byte // of the files when all of them could be trusted, else empty
	dropped     int64  // passages deleted since the index was made
	problems    []Problem
}

// A record is what a database knows of a file.
type record struct {
	file
	settled bool // the time of the change was old enough to tell later ones apart
	hash    [sha256.Size]byte
	start   int64 // rowid of the first passage
	count   int64
}

// end returns the rowid after the last passage.
func (r record) end() int64 { return r.start + r.count }

func connect(ctx context.Context, source string) (*database, error) {
	pool, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	conn, err := pool.Conn(ctx)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &database{pool: pool, conn: conn}, nil
}

// source names a file for SQLite.
func source(path, query string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p, RawQuery: query}).String()
}

var errDamaged = errors.New("the index is damaged")

// openCache opens a published index for reading. The error says whether there
// is none, or none of use.
func openCache(ctx context.Context, path string) (*database, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, errDamaged
	}
	d, err := connect(ctx, source(path, "mode=ro&immutable=1"))
	if err != nil {
		return nil, err
	}
	d.path, d.opened = path, info
	if err := d.load(ctx); err != nil {
		d.close()
		return nil, err
	}
	var pages, size int64
	err = d.conn.QueryRowContext(ctx, "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size").Scan(&pages, &size)
	if err == nil && pages*size != info.Size() {
		err = errDamaged
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// load reads the state that is looked at without a search.
func (d *database) load(ctx context.Context) error {
	var version int
	if err := d.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version != format {
		return errDamaged
	}
	if err := d.conn.QueryRowContext(ctx, "SELECT fingerprint, dropped FROM state").Scan(&d.fingerprint, &d.dropped); err != nil {
		return err
	}
	d.problems = nil
	return each(ctx, d.conn, "SELECT name, message FROM problems ORDER BY name", nil, func(scan func(...any) error) error {
		var p Problem
		err := scan(&p.File, &p.Message)
		d.problems = append(d.problems, p)
		return err
	})
}

// records returns what is known of every file, sorted by name.
func (d *database) records(ctx context.Context) ([]record, error) {
	var all []record
	err := each(ctx, d.conn, "SELECT name, size, changed, settled, hash, start, count FROM files ORDER BY name", nil,
		func(scan func(...any) error) error {
			var r record
			var hash []byte
			if err := scan(&r.name, &r.size, &r.changed, &r.settled, &hash, &r.start, &r.count); err != nil {
				return err
			}
			if copy(r.hash[:], hash) != len(r.hash) {
				return errDamaged
			}
			all = append(all, r)
			return nil
		})
	return all, err
}

func (d *database) current(fingerprint [sha256.Size]byte) bool {
	return bytes.Equal(d.fingerprint, fingerprint[:])
}

func (d *database) search(ctx context.Context, match string, limit int) ([]Passage, error) {
	found := make([]Passage, 0, min(limit, 64))
	err := each(ctx, d.conn, selectPassages, []any{match, limit}, func(scan func(...any) error) error {
		var p Passage
		err := scan(&p.File, &p.Heading, &p.Text, &p.Score)
		found = append(found, p)
		return err
	})
	return found, err
}

func (d *database) close() error {
	if d == nil {
		return nil
	}
	err := errors.Join(d.conn.Close(), d.pool.Close())
	if d.own {
		err = errors.Join(err, os.Remove(d.path))
	}
	return err
}

// same reports whether path still names the file that d was opened with.
func (d *database) same(path string) bool {
	if d == nil || d.path != path {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, d.opened)
}

// each runs a query and calls row for every row of its result.
func each(ctx context.Context, conn *sql.Conn, query string, args []any, row func(scan func(...any) error) error) error {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// damaged reports whether err says that the file itself cannot be used.
func damaged(err error) bool {
	if errors.Is(err, errDamaged) || errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff { // the low byte is the kind, the rest says more of it
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR:
			return true
		}
	}
	return false
}

// exec runs statements that take no arguments.
func (d *database) exec(ctx context.Context, statements string) error {
	_, err := d.conn.ExecContext(ctx, statements)
	return err
}

// create makes the tables of an empty database.
func (d *database) create(ctx context.Context) error {
	return d.exec(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d;", format))
}
