package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	h, err := openHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := openHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"one", "one", "", "two\nlines ñ\u2028"} {
		if err := h.add(entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.add("from another session"); err != nil {
		t.Fatal(err)
	}
	if err := h.add(strings.Repeat("x", historyEntry+1)); err != nil {
		t.Fatal(err)
	}
	if h.Len() != 3 {
		t.Errorf("%d entries, want 3", h.Len())
	}
	if last, err := h.GetLine(2); err != nil || len(last) != historyEntry+1 {
		t.Errorf("the last entry has %d bytes, %v", len(last), err)
	}
	for _, i := range []int{-1, 3} {
		if _, err := h.GetLine(i); err == nil {
			t.Errorf("entry %d: no error", i)
		}
	}
	again, err := openHistory(path)
	if d := cmp.Diff([]string{"one", "two\nlines ñ\u2028", "from another session"}, again.entries); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
}

func TestHistoryFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such mode on Windows")
	}
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte("\"old\"\nno json\n\"\"\n{}\n\"new\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h, err := openHistory(path)
	if d := cmp.Diff([]string{"old", "new"}, h.entries); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var data []byte
	var want []string
	for i := range historyLimit + historySlack + 1 {
		entry := fmt.Sprint("entry ", i)
		data = appendEntry(data, entry)
		if i > historySlack {
			want = append(want, entry)
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // what is read, and what is in the file after that
		h, err := openHistory(path)
		if d := cmp.Diff(want, h.entries); d != "" || err != nil {
			t.Fatalf("%v (-want +got)\n%s", err, d)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("%v: %d files, want 1", err, len(entries))
	}
	h, err := openHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.add("last"); err != nil || h.Len() != historyLimit {
		t.Errorf("%v: %d entries", err, h.Len())
	}
}

func TestHistoryInMemory(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"", dir} {
		h, err := openHistory(path)
		if (err == nil) != (path == "") {
			t.Errorf("%q: error %v", path, err)
		}
		if err := h.add("kept"); err != nil || h.Len() != 1 {
			t.Errorf("%q: %v, %d entries", path, err, h.Len())
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v: %d files, want none", err, len(entries))
	}
}
