package knowledge

import (
	"context"
	"sync"
)

// A Lazy index is opened by the first search and brought up to date before
// each: what nobody searches costs nothing, and edits are found at once. It is
// safe for concurrent use.
type Lazy struct {
	options Options

	mu     sync.Mutex
	index  *Index
	closed bool
}

// NewLazy returns an index that is not open yet.
func NewLazy(o Options) *Lazy { return &Lazy{options: o} }

// Search is that of Index.
func (l *Lazy) Search(ctx context.Context, query string, limit int) ([]Passage, error) {
	x, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	return x.Search(ctx, query, limit)
}

// Problems opens or refreshes the index and returns what could not be indexed.
func (l *Lazy) Problems(ctx context.Context) ([]Problem, error) {
	x, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	return x.Problems(), nil
}

func (l *Lazy) open(ctx context.Context) (*Index, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, errClosed
	case l.index != nil:
		_, err := l.index.Refresh(ctx)
		return l.index, err
	}
	x, err := Open(ctx, l.options)
	l.index = x
	return x, err
}

// Close releases the index. Searches after it fail.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.index == nil {
		return nil
	}
	x := l.index
	l.index = nil
	return x.Close()
}
