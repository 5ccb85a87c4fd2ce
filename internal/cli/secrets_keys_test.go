package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestReadKeys(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"token\r", "token"},
		{"token\n", "token"},
		{"añb\x7f\x7fx\r", "ax"},
		{"\x7f\x7fab\r", "ab"},
		{"wrong\x15right\r", "right"},
		{"one two  \x17three\r", "one three"},
		{"one\x17two\r", "two"},
		{"a\x1b[Ab\x1b[1;5Cc\x1bOPd\r", "abcd"},
		{"a\x1a\x1c\x00b\tc\r", "ab\tc"},
		{"\x1b[200~pasted\x1b[201~\r", "pasted"},
		{"\x1b[200~one\r\ntwo\rthree\x1b[201~\r", "one\ntwo\nthree"},
		{"\x1b[200~one\rtwo\r\x1b[201~\r", "one\ntwo"},
		{"\x1b[200~\x03\x04\x15\x7f\x1b[201~x\r", "\x03\x04\x15\x7fx"},
		{"typed\x1b[200~ pasted\x1b[201~ typed\r", "typed pasted typed"},
		{"until the end\x04", "until the end"},
	} {
		rest := "what follows"
		in := strings.NewReader(c.typed + rest)
		got, err := readKeys(in)
		if got != c.want || err != nil || in.Len() != len(rest) {
			t.Errorf("%q: %q, %v, %d bytes left; want %q", c.typed, got, err, in.Len(), c.want)
		}
	}
	if got, err := readKeys(strings.NewReader("secret\x03\r")); got != "" || !errors.Is(err, errInterrupted) {
		t.Errorf("Ctrl-C: %q, %v", got, err)
	}
}
