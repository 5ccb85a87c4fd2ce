package jsondoc

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// memberName reads a member-name-shorthand, "" when there is none.
func (p *pathParser) memberName() string {
	start := p.pos
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if c < utf8.RuneSelf && c != '_' && !isLetter(c) && (!isDigit(c) || p.pos == start) {
			break
		}
		p.pos++
	}
	return p.src[start:p.pos]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func (p *pathParser) atInteger() bool { return p.peek() == '-' || isDigit(p.peek()) }

// integer reads an index or a part of a slice: an integer of the interoperable
// range, without leading zeros and not -0.
func (p *pathParser) integer() (int64, error) {
	const most = 1<<53 - 1
	start := p.pos
	p.accept("-")
	first := p.pos
	for isDigit(p.peek()) {
		p.pos++
	}
	text := p.src[start:p.pos]
	switch {
	case first == p.pos:
		return 0, p.unexpected("a digit after '-'")
	case text == "-0":
		return 0, p.failAt(start, "-0 is no index; 0 is the first element and -1 the last")
	case p.src[first] == '0' && p.pos-first > 1:
		return 0, p.failAt(start, "the index %s must not start with 0", text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > most || n < -most {
		return 0, p.failAt(start, "the index %s is out of range, at most %d", text, int64(most))
	}
	return n, nil
}

// number reads a number literal, whose grammar is that of JSON.
func (p *pathParser) number() (Value, error) {
	start := p.pos
	if p.accept("-"); !isDigit(p.peek()) {
		return Value{}, p.unexpected("a digit after '-'")
	}
	if p.accept("0") {
		if isDigit(p.peek()) {
			return Value{}, p.failAt(start, "a number must not start with 0")
		}
	}
	p.digits()
	if p.accept(".") && !p.digits() {
		return Value{}, p.unexpected("a digit after '.'")
	}
	if p.accept("e") || p.accept("E") {
		if !p.accept("-") {
			p.accept("+")
		}
		if !p.digits() {
			return Value{}, p.unexpected("a digit of the exponent")
		}
	}
	return MustParse(p.src[start:p.pos]), nil
}

func (p *pathParser) digits() bool {
	start := p.pos
	for isDigit(p.peek()) {
		p.pos++
	}
	return p.pos > start
}

// stringLiteral reads a string in single or double quotes and decodes it.
func (p *pathParser) stringLiteral() (string, error) {
	start, quote := p.pos, p.src[p.pos]
	p.pos++
	var b strings.Builder
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == quote:
			p.pos++
			return b.String(), nil
		case c == '\\':
			r, err := p.escape(quote)
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		case c < 0x20:
			return "", p.fail("control character %#U inside a string must be escaped", rune(c))
		default:
			b.WriteByte(c)
			p.pos++
		}
	}
	return "", p.failAt(start, "the string is not closed; a %s is missing", quoteRune(rune(quote)))
}

func (p *pathParser) escape(quote byte) (rune, error) {
	start := p.pos
	p.pos++
	c := p.peek()
	switch c {
	case 'b', 'f', 'n', 'r', 't', '/', '\\', quote:
		r, size := unescape([]byte{'\\', c})
		p.pos = start + size
		return r, nil
	case 'u':
	default:
		return 0, p.unexpected("one of %s \\ / b f n r t u after '\\'", string(quote))
	}
	p.pos++
	r, err := p.hex4()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if p.accept(`\u`) {
		low, err := p.hex4()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, nil
		}
	}
	return 0, p.failAt(start, "%s is half of a surrogate pair without the other half", p.src[start:start+6])
}

func (p *pathParser) hex4() (rune, error) {
	var r rune
	for range 4 {
		d, ok := hexDigit(p.peek())
		if !ok {
			return 0, p.unexpected("four hexadecimal digits after \\u")
		}
		r = r<<4 | d
		p.pos++
	}
	return r, nil
}
