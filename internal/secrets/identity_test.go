package secrets

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/google/go-cmp/cmp"
)

func TestHomeDir(t *testing.T) {
	here, err := os.Getwd()
	must(t, err)
	for _, test := range []struct {
		name, goos string
		variables  map[string]string
		want, err  string
	}{
		{"its own variable", "linux", map[string]string{"VATIO_HOME": "/v", "XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/v", ""},
		{"relative", "linux", map[string]string{"VATIO_HOME": "v"}, filepath.Join(here, "v"), ""},
		{"xdg", "linux", map[string]string{"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x/vatio", ""},
		{"xdg on a mac", "darwin", map[string]string{"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x/vatio", ""},
		{"linux", "linux", map[string]string{"HOME": "/h"}, "/h/.config/vatio", ""},
		{"mac", "darwin", map[string]string{"HOME": "/h"}, "/h/Library/Application Support/vatio", ""},
		{"windows", "windows", map[string]string{"AppData": "/a", "HOME": "/h"}, "/a/vatio", ""},
		{"relative xdg", "linux", map[string]string{"XDG_CONFIG_HOME": "x"}, "",
			`XDG_CONFIG_HOME is "x", which is not absolute: make it an absolute path, or set VATIO_HOME`},
		{"nothing", "linux", nil, "", "no directory for your files is known: set VATIO_HOME, XDG_CONFIG_HOME or HOME"},
		{"nothing on windows", "windows", nil, "", "no directory for your files is known: set VATIO_HOME, or AppData"},
	} {
		got, err := HomeDir(func(name string) string { return test.variables[name] }, test.goos)
		if got != test.want || message(err) != test.err {
			t.Errorf("%s: got %q, %v", test.name, got, err)
		}
	}
}

func TestIdentityIsMadeOnce(t *testing.T) {
	p := newPlace(t)
	first := recipient(t, p.store())
	text := readFile(t, p.identity())
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if id, err := p.store().Identity(); err != nil || id != (Identity{Recipient: first, Source: p.identity()}) {
				t.Errorf("got %+v, %v", id, err)
			}
		})
	}
	wait.Wait()
	if readFile(t, p.identity()) != text {
		t.Error("the identity was made again")
	}
}

func TestReadingWithoutAnIdentityMakesNone(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	bob := p.as("bob")
	_, err := bob.store().Read()
	want := ".vatio/secrets.age cannot be opened, there is no identity at " + bob.identity() +
		": run `vatio secrets recipients list` to make one and ask someone who can open the file to add it, or set VATIO_IDENTITY or VATIO_IDENTITY_FILE"
	var e *OpenError
	if !errors.As(err, &e) || e.Cause != NoIdentity || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := os.Lstat(bob.home); !errors.Is(err, os.ErrNotExist) {
		t.Error("the user's directory was made")
	}
}

func TestExposedIdentity(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	p := newPlace(t)
	p.home = filepath.Join(filepath.Dir(p.home), "it's mine")
	p.set("A", "", "1")
	quoted := `'` + strings.ReplaceAll(p.identity(), "'", `'\''`) + `'`
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o601, 0o644, 0o666} {
		must(t, os.Chmod(p.identity(), mode))
		for name, do := range map[string]func(*Store) error{
			"read": func(s *Store) error { _, err := s.Read(); return err },
			"set":  func(s *Store) error { return s.Set("A", "", NewValue([]byte("2"))) },
		} {
			err := do(p.store())
			want := p.identity() + " can be read or changed by others than you, so it is not used: run `chmod 600 " + quoted + "`"
			var e *IdentityError
			if !errors.As(err, &e) || e.Cause != IdentityExposed || err.Error() != want {
				t.Errorf("%s, %o: got  %v\nwant %s", name, mode, err, want)
			}
		}
	}
	for _, mode := range []os.FileMode{0o600, 0o400} {
		must(t, os.Chmod(p.identity(), mode))
		if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, p.store())); diff != "" {
			t.Errorf("%o (-want +got):\n%s", mode, diff)
		}
	}
}

func TestIdentityFromTheEnvironment(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	key := readFile(t, p.identity())
	elsewhere := filepath.Join(p.workspace, "key.txt")
	write(t, elsewhere, key)
	public := recipient(t, p.store())

	nobody := p.as("nobody")
	for name, test := range map[string]struct {
		variables []string
		source    string
	}{
		"the file's text": {[]string{"VATIO_IDENTITY", key}, "VATIO_IDENTITY"},
		"the key alone":   {[]string{"VATIO_IDENTITY", "  " + strings.Split(key, "\n")[2] + "\r\n"}, "VATIO_IDENTITY"},
		"before the file": {[]string{"VATIO_IDENTITY", key, "VATIO_IDENTITY_FILE", "/none"}, "VATIO_IDENTITY"},
	} {
		s := nobody.store(test.variables...)
		if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		must(t, s.Set("A", "", NewValue([]byte("2"))))
		must(t, s.Set("A", "", NewValue([]byte("1"))))
		if id, err := s.Identity(); err != nil || id != (Identity{Recipient: public, Source: test.source}) {
			t.Errorf("%s: %+v, %v", name, id, err)
		}
	}
	if _, err := os.Lstat(nobody.home); !errors.Is(err, os.ErrNotExist) {
		t.Error("with VATIO_IDENTITY something is remembered")
	}
	s := nobody.store("VATIO_IDENTITY_FILE", elsewhere)
	if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := os.Lstat(nobody.identity()); !errors.Is(err, os.ErrNotExist) {
		t.Error("an identity was made beside VATIO_IDENTITY_FILE")
	}
}

func TestIdentitiesThatCannotBeUsed(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	key := strings.Split(readFile(t, p.identity()), "\n")[2]
	const hint = ": an identity is a line that begins with AGE-SECRET-KEY-1, as age-keygen writes it"
	for _, test := range []struct{ name, text, want string }{
		{"comments only", "# nothing\n\n", "holds no identity" + hint},
		{"cut off", "# created\n" + key[:40], "holds a damaged key in line 2" + hint},
		{"lower-case", key + "\n" + strings.ToLower(key), "holds something that is no identity in line 2" + hint},
		{"cut off, post-quantum", "AGE-SECRET-KEY-PQ-1QQ", "holds a damaged key in line 1" + hint},
		{"public", recipient(t, p.store()), "holds a public key instead of the private one in line 1" + hint},
		{"plugin", "AGE-PLUGIN-YUBIKEY-1QQQ", "holds a plugin identity, which is not supported, in line 1" + hint},
		{"ssh", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc", "holds an SSH or PEM key, which cannot be used as an identity, in line 1" + hint},
		{"a path", "/home/me/identity.txt", "holds something that is no identity in line 1" + hint},
		{"a long line", strings.Repeat("x", 1<<17), "holds a line that is too long" + hint},
	} {
		path := filepath.Join(p.workspace, "key.txt")
		write(t, path, test.text)
		for source, s := range map[string]*Store{
			"VATIO_IDENTITY": p.store("VATIO_IDENTITY", test.text), path: p.store("VATIO_IDENTITY_FILE", path),
		} {
			_, err := s.Read()
			var e *IdentityError
			if !errors.As(err, &e) || e.Cause != IdentityInvalid || err.Error() != source+" "+test.want {
				t.Errorf("%s: got  %v\nwant %s %s", test.name, err, source, test.want)
			}
			if strings.Contains(message(err), key[:30]) {
				t.Errorf("%s: the key is repeated: %v", test.name, err)
			}
		}
	}
	none := filepath.Join(p.workspace, "none")
	_, err := p.store("VATIO_IDENTITY_FILE", none).Identity()
	if want := none + " does not exist: VATIO_IDENTITY_FILE must name an age identity file, as age-keygen writes it"; message(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = p.store("VATIO_IDENTITY_FILE", p.workspace).Identity()
	if want := p.workspace + " cannot be read: it is a directory"; message(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	large := filepath.Join(p.workspace, "large")
	write(t, large, strings.Repeat("#\n", 1<<19)+"#")
	_, err = p.store("VATIO_IDENTITY_FILE", large).Identity()
	if want := large + " cannot be read: it is larger than 1 MiB"; message(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	link := newPlace(t)
	must(t, os.Mkdir(link.home, 0o700))
	if err := os.Symlink(none, link.identity()); err != nil {
		t.Skip(err)
	}
	_, err = link.store().Identity()
	if want := link.identity() + " is a link to a file that does not exist: remove the link, or make the file"; message(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestSeveralIdentities(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	old := readFile(t, p.identity())
	other, err := age.GenerateX25519Identity()
	must(t, err)
	write(t, p.identity(), "\uFEFF# new\r\n\r\n  "+other.String()+"\t\r\n"+strings.ReplaceAll(old, "\n", "\r\n"))
	if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, p.store())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := recipient(t, p.store()); got != other.Recipient().String() {
		t.Errorf("the first is not used: %s", got)
	}
}

// protect encrypts the identity file with a passphrase, as `age -p` does.
func protect(t *testing.T, p place, passphrase string, armored bool) {
	t.Helper()
	r, err := age.NewScryptRecipient(passphrase)
	must(t, err)
	r.SetWorkFactor(4)
	var out bytes.Buffer
	if text := []byte(readFile(t, p.identity())); armored {
		a := armor.NewWriter(&out)
		must(t, encrypt(a, text, r))
		must(t, a.Close())
	} else {
		must(t, encrypt(&out, text, r))
	}
	write(t, p.identity(), out.String())
}

func TestProtectedIdentity(t *testing.T) {
	for _, armored := range []bool{true, false} {
		p := newPlace(t)
		p.set("A", "", "1")
		protect(t, p, "correct horse", armored)
		asked, answer := 0, "wrong"
		o := p.options()
		o.Passphrase = func() (string, error) { asked++; return answer, nil }
		s := New(o)
		s.scryptWork = 4

		for _, answer = range []string{"wrong", ""} {
			_, err := s.Read()
			var e *IdentityError
			if want := p.identity() + " does not open with this passphrase: try again"; !errors.As(err, &e) || e.Cause != PassphraseWrong || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
		asked, answer = 0, "correct horse"
		if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, s)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		must(t, s.Set("B", "", NewValue([]byte("2"))))
		done, err := s.Rotate()
		must(t, err)
		must(t, s.Set("C", "", NewValue([]byte("3"))))
		if diff := cmp.Diff(map[string]string{"A": "1", "B": "2", "C": "3"}, content(t, s)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if asked != 1 {
			t.Errorf("the passphrase was asked for %d times", asked)
		}
		if text := readFile(t, p.identity()); strings.HasPrefix(text, armor.Header) != armored || strings.Contains(text, "AGE-SECRET-KEY") {
			t.Errorf("after a rotation the file begins %q", text[:40])
		}
		// Another store asks again, and finds the new key.
		again := New(o)
		if id, err := again.Identity(); err != nil || id != done.New || asked != 2 {
			t.Errorf("got %+v, %v after %d questions", id, err, asked)
		}
		// A rotation elsewhere is noticed without asking.
		_, err = again.Identity()
		must(t, err)
		_, err = s.Rotate()
		must(t, err)
		if diff := cmp.Diff(map[string]string{"A": "1", "B": "2", "C": "3"}, content(t, again)); diff != "" || asked != 2 {
			t.Errorf("after %d questions (-want +got):\n%s", asked, diff)
		}

		_, err = p.store().Read()
		want := p.identity() + " is protected by a passphrase and there is no terminal to ask for it: run this in a terminal, or give the key itself in VATIO_IDENTITY"
		var e *IdentityError
		if !errors.As(err, &e) || e.Cause != PassphraseMissing || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		o.Passphrase = func() (string, error) { return "", ErrNobodyToAsk }
		if _, err := New(o).Read(); message(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		cancelled := errors.New("cancelled")
		o.Passphrase = func() (string, error) { return "", cancelled }
		if _, err := New(o).Read(); !errors.Is(err, cancelled) {
			t.Errorf("got %v", err)
		}
		text := readFile(t, p.identity())
		write(t, p.identity(), text[:len(text)-10])
		o.Passphrase = func() (string, error) { return "correct horse", nil }
		_, err = New(o).Read()
		if want := p.identity() + " is damaged: take it back from a copy; without it, ask a teammate to add a new key of yours"; message(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestIdentityFileEncryptedForAKey(t *testing.T) {
	p := newPlace(t)
	write(t, p.identity(), armorFor(t, "x", parseRecipients(t, example)...))
	_, err := p.store().Identity()
	if want := p.identity() + " is encrypted for a key: an identity file is plain, or protected by a passphrase (`age -p`)"; message(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func FuzzParseIdentities(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		ids, err := parseIdentities("key.txt", data)
		if err != nil {
			var e *IdentityError
			if !errors.As(err, &e) || e.Source != "key.txt" {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if len(ids.keys) == 0 || len(ids.keys) != len(ids.recipients) {
			t.Fatalf("%d keys, %d recipients", len(ids.keys), len(ids.recipients))
		}
	})
}
