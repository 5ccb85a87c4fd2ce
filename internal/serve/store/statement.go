package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements are what was prepared for a database that does not remember it by
// itself. They are safe for concurrent use; nil statements hold none.
type statements struct {
	db *sql.DB

	mu     sync.Mutex
	byText map[string]*sql.Stmt
}

func newStatements(db *sql.DB) *statements {
	return &statements{db: db, byText: map[string]*sql.Stmt{}}
}

func (c *statements) find(text string) *sql.Stmt {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byText[text]
}

// prepare prepares statements, of which there are few different ones. What cannot
// be prepared fails when it is run.
func (c *statements) prepare(ctx context.Context, texts ...string) {
	if c == nil {
		return
	}
	for _, text := range texts {
		if c.find(text) != nil {
			continue
		}
		s, err := c.db.PrepareContext(ctx, text)
		if err != nil {
			return
		}
		c.mu.Lock()
		if c.byText[text] == nil {
			c.byText[text], s = s, nil
		}
		c.mu.Unlock()
		if s != nil {
			_ = s.Close()
		}
	}
}

// A transaction uses prepared statements where there are any.
type transaction struct {
	tx       *sql.Tx
	prepared *statements
	missing  []string // ran without being prepared
}

func (t *transaction) statement(ctx context.Context, text string) *sql.Stmt {
	if s := t.prepared.find(text); s != nil {
		return t.tx.StmtContext(ctx, s)
	}
	t.missing = append(t.missing, text)
	return nil
}

func (t *transaction) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if s := t.statement(ctx, text); s != nil {
		return s.ExecContext(ctx, args...)
	}
	return t.tx.ExecContext(ctx, text, args...)
}

func (t *transaction) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if s := t.statement(ctx, text); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return t.tx.QueryContext(ctx, text, args...)
}

func (t *transaction) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if s := t.statement(ctx, text); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return t.tx.QueryRowContext(ctx, text, args...)
}

// query reads outside of transactions.
func (s *Store) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	s.readStatements.prepare(ctx, text)
	if statement := s.readStatements.find(text); statement != nil {
		return statement.QueryContext(ctx, args...)
	}
	return s.read.QueryContext(ctx, text, args...)
}

// queryRow reads one row outside of transactions.
func (s *Store) queryRow(ctx context.Context, text string, args ...any) *sql.Row {
	s.readStatements.prepare(ctx, text)
	if statement := s.readStatements.find(text); statement != nil {
		return statement.QueryRowContext(ctx, args...)
	}
	return s.read.QueryRowContext(ctx, text, args...)
}
