package changes

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// maxLines is how many lines of a text are shown, maxDiff how long a text may be
// whose lines are compared in order.
const (
	maxLines = 40
	maxDiff  = 1000
)

// lineChanges returns the lines that differ between two texts, those that are gone
// after a - and the new ones after a +.
func lineChanges(old, fresh string) []string {
	a, b := split(old), split(fresh)
	if len(a) > maxDiff || len(b) > maxDiff {
		return []string{countNote(countLines([]byte(old), []byte(fresh)))}
	}
	var lines []string
	for _, op := range difflib.NewMatcher(a, b).GetOpCodes() {
		if op.Tag == 'e' {
			continue
		}
		for _, s := range a[op.I1:op.I2] {
			lines = append(lines, "- "+line(s))
		}
		for _, s := range b[op.J1:op.J2] {
			lines = append(lines, "+ "+line(s))
		}
	}
	switch {
	case len(lines) == 0:
		return []string{"only the end of the text or line ends differ"}
	case len(lines) > maxLines:
		return append(lines[:maxLines:maxLines], more(len(lines)-maxLines))
	}
	return lines
}

func split(s string) []string {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func more(n int) string {
	if n == 1 {
		return "… and 1 line more"
	}
	return fmt.Sprintf("… and %d lines more", n)
}

// lineNote says how much of a file changed whose fields are not compared.
func lineNote(old, fresh []byte) string {
	if bytes.IndexByte(old, 0) >= 0 || bytes.IndexByte(fresh, 0) >= 0 {
		return fmt.Sprintf("%d bytes, were %d", len(fresh), len(old))
	}
	return countNote(countLines(old, fresh))
}

// countLines counts the lines that only one of two texts has, wherever they stand:
// in time that grows with the texts and not faster.
func countLines(old, fresh []byte) (added, removed int) {
	count := make(map[string]int)
	for s := range bytes.Lines(old) {
		count[string(bytes.TrimRight(s, "\r\n"))]++
	}
	for s := range bytes.Lines(fresh) {
		text := string(bytes.TrimRight(s, "\r\n"))
		if count[text] > 0 {
			count[text]--
		} else {
			added++
		}
	}
	for _, n := range count {
		removed += n
	}
	return added, removed
}

func countNote(added, removed int) string {
	number := func(n int, what string) string {
		if n == 1 {
			return "1 line " + what
		}
		return fmt.Sprintf("%d lines %s", n, what)
	}
	switch {
	case added == 0 && removed == 0:
		return "order of lines or line ends only"
	case removed == 0:
		return number(added, "added")
	case added == 0:
		return number(removed, "removed")
	}
	return number(added, "added") + fmt.Sprintf(", %d removed", removed)
}
