package jsondoc

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// maxDepth is how many arrays and objects may stand inside each other.
const maxDepth = 10_000

// A SyntaxError says why a text is not JSON.
type SyntaxError struct {
	Offset int    // the byte at fault, from 0; the length of the text when it ends too soon
	Msg    string // what is wrong, without the place
}

func (e *SyntaxError) Error() string {
	what, want, ok := strings.Cut(e.Msg, ", wanted ")
	if !ok {
		return fmt.Sprintf("%s at byte %d", e.Msg, e.Offset)
	}
	return fmt.Sprintf("%s at byte %d, wanted %s", what, e.Offset, want)
}

// Parse reads data, which must be exactly one JSON value with white space
// around it, and no byte order mark before it. Values nest at most 10,000
// levels. A fault is a *SyntaxError. The Value keeps data: the caller must not
// change it any more.
func Parse(data []byte) (Value, error) {
	if len(data) > math.MaxInt32 {
		return Value{}, &SyntaxError{Offset: math.MaxInt32, Msg: "the text is too long"}
	}
	// Every node but the root stands after one of these, so small texts need
	// no second allocation; the cap is for texts whose strings hold many.
	bound := 1
	for _, c := range [...]byte{',', ':', '[', '{'} {
		bound += bytes.Count(data, []byte{c})
	}
	p := parser{
		data:  data,
		nodes: make([]node, 0, min(bound, 32+len(data)/4)),
		clean: utf8.Valid(data),
	}
	if err := p.parse(); err != nil {
		return Value{}, err
	}
	return Value{&document{data: data, nodes: p.nodes, spaced: p.spaced}, 0}, nil
}

// MustParse is Parse for constants; it panics when s is not JSON.
func MustParse(s string) Value {
	v, err := Parse([]byte(s))
	if err != nil {
		panic(fmt.Sprintf("jsondoc.MustParse: %v", err))
	}
	return v
}

type parser struct {
	data   []byte
	pos    int
	nodes  []node
	clean  bool // data is valid UTF-8
	spaced bool
	names  nameSet
}

const (
	wantValue     = "a value"
	wantValueEnd  = "a value or ']'"
	wantName      = "a member name in double quotes"
	wantNameEnd   = "a member name in double quotes or '}'"
	wantColon     = "':' after the member name"
	wantArrayNext = "',' or ']'"
	wantObjNext   = "',' or '}'"
	wantEnd       = "the end of the text"
)

// parse keeps no stack: while a container is open, its next is the container
// around it.
func (p *parser) parse() error {
	const none = -1
	open := int32(none)
	depth := 0
	var c byte
value:
	c = p.skip()
start:
	switch c {
	case '{', '[':
		if depth++; depth > maxDepth {
			return p.fail(p.pos, "more than %d arrays and objects inside each other", maxDepth)
		}
		kind := Array
		if c == '{' {
			kind = Object
		}
		at := int32(len(p.nodes))
		p.nodes = append(p.nodes, node{start: int32(p.pos), next: open, kind: kind})
		open = at
		p.pos++
		switch c = p.skip(); {
		case kind == Object && c == '}', kind == Array && c == ']':
			goto closing
		case kind == Object:
			if c != '"' {
				return p.unexpected(wantNameEnd)
			}
			goto name
		case c == '}' || c == ',' || c == ':' || p.pos == len(p.data):
			return p.unexpected(wantValueEnd)
		}
		goto start
	case '"':
		if err := p.string(); err != nil {
			return err
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if err := p.number(); err != nil {
			return err
		}
	case 't':
		if err := p.word("true", Bool); err != nil {
			return err
		}
	case 'f':
		if err := p.word("false", Bool); err != nil {
			return err
		}
	case 'n':
		if err := p.word("null", Null); err != nil {
			return err
		}
	default:
		return p.unexpected(wantValue)
	}

after:
	c = p.skip()
	if open == none {
		if p.pos < len(p.data) {
			return p.unexpected(wantEnd)
		}
		return nil
	}
	p.nodes[open].size++
	if p.nodes[open].kind == Array {
		switch c {
		case ',':
			p.pos++
			goto value
		case ']':
			goto closing
		}
		return p.unexpected(wantArrayNext)
	}
	switch c {
	case '}':
		goto closing
	case ',':
		p.pos++
		if c = p.skip(); c != '"' {
			return p.unexpected(wantName)
		}
	default:
		return p.unexpected(wantObjNext)
	}

name:
	if err := p.string(); err != nil {
		return err
	}
	if c = p.skip(); c != ':' {
		return p.unexpected(wantColon)
	}
	p.pos++
	goto value

closing:
	p.pos++
	n := &p.nodes[open]
	at := open
	open = n.next
	n.end, n.next = int32(p.pos), int32(len(p.nodes))
	depth--
	if n.kind == Object && n.size > 1 {
		p.collapse(at)
	}
	goto after
}

// skip passes white space and returns the byte after it, 0 at the end.
func (p *parser) skip() byte {
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		p.pos++
		p.spaced = true
	}
	return 0
}

func (p *parser) add(start int, kind Kind, escaped bool) {
	p.nodes = append(p.nodes, node{
		start: int32(start), end: int32(p.pos), next: int32(len(p.nodes)) + 1,
		kind: kind, escaped: escaped,
	})
}

// string reads the string at pos, a value or a name.
func (p *parser) string() error {
	data, start := p.data, p.pos
	escaped := false
	i := start + 1
	for i < len(data) {
		c := data[i]
		switch {
		case c == '"':
			p.pos = i + 1
			p.add(start, String, escaped)
			return nil
		case c == '\\':
			escaped = true
			n, err := p.escape(i)
			if err != nil {
				return err
			}
			i += n
		case c < 0x20:
			return p.fail(i, "control character %#U inside a string must be escaped", rune(c))
		case c < utf8.RuneSelf || p.clean:
			i++
		default:
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && size == 1 {
				return p.fail(i, "invalid UTF-8 (byte 0x%02x) inside a string", c)
			}
			i += size
		}
	}
	p.pos = len(data)
	return p.unexpected("'\"' to close the string")
}

// escape checks the escape at i and returns its length.
func (p *parser) escape(i int) (int, error) {
	if i+1 >= len(p.data) {
		p.pos = len(p.data)
		return 0, p.unexpected("'\"' to close the string")
	}
	switch p.data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, nil
	case 'u':
		for k := i + 2; k < i+6; k++ {
			p.pos = min(k, len(p.data))
			if k >= len(p.data) {
				return 0, p.unexpected("four hexadecimal digits after \\u")
			}
			if _, ok := hexDigit(p.data[k]); !ok {
				return 0, p.unexpected("four hexadecimal digits after \\u")
			}
		}
		return 6, nil
	}
	p.pos = i + 1
	return 0, p.unexpected("one of \" \\ / b f n r t u after '\\'")
}

func (p *parser) number() error {
	data, start := p.data, p.pos
	i := start
	if data[i] == '-' {
		i++
	}
	switch {
	case i < len(data) && data[i] == '0':
		i++
		if i < len(data) && isDigit(data[i]) {
			return p.fail(i-1, "a number must not start with 0")
		}
	case i < len(data) && isDigit(data[i]):
		i = digits(data, i)
	default:
		p.pos = i
		return p.unexpected("a digit after '-'")
	}
	if i < len(data) && data[i] == '.' {
		i++
		end := digits(data, i)
		if end == i {
			p.pos = i
			return p.unexpected("a digit after '.'")
		}
		i = end
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		end := digits(data, i)
		if end == i {
			p.pos = i
			return p.unexpected("a digit of the exponent")
		}
		i = end
	}
	p.pos = i
	p.add(start, Number, false)
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digits returns the end of the run of digits at i.
func digits(data []byte, i int) int {
	for i < len(data) && isDigit(data[i]) {
		i++
	}
	return i
}

func (p *parser) word(word string, kind Kind) error {
	start := p.pos
	if bytes.HasPrefix(p.data[start:], []byte(word)) {
		p.pos += len(word)
		p.add(start, kind, false)
		return nil
	}
	if strings.HasPrefix(word, string(p.data[start:])) {
		p.pos = len(p.data)
		return p.unexpected(word)
	}
	return p.unexpected(wantValue)
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// unexpected reports what stands at pos instead of want.
func (p *parser) unexpected(want string) error {
	return p.fail(p.pos, "%s, wanted %s", p.found(), want)
}

func (p *parser) found() string {
	rest := p.data[p.pos:]
	switch {
	case len(rest) == 0:
		return "unexpected end of the text"
	case bytes.HasPrefix(rest, []byte("\xef\xbb\xbf")):
		return "unexpected byte order mark"
	}
	r, size := utf8.DecodeRune(rest)
	if r == utf8.RuneError && size <= 1 {
		return fmt.Sprintf("unexpected byte 0x%02x", rest[0])
	}
	word := wordAt(rest)
	if len(word) > 1 {
		return fmt.Sprintf("unexpected word %q", word)
	}
	return fmt.Sprintf("unexpected character %s", quoteRune(r))
}

// wordAt returns the ASCII letters at the start of b, at most 20.
func wordAt(b []byte) string {
	i := 0
	for i < len(b) && i < 20 && (b[i]|0x20 >= 'a' && b[i]|0x20 <= 'z') {
		i++
	}
	return string(b[:i])
}

func quoteRune(r rune) string {
	if r == '\'' {
		return `"'"`
	}
	return fmt.Sprintf("%q", r)
}
