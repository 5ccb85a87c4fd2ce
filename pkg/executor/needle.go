package executor

import (
	"encoding/base64"
	"strings"
)

// A needle is a text that must not occur: a form of a secret, or the part of
// its base64 encoding that does not depend on what stands around the secret.
type needle struct {
	text        string
	front, rear edge
	form        bool // it is the secret, not its base64
}

// An edge is the base64 character beside a needle, which holds some bits of the
// secret and some of its neighbour.
type edge struct{ mask, bits byte } // mask 0: there is none

// appendNeedles adds those for one form of a secret.
func appendNeedles(list []needle, form string) []needle {
	list = append(list, needle{text: form, form: true})
	padded := append(make([]byte, 2, 2+len(form)), form...)
	length := base64.RawStdEncoding.EncodedLen(len(padded))
	buffer := make([]byte, 0, 3*length)
	for shift := range 3 {
		buffer = base64.RawStdEncoding.AppendEncode(buffer, padded[2-shift:])
	}
	all := string(buffer)
	for shift := range 3 {
		encoded := all[:base64.RawStdEncoding.EncodedLen(shift+len(form))]
		all = all[len(encoded):]
		n := needle{}
		start, end := 0, len(encoded)
		first, last := form[0], form[len(form)-1]
		switch shift {
		case 1:
			start, n.front = 2, edge{0x0F, first >> 4}
		case 2:
			start, n.front = 3, edge{0x03, first >> 6}
		}
		switch (shift + len(form)) % 3 {
		case 1:
			end, n.rear = end-1, edge{0x30, last & 0x03 << 4}
		case 2:
			end, n.rear = end-1, edge{0x3C, last & 0x0F << 2}
		}
		n.text = encoded[start:end]
		list = append(list, n)
		if strings.ContainsAny(n.text, "+/") {
			n.text = urlAlphabet.Replace(n.text)
			list = append(list, n)
		}
	}
	return list
}

var urlAlphabet = strings.NewReplacer("+", "-", "/", "_")

// widen takes in the characters beside a base64 needle found at s[start:end]
// that hold bits of the secret, and the padding.
func (n *needle) widen(s string, start, end int) (int, int) {
	if n.front.mask != 0 && start > 0 && n.front.match(s[start-1]) {
		start--
	}
	if n.rear.mask != 0 && end < len(s) && n.rear.match(s[end]) {
		end++
		for range 2 {
			if end < len(s) && s[end] == '=' {
				end++
			}
		}
	}
	return start, end
}

func (e edge) match(c byte) bool {
	v, ok := base64Digit(c)
	return ok && v&e.mask == e.bits
}

func base64Digit(c byte) (byte, bool) {
	switch {
	case 'A' <= c && c <= 'Z':
		return c - 'A', true
	case 'a' <= c && c <= 'z':
		return c - 'a' + 26, true
	case '0' <= c && c <= '9':
		return c - '0' + 52, true
	case c == '+', c == '-':
		return 62, true
	case c == '/', c == '_':
		return 63, true
	}
	return 0, false
}
