// Package userconfig edits the user's own configuration, a YAML file of
// settings such as model.name, which stands as name in the mapping model or as
// the key "model.name" at the top.
//
// It promises that comments and everything that it was not asked to change stay,
// that a file which it does not understand is left alone, and that at any moment
// the old or the new file is there. A link to the file stays a link. Blank lines
// go, and indentation becomes two spaces: that is how YAML is written anew.
package userconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"go.yaml.in/yaml/v4"

	"github.com/vatio-dev/vatio/internal/atomicfile"
)

const (
	maxSize  = 1 << 20 // bytes
	patience = 10 * time.Second
)

// A Document is a configuration that was read. It belongs to one goroutine.
type Document struct {
	root yaml.Node // a document with one mapping
}

// Read reads the file at path; one that does not exist is empty. The error
// continues the file's name: "cannot be read: permission denied".
func Read(path string) (*Document, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Parse(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", atomicfile.Reason(err))
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", atomicfile.Reason(err))
	}
	return Parse(data)
}

// Parse reads a configuration. The error continues the file's name, and repeats
// nothing of the text.
func Parse(data []byte) (*Document, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("is larger than %d bytes", maxSize)
	}
	d := &Document{}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&d.root)
	if errors.Is(err, io.EOF) || err == nil && d.root.Kind == yaml.DocumentNode && null(d.root.Content[0]) {
		comments := d.root
		d.root = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}}}
		d.root.HeadComment = aloneComments(&comments, data)
		return d, nil
	}
	if err != nil {
		return nil, errors.New("is not YAML")
	}
	if decoder.Decode(&yaml.Node{}) != io.EOF {
		return nil, errors.New("holds more than one YAML document")
	}
	if d.mapping().Kind != yaml.MappingNode {
		return nil, errors.New("is not a mapping of settings")
	}
	return d, nil
}

// aloneComments returns the comments of a text that has nothing else.
func aloneComments(n *yaml.Node, data []byte) string {
	if n.Kind == 0 || len(n.Content) == 0 || n.Content[0].Value == "" {
		var lines []string
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	}
	return n.HeadComment
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func (d *Document) mapping() *yaml.Node { return d.root.Content[0] }

// find returns the index of a key of a mapping, -1 for none. Case does not count.
func find(mapping *yaml.Node, key string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if strings.EqualFold(mapping.Content[i].Value, key) {
			return i
		}
	}
	return -1
}

// Set writes a setting, "name" or "group.name", as text. The error says which
// part of the file has no place for it.
func (d *Document) Set(key, value string) error {
	top := d.mapping()
	if i := find(top, key); i >= 0 {
		return write(top, i, key, value)
	}
	group, name, grouped := strings.Cut(key, ".")
	if !grouped {
		top.Content = append(top.Content, text(key), text(value))
		return nil
	}
	i := find(top, group)
	if i < 0 {
		top.Content = append(top.Content, text(group), &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"})
		i = len(top.Content) - 2
	}
	inner := top.Content[i+1]
	if null(inner) {
		top.Content[i+1] = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: inner.HeadComment, FootComment: inner.FootComment}
		inner = top.Content[i+1]
	}
	if inner.Kind != yaml.MappingNode {
		return fmt.Errorf("has %q in line %d, which is no mapping", group, top.Content[i].Line)
	}
	if at := find(inner, name); at >= 0 {
		return write(inner, at, key, value)
	}
	inner.Content = append(inner.Content, text(name), text(value))
	return nil
}

// write replaces the value behind a key, and leaves its comments.
func write(mapping *yaml.Node, i int, key, value string) error {
	old := mapping.Content[i+1]
	if old.Kind != yaml.ScalarNode {
		return fmt.Errorf("has %q in line %d, which is no text", key, mapping.Content[i].Line)
	}
	made := text(value)
	made.HeadComment, made.LineComment, made.FootComment = old.HeadComment, old.LineComment, old.FootComment
	mapping.Content[i+1] = made
	return nil
}

func text(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

// Unset removes a setting wherever it stands, and the group that it leaves
// empty. It reports whether it was there.
func (d *Document) Unset(key string) bool {
	top, removed := d.mapping(), false
	for i := find(top, key); i >= 0; i = find(top, key) {
		remove(top, i)
		removed = true
	}
	group, name, grouped := strings.Cut(key, ".")
	at := find(top, group)
	if !grouped || at < 0 || top.Content[at+1].Kind != yaml.MappingNode {
		return removed
	}
	inner := top.Content[at+1]
	for i := find(inner, name); i >= 0; i = find(inner, name) {
		remove(inner, i)
		removed = true
	}
	if removed && len(inner.Content) == 0 {
		remove(top, at)
	}
	return removed
}

// remove takes a key and its value out of a mapping.
func remove(mapping *yaml.Node, i int) {
	mapping.Content = append(mapping.Content[:i:i], mapping.Content[i+2:]...)
}

// A Key is where a setting stands.
type Key struct {
	Name string // in small letters: "model.name"
	Line int    // the first is 1
}

// Keys lists the settings in the order of the file: what stands at the top, and
// what stands in a mapping there.
func (d *Document) Keys() []Key {
	var keys []Key
	top := d.mapping()
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, inner := top.Content[i], top.Content[i+1]
		if inner.Kind != yaml.MappingNode || len(inner.Content) == 0 {
			keys = append(keys, Key{strings.ToLower(key.Value), key.Line})
			continue
		}
		for j := 0; j+1 < len(inner.Content); j += 2 {
			keys = append(keys, Key{strings.ToLower(key.Value + "." + inner.Content[j].Value), inner.Content[j].Line})
		}
	}
	return keys
}

// Bytes returns the configuration as YAML.
func (d *Document) Bytes() ([]byte, error) {
	if len(d.mapping().Content) == 0 {
		if d.root.HeadComment == "" {
			return nil, nil
		}
		return []byte(d.root.HeadComment + "\n"), nil
	}
	return yaml.Dump(&d.root, yaml.WithIndent(2), yaml.WithLineWidth(-1), yaml.WithUnicode(true))
}

// Update changes the file at path, which is made where it is missing. Of several
// processes one writes after the other. The error of change is returned as it
// is; any other continues the file's name.
func Update(path string, change func(*Document) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cannot be written: %w", atomicfile.Reason(err))
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLockContext(ctx, 4*time.Millisecond); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return errors.New("is being written by another process: try again")
		}
		return fmt.Errorf("cannot be locked: %w", atomicfile.Reason(err))
	}
	defer func() { _ = lock.Unlock() }()
	d, err := Read(path)
	if err != nil {
		return err
	}
	before, _ := d.Bytes()
	if err := change(d); err != nil {
		return err
	}
	after, err := d.Bytes()
	if err != nil {
		return errors.New("cannot be written as YAML")
	}
	if _, err := os.Stat(path); err == nil && bytes.Equal(before, after) {
		return nil
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	atomicfile.RemoveStale(path)
	if err := atomicfile.Write(path, after, mode); err != nil {
		return fmt.Errorf("cannot be written: %w", err)
	}
	return nil
}
