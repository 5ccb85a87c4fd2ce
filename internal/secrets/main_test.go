package secrets

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// The test binary is also the processes that the tests start and kill.
func TestMain(m *testing.M) {
	if role := os.Getenv("SECRETS_TEST_ROLE"); role != "" {
		os.Exit(child(role))
	}
	os.Exit(m.Run())
}

func child(role string) int {
	s := New(Options{Workspace: os.Getenv("SECRETS_TEST_WORKSPACE"), Getenv: os.Getenv})
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	switch role {
	case "set-one":
		key := os.Getenv("SECRETS_TEST_KEY")
		if err := s.Set(key, "", NewValue([]byte("value of "+key))); err != nil {
			return fail(err)
		}
	case "count": // sets A, B and C to ever higher numbers, until it is killed
		start, _ := strconv.Atoi(os.Getenv("SECRETS_TEST_START"))
		for n := start; ; n++ {
			v := NewValue([]byte(strconv.Itoa(n)))
			if err := s.SetAll([]Assignment{{Key: "A", Value: v}, {Key: "B", Environment: "live", Value: v}, {Key: "C", Value: v}}); err != nil {
				return fail(err)
			}
			fmt.Println(n)
		}
	case "rotate":
		for {
			done, err := s.Rotate()
			if err != nil {
				return fail(err)
			}
			fmt.Println(done.New.Recipient)
		}
	case "limited": // may not write a file of any size
		if err := forbidWriting(); err != nil {
			return fail(err)
		}
		return fail(s.Set("A", "", NewValue([]byte("new"))))
	}
	return 0
}

func testTime() time.Time { return time.Date(2026, 1, 2, 15, 4, 5, 6, time.FixedZone("", 3600)) }

// place is a workspace and a user.
type place struct {
	t               *testing.T
	workspace, home string
}

func newPlace(t *testing.T) place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{t: t, workspace: filepath.Join(root, "acme"), home: filepath.Join(root, "home")}
	if err := os.Mkdir(p.workspace, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// as returns the same workspace seen by another user.
func (p place) as(user string) place {
	p.home = filepath.Join(filepath.Dir(p.home), user)
	return p
}

func (p place) options(variables ...string) Options {
	return Options{Workspace: p.workspace, Now: testTime, Getenv: func(name string) string {
		if name == "VATIO_HOME" {
			return p.home
		}
		for i := 0; i < len(variables); i += 2 {
			if variables[i] == name {
				return variables[i+1]
			}
		}
		return ""
	}}
}

func (p place) store(variables ...string) *Store { return New(p.options(variables...)) }
func (p place) file() string                     { return filepath.Join(p.workspace, ".vatio", "secrets.age") }
func (p place) identity() string                 { return filepath.Join(p.home, "identity.txt") }

func (p place) set(key, environment, value string) {
	p.t.Helper()
	must(p.t, p.store().Set(key, environment, NewValue([]byte(value))))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(content), 0o600))
}

// content lists a store as "KEY@environment" to value.
func content(t *testing.T, s *Store) map[string]string {
	t.Helper()
	snapshot, err := s.Read()
	must(t, err)
	all := map[string]string{}
	for _, e := range snapshot.Entries() {
		v, ok := snapshot.Lookup(e.Key, e.Environment)
		if !ok {
			t.Fatalf("%s is listed and not found", e.Key)
		}
		name := e.Key
		if e.Environment != "" {
			name += "@" + e.Environment
		}
		all[name] = v.Reveal()
	}
	return all
}

func recipient(t *testing.T, s *Store) string {
	t.Helper()
	id, err := s.Identity()
	must(t, err)
	return id.Recipient
}

// changed is testTime as the store keeps it.
func changed() time.Time { return time.Date(2026, 1, 2, 14, 4, 5, 0, time.UTC) }
