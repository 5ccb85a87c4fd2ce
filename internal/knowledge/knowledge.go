// Package knowledge searches the Markdown files of a workspace's knowledge
// bases: full text, with the words stemmed in English and Spanish and accents
// ignored, one result per passage.
//
// The index is SQLite FTS5, kept in the cache directory as knowledge.db and
// brought up to date when it is opened: files are compared by path, size and
// time of change, and those that differ by their content. A file whose time
// is too young to be trusted is compared by content until it has aged.
//
// Any number of processes may open, refresh and search at once. A published
// knowledge.db is never written to again: a new one is made beside it, under
// the lock file knowledge.lock, and renamed over it, so that a reader keeps
// the snapshot it opened. A cache that is damaged or of another version is
// made anew, and where the directory cannot be written the index lives in
// memory. The same files give the same results, scores included, however the
// index came about.
package knowledge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Options say what is indexed and where the index is kept.
type Options struct {
	Root     string   // the workspace directory
	Bases    []string // the bases searched: knowledge/<base>/**/*.md
	CacheDir string   // where knowledge.db is kept, made when missing; "" keeps the index in memory

	// Progress is told how many of the files to read have been read. It is
	// called by one goroutine at a time, with done rising from 1 to total, and
	// never when nothing has changed. nil: nobody is told.
	Progress func(done, total int)
}

// A Passage is one section of a file, or a part of a long one.
type Passage struct {
	Base    string  // the knowledge base
	File    string  // relative to the workspace, with slashes
	Heading string  // the headings above it, outermost first, joined by " > "; may be empty
	Text    string  // Markdown as it stands in the file
	Score   float64 // higher is better; comparable within one search only
}

// A Problem is a file, or a base, that could not be indexed.
type Problem struct {
	File    string // relative to the workspace, with slashes
	Message string
}

// An Index answers searches. It is safe for concurrent use.
type Index struct {
	options  Options
	root     *os.Root
	bases    []string // sorted, without repeats
	updating sync.Mutex

	mu     sync.Mutex // guards what follows
	db     *database
	listed []Problem // found while listing the files
}

var errClosed = errors.New("the knowledge index is closed")

// Open brings the index up to date and opens it. Files and bases that cannot
// be indexed are no error: Problems names them. The error is for people.
func Open(ctx context.Context, o Options) (*Index, error) {
	dir, err := filepath.Abs(o.Root)
	if err == nil && o.CacheDir != "" {
		o.CacheDir, err = filepath.Abs(o.CacheDir)
	}
	if err != nil {
		return nil, fmt.Errorf("the current directory could not be found: %w", plain(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the workspace %q could not be opened: %w", o.Root, plain(err))
	}
	bases := slices.Clone(o.Bases)
	slices.Sort(bases)
	bases = slices.Compact(bases)
	for _, base := range bases {
		if base == "." || !filepath.IsLocal(filepath.FromSlash(base)) {
			root.Close()
			return nil, fmt.Errorf("%q is no name of a knowledge base", base)
		}
	}
	x := &Index{options: o, root: root, bases: bases}
	if _, err := x.Refresh(ctx); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// Refresh brings the index up to date with the files and says whether it
// changed. Searches go on meanwhile, over what was there before.
func (x *Index) Refresh(ctx context.Context) (bool, error) {
	x.updating.Lock()
	defer x.updating.Unlock()
	changed, err := x.refresh(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, fmt.Errorf("the knowledge index could not be built: %w", plain(err))
	}
	return changed, nil
}

// defaultLimit is how many passages a search without a limit gives.
const defaultLimit = 5

// Search returns the passages that have any word of the query, the best
// first, and those of equal score by file and place. A limit below 1 means 5.
// Any text is a query; one without words finds nothing.
func (x *Index) Search(ctx context.Context, query string, limit int) ([]Passage, error) {
	expression := match(query)
	if limit < 1 {
		limit = defaultLimit
	}
	found, db, err := x.search(ctx, expression, limit)
	if err != nil && damaged(err) {
		x.updating.Lock()
		_, renewed := x.refresh(ctx, db)
		x.updating.Unlock()
		if renewed == nil {
			found, _, err = x.search(ctx, expression, limit)
		}
	}
	switch {
	case err == nil:
		return found, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errClosed):
		return nil, err
	}
	return nil, fmt.Errorf("the knowledge index could not be searched: %w", plain(err))
}

func (x *Index) search(ctx context.Context, expression string, limit int) ([]Passage, *database, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.db == nil {
		return nil, nil, errClosed
	}
	if expression == "" {
		return nil, x.db, nil
	}
	found, err := x.db.search(ctx, expression, limit)
	if err != nil {
		return nil, x.db, err
	}
	for i := range found {
		found[i].Base = x.baseOf(found[i].File)
	}
	return found, x.db, nil
}

// Problems returns what could not be indexed, sorted by file.
func (x *Index) Problems() []Problem {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.db == nil {
		return nil
	}
	all := slices.Concat(x.listed, x.db.problems)
	slices.SortFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Message, b.Message))
	})
	return all
}

// Close releases the index. Searches after it fail.
func (x *Index) Close() error {
	x.updating.Lock()
	defer x.updating.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	db := x.db
	x.db = nil
	return errors.Join(db.close(), x.root.Close())
}

// swap puts db in the place of what was searched so far.
func (x *Index) swap(db *database, listed []Problem) {
	x.mu.Lock()
	old := x.db
	x.db, x.listed = db, listed
	x.mu.Unlock()
	if old != db {
		old.close()
	}
}

// plain drops the operation and the path from a file error: the message
// around it names them.
func plain(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}
