package knowledge

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"math"
)

// gap is how many rowids stay free after every file of a new index, for
// passages and files that come later.
const gap = 256

var errNoRoom = errors.New("no rowids are left between two files")

// A writer stores files in a database, within one transaction.
type writer struct {
	ctx     context.Context
	db      *database
	tx      *sql.Tx
	words   *sql.Stmt
	passage *sql.Stmt
	file    *sql.Stmt
	problem *sql.Stmt
	dropped int64
}

func (d *database) write(ctx context.Context) (*writer, error) {
	tx, err := d.conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	w := &writer{ctx: ctx, db: d, tx: tx, dropped: d.dropped}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&w.words, "INSERT INTO words (rowid, heading, body, path) VALUES (?, ?, ?, ?)"},
		{&w.passage, "INSERT INTO passages (id, name, heading, text) VALUES (?, ?, ?, ?)"},
		{&w.file, "INSERT INTO files (name, size, changed, settled, hash, start, count) VALUES (?, ?, ?, ?, ?, ?, ?)"},
		{&w.problem, "INSERT INTO problems (name, message) VALUES (?, ?)"},
	} {
		if *p.stmt, err = tx.PrepareContext(ctx, p.text); err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
	}
	return w, nil
}

// insert stores a file whose passages get the rowids from start on.
func (w *writer) insert(d digest, start int64) error {
	for i, r := range d.rows {
		id := start + int64(i)
		if _, err := w.words.ExecContext(w.ctx, id, r.headingTerms, r.terms, d.path); err != nil {
			return err
		}
		if _, err := w.passage.ExecContext(w.ctx, id, d.name, r.heading, r.text); err != nil {
			return err
		}
	}
	if d.problem != "" {
		if _, err := w.problem.ExecContext(w.ctx, d.name, d.problem); err != nil {
			return err
		}
	}
	_, err := w.file.ExecContext(w.ctx, d.name, d.size, d.changed, d.settled, d.hash[:], start, len(d.rows))
	return err
}

// touch stores that the file was looked at and has the content it had.
func (w *writer) touch(d digest) error {
	_, err := w.tx.ExecContext(w.ctx, "UPDATE files SET size = ?, changed = ?, settled = ? WHERE name = ?",
		d.size, d.changed, d.settled, d.name)
	return err
}

func (w *writer) remove(r record) error {
	for _, s := range []struct {
		text string
		args []any
	}{
		{"DELETE FROM words WHERE rowid >= ? AND rowid < ?", []any{r.start, r.end()}},
		{"DELETE FROM passages WHERE id >= ? AND id < ?", []any{r.start, r.end()}},
		{"DELETE FROM files WHERE name = ?", []any{r.name}},
		{"DELETE FROM problems WHERE name = ?", []any{r.name}},
	} {
		if _, err := w.tx.ExecContext(w.ctx, s.text, s.args...); err != nil {
			return err
		}
	}
	w.dropped += r.count
	return nil
}

// commit ends the transaction. Without every file settled there is no
// fingerprint, so that the next to open looks again.
func (w *writer) commit(fingerprint [sha256.Size]byte, settled bool) error {
	sum := []byte{}
	if settled {
		sum = fingerprint[:]
	}
	if _, err := w.tx.ExecContext(w.ctx, "UPDATE state SET fingerprint = ?, dropped = ?", sum, w.dropped); err != nil {
		return errors.Join(err, w.tx.Rollback())
	}
	return w.tx.Commit()
}

// place returns the rowid from which count passages fit between two files:
// where they were, else in the middle. next is the start of the file after.
func place(old *record, prev, next, count int64) (int64, error) {
	switch {
	case old != nil && old.start >= prev && old.start+count <= next:
		return old.start, nil
	case prev+count > next:
		return 0, errNoRoom
	case next == math.MaxInt64:
		return prev + gap, nil
	}
	return prev + (next-prev-count)/2, nil
}
