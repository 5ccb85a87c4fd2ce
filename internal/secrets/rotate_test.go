package secrets

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRotate(t *testing.T) {
	p := newPlace(t)
	bob := p.as("bob")
	other := newPlace(t)
	other.home = p.home // another workspace of the same user

	p.set("A", "", "1")
	other.set("O", "", "other")
	bobKey, oldKey, oldFile := recipient(t, bob.store()), recipient(t, p.store()), readFile(t, p.identity())
	_, err := p.store().AddRecipients(bobKey + " bob")
	must(t, err)

	done, err := p.store().Rotate()
	must(t, err)
	newKey := recipient(t, p.store())
	want := Rotation{New: Identity{Recipient: newKey, Source: p.identity()}, Replaced: []string{oldKey}, Others: 1}
	if diff := cmp.Diff(want, done); diff != "" || newKey == oldKey {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text := readFile(t, p.identity())
	if !strings.HasPrefix(text, "# created: 2026-01-02T14:04:05Z\n# public key: "+newKey+"\nAGE-SECRET-KEY-1") || !strings.HasSuffix(text, "\n\n"+oldFile) {
		t.Error("the identity file does not hold the new key above the old ones")
	}
	snapshot, err := p.store().Read()
	must(t, err)
	if diff := cmp.Diff([]Recipient{{Key: newKey, Own: true}, {Key: bobKey, Comment: "bob"}}, snapshot.Recipients()); diff != "" {
		t.Errorf("recipients (-want +got):\n%s", diff)
	}
	for name, s := range map[string]*Store{"the user": p.store(), "bob": bob.store()} {
		if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(map[string]string{"O": "other"}, content(t, other.store())); diff != "" {
		t.Errorf("the other workspace (-want +got):\n%s", diff)
	}

	// The old key alone opens only what was not rotated.
	var e *OpenError
	if _, err := p.store("VATIO_IDENTITY", oldFile).Read(); !errors.As(err, &e) || e.Cause != WrongIdentity {
		t.Errorf("the old key still opens the file: %v", err)
	}
	done, err = other.store().Rotate()
	must(t, err)
	if diff := cmp.Diff([]string{oldKey}, done.Replaced); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := strings.Count(readFile(t, p.identity()), "\nAGE-SECRET-KEY-1"); got != 3 {
		t.Errorf("%d keys after two rotations", got)
	}
	for name, s := range map[string]*Store{"one": p.store(), "two": other.store()} {
		if len(content(t, s)) != 1 {
			t.Errorf("workspace %s does not open", name)
		}
	}
}

func TestRotateNeedsAFile(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	before := readFile(t, p.file())
	_, err := p.store("VATIO_IDENTITY", readFile(t, p.identity())).Rotate()
	want := "VATIO_IDENTITY is where your key comes from, so it cannot be rotated here: rotate where the key is kept in a file"
	var e *IdentityError
	if !errors.As(err, &e) || e.Cause != IdentityFixed || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if readFile(t, p.file()) != before {
		t.Error("the file was written")
	}
}

func TestRotateAFileElsewhere(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	kept := filepath.Join(p.workspace, "dotfiles", "key.txt")
	write(t, kept, readFile(t, p.identity()))
	link := filepath.Join(p.workspace, "link.txt")
	if err := os.Symlink(kept, link); err != nil {
		t.Skip(err)
	}
	s := p.store("VATIO_IDENTITY_FILE", link)
	done, err := s.Rotate()
	must(t, err)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	if !strings.Contains(readFile(t, kept), done.New.Recipient) || done.New.Source != link {
		t.Errorf("the new key %+v is not in the file behind the link", done.New)
	}
	if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIdentityFromAPipe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/fd")
	}
	p := newPlace(t)
	p.set("A", "", "1")
	r, w, err := os.Pipe()
	must(t, err)
	defer func() { _ = r.Close() }()
	_, err = w.WriteString(readFile(t, p.identity()))
	must(t, err)
	must(t, w.Close())
	s := p.store("VATIO_IDENTITY_FILE", filepath.Join("/dev/fd", strconv.Itoa(int(r.Fd()))))
	for range 2 {
		if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, s)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	must(t, s.Set("A", "", NewValue([]byte("2"))))
	var e *IdentityError
	if _, err := s.Rotate(); !errors.As(err, &e) || e.Cause != IdentityFixed {
		t.Errorf("got %v", err)
	}
}
