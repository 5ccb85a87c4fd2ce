package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// fix makes the edits that the list proposes, each file as a whole or not at
// all, and says what it did. It returns how many it made.
func (o *checkOptions) fix(root string, list diag.List) (int, error) {
	made := 0
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end].Span.File == list[start].Span.File {
			end++
		}
		n, err := o.fixFile(root, list[start:end])
		made += n
		if err != nil {
			return made, err
		}
		start = end
	}
	return made, nil
}

func (o *checkOptions) fixFile(root string, list diag.List) (int, error) {
	var edits []diag.Edit
	var done []string
	for _, d := range list {
		if d.Fix == nil {
			continue
		}
		edits = append(edits, *d.Fix)
		p := d.Span.File.Position(d.Fix.Span.Start)
		done = append(done, fmt.Sprintf("%s:%d:%d: wrote %q for %q", d.Span.File.Name, p.Line, p.Column, d.Fix.Text, d.Fix.Span.Text()))
	}
	if len(edits) == 0 {
		return 0, nil
	}
	file := list[0].Span.File
	path, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(file.Name)))
	if err != nil {
		return 0, fmt.Errorf("%s cannot be mended: %w", file.Name, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("%s cannot be mended: %w", file.Name, err)
	}
	current, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(current, file.Data) {
		return 0, fmt.Errorf("%s has changed since it was read: run vatio tools check --fix again", file.Name)
	}
	if err := writeFile(path, diag.Apply(file.Data, edits), info.Mode().Perm()); err != nil {
		return 0, err
	}
	for _, line := range done {
		fmt.Fprintln(o.Err, diag.Printable(line))
	}
	return len(edits), nil
}
