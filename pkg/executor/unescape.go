package executor

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A coding is a way in which single characters of a text may be written
// differently. Secrets are looked for in the text decoded, because a server may
// encode more or fewer characters than another would.
type coding struct {
	starts string // the bytes an encoded character starts with
	// read decodes the encoded character at the start of s, in n bytes of s;
	// n is 0 when there is none.
	read func(s string) (text [utf8.UTFMax]byte, size, n int)
}

func jsonCoding() coding    { return coding{`\`, readJSONEscape} }
func percentCoding() coding { return coding{"%", readPercent} }
func formCoding() coding    { return coding{"%+", readForm} }

// decode returns s decoded, and false when there is nothing to decode.
func (c coding) decode(s string) (string, bool) {
	i := strings.IndexAny(s, c.starts)
	if i < 0 {
		return s, false
	}
	decoded := make([]byte, 0, len(s))
	any := false
	for from := 0; ; {
		text, size, n := c.read(s[i:])
		if n > 0 {
			any = true
			decoded = append(append(decoded, s[from:i]...), text[:size]...)
			from = i + n
			i = from
		} else {
			i++
		}
		next := strings.IndexAny(s[i:], c.starts)
		if next < 0 {
			return string(append(decoded, s[from:]...)), any
		}
		i += next
	}
}

// origins tells for each byte of s decoded where in s it comes from, and at the
// end the length of s.
func (c coding) origins(s string) []int32 {
	origins := make([]int32, 0, len(s)+1)
	for i := 0; i < len(s); {
		if strings.IndexByte(c.starts, s[i]) >= 0 {
			if _, size, n := c.read(s[i:]); n > 0 {
				for range size {
					origins = append(origins, int32(i))
				}
				i += n
				continue
			}
		}
		origins = append(origins, int32(i))
		i++
	}
	return append(origins, int32(len(s)))
}

// back turns stretches of s decoded into stretches of s.
func (c coding) back(s string, hits []stretch) []stretch {
	if len(hits) == 0 {
		return nil
	}
	origins := c.origins(s)
	for i, h := range hits {
		end := h.end
		for end < len(origins)-1 && origins[end] == origins[h.end-1] {
			end++
		}
		hits[i] = stretch{int(origins[h.start]), int(origins[end])}
	}
	return hits
}

// readJSONEscape also reads the escapes of Go, JavaScript and Python, in which
// programs quote what they report.
func readJSONEscape(s string) (text [utf8.UTFMax]byte, size, n int) {
	if len(s) < 2 || s[0] != '\\' {
		return text, 0, 0
	}
	if i := strings.IndexByte(`"\/bfnrtav'`, s[1]); i >= 0 {
		text[0] = "\"\\/\b\f\n\r\t\a\v'"[i]
		return text, 1, 2
	}
	switch s[1] {
	case 'x':
		if c, ok := readHex(s[2:], 2); ok {
			text[0] = byte(c)
			return text, 1, 4
		}
		return text, 0, 0
	case 'U':
		if r, ok := readHex(s[2:], 8); ok {
			return text, utf8.EncodeRune(text[:], r), 10
		}
		return text, 0, 0
	}
	r, ok := readUnicodeEscape(s)
	if !ok {
		return text, 0, 0
	}
	n = 6
	if utf16.IsSurrogate(r) {
		low, _ := readUnicodeEscape(s[6:])
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			n = 12
		}
	}
	return text, utf8.EncodeRune(text[:], r), n
}

func readUnicodeEscape(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	return readHex(s[2:], 4)
}

// readHex reads a number of so many hexadecimal digits at the start of s.
func readHex(s string, digits int) (rune, bool) {
	if len(s) < digits {
		return 0, false
	}
	var r rune
	for i := range digits {
		digit, ok := hexDigit(s[i])
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}

func readPercent(s string) (text [utf8.UTFMax]byte, size, n int) {
	if c, ok := hexPair(s); ok {
		text[0] = c
		return text, 1, 3
	}
	return text, 0, 0
}

func readForm(s string) (text [utf8.UTFMax]byte, size, n int) {
	if s != "" && s[0] == '+' {
		text[0] = ' '
		return text, 1, 1
	}
	return readPercent(s)
}
