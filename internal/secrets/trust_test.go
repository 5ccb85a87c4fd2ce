package secrets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAReplacedStoreIsNotUsed(t *testing.T) {
	p := newPlace(t)
	p.set("ACME_API", "", "https://acme.example")
	own := recipient(t, p.store())
	mine := readFile(t, p.file())

	// Somebody who knows the public key makes another store.
	mallory := newPlace(t)
	malloryKey := recipient(t, mallory.store())
	mallory.set("ACME_API", "live", "https://mallory.example")
	_, err := mallory.store().AddRecipients(own)
	must(t, err)
	theirs := readFile(t, mallory.file())
	write(t, p.file(), theirs)

	want := &UntrustedStoreError{
		File:       ".vatio/secrets.age",
		Entries:    []Entry{{Key: "ACME_API", Environment: "live", Changed: changed(), Size: 23}},
		Recipients: []Recipient{{Key: malloryKey}, {Key: own, Own: true}},
	}
	const text = ".vatio/secrets.age was replaced as a whole by another store, so its values are not used: " +
		"see who changed it (`git log .vatio/secrets.age`), and run `vatio secrets trust` if you expected it"
	for operation, do := range map[string]func(*Store) error{
		"read":   func(s *Store) error { _, err := s.Read(); return err },
		"set":    func(s *Store) error { return s.Set("B", "", NewValue([]byte("2"))) },
		"remove": func(s *Store) error { _, err := s.Remove("ACME_API", "live"); return err },
		"add":    func(s *Store) error { _, err := s.AddRecipients(example); return err },
		"rm":     func(s *Store) error { _, err := s.RemoveRecipient(malloryKey); return err },
		"rotate": func(s *Store) error { _, err := s.Rotate(); return err },
	} {
		err := do(p.store())
		var got *UntrustedStoreError
		if !errors.As(err, &got) {
			t.Fatalf("%s: got %v", operation, err)
		}
		if len(got.ID) != 32 {
			t.Errorf("%s: the id is %q", operation, got.ID)
		}
		want.ID = got.ID
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", operation, diff)
		}
		if got.Error() != text {
			t.Errorf("%s: got %s", operation, got)
		}
	}
	if readFile(t, p.file()) != theirs || recipient(t, p.store()) != own {
		t.Error("something was changed")
	}

	// What is in it can be listed all the same.
	contents, err := p.store().Inspect([]byte(theirs))
	must(t, err)
	if diff := cmp.Diff(Contents{ID: want.ID, Entries: want.Entries, Recipients: want.Recipients}, contents); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// With a key from the environment nothing is remembered and nothing compared.
	if got := content(t, p.store("VATIO_IDENTITY", readFile(t, p.identity()))); got["ACME_API@live"] != "https://mallory.example" {
		t.Errorf("got %v", got)
	}

	// Only what the user has been shown is accepted.
	_, _, err = p.store().Trust(strings.Repeat("0", 32))
	var other *UntrustedStoreError
	if !errors.As(err, &other) || other.ID != want.ID {
		t.Errorf("got %v", err)
	}
	for _, changed := range []bool{true, false} {
		snapshot, got, err := p.store().Trust(want.ID)
		must(t, err)
		if got != changed {
			t.Errorf("changed is %v, want %v", got, changed)
		}
		if diff := cmp.Diff(want.Entries, snapshot.Entries()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if got := content(t, p.store()); got["ACME_API@live"] != "https://mallory.example" {
		t.Errorf("got %v", got)
	}
	// What was seen before is still known.
	write(t, p.file(), mine)
	if got := content(t, p.store()); got["ACME_API"] != "https://acme.example" {
		t.Errorf("got %v", got)
	}
}

func TestTheFirstStoreSeenIsAccepted(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	bob := p.as("bob")
	_, err := p.store().AddRecipients(recipient(t, bob.store()))
	must(t, err)
	first := readFile(t, p.file())
	if got := content(t, bob.store()); got["A"] != "1" {
		t.Errorf("got %v", got)
	}
	// A change of the same store is no replacement.
	p.set("A", "", "2")
	if got := content(t, bob.store()); got["A"] != "2" {
		t.Errorf("got %v", got)
	}
	// A store made anew is one to its maker only.
	must(t, os.Remove(p.file()))
	p.set("A", "", "3")
	_, err = p.store().AddRecipients(recipient(t, bob.store()))
	must(t, err)
	if got := content(t, p.store()); got["A"] != "3" {
		t.Errorf("got %v", got)
	}
	var e *UntrustedStoreError
	if _, err := bob.store().Read(); !errors.As(err, &e) {
		t.Errorf("got %v", err)
	}
	write(t, p.file(), first)
	if got := content(t, bob.store()); got["A"] != "1" {
		t.Errorf("got %v", got)
	}
}

func TestOneWorkspaceHasOneName(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	link := filepath.Join(filepath.Dir(p.workspace), "link")
	if err := os.Symlink(p.workspace, link); err != nil {
		t.Skip(err)
	}
	before := readFile(t, filepath.Join(p.home, "known-stores.json"))
	linked := p
	linked.workspace = link
	if got := content(t, linked.store()); got["A"] != "1" {
		t.Errorf("got %v", got)
	}
	t.Chdir(p.workspace)
	linked.workspace = "."
	if got := content(t, linked.store()); got["A"] != "1" {
		t.Errorf("got %v", got)
	}
	if got := readFile(t, filepath.Join(p.home, "known-stores.json")); got != before {
		t.Errorf("got %s", got)
	}
}

func TestFirstSeenByManyAtOnce(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	known := filepath.Join(p.home, "known-stores.json")
	before := readFile(t, known)
	must(t, os.Remove(known))
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if _, err := p.store().Read(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := readFile(t, known); got != before {
		t.Errorf("got %s", got)
	}
}

func TestKnownStoresThatCannotBeRead(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	known := filepath.Join(p.home, "known-stores.json")
	for text, want := range map[string]string{
		"":                " is damaged: delete it, and take care that the secrets of your workspaces are your own when they are used next",
		"{":               " is damaged: delete it, and take care that the secrets of your workspaces are your own when they are used next",
		"{}":              "",
		`{"version":2}`:   " has the format version 2, and this vatio knows 1: install a newer vatio",
		`{"version":0}`:   " is damaged: delete it, and take care that the secrets of your workspaces are your own when they are used next",
		`{"stores":null}`: "",
	} {
		write(t, known, text)
		_, err := p.store().Read()
		if want == "" {
			must(t, err)
			continue
		}
		if message(err) != known+want {
			t.Errorf("%q: got %v", text, err)
		}
		if readFile(t, known) != text {
			t.Errorf("%q was overwritten", text)
		}
	}
}

func TestNothingToTrust(t *testing.T) {
	p := newPlace(t)
	if _, _, err := p.store().Trust(""); message(err) != "there is no .vatio/secrets.age to trust" {
		t.Errorf("got %v", err)
	}
}

func TestNoDirectoryOfTheUser(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	key := readFile(t, p.identity())
	path := filepath.Join(p.workspace, "key.txt")
	write(t, path, key)
	blocked := p
	blocked.home = filepath.Join(path, "home") // below a file
	_, err := blocked.store().Identity()
	if err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("got %v", err)
	}
	o := p.options("VATIO_IDENTITY", key)
	inner := o.Getenv
	o.Getenv = func(name string) string {
		if name == "VATIO_HOME" {
			return ""
		}
		return inner(name)
	}
	if got := content(t, New(o)); got["A"] != "1" {
		t.Errorf("got %v", got)
	}
}
