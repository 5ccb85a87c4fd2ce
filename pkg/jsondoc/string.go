package jsondoc

import (
	"unicode/utf16"
	"unicode/utf8"
)

// AppendQuote appends s as a JSON string to dst. It escapes only what JSON
// demands; invalid UTF-8 becomes U+FFFD.
func AppendQuote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[from:i]...)
				dst = append(dst, "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// Quote returns s as a String value.
func Quote(s string) Value {
	data := AppendQuote(make([]byte, 0, len(s)+len(`""`)), s)
	n := node{end: int32(len(data)), next: 1, kind: String}
	for _, c := range data {
		if c == '\\' {
			n.escaped = true
			break
		}
	}
	return Value{&document{data: data, nodes: []node{n}}, 0}
}

// appendUnquoted appends the text that the checked inside of a JSON string
// stands for.
func appendUnquoted(dst, inner []byte) []byte {
	from := 0
	for i := 0; i < len(inner); {
		if inner[i] != '\\' {
			i++
			continue
		}
		dst = append(dst, inner[from:i]...)
		r, size := unescape(inner[i:])
		dst = utf8.AppendRune(dst, r)
		i += size
		from = i
	}
	return append(dst, inner[from:]...)
}

// equalUnquoted compares s with the text that inner stands for.
func equalUnquoted(inner []byte, s string) bool {
	for i := 0; i < len(inner); {
		if inner[i] != '\\' {
			if s == "" || s[0] != inner[i] {
				return false
			}
			i, s = i+1, s[1:]
			continue
		}
		r, size := unescape(inner[i:])
		var buf [utf8.UTFMax]byte
		n := utf8.EncodeRune(buf[:], r)
		if len(s) < n || s[:n] != string(buf[:n]) {
			return false
		}
		i, s = i+size, s[n:]
	}
	return s == ""
}

// unescape reads the checked escape at the start of b and returns its code
// point and length. A lone surrogate gives U+FFFD.
func unescape(b []byte) (rune, int) {
	switch c := b[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return rune(c), 2
	}
	r := hex4(b[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(b[8:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		d, _ := hexDigit(c)
		r = r<<4 | d
	}
	return r
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}
