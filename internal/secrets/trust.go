package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/vatio-dev/vatio/internal/atomicfile"
)

const (
	knownStoresFile    = "known-stores.json"
	knownStoresVersion = 1
)

// knownStores are the ids of the stores that the user has seen, in the order in
// which they were, by the absolute path of the workspace.
type knownStores struct {
	Version int                 `json:"version"`
	Stores  map[string][]string `json:"stores"`
}

// Trust accepts the store that stands in the workspace now, if it is the one
// with this id: what the user has been shown is what is accepted. It returns
// what is in the store and reports whether it was unknown. The error is an
// *UntrustedStoreError where an unknown store with another id stands there.
func (s *Store) Trust(id string) (now *Snapshot, changed bool, err error) {
	data, err := s.readFile()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, &InvalidError{Message: "there is no " + FileName + " to trust"}
	}
	if err != nil {
		return nil, false, err
	}
	ids, err := s.loadIdentities(false)
	if err != nil {
		return nil, false, err
	}
	p, err := s.openTrusted(data, ids)
	var untrusted *UntrustedStoreError
	if errors.As(err, &untrusted) && untrusted.ID == id {
		changed = true
		err = s.remember(p.id, ids.source)
	}
	if err != nil {
		return nil, false, err
	}
	return &Snapshot{payload: p, ids: ids}, changed, nil
}

// checkTrust returns an *UntrustedStoreError for a store that is another one
// than those seen in the workspace, and remembers the first.
func (s *Store) checkTrust(p *payload, ids *identities) error {
	if ids.source == identityVariable {
		return nil
	}
	path, err := s.knownStoresPath()
	if err != nil {
		return err
	}
	known, err := readKnownStores(path)
	if err != nil {
		return err
	}
	seen := known.Stores[s.workspaceName()]
	if len(seen) == 0 {
		return s.rememberFirst(p, ids)
	}
	return judge(seen, p, ids)
}

func judge(seen []string, p *payload, ids *identities) error {
	if slices.Contains(seen, p.id) {
		return nil
	}
	return &UntrustedStoreError{File: FileName, ID: p.id, Entries: listed(p.entries), Recipients: ids.mark(p.recipients)}
}

// rememberFirst remembers p unless another process has seen a store meanwhile.
func (s *Store) rememberFirst(p *payload, ids *identities) error {
	return s.changeKnownStores(func(seen []string) ([]string, error) {
		if len(seen) == 0 {
			return []string{p.id}, nil
		}
		return seen, judge(seen, p, ids)
	})
}

// remember adds an id to those seen in the workspace.
func (s *Store) remember(id, source string) error {
	if source == identityVariable {
		return nil
	}
	return s.changeKnownStores(func(seen []string) ([]string, error) {
		if slices.Contains(seen, id) {
			return seen, nil
		}
		return append(seen, id), nil
	})
}

func (s *Store) changeKnownStores(change func(seen []string) ([]string, error)) error {
	path, err := s.knownStoresPath()
	if err != nil {
		return err
	}
	return s.withHome(path, func() error {
		known, err := readKnownStores(path)
		if err != nil {
			return err
		}
		name := s.workspaceName()
		seen := known.Stores[name]
		changed, err := change(seen)
		if err != nil || slices.Equal(seen, changed) {
			return err
		}
		known.Stores[name] = changed
		text, err := json.MarshalIndent(known, "", "  ")
		if err != nil {
			return err
		}
		if err := atomicfile.Write(path, append(text, '\n'), 0o600); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
		return nil
	})
}

func (s *Store) knownStoresPath() (string, error) {
	home, err := s.home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, knownStoresFile), nil
}

// workspaceName is the absolute path of the workspace without links, so that
// one workspace has one name.
func (s *Store) workspaceName() string {
	path, err := filepath.Abs(s.workspace)
	if err != nil {
		path = s.workspace
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// readKnownStores never forgets what it cannot read: that would trust anything.
func readKnownStores(path string) (*knownStores, error) {
	known := &knownStores{Version: knownStoresVersion, Stores: map[string][]string{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, atomicfile.Reason(err))
	}
	if json.Unmarshal(data, known) != nil || known.Version < 1 {
		return nil, fmt.Errorf("%s is damaged: delete it, and take care that the secrets of your workspaces are your own when they are used next", path)
	}
	if known.Version > knownStoresVersion {
		return nil, fmt.Errorf("%s has the format version %d, and this vatio knows %d: install a newer vatio", path, known.Version, knownStoresVersion)
	}
	if known.Stores == nil {
		known.Stores = map[string][]string{}
	}
	return known, nil
}
