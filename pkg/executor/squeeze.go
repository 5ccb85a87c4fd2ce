package executor

import (
	"strings"
	"unicode/utf8"
)

// structure are the characters beside which JSON may have white space.
const structure = `{}[]:,"`

// appendSqueezed adds a form of a secret that may lie across values of JSON,
// which may be written with other white space between them than the secret.
func appendSqueezed(list []string, form string) []string {
	if !strings.ContainsAny(form, structure) {
		return list
	}
	squeezed, _ := squeeze(strings.TrimSpace(form), false)
	if utf8.RuneCountInString(squeezed) < minSecret {
		return list
	}
	return append(list, squeezed)
}

// squeeze leaves out the white space beside characters of structure. With
// origins it tells where in s each byte left comes from.
func squeeze(s string, withOrigins bool) (squeezed string, origins []int32) {
	dst := make([]byte, 0, len(s))
	if withOrigins {
		origins = make([]int32, 0, len(s))
	}
	before := true // the start of the text, or a character of structure
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && (s[end] == ' ' || s[end] == '\n' || s[end] == '\r' || s[end] == '\t') {
			end++
		}
		if end > i && (before || end == len(s) || isStructure(s[end])) {
			i = end
			continue
		}
		end = max(end, i+1)
		before = isStructure(s[end-1])
		dst = append(dst, s[i:end]...)
		if withOrigins {
			for ; i < end; i++ {
				origins = append(origins, int32(i))
			}
		}
		i = end
	}
	return string(dst), origins
}

func isStructure(c byte) bool {
	switch c {
	case '{', '}', '[', ']', ':', ',', '"':
		return true
	}
	return false
}

// searchSqueezed looks for secrets across JSON values, whatever white space is
// between these.
func (r *redactor) searchSqueezed(s string) []stretch {
	text, _ := squeeze(s, false)
	var hits []stretch
	for _, squeezed := range r.squeezed {
		for from := 0; ; {
			at := strings.Index(text[from:], squeezed)
			if at < 0 {
				break
			}
			from += at + len(squeezed)
			hits = append(hits, stretch{from - len(squeezed), from})
		}
	}
	if len(hits) == 0 {
		return nil
	}
	_, origins := squeeze(s, true)
	for i, h := range hits {
		hits[i] = stretch{int(origins[h.start]), int(origins[h.end-1]) + 1}
	}
	return hits
}
