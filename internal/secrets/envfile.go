package secrets

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/vatio-dev/vatio/pkg/placeholder"
)

// A LineError is a line of a .env file that was refused. Its message repeats
// nothing of the line: any part of it may be of a value, as the lines of a key
// that was pasted without quotes are.
type LineError struct {
	Line    int // the first is 1
	Message string
}

func (e LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// ParseEnvFile reads assignments in the .env format, and what it refuses, both
// in the order of the file. Of several assignments to one key all are returned.
//
//   - Blank lines, and those that begin with #, are skipped; `export` may stand
//     before a key, and white space around it and the `=`.
//   - An unquoted value ends at a # after white space, or with the line; white
//     space around it is dropped.
//   - 'A single-quoted value' is what stands between the quotes.
//   - In a "double-quoted value" \n, \r and \t are a line feed, a carriage
//     return and a tab, and \\, \", \$ and \` lose their backslash; every other
//     backslash stays.
//   - Quoted values may have several lines. Lines end with LF or CRLF; inside a
//     value either is LF.
//   - Nothing is expanded: $NAME, ${NAME}, $(command) and `command` are text.
//
// github.com/joho/godotenv would read most of this, but it always expands $ and
// stops at the first fault without saying in which line it is.
func ParseEnvFile(data []byte) (assignments []Assignment, refused []LineError) {
	p := envParser{rest: bytes.TrimPrefix(data, []byte(byteOrderMark)), line: 1}
	for len(p.rest) > 0 {
		at := p.line
		switch a, problem := p.next(); {
		case problem != "":
			refused = append(refused, LineError{Line: at, Message: problem})
		case a.Key != "":
			a.Line = at
			assignments = append(assignments, a)
		}
	}
	return assignments, refused
}

type envParser struct {
	rest []byte
	line int
}

// next reads one line, or several for a quoted value. Of a line without an
// assignment, or one with a problem, the assignment is zero.
func (p *envParser) next() (a Assignment, problem string) {
	start := *p
	defer func() { p.endLine() }()
	p.skipBlanks()
	if p.atEnd() || p.rest[0] == '#' {
		return Assignment{}, ""
	}
	end := bytes.IndexAny(p.rest, "=\n")
	if end < 0 || p.rest[end] == '\n' {
		return Assignment{}, "there is no `=` in this line"
	}
	name := strings.TrimRight(string(p.rest[:end]), " \t")
	if after, ok := strings.CutPrefix(name, "export"); ok && strings.TrimLeft(after, " \t") != after {
		name = strings.TrimLeft(after, " \t")
	}
	p.rest = p.rest[end+1:]
	before := len(p.rest)
	p.skipBlanks()
	blank := len(p.rest) < before
	var value []byte
	switch {
	case p.atEnd():
	case p.rest[0] == '\'' || p.rest[0] == '"':
		if value, problem = p.quoted(); problem != "" {
			*p = start // what the quote has swallowed is read line by line
		}
	default:
		value = p.unquoted(blank)
	}
	if !placeholder.ValidKey(name) {
		return Assignment{}, keyProblem(name)
	}
	if problem != "" {
		return Assignment{}, problem
	}
	a = Assignment{Key: name, Value: NewValue(value)}
	if err := ValidValue(a.Value); err != nil {
		return Assignment{}, err.Error()
	}
	return a, ""
}

func keyProblem(name string) string {
	switch {
	case name == "":
		return "there is no key before the `=`: " + keyRule
	case placeholder.ValidKey(strings.ToUpper(name)):
		return "the key is not in upper case: " + keyRule
	}
	return "what stands before the `=` is not a key: " + keyRule
}

func (p *envParser) skipBlanks() { p.rest = bytes.TrimLeft(p.rest, " \t") }

// lineBreak returns the length of the line break at b, or 0.
func lineBreak(b []byte) int {
	switch {
	case len(b) > 0 && b[0] == '\n':
		return 1
	case len(b) > 1 && b[0] == '\r' && b[1] == '\n':
		return 2
	}
	return 0
}

// atEnd reports whether nothing more stands in the line. A carriage return at
// the end of the file is half a line end.
func (p *envParser) atEnd() bool {
	return len(p.rest) == 0 || lineBreak(p.rest) > 0 || string(p.rest) == "\r"
}

// endLine drops what is left of the line.
func (p *envParser) endLine() {
	if i := bytes.IndexByte(p.rest, '\n'); i >= 0 {
		p.rest = p.rest[i+1:]
		p.line++
		return
	}
	p.rest = nil
}

// unquoted reads up to a comment or the end of the line. A # begins a comment
// after white space only, so blank says whether some went before.
func (p *envParser) unquoted(blank bool) []byte {
	text := p.rest
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	text = bytes.TrimSuffix(text, []byte("\r"))
	for i, c := range text {
		if c == '#' && blank {
			text = text[:i]
			break
		}
		blank = c == ' ' || c == '\t'
	}
	return bytes.TrimRight(text, " \t")
}

// quoted reads a value up to its closing quote, after which only a comment may
// stand.
func (p *envParser) quoted() (value []byte, problem string) {
	quote := p.rest[0]
	escapes := quote == '"'
	b := p.rest[1:]
	value = []byte{}
	for {
		if len(b) == 0 {
			return nil, "the quote that opens the value is never closed"
		}
		c := b[0]
		switch n := lineBreak(b); {
		case n > 0:
			value = append(value, '\n')
			b = b[n:]
			p.line++
		case c == quote:
			p.rest = b[1:]
			before := len(p.rest)
			p.skipBlanks()
			if comment := len(p.rest) < before && len(p.rest) > 0 && p.rest[0] == '#'; !comment && !p.atEnd() {
				return nil, "something stands after the closing quote"
			}
			return value, ""
		case c == '\\' && escapes && len(b) > 1:
			plain, ok := unescape(b[1])
			if ok {
				value = append(value, plain)
				b = b[2:]
				continue
			}
			value = append(value, c)
			b = b[1:]
		default:
			value = append(value, c)
			b = b[1:]
		}
	}
}

func unescape(c byte) (byte, bool) {
	switch c {
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case '\\', '"', '$', '`':
		return c, true
	}
	return 0, false
}
