// Package ignore decides what files in the syntax of gitignore(5) name.
//
// It promises to decide as git does, byte for byte. The libraries for this
// were tried first: they translate patterns to regular expressions or to
// path.Match, and differ from git in character classes, escapes, trailing
// spaces and in what may stand before and after **.
package ignore

import (
	"bytes"
	"path"
	"strings"
)

// Rules are the lines of the ignore files of one tree. The zero Rules ignore
// nothing. Once filled they are safe for concurrent use.
type Rules struct {
	byDir map[string][]rule // in the file's order
}

type rule struct {
	pattern string // without what the fields below say
	literal int    // how many of its first bytes are no wildcards
	negated bool   // a line with !
	dirOnly bool   // a line with / at its end
	anyDir  bool   // no / in it: the name alone counts
	source  Source
}

// A Source is the line that decided.
type Source struct {
	File string // the name given to Add
	Line int    // from 1
}

// Add adds the lines of an ignore file that stands in dir, a path with slashes
// from the top of the tree, "" for the top itself. Name is what Source says.
func (r *Rules) Add(dir, name string, data []byte) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	line := 0
	for text := range bytes.Lines(data) {
		line++
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		text, _, _ = bytes.Cut(text, []byte{0})
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		one := parse(trimSpaces(string(text)))
		one.source = Source{File: name, Line: line}
		if r.byDir == nil {
			r.byDir = make(map[string][]rule)
		}
		r.byDir[dir] = append(r.byDir[dir], one)
	}
}

// trimSpaces drops the spaces at the end that no \ protects.
func trimSpaces(s string) string {
	end := len(s)
	spaces := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			if !spaces {
				end, spaces = i, true
			}
			continue
		case '\\':
			i++
			if i == len(s) {
				return s
			}
		}
		end, spaces = len(s), false
	}
	return s[:end]
}

func parse(s string) rule {
	var r rule
	s, r.negated = strings.CutPrefix(s, "!")
	s, r.dirOnly = strings.CutSuffix(s, "/")
	r.anyDir = !strings.Contains(s, "/")
	r.pattern = strings.TrimPrefix(s, "/")
	r.literal = len(r.pattern)
	if i := strings.IndexAny(r.pattern, `*?[\`); i >= 0 {
		r.literal = i
	}
	return r
}

// Match reports whether the lines ignore the file or directory at name, a path
// with slashes from the top of the tree, and which line decided. It does not ask
// whether a directory above is ignored: what is below an ignored directory is
// ignored as well, and no line can bring it back.
func (r *Rules) Match(name string, dir bool) (Source, bool) {
	for at := path.Dir(name); ; at = path.Dir(at) {
		if at == "." {
			at = ""
		}
		list := r.byDir[at]
		rel := name
		if at != "" {
			rel = name[len(at)+1:]
		}
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].matches(rel, dir) {
				return list[i].source, !list[i].negated
			}
		}
		if at == "" {
			return Source{}, false
		}
	}
}

func (r *rule) matches(rel string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if r.anyDir {
		base := path.Base(rel)
		if r.literal == len(r.pattern) {
			return base == r.pattern
		}
		return match(r.pattern, base, false) == yes
	}
	// As git does, the text before the first wildcard is compared first, so that
	// ** may stand right behind it.
	if len(rel) < r.literal || rel[:r.literal] != r.pattern[:r.literal] {
		return false
	}
	return match(r.pattern[r.literal:], rel[r.literal:], true) == yes
}
