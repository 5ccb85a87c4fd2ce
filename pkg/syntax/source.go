package syntax

import (
	"sync"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// source is a file and what is needed to turn the places a YAML parser reports
// into byte offsets. The parser counts lines and characters from the end of a
// byte order mark, and more characters break its lines than those of diag.File.
type source struct {
	file *diag.File

	once  sync.Once
	lines []int32 // the character each line starts with, counted from 0
	marks []int32 // byte offset of every markStep-th character; nil when characters are bytes
}

const markStep = 64

// offset returns the byte offset of a line and column, both from 1, clamped to
// the file. It takes constant time.
func (s *source) offset(line, column int) int {
	s.once.Do(s.index)
	if line < 1 || column < 1 {
		return s.file.BOM()
	}
	if line > len(s.lines) {
		return len(s.file.Data)
	}
	char := int(s.lines[line-1]) + column - 1
	if s.marks == nil {
		return min(s.file.BOM()+char, len(s.file.Data))
	}
	if char/markStep >= len(s.marks) {
		return len(s.file.Data)
	}
	at := int(s.marks[char/markStep])
	for range char % markStep {
		_, size := utf8.DecodeRune(s.file.Data[at:])
		at += size
	}
	return at
}

func (s *source) index() {
	data := s.file.Data[s.file.BOM():]
	ascii := true
	for _, c := range data {
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	s.lines = append(s.lines, 0)
	char := int32(0)
	for i := 0; i < len(data); char++ {
		if !ascii && char%markStep == 0 {
			s.marks = append(s.marks, int32(i+s.file.BOM()))
		}
		size := breakLen(data, i)
		if size == 0 {
			size = 1
			if data[i] >= utf8.RuneSelf {
				_, size = utf8.DecodeRune(data[i:])
			}
			i += size
			continue
		}
		if size == 2 && data[i] == '\r' {
			// CR LF are two characters, the second of which may need a mark.
			char++
			if !ascii && char%markStep == 0 {
				s.marks = append(s.marks, int32(i+1+s.file.BOM()))
			}
		}
		i += size
		s.lines = append(s.lines, char+1)
	}
}

// breakLen returns the length of the YAML line break at data[i], 0 if none is there.
func breakLen(data []byte, i int) int {
	switch data[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(data) && data[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xc2:
		if i+1 < len(data) && data[i+1] == 0x85 {
			return 2
		}
	case 0xe2:
		if i+2 < len(data) && data[i+1] == 0x80 && (data[i+2] == 0xa8 || data[i+2] == 0xa9) {
			return 3
		}
	}
	return 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// blankAt reports whether a blank, a line break or the end is at data[i].
func blankAt(data []byte, i int) bool {
	return i >= len(data) || isBlank(data[i]) || breakLen(data, i) > 0
}

// skipSpace returns the offset of the first byte from i on that belongs
// neither to white space nor to a comment.
func skipSpace(data []byte, i int) int {
	for i < len(data) {
		if isBlank(data[i]) {
			i++
		} else if n := breakLen(data, i); n > 0 {
			i += n
		} else if data[i] == '#' {
			for i < len(data) && breakLen(data, i) == 0 {
				i++
			}
		} else {
			break
		}
	}
	return i
}

// skipProperties returns where the content starts of a node whose anchor, tag
// or text is at i, and where its last property ends (i when it has none). A
// node has one anchor and one tag at most.
func skipProperties(data []byte, i int) (content, end int) {
	content, end = i, i
	seen := byte(0)
	for content < len(data) && data[content] != seen {
		c := data[content]
		switch c {
		case '&':
			content++
			for content < len(data) && isAnchorChar(data[content]) {
				content++
			}
		case '!':
			content++
			if content < len(data) && data[content] == '<' {
				for content < len(data) && data[content] != '>' && !blankAt(data, content) {
					content++
				}
			}
			for !blankAt(data, content) {
				content++
			}
		default:
			return content, end
		}
		end = content
		content = skipSpace(data, content)
		if seen != 0 {
			break
		}
		seen = c
	}
	return content, end
}

func isAnchorChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// fault reports a syntax error at the character that stands at an offset, or at
// a line's end.
func (s *source) fault(at int, hint, format string, args ...any) diag.Diagnostic {
	data := s.file.Data
	at = min(at, len(data))
	end := at
	if end < len(data) && breakLen(data, end) == 0 {
		_, n := utf8.DecodeRune(data[end:])
		end += n
	}
	d := diag.Errorf(diag.Span{File: s.file, Start: at, End: end}, "syntax", format, args...)
	d.Hint = hint
	return d
}
