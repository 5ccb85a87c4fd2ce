package secrets

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/vatio-dev/vatio/internal/atomicfile"
)

const lockPatience = time.Minute

// Options are what a Store takes from its surroundings.
type Options struct {
	Workspace  string                 // the root directory of the workspace; it must exist
	Getenv     func(string) string    // nil: no variable is set
	ConfigDir  string                 // the user's own directory; "": HomeDir of Getenv
	Now        func() time.Time       // nil: time.Now
	Random     io.Reader              // for the ids of stores; nil: crypto/rand
	Passphrase func() (string, error) // asks for the passphrase of the identity file; nil: nobody to ask
}

// A Store is the secret store of one workspace. It is safe for concurrent use,
// in one process and in many.
type Store struct {
	workspace  string
	getenv     func(string) string
	configDir  string
	now        func() time.Time
	random     io.Reader
	passphrase func() (string, error)
	patience   time.Duration
	scryptWork int // 0: age's own

	mu     sync.Mutex // guards cached, and lets only one goroutine ask for a passphrase
	cached *cachedIdentities
}

// New returns the store of a workspace. It touches no file.
func New(o Options) *Store {
	s := &Store{
		workspace: o.Workspace, getenv: o.Getenv, configDir: o.ConfigDir, now: o.Now,
		random: o.Random, passphrase: o.Passphrase, patience: lockPatience,
	}
	if s.getenv == nil {
		s.getenv = func(string) string { return "" }
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	return s
}

func (s *Store) path() string     { return filepath.Join(s.workspace, filepath.FromSlash(FileName)) }
func (s *Store) lockPath() string { return filepath.Join(s.workspace, filepath.FromSlash(LockName)) }

func (s *Store) home() (string, error) {
	if s.configDir != "" {
		return filepath.Abs(s.configDir)
	}
	return HomeDir(s.getenv, runtime.GOOS)
}

func (s *Store) timestamp() string { return s.now().UTC().Format(time.RFC3339) }

// Exists reports whether there is a file, readable or not.
func (s *Store) Exists() bool {
	_, err := os.Lstat(s.path())
	return err == nil
}

// Identity returns the user's public key, and makes the identity file where
// there is none yet.
func (s *Store) Identity() (Identity, error) {
	ids, err := s.loadIdentities(true)
	if err != nil {
		return Identity{}, err
	}
	return Identity{Recipient: ids.recipients[0], Source: ids.source}, nil
}

// Read decrypts the store. A store that does not exist is an empty snapshot.
// It takes no lock: writers replace the file in one step. The error is an
// *OpenError, an *IdentityError, an *UntrustedStoreError, or what the
// passphrase function returned.
func (s *Store) Read() (*Snapshot, error) {
	data, err := s.readFile()
	if errors.Is(err, fs.ErrNotExist) {
		return &Snapshot{payload: &payload{}}, nil
	}
	if err != nil {
		return nil, err
	}
	ids, err := s.loadIdentities(false)
	if err != nil {
		return nil, err
	}
	p, err := s.openTrusted(data, ids)
	if err != nil {
		return nil, err
	}
	return &Snapshot{payload: p, ids: ids}, nil
}

func (s *Store) openTrusted(data []byte, ids *identities) (*payload, error) {
	p, err := s.open(data, ids)
	if err != nil {
		return nil, err
	}
	return p, s.checkTrust(p, ids)
}

func (s *Store) open(data []byte, ids *identities) (*payload, error) {
	if ids != nil {
		return open(data, ids)
	}
	path, _, err := s.identityPath()
	if err != nil {
		return nil, err
	}
	return nil, noIdentity(path)
}

// readFile returns the content of the file; the error is fs.ErrNotExist, or an
// *OpenError.
func (s *Store) readFile() ([]byte, error) {
	unreadable := func(err error) error {
		return &OpenError{File: FileName, Cause: Unreadable, Detail: "cannot be read", Hint: atomicfile.Reason(err).Error()}
	}
	info, err := os.Stat(s.path())
	if err != nil {
		if _, linked := os.Lstat(s.path()); errors.Is(err, fs.ErrNotExist) && linked != nil {
			return nil, fs.ErrNotExist
		}
		return nil, unreadable(err)
	}
	// Before opening: opening a named pipe would wait for a writer.
	if !info.Mode().IsRegular() {
		return nil, &OpenError{File: FileName, Cause: NotARegularFile, Detail: "is not a file", Hint: "move away what stands there"}
	}
	f, err := os.Open(s.path())
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = f.Close() }()
	var data bytes.Buffer
	if size := info.Size(); size <= maxFile {
		data.Grow(int(size) + bytes.MinRead) // or the last read, which finds the end, grows it again
	}
	if _, err := data.ReadFrom(io.LimitReader(f, maxFile+1)); err != nil {
		return nil, unreadable(err)
	}
	if data.Len() > maxFile {
		return nil, damaged("is larger than 64 MiB")
	}
	return data.Bytes(), nil
}

// An Assignment is a value and where it belongs.
type Assignment struct {
	Key         string
	Environment string // "" = everywhere
	Value       Value
	Line        int // where it stands in what ParseEnvFile has read; else 0
}

// Set sets the value of a key in one environment, or everywhere.
func (s *Store) Set(key, environment string, v Value) error {
	return s.SetAll([]Assignment{{Key: key, Environment: environment, Value: v}})
}

// SetAll sets all values in one write, or none. Of several for one place the
// last counts. Where nothing differs from what is set the file stays as it is.
func (s *Store) SetAll(assignments []Assignment) error {
	for _, a := range assignments {
		if err := validPlace(a.Key, a.Environment); err != nil {
			return err
		}
		if err := ValidValue(a.Value); err != nil {
			return err
		}
	}
	if len(assignments) == 0 {
		return nil
	}
	return s.update(true, func(p *payload, _ *identities) (bool, error) {
		changed := false
		now := s.now().UTC().Truncate(time.Second)
		for _, a := range assignments {
			e := entry{key: a.Key, environment: a.Environment, value: a.Value, changed: now}
			i, found := p.find(a.Key, a.Environment)
			switch {
			case !found:
				p.entries = slices.Insert(p.entries, i, e)
				changed = true
			case !p.entries[i].value.Equal(a.Value):
				p.entries[i] = e
				changed = true
			}
		}
		return changed, nil
	})
}

// Remove removes the value of a key in one environment, or the one everywhere;
// left are the values that the key still has. The error is a *NotFoundError
// where there is none.
func (s *Store) Remove(key, environment string) (left []Entry, err error) {
	if err := validPlace(key, environment); err != nil {
		return nil, err
	}
	err = s.update(false, func(p *payload, _ *identities) (bool, error) {
		i, found := p.find(key, environment)
		if !found {
			return false, p.notFound(key, environment)
		}
		p.entries = slices.Delete(p.entries, i, i+1)
		left = nil
		for _, e := range listed(p.entries) {
			if e.Key == key {
				left = append(left, e)
			}
		}
		return true, nil
	})
	return left, err
}

// AddRecipients encrypts the store for further recipients too, in the form of
// [ParseRecipient]; added are those that were new.
func (s *Store) AddRecipients(lines ...string) (added []Recipient, err error) {
	parsed := make([]Recipient, len(lines))
	for i, line := range lines {
		if parsed[i], err = ParseRecipient(line); err != nil {
			return nil, err
		}
	}
	err = s.update(true, func(p *payload, ids *identities) (bool, error) {
		added = nil
		for _, r := range parsed {
			same := func(have Recipient) bool { return have.Key == r.Key }
			if !slices.ContainsFunc(p.recipients, same) {
				p.recipients = append(p.recipients, r)
				added = append(added, r)
			}
		}
		if len(added) == 0 {
			return false, nil
		}
		added = ids.mark(added)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// RemoveRecipient encrypts the store without one recipient, named by its key or
// by its comment. It has seen the values: whoever removes it should change them.
func (s *Store) RemoveRecipient(name string) (removed Recipient, err error) {
	err = s.update(false, func(p *payload, ids *identities) (bool, error) {
		i := indexRecipient(p.recipients, name)
		if i < 0 {
			shown := fmt.Sprintf("%q", clip(name))
			if isPrivate(name) {
				shown = "a private key"
			}
			return false, &InvalidError{Message: fmt.Sprintf(
				"%s is no recipient of %s: name one by its key or by a comment that only it has, see `vatio secrets recipients list`", shown, FileName)}
		}
		removed = p.recipients[i]
		p.recipients = slices.Delete(p.recipients, i, i+1)
		if removed.Own = ids.own(removed.Key); removed.Own && !opens(p, ids) {
			return false, &InvalidError{Message: "this is your own key, and without it you could not open " + FileName +
				" any more: to replace it run `vatio secrets rotate`"}
		}
		return true, nil
	})
	return removed, err
}

func opens(p *payload, ids *identities) bool {
	return slices.ContainsFunc(p.recipients, func(r Recipient) bool { return ids.own(r.Key) })
}

// A Rotation is what Rotate has done.
type Rotation struct {
	New      Identity
	Replaced []string // the user's older keys that the store was encrypted for
	Others   int      // recipients that stay
}

// Rotate makes a new identity, keeps the older ones below it in the identity
// file, where other workspaces may need them, and encrypts the store for the
// new one in their place. Killed in between, the older ones still open it.
func (s *Store) Rotate() (Rotation, error) {
	var done Rotation
	err := s.update(true, func(p *payload, ids *identities) (bool, error) {
		quantum := slices.ContainsFunc(p.recipients, isPostQuantum)
		made, err := s.prependIdentity(quantum)
		if err != nil {
			return false, err
		}
		done = Rotation{New: made}
		kept := []Recipient{{Key: made.Recipient}}
		for _, r := range p.recipients {
			switch {
			case !ids.own(r.Key):
				kept = append(kept, r)
				done.Others++
			default:
				if kept[0].Comment == "" {
					kept[0].Comment = r.Comment
				}
				done.Replaced = append(done.Replaced, r.Key)
			}
		}
		p.recipients = kept
		ids.recipients = append([]string{made.Recipient}, ids.recipients...)
		return true, nil
	})
	return done, err
}

// update changes the store under its lock. A store that does not exist is made
// when create is true; else change gets an empty one. Nothing is written when
// change reports false.
func (s *Store) update(create bool, change func(*payload, *identities) (bool, error)) error {
	if !create && !s.Exists() {
		_, err := change(&payload{}, &identities{})
		return err
	}
	// Before locking, because it may ask for a passphrase, and once more below,
	// because a rotation may have gone before.
	if _, err := s.loadIdentities(true); err != nil {
		return err
	}
	if err := s.makeDir(); err != nil {
		return err
	}
	release, err := lock(s.lockPath(), LockName, s.patience)
	if err != nil {
		return err
	}
	defer release()
	atomicfile.RemoveStale(s.path())
	ids, err := s.loadIdentities(true)
	if err != nil {
		return err
	}
	if info, err := os.Lstat(s.path()); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return &OpenError{File: FileName, Cause: NotARegularFile, Detail: "is a link, which a write would replace",
			Hint: "put the file itself there"}
	}
	var p *payload
	data, err := s.readFile()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if p, err = s.newPayload(ids); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if p, err = s.openTrusted(data, ids); err != nil {
			return err
		}
	}
	own := *ids // Rotate adds to it, and ids is shared
	changed, err := change(p, &own)
	if err != nil || !changed {
		return err
	}
	if !opens(p, &own) {
		return &OpenError{File: FileName, Cause: WrongIdentity, Detail: "does not name your key among its recipients",
			Hint: "run `vatio secrets recipients add " + own.recipients[0] + "` first"}
	}
	sealed, err := seal(p)
	if err != nil {
		return err
	}
	if data == nil {
		// First remembered, then written: a store of our own is never unknown.
		if err := s.remember(p.id, own.source); err != nil {
			return err
		}
	}
	if err := atomicfile.Write(s.path(), sealed, 0o600); err != nil {
		return fmt.Errorf("cannot write %s: %w", FileName, err)
	}
	return nil
}

func (s *Store) newPayload(ids *identities) (*payload, error) {
	var id [idBytes]byte
	if _, err := io.ReadFull(s.random, id[:]); err != nil {
		return nil, fmt.Errorf("cannot make an id for %s: %w", FileName, err)
	}
	return &payload{id: hex.EncodeToString(id[:]), recipients: []Recipient{{Key: ids.recipients[0]}}}, nil
}

// makeDir makes .vatio in the workspace, which must exist.
func (s *Store) makeDir() error {
	dir := filepath.Dir(s.path())
	err := os.Mkdir(dir, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot make %s: %w", dir, atomicfile.Reason(err))
	}
	return atomicfile.SyncDir(s.workspace)
}
