package bundle

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// printable writes a name for people, on one line.
func printable(s string) string {
	return strings.ReplaceAll(diag.Printable(strings.ToValidUTF8(s, "\uFFFD")), "\t", "\uFFFD")
}

// The longest path and the longest part of one that every file system takes, in
// bytes.
const (
	maxPath = 1000
	maxName = 255
)

// names are the paths seen so far, and finds those that cannot stand side by
// side on every file system.
type names struct {
	seen map[string]seenName // by folded path, directories too
}

type seenName struct {
	path string // as it was written
	dir  bool
}

// add returns what is wrong with a path, "" for nothing.
func (n *names) add(path string) string {
	if fault := pathFault(path); fault != "" {
		return fault
	}
	if n.seen == nil {
		n.seen = make(map[string]seenName)
	}
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		part, dir := path[:i], i < len(path)
		key := fold(part)
		before, there := n.seen[key]
		switch {
		case !there:
			n.seen[key] = seenName{part, dir}
		case before.path != part:
			return fmt.Sprintf("differs from %q in case or accents only: many file systems take both for one", printable(before.path))
		case before.dir != dir:
			return fmt.Sprintf("%q is a file and a directory", printable(part))
		case !dir:
			return "stands twice"
		}
	}
	return ""
}

// fold returns what a file system that ignores case and composition compares.
func fold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		// The least rune of those that differ in case only.
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, norm.NFC.String(s))
}

// pathFault returns why a path cannot be written on every system, "" if it can.
func pathFault(path string) string {
	switch {
	case path == "":
		return "an empty name"
	case len(path) > maxPath:
		return fmt.Sprintf("a path of %d bytes (at most %d)", len(path), maxPath)
	case !utf8.ValidString(path):
		return "the name is not UTF-8"
	case strings.HasPrefix(path, "/"):
		return "an absolute path"
	}
	for part := range strings.SplitSeq(path, "/") {
		if fault := nameFault(part); fault != "" {
			return fault
		}
	}
	return ""
}

func nameFault(name string) string {
	switch {
	case name == "" || name == "." || name == "..":
		return fmt.Sprintf("the path has a part %q", name)
	case name[0] == '.':
		return fmt.Sprintf("%q is hidden: hidden files do not travel", printable(name))
	case len(name) > maxName:
		return fmt.Sprintf("a name of %d bytes (at most %d)", len(name), maxName)
	}
	for _, r := range name {
		switch {
		case strings.ContainsRune(`\:*?"<>|`, r):
			return fmt.Sprintf("%q has a %q, which not every system can have in a name: rename it", printable(name), r)
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			return fmt.Sprintf("%q has a control or format character in its name: rename it", printable(name))
		}
	}
	if last := name[len(name)-1]; last == '.' || last == ' ' {
		return fmt.Sprintf("%q ends in %q, which Windows drops: rename it", printable(name), last)
	}
	if reserved(name) {
		return fmt.Sprintf("%q is the name of a device on Windows: rename it", printable(name))
	}
	return ""
}

// reserved reports whether Windows takes a name, whatever its extension, for a
// device.
func reserved(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, port := strings.CutPrefix(base, "COM")
	if !port {
		number, port = strings.CutPrefix(base, "LPT")
	}
	switch number {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return port
	}
	return false
}
