package repl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

const (
	historyLimit = 1000     // entries that are kept
	historySlack = 200      // entries over the limit until the file is rewritten
	historyEntry = 64 << 10 // bytes of an entry that goes to the file, at most
	historyFile  = 16 << 20 // bytes of the file that are read, from its end
)

// A history is what was typed, oldest first. It is kept in a file of one JSON
// string a line, that only its owner can read; sessions that run at once add to
// it without losing each other's lines. It is the line editor's history source.
type history struct {
	path    string // "": kept in memory only
	entries []string
}

var errNoEntry = errors.New("there is no such entry")

// openHistory reads the file at path, which need not exist. A history that it
// returns with an error is kept in memory only.
func openHistory(path string) (*history, error) {
	h := &history{}
	if path == "" {
		return h, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return h, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		h.path = path
		return h, nil
	case err != nil:
		return h, err
	case !info.Mode().IsRegular():
		return h, errors.New("it is no file")
	}
	data, err := readEnd(path, info.Size()-historyFile)
	if err != nil {
		return h, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, historyFile)
	for lines.Scan() {
		var entry string
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry != "" {
			h.entries = append(h.entries, entry)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return h, err
	}
	h.path = path
	if len(h.entries) > historyLimit+historySlack || info.Size() > historyFile {
		h.trim()
		return h, h.rewrite()
	}
	h.trim()
	return h, nil
}

// readEnd reads a file without its first bytes, from the start of a line.
func readEnd(path string, skip int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if skip <= 0 {
		return io.ReadAll(f)
	}
	if _, err := f.Seek(skip, io.SeekStart); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data[bytes.IndexByte(data, '\n')+1:], err
}

func (h *history) trim() {
	if n := len(h.entries) - historyLimit; n > 0 {
		h.entries = append([]string(nil), h.entries[n:]...)
	}
}

// add appends an entry that is not the same as the last one.
func (h *history) add(entry string) error {
	if n := len(h.entries); entry == "" || n > 0 && h.entries[n-1] == entry {
		return nil
	}
	h.entries = append(h.entries, entry)
	h.trim()
	if h.path == "" || len(entry) > historyEntry {
		return nil
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		h.path = ""
		return err
	}
	_, err = f.Write(appendEntry(nil, entry))
	if err = errors.Join(err, f.Close()); err != nil {
		h.path = ""
	}
	return err
}

func (h *history) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.path), filepath.Base(h.path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	var data []byte
	for _, entry := range h.entries {
		data = appendEntry(data, entry)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), h.path)
}

func appendEntry(dst []byte, entry string) []byte {
	line, _ := json.Marshal(entry) // a string always has a JSON form
	return append(append(dst, line...), '\n')
}

// Write does nothing: the loop adds what was accepted.
func (h *history) Write(string) (int, error) { return len(h.entries), nil }

// GetLine returns the entry at i, oldest first.
func (h *history) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.entries) {
		return "", errNoEntry
	}
	return h.entries[i], nil
}

// Len returns the number of entries.
func (h *history) Len() int { return len(h.entries) }

// Dump returns the entries.
func (h *history) Dump() any { return h.entries }
