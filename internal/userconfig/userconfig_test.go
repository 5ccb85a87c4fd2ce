package userconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSet(t *testing.T) {
	tests := []struct {
		name, before, key, value, after, wrong string
	}{
		{"nothing", "", "lang", "es", "lang: es\n", ""},
		{"a group", "", "model.name", "gpt-5-mini", "model:\n  name: gpt-5-mini\n", ""},
		{"comments alone", "# mine\n# all of it\n", "lang", "es", "# mine\n# all of it\n\nlang: es\n", ""},
		{"comments and other keys", "# mine\nother: [1, 2] # kept\nmodel:\n  # which\n  name: a # small\n  extra: {a: 1}\n# end\n", "model.name", "b",
			"# mine\nother: [1, 2] # kept\nmodel:\n  # which\n  name: b # small\n  extra: {a: 1}\n# end\n", ""},
		{"into a group", "model:\n    provider: openai\nlang: es\n", "model.name", "b", "model:\n  provider: openai\n  name: b\nlang: es\n", ""},
		{"into a flow mapping", "model: {provider: openai}\n", "model.name", "b", "model: {provider: openai, name: b}\n", ""},
		{"a key with a dot", "model.name: a\n", "model.name", "b", "model.name: b\n", ""},
		{"another case", "Model:\n  Name: a\n", "model.name", "b", "Model:\n  Name: b\n", ""},
		{"an empty group", "model:\nlang: es\n", "model.name", "b", "model:\n  name: b\nlang: es\n", ""},
		{"what looks like a number", "", "model.name", "0123", "model:\n  name: '0123'\n", ""},
		{"what looks like a truth", "", "model.name", "true", "model:\n  name: 'true'\n", ""},
		{"punctuation", "", "model.name", "a: #b", "model:\n  name: 'a: #b'\n", ""},
		{"beyond ASCII", "", "model.name", "señal", "model:\n  name: señal\n", ""},
		{"a long one", "", "model.name", strings.Repeat("word ", 60) + "end", "model:\n  name: " + strings.Repeat("word ", 60) + "end\n", ""},
		{"a group that is none", "lang: es\nmodel: gpt\n", "model.name", "b", "lang: es\nmodel: gpt\n", `has "model" in line 2, which is no mapping`},
		{"a value that is a mapping", "lang:\n  a: b\n", "lang", "es", "lang:\n  a: b\n", `has "lang" in line 1, which is no text`},
	}
	for _, test := range tests {
		d, err := Parse([]byte(test.before))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		wrong := ""
		if err := d.Set(test.key, test.value); err != nil {
			wrong = err.Error()
		}
		after, err := d.Bytes()
		if diff := cmp.Diff(test.after, string(after)); err != nil || diff != "" || wrong != test.wrong {
			t.Errorf("%s: %v, %q, want %q (-want +got):\n%s", test.name, err, wrong, test.wrong, diff)
		}
	}
}

func TestUnset(t *testing.T) {
	tests := []struct {
		name, before, key, after string
		was                      bool
	}{
		{"nothing", "", "lang", "", false},
		{"the last one", "lang: es\n", "lang", "", true},
		{"the last one, below a comment", "# mine\n\nlang: es\n", "lang", "# mine\n", true},
		{"the last one of a group", "model:\n  name: a\nlang: es\n", "model.name", "lang: es\n", true},
		{"one of a group", "model:\n  # which\n  name: a\n  provider: openai # who\n", "model.name", "model:\n  provider: openai # who\n", true},
		{"both places", "model.name: a\nmodel:\n  name: b\n  provider: openai\n", "model.name", "model:\n  provider: openai\n", true},
		{"another", "model:\n  name: a\n", "model.provider", "model:\n  name: a\n", false},
		{"a group that is none", "model: a\n", "model.name", "model: a\n", false},
		{"an empty group stays", "model: {}\n", "model.name", "model: {}\n", false},
	}
	for _, test := range tests {
		d, err := Parse([]byte(test.before))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		was := d.Unset(test.key)
		after, err := d.Bytes()
		if diff := cmp.Diff(test.after, string(after)); err != nil || diff != "" || was != test.was {
			t.Errorf("%s: %v, %v (-want +got):\n%s", test.name, was, err, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a: [", "is not YAML"},
		{"a: 1\na: 2\n", ""},
		{"- a\n", "is not a mapping of settings"},
		{"text", "is not a mapping of settings"},
		{"a: 1\n---\nb: 2\n", "holds more than one YAML document"},
		{strings.Repeat("#", maxSize+1), "is larger than 1048576 bytes"},
		{"", ""},
		{"---\n", ""},
		{"~\n", ""},
	}
	for _, test := range tests {
		got := ""
		if _, err := Parse([]byte(test.text)); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%.20q: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestKeys(t *testing.T) {
	d, err := Parse([]byte("# mine\nlang: es\nModel:\n  Name: a\n  base: {deep: 1}\nmodel.provider: openai\nempty: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Key{{"lang", 2}, {"model.name", 4}, {"model.base", 5}, {"model.provider", 6}, {"empty", 7}}
	if diff := cmp.Diff(want, d.Keys()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "dotfiles", "vatio.yml")
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, []byte("# mine\nlang: en\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "config.yml")
	if err := os.Symlink(kept, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := Update(link, func(d *Document) error { return d.Set("lang", "es") }); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(kept)
	if diff := cmp.Diff("# mine\nlang: es\n", string(data)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	info, err := os.Lstat(kept)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if target, err := os.Readlink(link); err != nil || target != kept {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	refused := fmt.Errorf("no")
	if err := Update(link, func(*Document) error { return refused }); err != refused {
		t.Errorf("the error of the change became %v", err)
	}
	if err := os.WriteFile(kept, []byte("lang: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Update(link, func(d *Document) error { return d.Set("lang", "es") }); err == nil || err.Error() != "is not YAML" {
		t.Errorf("a file that is no YAML: %v", err)
	}
	if data, _ := os.ReadFile(kept); string(data) != "lang: [" {
		t.Errorf("it was overwritten: %q", data)
	}
}

// TestUpdateMany writes from many sides at once: nothing may be lost.
func TestUpdateMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "config.yml")
	var running sync.WaitGroup
	for i := range 16 {
		running.Go(func() {
			if err := Update(path, func(d *Document) error { return d.Set(fmt.Sprintf("group.key%d", i), "x") }); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	d, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.Keys()); n != 16 {
		t.Errorf("%d of 16 settings are there", n)
	}
}

func FuzzSet(f *testing.F) {
	f.Add("# mine\nmodel:\n  name: a # b\n", "value")
	f.Add("model: {provider: openai}\nlang: es", "a: #b")
	f.Add("model:\nx: &a [1]\ny: *a\n", "- |\n")
	f.Fuzz(func(t *testing.T, before, value string) {
		d, err := Parse([]byte(before))
		if err != nil || d.Set("model.name", value) != nil {
			return
		}
		after, err := d.Bytes()
		if err != nil {
			t.Skip() // the text is none that YAML can hold
		}
		again, err := Parse(after)
		if err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, after)
		}
		if !again.Unset("model.name") {
			t.Fatalf("what was set is not there:\n%s", after)
		}
	})
}
