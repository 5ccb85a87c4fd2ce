package secrets

import (
	"slices"
	"time"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// An Entry says of a value all that may be shown.
type Entry struct {
	Key         string
	Environment string    // "" = everywhere
	Changed     time.Time // UTC, whole seconds
	Size        int       // bytes
}

// A Snapshot is the store as it stood when it was read. It never changes and is
// safe for concurrent use.
type Snapshot struct {
	payload *payload
	ids     *identities // nil for a store that does not exist
}

// Lookup returns the value of a key in an environment: the one that only this
// environment uses, else the one everywhere. An empty environment asks for the
// latter.
func (s *Snapshot) Lookup(key, environment string) (Value, bool) {
	if i, ok := s.payload.find(key, environment); ok {
		return s.payload.entries[i].value, true
	}
	if environment == "" {
		return Value{}, false
	}
	return s.Lookup(key, "")
}

// Entries lists what is set, by key, then environment.
func (s *Snapshot) Entries() []Entry { return listed(s.payload.entries) }

// Recipients lists for whom the store is encrypted, in the order in which they
// were added.
func (s *Snapshot) Recipients() []Recipient {
	if s.ids == nil {
		return nil
	}
	return s.ids.mark(s.payload.recipients)
}

// Contents are what may be shown of any version of the file.
type Contents struct {
	ID         string // of the store
	Entries    []Entry
	Recipients []Recipient
}

// Inspect lists what any version of the file holds, one from the history or of
// another branch say, whether its store is known or not. It gives no values.
func (s *Store) Inspect(data []byte) (Contents, error) {
	ids, err := s.loadIdentities(false)
	if err != nil {
		return Contents{}, err
	}
	p, err := s.open(data, ids)
	if err != nil {
		return Contents{}, err
	}
	return Contents{ID: p.id, Entries: listed(p.entries), Recipients: ids.mark(p.recipients)}, nil
}

func listed(entries []entry) []Entry {
	list := make([]Entry, len(entries))
	for i, e := range entries {
		list[i] = Entry{Key: e.key, Environment: e.environment, Changed: e.changed, Size: e.value.Len()}
	}
	return list
}

// notFound says where the key has values instead.
func (p *payload) notFound(key, environment string) error {
	e := &NotFoundError{Key: key, Environment: environment, NothingAtAll: len(p.entries) == 0}
	var keys []string
	for _, have := range p.entries {
		if have.key == key {
			e.Elsewhere = append(e.Elsewhere, have.environment)
		}
		keys = append(keys, have.key)
	}
	if len(e.Elsewhere) == 0 {
		e.Suggestion = diag.Nearest(key, slices.Compact(keys))
	}
	return e
}
