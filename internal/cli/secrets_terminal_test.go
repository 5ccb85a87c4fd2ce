package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/internal/secrets"
)

// A screen is a terminal that a command runs on, and what has been shown on it.
type screen struct {
	t       *testing.T
	keys    *os.File // what a person types
	tty     *os.File
	before  *term.State
	mu      sync.Mutex
	shown   bytes.Buffer
	changed chan struct{}
}

func newScreen(t *testing.T) *screen {
	t.Helper()
	keys, tty, err := pty.Open()
	if errors.Is(err, pty.ErrUnsupported) {
		t.Skip("this system has no pseudo-terminals")
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, keys: keys, tty: tty, changed: make(chan struct{}, 1)}
	if s.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	go func() {
		part := make([]byte, 4096)
		for {
			n, err := keys.Read(part)
			s.mu.Lock()
			s.shown.Write(part[:n])
			s.mu.Unlock()
			select {
			case s.changed <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = keys.Close()
	})
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// wait returns when the text has been shown for the nth time.
func (s *screen) wait(text string, n int) {
	s.t.Helper()
	timeout := time.After(30 * time.Second)
	for strings.Count(s.text(), text) < n {
		select {
		case <-s.changed:
		case <-timeout:
			s.t.Fatalf("%q was not shown %d times: %q", text, n, s.text())
		}
	}
}

func (s *screen) typeKeys(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// start runs a command on the screen; the result is its exit code and stdout.
func (s *screen) start(dir string, args ...string) <-chan result {
	done := make(chan result, 1)
	var out bytes.Buffer
	streams := &iox.IO{
		In: s.tty, Err: s.tty, Out: &out, InTerminal: true, ErrTerminal: true, NoColor: true, Dir: dir, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{"VATIO_HOME": filepath.Join(dir, ".home")}[name] },
	}
	go func() {
		code := Main(context.Background(), args, streams)
		done <- result{code, out.String()}
	}()
	return done
}

type result struct {
	code int
	out  string
}

// restored fails when the terminal is in another mode than before.
func (s *screen) restored() {
	s.t.Helper()
	now, err := term.GetState(int(s.tty.Fd()))
	if err != nil {
		s.t.Fatal(err)
	}
	if *now != *s.before {
		s.t.Error("the terminal is in another mode than before")
	}
}

func newWorkspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	streams, _, errs := iox.Test(dir, "", nil)
	if code := Main(context.Background(), []string{"init", "acme"}, streams); code != 0 {
		t.Fatal(errs.String())
	}
	return dir
}

func storeIn(dir string) *secrets.Store {
	return secrets.New(secrets.Options{Workspace: dir, ConfigDir: filepath.Join(dir, ".home")})
}

func valueIn(t *testing.T, store *secrets.Store, key string) string {
	t.Helper()
	snapshot, err := store.Read()
	if err != nil {
		t.Fatal(err)
	}
	value, _ := snapshot.Lookup(key, "")
	return value.Reveal()
}

func TestHiddenPrompt(t *testing.T) {
	long := strings.Repeat("plant", 4000) // more than a line of the terminal's own editing
	for name, test := range map[string]struct {
		typed, want string
		code        int
	}{
		"return":    {"planted-1\r", "planted-1", 0},
		"long":      {long + "\r", long, 0},
		"corrected": {"wrong\x15plantés\x7f\x7fed\r", "planted", 0},
		"ctrl-d":    {"planted\x04", "planted", 0},
		"nothing":   {"\r", "", 2},
		"ctrl-c":    {"planted\x03", "", 130},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newWorkspace(t)
			s := newScreen(t)
			done := s.start(dir, "secrets", "set", "KEY")
			s.wait("Value of KEY: ", 1)
			s.typeKeys(test.typed)
			got := <-done
			if got.code != test.code {
				t.Fatalf("exit code %d, want %d: %s", got.code, test.code, s.text())
			}
			if value := valueIn(t, storeIn(dir), "KEY"); value != test.want {
				t.Errorf("the value is %q, want %q", value, test.want)
			}
			if shown := s.text() + got.out; strings.Contains(shown, "plant") {
				t.Errorf("the value was shown: %s", shown)
			}
			s.restored()
		})
	}
}

func TestPassphraseIsAskedOnce(t *testing.T) {
	dir := newWorkspace(t)
	store := storeIn(dir)
	if err := store.Set("KEY", "", secrets.NewValue([]byte("planted"))); err != nil {
		t.Fatal(err)
	}
	protect(t, filepath.Join(dir, ".home", "identity.txt"), "correct horse")

	s := newScreen(t)
	done := s.start(dir, "secrets", "set", "KEY", "changed")
	s.wait("Passphrase of your identity: ", 1)
	s.typeKeys("correct horse\r")
	if got := <-done; got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, s.text())
	}
	if n := strings.Count(s.text(), "Passphrase"); n != 1 {
		t.Errorf("the passphrase was asked for %d times", n)
	}

	done = s.start(dir, "secrets", "list")
	s.wait("Passphrase of your identity: ", 2)
	s.typeKeys("wrong\r")
	if got := <-done; got.code != 1 {
		t.Errorf("exit code %d", got.code)
	}
	s.wait("does not open with this passphrase", 1)
	if strings.Contains(s.text(), "correct") || strings.Contains(s.text(), "wrong") {
		t.Errorf("the passphrase was shown: %s", s.text())
	}
	s.restored()
}

// protect encrypts an identity file for a passphrase.
func protect(t *testing.T, path, passphrase string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		t.Fatal(err)
	}
	recipient.SetWorkFactor(10)
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, recipient)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, sealed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTrustAsks(t *testing.T) {
	for name, test := range map[string]struct {
		typed   string
		code    int
		trusted bool
	}{
		"yes":    {"y\n", 0, true},
		"Yes":    {"Yes\n", 0, true},
		"no":     {"n\n", 1, false},
		"return": {"\n", 1, false},
		"ctrl-d": {"\x04", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newWorkspace(t)
			set := func(value string) {
				if err := storeIn(dir).Set("ACME_API", "live", secrets.NewValue([]byte(value))); err != nil {
					t.Fatal(err)
				}
			}
			set("https://acme.example")
			// Another store in its place, made where nothing was remembered.
			known := filepath.Join(dir, ".home", "known-stores.json")
			file := filepath.Join(dir, ".vatio", "secrets.age")
			seen, err := os.ReadFile(known)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{known, file} {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			set("https://planted.example")
			if err := os.WriteFile(known, seen, 0o600); err != nil {
				t.Fatal(err)
			}

			s := newScreen(t)
			done := s.start(dir, "secrets", "trust")
			s.wait("Trust this store? [y/N] ", 1)
			s.typeKeys(test.typed)
			got := <-done
			if got.code != test.code {
				t.Errorf("exit code %d, want %d: %s", got.code, test.code, s.text())
			}
			for _, shown := range []string{"ACME_API  live", "RECIPIENT", "age1"} {
				if !strings.Contains(got.out, shown) {
					t.Errorf("%q is not shown: %s", shown, got.out)
				}
			}
			if strings.Contains(s.text()+got.out, "planted") {
				t.Error("the value was shown")
			}
			if _, err := storeIn(dir).Read(); (err == nil) != test.trusted {
				t.Errorf("reading gives %v", err)
			}
		})
	}
}

// A conversation needs the store to check the files, for the calls and for
// completion, and again after an edit: one question is enough.
func TestChatAsksForThePassphraseOnce(t *testing.T) {
	dir := newWorkspace(t)
	store := storeIn(dir)
	if err := store.Set("API", "live", secrets.NewValue([]byte("http://127.0.0.1:1"))); err != nil {
		t.Fatal(err)
	}
	protect(t, filepath.Join(dir, ".home", "identity.txt"), "correct horse")
	writeTool(t, dir)

	s := newScreen(t)
	done := s.start(dir, "chat", "hello")
	s.wait("Passphrase of your identity: ", 1)
	s.typeKeys("correct horse\r")
	if got := <-done; got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, s.text())
	}
	if n := strings.Count(s.text(), "Passphrase"); n != 1 {
		t.Errorf("the passphrase was asked for %d times", n)
	}
	s.restored()
}

// writeTool gives a workspace a tool that uses the secret API.
func writeTool(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"vatio.yml":      "workspace: acme\nagent:\n  instructions: Help.\n  tools: [look]\n",
		"tools/look.yml": "description: Look.\nwhen_to_use: Always.\nrequest: {method: GET, base_url: $env.API, path: /}\nrespond: {message: Done.}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
