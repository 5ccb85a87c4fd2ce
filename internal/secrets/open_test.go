package secrets

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/google/go-cmp/cmp"
)

// armorFor encrypts any text as a store.
func armorFor(t *testing.T, text string, to ...age.Recipient) string {
	t.Helper()
	var out bytes.Buffer
	a := armor.NewWriter(&out)
	must(t, encrypt(a, []byte(text), to...))
	must(t, a.Close())
	return out.String()
}

func parseRecipients(t *testing.T, lines ...string) []age.Recipient {
	t.Helper()
	r, err := age.ParseRecipients(strings.NewReader(strings.Join(lines, "\n")))
	must(t, err)
	return r
}

func TestOpensAfterGitChangedTheLineEnds(t *testing.T) {
	p := newPlace(t)
	long := strings.Repeat("line\n", 200)
	p.set("A", "", long)
	original := readFile(t, p.file())
	crlf := strings.ReplaceAll(original, "\n", "\r\n")
	for name, text := range map[string]string{
		"crlf": crlf, "byte order mark": "\uFEFF" + original, "both": "\uFEFF" + crlf, "twice": strings.ReplaceAll(crlf, "\n", "\r\n"),
		"blank lines around": "\r\n\r\n" + crlf + "\r\n\r\n", "no last line end": strings.TrimRight(original, "\n"),
	} {
		write(t, p.file(), text)
		if diff := cmp.Diff(map[string]string{"A": long}, content(t, p.store())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		p.set("B", "", name)
		if diff := cmp.Diff(map[string]string{"A": long, "B": name}, content(t, p.store())); diff != "" {
			t.Errorf("%s, written (-want +got):\n%s", name, diff)
		}
		if strings.Contains(readFile(t, p.file()), "\r") {
			t.Errorf("%s: line ends are written as CRLF", name)
		}
	}
}

func TestOpensABinaryFile(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	file, _ := unarmor([]byte(readFile(t, p.file())))
	var b bytes.Buffer
	_, err := b.ReadFrom(file)
	must(t, err)
	write(t, p.file(), b.String())
	p.set("B", "", "2")
	if diff := cmp.Diff(map[string]string{"A": "1", "B": "2"}, content(t, p.store())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A file that cannot be opened is named with its cause by every operation, and
// stays as it is.
func TestWhatCannotBeOpenedIsNeverOverwritten(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "s3cret-value")
	own := recipient(t, p.store())
	original := readFile(t, p.file())
	bob := p.as("bob")
	bobs := recipient(t, bob.store())
	lines := strings.SplitAfter(original, "\n")
	middle := len(lines) / 2
	flipped := []byte(original)
	at := len(strings.Join(lines[:middle], "")) + 3
	flipped[at] = map[bool]byte{true: 'B', false: 'A'}[flipped[at] == 'A']

	head := `{"format":"vatio-secrets","version":1,"store":"30313233343536373839616263646566","recipients":[{"key":"` + own + `"}],`
	entry := `{"key":"A","value":"s3cret-value","changed":"2026-01-02T14:04:05Z"}`
	to := parseRecipients(t, own)
	scrypt, err := age.NewScryptRecipient("s3cret-value")
	must(t, err)
	scrypt.SetWorkFactor(2)

	const restored = "take it back from git (`git checkout -- .vatio/secrets.age`) or a copy, or delete it and set the secrets again"
	const conflict = ".vatio/secrets.age holds the marks of a merge conflict: keep one side (`git checkout --ours .vatio/secrets.age`, or --theirs), " +
		"set what the other side had changed again, and `git add` it"
	damage := func(detail string) string { return ".vatio/secrets.age " + detail + ": " + restored }
	const changedOrCut = "cannot be decrypted, it was changed or cut off"

	for name, test := range map[string]struct {
		text  string
		cause Cause
		want  string
	}{
		"for somebody else": {armorFor(t, head+`"entries":[]}`, parseRecipients(t, bobs)...), WrongIdentity,
			".vatio/secrets.age was encrypted for another identity than yours (" + p.identity() +
				"): ask someone who can open it to run `vatio secrets recipients add " + own + "` and to share the file again"},
		"for two others": {armorFor(t, "", parseRecipients(t, bobs, bobs)...), WrongIdentity,
			".vatio/secrets.age was encrypted for other identities than yours (" + p.identity() +
				"): ask someone who can open it to run `vatio secrets recipients add " + own + "` and to share the file again"},
		"with a passphrase": {armorFor(t, "", scrypt), WrongIdentity,
			".vatio/secrets.age was encrypted with a passphrase: encrypt it for a key instead (`age -a -r " + own + "`)"},
		"empty":            {"", Damaged, damage("is empty")},
		"blank":            {"\r\n", Damaged, damage("is empty")},
		"something else":   {"A=s3cret-value\n", Damaged, damage("is not an age file")},
		"cut off":          {original[:len(original)/2], Damaged, damage("was cut off")},
		"without a line":   {strings.Join(append(append([]string{}, lines[:middle]...), lines[middle+1:]...), ""), Damaged, damage(changedOrCut)},
		"one byte changed": {string(flipped), Damaged, damage(changedOrCut)},
		"conflict":         {"<<<<<<< HEAD\n" + original + "=======\n" + original + ">>>>>>> theirs\n", MergeConflict, conflict},
		"conflict inside": {strings.Join(lines[:2], "") + "<<<<<<< HEAD\r\n" + lines[2] + "=======\r\n>>>>>>> theirs\r\n" + strings.Join(lines[3:], ""),
			MergeConflict, conflict},
		"future": {armorFor(t, `{"format":"vatio-secrets","version":2,"vaults":[]}`, to...), FutureVersion,
			".vatio/secrets.age has the format version 2, and this vatio knows 1: install a newer vatio"},
		"no store":        {armorFor(t, "s3cret-value", to...), Damaged, damage("was decrypted, but holds no store of secrets")},
		"another format":  {armorFor(t, `{"format":"x","version":1}`, to...), Damaged, damage("was decrypted, but holds no store of secrets")},
		"unknown member":  {armorFor(t, head+`"entries":[],"s3cret-value":1}`, to...), Damaged, damage("was decrypted, but its content is not of format version 1")},
		"something after": {armorFor(t, head+`"entries":[]} 1`, to...), Damaged, damage("was decrypted, but holds no store of secrets")},
		"no id":           {armorFor(t, `{"format":"vatio-secrets","version":1,"store":"s3cret-value"}`, to...), Damaged, damage("was decrypted, but its store id is not 32 hexadecimal digits")},
		"bad recipient": {armorFor(t, `{"format":"vatio-secrets","version":1,"store":"30313233343536373839616263646566","recipients":[{"key":"s3cret-value"}]}`, to...),
			Damaged, damage("was decrypted, but its recipient 1 is not one")},
		"bad key":   {armorFor(t, head+`"entries":[{"key":"s3cret-value","value":"1","changed":"2026-01-02T14:04:05Z"}]}`, to...), Damaged, damage("was decrypted, but its entry 1 has no valid key and environment")},
		"no value":  {armorFor(t, head+`"entries":[`+entry+`,{"key":"B","changed":"2026-01-02T14:04:05Z"}]}`, to...), Damaged, damage("was decrypted, but its entry 2 needs either value or value_base64")},
		"two":       {armorFor(t, head+`"entries":[{"key":"B","value":"s3cret-value","value_base64":"eA==","changed":"2026-01-02T14:04:05Z"}]}`, to...), Damaged, damage("was decrypted, but its entry 1 needs either value or value_base64")},
		"no base64": {armorFor(t, head+`"entries":[{"key":"B","value_base64":"s3cret-value","changed":"2026-01-02T14:04:05Z"}]}`, to...), Damaged, damage("was decrypted, but its entry 1 has a value_base64 that is not base64")},
		"empty value": {armorFor(t, head+`"entries":[{"key":"B","value":"","changed":"2026-01-02T14:04:05Z"}]}`, to...), Damaged,
			damage("was decrypted, but its entry 1 has an empty value or one over 64 KiB")},
		"no time":    {armorFor(t, head+`"entries":[{"key":"B","value":"1","changed":"s3cret-value"}]}`, to...), Damaged, damage("was decrypted, but its entry 1 has no valid time")},
		"twice":      {armorFor(t, head+`"entries":[`+entry+`,`+entry+`]}`, to...), Damaged, damage(`was decrypted, but "A" stands twice in it`)},
		"wrong type": {armorFor(t, head+`"entries":["s3cret-value"]}`, to...), Damaged, damage("was decrypted, but its content is not of format version 1")},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, p.file(), test.text)
			s := p.store()
			for operation, do := range map[string]func() error{
				"read":    func() error { _, err := s.Read(); return err },
				"set":     func() error { return s.Set("B", "", NewValue([]byte("2"))) },
				"remove":  func() error { _, err := s.Remove("A", ""); return err },
				"add":     func() error { _, err := s.AddRecipients(bobs); return err },
				"rm":      func() error { _, err := s.RemoveRecipient(bobs); return err },
				"rotate":  func() error { _, err := s.Rotate(); return err },
				"trust":   func() error { _, _, err := s.Trust(""); return err },
				"inspect": func() error { _, err := s.Inspect([]byte(test.text)); return err },
			} {
				err := do()
				var e *OpenError
				if !errors.As(err, &e) || e.Cause != test.cause || e.File != ".vatio/secrets.age" {
					t.Fatalf("%s: got %#v", operation, err)
				}
				if diff := cmp.Diff(test.want, err.Error()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", operation, diff)
				}
				if strings.Contains(err.Error(), "s3cret-value") {
					t.Errorf("%s repeats what stands in the file: %v", operation, err)
				}
			}
			if readFile(t, p.file()) != test.text {
				t.Error("the file was overwritten")
			}
		})
	}
	if got := recipient(t, p.store()); got != own {
		t.Errorf("the identity was rotated to %s", got)
	}
}

func TestAFileThatDoesNotNameItsReader(t *testing.T) {
	p := newPlace(t)
	own := recipient(t, p.store())
	bobs := recipient(t, p.as("bob").store())
	text := armorFor(t, `{"format":"vatio-secrets","version":1,"store":"30313233343536373839616263646566","recipients":[{"key":"`+bobs+`"}],"entries":[]}`,
		parseRecipients(t, own)...)
	write(t, p.file(), text)
	err := p.store().Set("A", "", NewValue([]byte("1")))
	want := ".vatio/secrets.age does not name your key among its recipients: run `vatio secrets recipients add " + own + "` first"
	if message(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if readFile(t, p.file()) != text {
		t.Error("the file was overwritten")
	}
	_, err = p.store().AddRecipients(own)
	must(t, err)
	p.set("A", "", "1")
	if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, p.store())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStandingInTheWay(t *testing.T) {
	check := func(t *testing.T, got error, want string) {
		t.Helper()
		if diff := cmp.Diff(want, message(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	value := NewValue([]byte("s3cret-value"))
	t.Run("a directory", func(t *testing.T) {
		p := newPlace(t)
		must(t, os.MkdirAll(p.file(), 0o700))
		_, err := p.store().Read()
		check(t, err, ".vatio/secrets.age is not a file: move away what stands there")
		check(t, p.store().Set("A", "", value), ".vatio/secrets.age is not a file: move away what stands there")
	})
	t.Run("a file instead of .vatio", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("Windows words it otherwise")
		}
		p := newPlace(t)
		write(t, filepath.Dir(p.file()), "")
		check(t, p.store().Set("A", "", value), "cannot lock .vatio/secrets.lock: not a directory")
		_, err := p.store().Read()
		check(t, err, ".vatio/secrets.age cannot be read: not a directory")
	})
	t.Run("no workspace", func(t *testing.T) {
		p := newPlace(t)
		must(t, os.Remove(p.workspace))
		check(t, p.store().Set("A", "", value), "cannot make "+filepath.Dir(p.file())+": no such file or directory")
	})
	t.Run("a link", func(t *testing.T) {
		p := newPlace(t)
		p.set("A", "", "1")
		moved := filepath.Join(p.workspace, "moved.age")
		must(t, os.Rename(p.file(), moved))
		if err := os.Symlink(moved, p.file()); err != nil {
			t.Skip(err)
		}
		before := readFile(t, moved)
		if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, p.store())); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		check(t, p.store().Set("A", "", value), ".vatio/secrets.age is a link, which a write would replace: put the file itself there")
		if readFile(t, moved) != before {
			t.Error("the file behind the link was written")
		}
	})
}

func FuzzDecodePayload(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodePayload(data)
		if err != nil {
			var e *OpenError
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		text := p.encode()
		again, err := decodePayload(text)
		must(t, err)
		if diff := cmp.Diff(string(text), string(again.encode())); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
	})
}
