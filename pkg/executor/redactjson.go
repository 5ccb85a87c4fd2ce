package executor

import (
	"slices"
	"strings"
)

// redactJSON puts the mark in place of the hits in a JSON text, so that it
// stays JSON: inside a string, only what was hit is replaced; a number is
// replaced by a string, and so is an array or object that was hit from end to
// end; other brackets, commas and colons stay where they are.
func redactJSON(s string, hits []stretch) []byte {
	ends := bracketEnds(s, hits)
	dst := make([]byte, 0, len(s)+len(hits)*len(redactedMark))
	for i := 0; i < len(s); {
		for len(hits) > 0 && hits[0].end <= i {
			hits = hits[1:]
		}
		if len(hits) == 0 {
			return append(dst, s[i:]...)
		}
		switch c := s[i]; {
		case (c == '{' || c == '[') && hits[0].start <= i && ends[i] > 0:
			dst = append(dst, `"`+redactedMark+`"`...)
			i = ends[i]
		case c == '"':
			end := stringEnd(s, i)
			dst = append(dst, '"')
			dst = redactString(dst, s, i+1, end-1, hits)
			dst = append(dst, '"')
			i = end
		case c == '-' || '0' <= c && c <= '9':
			end := i + 1
			for end < len(s) && strings.IndexByte("+-.0123456789eE", s[end]) >= 0 {
				end++
			}
			if hits[0].start < end {
				dst = append(dst, `"`+redactedMark+`"`...)
			} else {
				dst = append(dst, s[i:end]...)
			}
			i = end
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

// bracketEnds returns where the arrays and objects end that lie within one hit,
// by where they start.
func bracketEnds(s string, hits []stretch) map[int]int {
	if !slices.ContainsFunc(hits, func(h stretch) bool { return strings.ContainsAny(s[h.start:h.end], "{[") }) {
		return nil
	}
	ends := map[int]int{}
	var open []int
	for i := 0; i < len(s) && len(hits) > 0; i++ {
		switch s[i] {
		case '"':
			i = stringEnd(s, i) - 1
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			start := open[len(open)-1]
			open = open[:len(open)-1]
			for len(hits) > 0 && hits[0].end <= i {
				hits = hits[1:]
			}
			if len(hits) > 0 && hits[0].start <= start {
				ends[start] = i + 1
			}
		}
	}
	return ends
}

// redactString replaces what was hit in s[start:end], the inside of a string.
// An escape of which a part was hit goes as a whole.
func redactString(dst []byte, s string, start, end int, hits []stretch) []byte {
	for i := start; i < end; {
		for len(hits) > 0 && hits[0].end <= i {
			hits = hits[1:]
		}
		if len(hits) == 0 || hits[0].start >= end {
			return append(dst, s[i:end]...)
		}
		next := i + 1
		if s[i] == '\\' {
			_, _, n := readJSONEscape(s[i:end])
			next = i + max(n, 2)
		}
		if hits[0].start >= next {
			dst = append(dst, s[i:next]...)
			i = next
			continue
		}
		dst = append(dst, redactedMark...)
		stop := min(hits[0].end, end)
		for i = next; i < stop; i = next {
			next = i + 1
			if s[i] == '\\' {
				_, _, n := readJSONEscape(s[i:end])
				next = i + max(n, 2)
			}
		}
	}
	return dst
}

// stringEnd returns the end of the JSON string that starts at i.
func stringEnd(s string, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}
