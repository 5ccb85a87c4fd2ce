package secrets

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
)

func TestStore(t *testing.T) {
	p := newPlace(t)
	s := p.store()
	must(t, s.Set("ACME_TOKEN", "", NewValue([]byte("everywhere"))))
	must(t, s.SetAll([]Assignment{
		{Key: "RAW", Value: NewValue([]byte("\xff\x00\r\n"))},
		{Key: "ACME_TOKEN", Environment: "live", Value: NewValue([]byte("only live"))},
		{Key: "ONLY", Environment: "local", Value: NewValue([]byte("first"))},
		{Key: "ONLY", Environment: "local", Value: NewValue([]byte("last"))},
	}))
	snapshot, err := p.store().Read()
	must(t, err)
	want := []Entry{
		{Key: "ACME_TOKEN", Changed: changed(), Size: 10},
		{Key: "ACME_TOKEN", Environment: "live", Changed: changed(), Size: 9},
		{Key: "ONLY", Environment: "local", Changed: changed(), Size: 4},
		{Key: "RAW", Changed: changed(), Size: 4},
	}
	if diff := cmp.Diff(want, snapshot.Entries()); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	for _, test := range []struct{ key, environment, want string }{
		{"ACME_TOKEN", "", "everywhere"},
		{"ACME_TOKEN", "local", "everywhere"},
		{"ACME_TOKEN", "live", "only live"},
		{"ONLY", "local", "last"},
		{"ONLY", "live", "(none)"},
		{"ONLY", "", "(none)"},
		{"RAW", "live", "\xff\x00\r\n"},
		{"NONE", "", "(none)"},
	} {
		got := "(none)"
		if v, ok := snapshot.Lookup(test.key, test.environment); ok {
			got = v.Reveal()
		}
		if got != test.want {
			t.Errorf("Lookup(%q, %q) = %q, want %q", test.key, test.environment, got, test.want)
		}
	}
	wantRecipients := []Recipient{{Key: recipient(t, s), Own: true}}
	if diff := cmp.Diff(wantRecipients, snapshot.Recipients()); diff != "" {
		t.Errorf("recipients (-want +got):\n%s", diff)
	}

	left, err := s.Remove("ACME_TOKEN", "")
	must(t, err)
	if diff := cmp.Diff(want[1:2], left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	wantContent := map[string]string{"ACME_TOKEN@live": "only live", "ONLY@local": "last", "RAW": "\xff\x00\r\n"}
	if diff := cmp.Diff(wantContent, content(t, s)); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestValuesSurvive(t *testing.T) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	values := []string{
		"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n", "a\r\nb\r", `"'$A ${B} \ <>&`, "\u2028\u2029\uFFFD\uFEFF\U0001F511",
		" ", "\x00", string(every), strings.Repeat("x", MaxValue), strings.Repeat("\xff", MaxValue), "[redacted]", "null",
	}
	p := newPlace(t)
	var all []Assignment
	want := map[string]string{}
	for i, v := range values {
		key := fmt.Sprintf("K%d", i)
		all, want[key] = append(all, Assignment{Key: key, Value: NewValue([]byte(v))}), v
	}
	must(t, p.store().SetAll(all))
	if diff := cmp.Diff(want, content(t, p.store())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	p := newPlace(t)
	p.set("A", "", "1")
	want := map[string]string{
		p.home: "drwx------", p.identity(): "-rw-------", filepath.Join(p.home, "known-stores.json"): "-rw-------",
		filepath.Dir(p.file()): "drwx------", p.file(): "-rw-------", filepath.Join(p.workspace, ".vatio", "secrets.lock"): "-rw-------",
		filepath.Join(p.home, "identity.txt.lock"): "-rw-------", filepath.Join(p.home, "known-stores.json.lock"): "-rw-------",
	}
	got := map[string]string{}
	for _, dir := range []string{p.home, filepath.Dir(p.file())} {
		must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err == nil {
				got[path] = info.Mode().String()
			}
			return err
		}))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingIsTouchedWithoutNeed(t *testing.T) {
	p := newPlace(t)
	s := p.store()
	if s.Exists() {
		t.Error("Exists() before anything was set")
	}
	snapshot, err := s.Read()
	must(t, err)
	if len(snapshot.Entries()) > 0 || len(snapshot.Recipients()) > 0 {
		t.Error("a store that does not exist is not empty")
	}
	if _, ok := snapshot.Lookup("A", "live"); ok {
		t.Error("a store that does not exist has a value")
	}
	for name, err := range map[string]error{
		"set nothing":   s.SetAll(nil),
		"bad key":       s.Set("a", "", NewValue([]byte("1"))),
		"bad env":       s.Set("A", "A", NewValue([]byte("1"))),
		"empty":         s.Set("A", "", NewValue(nil)),
		"too long":      s.Set("A", "", NewValue(make([]byte, MaxValue+1))),
		"bad recipient": func() error { _, err := s.AddRecipients("age1x"); return err }(),
		"remove":        func() error { _, err := s.Remove("A", ""); return err }(),
		"rm recipient":  func() error { _, err := s.RemoveRecipient("alice"); return err }(),
	} {
		if (err == nil) != (name == "set nothing") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{p.home, filepath.Dir(p.file())} {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was made", path)
		}
	}
	p.set("A", "", "1")
	if !s.Exists() {
		t.Error("!Exists() after a value was set")
	}
}

func TestSettingTheSameKeepsTheFile(t *testing.T) {
	p := newPlace(t)
	p.set("A", "live", "1")
	before := readFile(t, p.file())
	p.set("A", "live", "1")
	if readFile(t, p.file()) != before {
		t.Error("the file was written again")
	}
	later := p.options()
	later.Now = func() time.Time { return testTime().Add(time.Hour) }
	must(t, New(later).Set("A", "live", NewValue([]byte("2"))))
	snapshot, err := p.store().Read()
	must(t, err)
	if diff := cmp.Diff([]Entry{{Key: "A", Environment: "live", Changed: changed().Add(time.Hour), Size: 1}}, snapshot.Entries()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRemoveWhatIsNotThere(t *testing.T) {
	p := newPlace(t)
	remove := func(key, environment string) *NotFoundError {
		t.Helper()
		_, err := p.store().Remove(key, environment)
		var e *NotFoundError
		if !errors.As(err, &e) {
			t.Fatalf("got %v", err)
		}
		return e
	}
	check := func(got *NotFoundError, want NotFoundError, message string) {
		t.Helper()
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got.Error() != message {
			t.Errorf("got  %s\nwant %s", got, message)
		}
	}
	check(remove("A", ""), NotFoundError{Key: "A", NothingAtAll: true}, `"A" has no value: no secret is set in this workspace`)
	p.set("ACME_TOKEN", "live", "1")
	p.set("ACME_TOKEN", "", "2")
	p.set("OTHER", "live", "3")
	before := readFile(t, p.file())
	check(remove("ACME_TOKNE", "live"), NotFoundError{Key: "ACME_TOKNE", Environment: "live", Suggestion: "ACME_TOKEN"},
		`"ACME_TOKNE" has no value for the environment "live"; did you mean "ACME_TOKEN"?`)
	check(remove("ACME_TOKEN", "local"), NotFoundError{Key: "ACME_TOKEN", Environment: "local", Elsewhere: []string{"", "live"}},
		`"ACME_TOKEN" has no value for the environment "local": it has one without --env, with --env live`)
	check(remove("OTHER", ""), NotFoundError{Key: "OTHER", Elsewhere: []string{"live"}}, `"OTHER" has no value: it has one with --env live`)
	check(remove("X", ""), NotFoundError{Key: "X"}, "\"X\" has no value: `vatio secrets list` names those that have")
	if readFile(t, p.file()) != before {
		t.Error("the file was written")
	}
}

// What age decrypts is the documented format.
func TestPayload(t *testing.T) {
	p := newPlace(t)
	o := p.options()
	o.Random = strings.NewReader("0123456789abcdef")
	s := New(o)
	const other = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
	must(t, s.SetAll([]Assignment{
		{Key: "B", Value: NewValue([]byte("<b> & \"c\"\n"))},
		{Key: "A", Environment: "live", Value: NewValue([]byte("\xff"))},
	}))
	_, err := s.AddRecipients(other + " alice@laptop")
	must(t, err)
	ids, err := age.ParseIdentities(strings.NewReader(readFile(t, p.identity())))
	must(t, err)
	file, kind := unarmor([]byte(readFile(t, p.file())))
	if kind != armored {
		t.Fatal("the file is not armored")
	}
	r, err := age.Decrypt(file, ids...)
	must(t, err)
	var got bytes.Buffer
	_, err = got.ReadFrom(r)
	must(t, err)
	want := `{
  "format": "vatio-secrets",
  "version": 1,
  "store": "30313233343536373839616263646566",
  "recipients": [
    {
      "key": "` + recipient(t, s) + `"
    },
    {
      "key": "` + other + `",
      "comment": "alice@laptop"
    }
  ],
  "entries": [
    {
      "key": "A",
      "environment": "live",
      "value_base64": "/w==",
      "changed": "2026-01-02T14:04:05Z"
    },
    {
      "key": "B",
      "value": "<b> & \"c\"\n",
      "changed": "2026-01-02T14:04:05Z"
    }
  ]
}
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	known := fmt.Sprintf("{\n  \"version\": 1,\n  \"stores\": {\n    %q: [\n      \"30313233343536373839616263646566\"\n    ]\n  }\n}\n", p.workspace)
	if diff := cmp.Diff(known, readFile(t, filepath.Join(p.home, "known-stores.json"))); diff != "" {
		t.Errorf("known stores (-want +got):\n%s", diff)
	}
	identity := "# created: 2026-01-02T14:04:05Z\n# public key: " + recipient(t, s) + "\nAGE-SECRET-KEY-1"
	if got := readFile(t, p.identity()); !strings.HasPrefix(got, identity) || strings.Count(got, "\n") != 3 {
		t.Errorf("the identity file begins %q", got[:min(len(got), len(identity))])
	}
}

func BenchmarkRead500(b *testing.B) {
	dir := b.TempDir()
	s := New(Options{Workspace: dir, ConfigDir: filepath.Join(dir, "home")})
	var all []Assignment
	for i := range 500 {
		all = append(all, Assignment{Key: fmt.Sprintf("KEY_%d", i), Value: NewValue(bytes.Repeat([]byte{'v'}, 40))})
	}
	if err := s.SetAll(all); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Read(); err != nil {
			b.Fatal(err)
		}
	}
}
