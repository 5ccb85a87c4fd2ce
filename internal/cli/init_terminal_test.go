//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ctrl-D at any question leaves without a file.
func TestInitIsLeft(t *testing.T) {
	for _, test := range []struct {
		name     string
		question string // at which it is left
		answers  [][2]string
	}{
		{"the name", "Its name [", nil},
		{"the address", "Address: ", [][2]string{{"Its name [", "acme\r"}, {"Language", "\r"}}},
		{"the description", "What it does [", [][2]string{
			{"Its name [", "acme\r"}, {"Language", "\r"}, {"Address: ", "http://127.0.0.1:1/orders/7\r"}, {"Name of the tool [get_order]: ", "\r"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			s := newScreen(t)
			done := s.start(dir, "init")
			for _, a := range test.answers {
				s.wait(a[0], 1)
				s.typeKeys(a[1])
			}
			s.wait(test.question, 1)
			s.typeKeys("\x04")
			if got := <-done; got.code != 130 {
				t.Fatalf("exit code %d: %s", got.code, s.text())
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) > 0 {
				t.Errorf("%v, %v is left", err, left)
			}
			s.restored()
		})
	}
}

// The token is never shown; what could not be learnt keeps nothing from being
// written.
func TestInitHidesTheToken(t *testing.T) {
	dir := t.TempDir()
	s := newScreen(t)
	done := s.start(dir, "init")
	for _, a := range [][2]string{
		{"Its name [", "acme\r"}, {"Language", "\r"}, {"Address: ", "http://127.0.0.1:1/orders/7\r"}, {"Name of the tool [", "\r"},
		{"What it does [", "\r"}, {"When the agent should use it [", "\r"}, {"Bearer token", "planted-token\r"}, {"Ask the address once", "y\r"},
	} {
		s.wait(a[0], 1)
		s.typeKeys(a[1])
	}
	if got := <-done; got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, s.text())
	}
	for text, shown := range map[string]bool{"planted": false, "there was no answer: ": true, "wrote tools/get_order.yml": true} {
		if strings.Contains(s.text(), text) != shown {
			t.Errorf("%q, shown: %v\n%s", text, !shown, s.text())
		}
	}
	file, err := os.ReadFile(filepath.Join(dir, "tools", "get_order.yml"))
	if err != nil || strings.Contains(string(file), "planted") {
		t.Errorf("%v: %s", err, file)
	}
	if got := valueIn(t, storeIn(dir), "API_TOKEN"); got != "planted-token" {
		t.Errorf("the token is stored as %q", got)
	}
	s.restored()
}
