// Package bundle decides which files of a workspace travel, and turns them into
// one layer and back.
//
// It promises that the same files give the same bytes on every machine, that
// hidden files, ignored ones and private keys never enter a layer, that whatever
// Pack writes Unpack accepts, and that a hostile layer neither writes outside of
// its directory nor takes more memory than the limits allow.
package bundle

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of a deployment, in files and in bytes.
const (
	MaxFiles    = 500
	MaxFileSize = 2 << 20
	MaxSize     = 8 << 20
)

// A File is one file of a deployment.
type File struct {
	Path string // from the workspace, with slashes
	Data []byte
}

// Left is a file or a directory that stays behind, and why.
type Left struct {
	Path   string // from the workspace, with slashes; a directory ends in one
	Reason string // as in `.gitignore:3 names it`
}

// A Refusal is one reason why a workspace or a layer is not taken.
type Refusal struct {
	Path   string // "" for all files together
	Line   int    // from 1; 0 for the whole file
	Reason string
}

// String returns the refusal as path:line: reason.
func (r Refusal) String() string {
	switch {
	case r.Path == "":
		return r.Reason
	case r.Line > 0:
		return fmt.Sprintf("%s:%d: %s", printable(r.Path), r.Line, r.Reason)
	}
	return fmt.Sprintf("%s: %s", printable(r.Path), r.Reason)
}

// A RefusedError holds every reason at once, by path and line.
type RefusedError struct{ Refusals []Refusal }

// Error returns the refusals, one a line.
func (e *RefusedError) Error() string {
	lines := make([]string, len(e.Refusals))
	for i, r := range e.Refusals {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

// refused returns the refusals as an error, nil for none.
func refused(list []Refusal) error {
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b Refusal) int {
		// What is about all files comes last.
		if (a.Path == "") != (b.Path == "") {
			if a.Path == "" {
				return 1
			}
			return -1
		}
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return &RefusedError{Refusals: slices.Compact(list)}
}

func byPath(a, b File) int { return strings.Compare(a.Path, b.Path) }

// mebibytes writes a limit for people.
func mebibytes(n int) string { return fmt.Sprintf("%d MiB", n>>20) }
