package executor

import "strings"

const upperHex = "0123456789ABCDEF"

// appendEscaped percent-encodes all but the unreserved characters of RFC 3986
// section 2.3. A space becomes %20.
func appendEscaped(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; isUnreserved(c) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&0xF])
		}
	}
	return dst
}

// appendLiteralPath writes text that the author of a path wrote: what may stand
// in a path (RFC 3986 section 3.3) and valid percent-encodings stay, the rest
// is percent-encoded.
func appendLiteralPath(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		_, encoded := hexPair(s[i:])
		if encoded || isUnreserved(c) || strings.IndexByte("/:@!$&'()*+,;=", c) >= 0 {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&0xF])
		}
	}
	return dst
}

// appendUnescaped decodes percent-encodings; what is none stays.
func appendUnescaped(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c, ok := hexPair(s[i:]); ok {
			dst = append(dst, c)
			i += 2
			continue
		}
		dst = append(dst, s[i])
	}
	return dst
}

func isUnreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// hexPair reads the percent-encoding at the start of s.
func hexPair(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	hi, ok := hexDigit(s[1])
	lo, ok2 := hexDigit(s[2])
	return hi<<4 | lo, ok && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
