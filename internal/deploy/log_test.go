package deploy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidEnvironment(t *testing.T) {
	for name, want := range map[string]bool{
		"live": true, "preview": true, "a": true, "0": true, "pr-12": true, "a_b-c": true, strings.Repeat("a", 40): true,
		"": false, "Live": false, "a--b": false, "a-_b": false, "-a": false, "a-": false, "_": false, "a.b": false,
		"señal": false, "a b": false, "a\n": false, strings.Repeat("a", 41): false,
	} {
		if got := ValidEnvironment(name); got != want {
			t.Errorf("ValidEnvironment(%q) = %v", name, got)
		}
	}
}

func TestParseRecord(t *testing.T) {
	push := record{environment: "live", place: place{1764560000000, "1f2e3d4c"}, action: "push", short: "0123456789ab"}
	undo := record{environment: strings.Repeat("e", 40), place: place{999999999999999, "00000001"}, action: "undo", short: "ffffffffffff", undoes: place{0, "00000000"}}
	for tag, want := range map[string]*record{
		"live.1764560000000-push-0123456789ab-1f2e3d4c":                                    &push,
		strings.Repeat("e", 40) + ".999999999999999-undo-ffffffffffff-00000001-0-00000000": &undo,
		"live":                           nil,
		"":                               nil,
		".":                              nil,
		"v1.2-foo-0123456789ab-1f2e3d4c": nil,
		"Live.1764560000000-push-0123456789ab-1f2e3d4c":                        nil,
		"live.01764560000000-push-0123456789ab-1f2e3d4c":                       nil,
		"live.+1764560000000-push-0123456789ab-1f2e3d4c":                       nil,
		"live.-1-push-0123456789ab-1f2e3d4c":                                   nil,
		"live.9999999999999999-push-0123456789ab-1f2e3d4c":                     nil,
		"live.99999999999999999999999-push-0123456789ab-1f2e3d4c":              nil,
		"live.1764560000000-pull-0123456789ab-1f2e3d4c":                        nil,
		"live.1764560000000-push-0123456789AB-1f2e3d4c":                        nil,
		"live.1764560000000-push-0123456789a-1f2e3d4c":                         nil,
		"live.1764560000000-push-0123456789ab-1f2e3d4":                         nil,
		"live.1764560000000-push-0123456789ab-1f2e3d4c-1764560000000-1f2e3d4c": nil,
		"live.1764560000000-undo-0123456789ab-1f2e3d4c":                        nil,
		"live.1764560000000-undo-0123456789ab-1f2e3d4c-x-1f2e3d4c":             nil,
	} {
		got, ok := parseRecord(tag)
		switch {
		case ok != (want != nil):
			t.Errorf("parseRecord(%q): ok = %v", tag, ok)
		case ok && got != *want:
			t.Errorf("parseRecord(%q) = %+v", tag, got)
		}
	}
	if n := len(undo.tag()); n > 128 {
		t.Errorf("the longest tag has %d characters", n)
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add("live.1764560000000-push-0123456789ab-1f2e3d4c")
	f.Add("a_b-c.0-undo-0123456789ab-00000000-1-ffffffff")
	f.Fuzz(func(t *testing.T, tag string) {
		r, ok := parseRecord(tag)
		if ok && r.tag() != tag {
			t.Errorf("%q is read as %q", tag, r.tag())
		}
		if ok && ValidEnvironment(tag) {
			t.Errorf("%q is an entry and an environment", tag)
		}
	})
}

// tags writes a log in short: "1 push a", "3 undo a 2" (which entry).
func shortLog(lines ...string) []string {
	var tags []string
	for _, line := range lines {
		f := strings.Fields(line)
		tag := "live." + f[0] + "-" + f[1] + "-" + strings.Repeat(f[2], 12) + "-" + "0000000" + f[0][:1]
		if len(f) > 3 {
			tag += "-" + f[3] + "-0000000" + f[3][:1]
		}
		tags = append(tags, tag)
	}
	return tags
}

func TestFold(t *testing.T) {
	tests := []struct {
		name   string
		log    []string
		steps  string // a letter each, oldest first
		undone string // entries
	}{
		{"nothing", nil, "", ""},
		{"one", []string{"1 push a"}, "a", ""},
		{"in order of time, not of the list", []string{"3 point c", "1 push a", "2 push b"}, "abc", ""},
		{"a tag listed twice", []string{"1 push a", "2 push b", "2 push b"}, "ab", ""},
		{"back once", []string{"1 push a", "2 push b", "3 undo a 2"}, "a", "2"},
		{"back twice", []string{"1 push a", "2 push b", "3 push c", "4 undo b 3", "5 undo a 2"}, "a", "23"},
		{"back and on", []string{"1 push a", "2 push b", "3 undo a 2", "4 push c"}, "ac", "2"},
		{"back and the same again", []string{"1 push a", "2 push b", "3 undo a 2", "4 push b"}, "ab", "2"},
		{"two rollbacks of the same state are one step", []string{"1 push a", "2 push b", "3 push c", "4 undo b 3", "5 undo b 3"}, "ab", "3"},
		{"a publish that the rollback has not seen stays", []string{"1 push a", "2 push b", "3 push c", "4 undo a 2"}, "ac", "2"},
		{"two publishes of one deployment are one step", []string{"1 push a", "2 point b", "3 point b"}, "ab", ""},
		{"and are taken back as one", []string{"1 push a", "2 point b", "3 point b", "4 undo a 3"}, "a", "23"},
		{"what an undo brings together is one step", []string{"1 push a", "2 push b", "3 point a", "4 push c", "5 undo a 2", "6 undo a 4"}, "a", "24"},
		{"the last step is never taken away", []string{"1 push a", "2 undo a 1"}, "a", ""},
		{"an undo of what was pruned", []string{"2 push b", "3 push c", "4 undo b 1"}, "bc", ""},
		{"only an undo is left", []string{"4 undo b 1"}, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := readLogs(shortLog(test.log...)).entries["live"]
			steps, undone := fold(list)
			var gotSteps, gotUndone string
			for _, s := range steps {
				gotSteps += s.short()[:1]
			}
			for _, r := range list {
				if undone[r.place] {
					gotUndone += r.nonce[7:]
				}
			}
			if diff := cmp.Diff([]string{test.steps, test.undone}, []string{gotSteps, gotUndone}); diff != "" {
				t.Error(diff)
			}
		})
	}
}
