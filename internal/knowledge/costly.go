package knowledge

import "bytes"

const (
	maxDelimiters = 8000 // in one run of lines without a blank one
	maxNesting    = 64   // of quotes and lists begun on one line
)

// costly reports whether the Markdown parser would take more than a moment
// for src: its time grows with the square of how many delimiters of emphasis
// and links stand in one paragraph, and of how deep blocks are nested. No
// person writes such a text; a program that fails to escape its output does.
func costly(src []byte) bool {
	delimiters, fenced := 0, false
	for line := range bytes.Lines(src) {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")) {
			fenced = !fenced
			delimiters = 0
		}
		if fenced {
			continue
		}
		if len(line) == 0 {
			delimiters = 0
			continue
		}
		for _, c := range line {
			if c == '*' || c == '_' || c == '[' {
				delimiters++
			}
		}
		if delimiters > maxDelimiters || nesting(line) > maxNesting {
			return true
		}
	}
	return false
}

// nesting returns how many quotes and lists a line may begin, 0 for a line
// that can be a thematic break.
func nesting(line []byte) int {
	n := 0
	for i, c := range line {
		switch c {
		case '>':
			n++
		case '-', '+', '*', '.', ')':
			if i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t') {
				n++
			}
		case ' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return n
		}
	}
	if only(line, '-') || only(line, '*') {
		return 0
	}
	return n
}

// only reports whether line is c, over and over, and white space.
func only(line []byte, c byte) bool {
	return len(bytes.Trim(bytes.ReplaceAll(bytes.ReplaceAll(line, []byte{' '}, nil), []byte{'\t'}, nil), string(c))) == 0
}
