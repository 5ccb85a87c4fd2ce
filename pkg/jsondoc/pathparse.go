package jsondoc

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxNesting is how many filters, parentheses and calls may stand inside each other.
const maxNesting = 100

// A pathParser reads one JSONPath expression by recursive descent. Its
// functions carry the names of the grammar of RFC 9535, appendix A.
//
// The grammar is read here and not with github.com/theory/jsonpath, which the
// tests compare with: its tree does not give out the sides of a comparison or
// the arguments of a function, and its number literals are rounded.
type pathParser struct {
	src     string
	pos     int
	nesting int
}

func parsePath(src string) (*query, error) {
	for i, r := range src {
		if _, size := utf8.DecodeRuneInString(src[i:]); r == utf8.RuneError && size == 1 {
			return nil, &PathError{Offset: i, Msg: fmt.Sprintf("a JSONPath is UTF-8; the byte 0x%02x is not", src[i])}
		}
	}
	p := pathParser{src: src}
	if p.peek() != '$' {
		return nil, p.noRoot()
	}
	p.pos++
	q := &query{}
	if err := p.querySegments(q); err != nil {
		return nil, err
	}
	if p.pos < len(src) {
		at := p.pos
		if p.blank(); p.pos == len(src) {
			return nil, p.failAt(at, "unexpected white space after the JSONPath")
		}
		if strings.ContainsRune("=<>!", rune(p.peek())) {
			return nil, p.fail("a comparison stands in a filter only, as in $[?@.a == 1]")
		}
		return nil, p.unexpected("'.', '..' or '['")
	}
	return q, nil
}

// noRoot explains how to begin and, where it can be told, what was meant.
func (p *pathParser) noRoot() error {
	if p.src == "" {
		return p.fail("the JSONPath is empty; $ is the whole document")
	}
	trimmed := strings.Trim(p.src, " \t\r\n")
	for _, prefix := range [...]string{"", "$", "$."} {
		guess := prefix + strings.TrimPrefix(trimmed, "@")
		if !strings.HasPrefix(guess, "$") {
			continue
		}
		if _, err := parsePath(guess); err == nil {
			return p.fail("a JSONPath starts with $; did you mean \"%s\"?", guess)
		}
	}
	return p.fail("a JSONPath starts with $, as in $.data[*].name")
}

// querySegments reads *(S segment) into q.
func (p *pathParser) querySegments(q *query) error {
	for {
		before := p.pos
		p.blank()
		var s segment
		var err error
		switch {
		case p.peek() == '[':
			s.selectors, err = p.bracketed()
		case p.accept(".."):
			s.descendant = true
			if p.peek() == '[' {
				s.selectors, err = p.bracketed()
			} else {
				s.selectors, err = p.shorthand("'..'", ", '*' or '['")
			}
		case p.accept("."):
			s.selectors, err = p.shorthand("'.'", " or '*'")
		default:
			p.pos = before
			q.singular = isSingular(q.segments)
			return nil
		}
		if err != nil {
			return err
		}
		q.segments = append(q.segments, s)
	}
}

// shorthand reads the name or wildcard after one or two dots.
func (p *pathParser) shorthand(dots, others string) ([]selector, error) {
	if p.accept("*") {
		return []selector{{kind: selectWildcard}}, nil
	}
	if name := p.memberName(); name != "" {
		if p.peek() == '-' {
			return nil, p.fail("unexpected character '-'; a name with other characters than letters, digits and _ is written ['%s-…']", name)
		}
		return []selector{{kind: selectName, name: name}}, nil
	}
	return nil, p.unexpected("a name%s after %s", others, dots)
}

// bracketed reads "[" S selector *(S "," S selector) S "]".
func (p *pathParser) bracketed() ([]selector, error) {
	p.pos++
	var all []selector
	for {
		p.blank()
		s, err := p.selector()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
		p.blank()
		if p.accept("]") {
			return all, nil
		}
		if !p.accept(",") {
			return nil, p.unexpected("',' or ']'")
		}
	}
}

func (p *pathParser) selector() (selector, error) {
	switch c := p.peek(); {
	case c == '"' || c == '\'':
		name, err := p.stringLiteral()
		return selector{kind: selectName, name: name}, err
	case c == '*':
		p.pos++
		return selector{kind: selectWildcard}, nil
	case c == '?':
		p.pos++
		filter, err := p.nested((*pathParser).logicalOr)
		return selector{kind: selectFilter, filter: filter}, err
	case c == ':' || c == '-' || isDigit(c):
		return p.indexOrSlice()
	}
	at := p.pos
	if name := p.memberName(); name != "" {
		return selector{}, p.failAt(at, "unexpected word \"%s\"; in brackets a name stands in quotes: ['%s']", name, name)
	}
	return selector{}, p.unexpected("a quoted name, an index, a slice, '*' or '?'")
}

func (p *pathParser) indexOrSlice() (selector, error) {
	s := selector{kind: selectIndex, slice: slice{step: 1}}
	var err error
	if p.peek() != ':' {
		if s.index, err = p.integer(); err != nil {
			return s, err
		}
		before := p.pos
		if p.blank(); p.peek() != ':' {
			p.pos = before
			return s, nil
		}
		s.slice.start, s.slice.hasStart = s.index, true
	}
	s.kind = selectSlice
	p.pos++
	p.blank()
	if s.slice.hasEnd = p.atInteger(); s.slice.hasEnd {
		if s.slice.end, err = p.integer(); err != nil {
			return s, err
		}
		p.blank()
	}
	if !p.accept(":") {
		return s, nil
	}
	p.blank()
	if p.atInteger() {
		s.slice.step, err = p.integer()
	}
	return s, err
}

// nested guards the recursion of the grammar.
func (p *pathParser) nested(read func(*pathParser) (condition, error)) (condition, error) {
	if p.nesting++; p.nesting > maxNesting {
		return nil, p.fail("more than %d filters, parentheses and calls inside each other", maxNesting)
	}
	defer func() { p.nesting-- }()
	return read(p)
}

// blank passes optional white space, S in the grammar.
func (p *pathParser) blank() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (p *pathParser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *pathParser) accept(token string) bool {
	if strings.HasPrefix(p.src[p.pos:], token) {
		p.pos += len(token)
		return true
	}
	return false
}

func (p *pathParser) fail(format string, args ...any) error {
	return p.failAt(p.pos, format, args...)
}

func (p *pathParser) failAt(at int, format string, args ...any) error {
	return &PathError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// unexpected reports what stands at pos instead of what was wanted.
func (p *pathParser) unexpected(format string, args ...any) error {
	want := fmt.Sprintf(format, args...)
	if p.pos == len(p.src) {
		return p.fail("unexpected end, wanted %s", want)
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return p.fail("unexpected character %s, wanted %s", quoteRune(r), want)
}
