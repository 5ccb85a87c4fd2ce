package remote

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	const key = "sk-proj-Zx81qPwL0aB7/+c=dEfG"
	const r = "[redacted]"
	tests := []struct{ key, text, want string }{
		{"", "nothing", "nothing"},
		{key, "a " + key + " b", "a " + r + " b"},
		{key, "a" + key + key + "b", "a" + r + r + "b"},
		{key, url.QueryEscape(key), r},
		{key, base64.StdEncoding.EncodeToString([]byte(key)), r},
		{key, "begins sk-proj-Zx and ends /+c=dEfG.", "begins " + r + " and ends " + r + "."},
		{key, "middle: 81qPwL0aB, nearly: 81qPwL0", "middle: " + r + ", nearly: 81qPwL0"},
		{key, "sk-proj-***dEfG", r},
		{key, "key 'sk-p****************dEfG'.", "key '" + r + "'."},
		{key, "(sk-p…EfG) sk-p...EfG ****EfG, sk-***", "(" + r + ") " + r + " " + r + " " + r},
		{key, "a*b, **bold** e.g. wait... xyz***123", "a*b, **bold** e.g. wait... xyz***123"},
		{"ollama", "the key ollama is b2xsYW1h, not llama", "the key " + r + " is " + r + ", not llama"},
		{"a b", "a+b a%20b a b", r + " " + r + " " + r},
		{key, "", ""},
	}
	for _, test := range tests {
		if got := redact(test.text, test.key); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

// FuzzRedact wants no eight bytes of a key in a text.
func FuzzRedact(f *testing.F) {
	f.Add("sk-0123456789", "bad key sk-0123456789 or sk-01***789", 4)
	f.Add("0123456789abcdef", "01234567012345678", 8)
	f.Add("[redacted]", "[redacted]", 1)
	f.Fuzz(func(t *testing.T, key, text string, at int) {
		if len(key) < gram || len(key) > 200 || strings.Contains(redacted, key[:1]) {
			return
		}
		at = max(0, min(at, len(text)))
		for _, text := range []string{text, text[:at] + key + text[at:], text[:at] + key[len(key)-gram:] + text[at:]} {
			got := redact(text, key)
			for i := 0; i+gram <= len(key); i++ {
				if part := key[i : i+gram]; strings.Contains(got, part) && !strings.Contains(redacted, part) && !meetsMark(got, part) {
					t.Fatalf("%q is in %q", part, got)
				}
			}
		}
	})
}

// meetsMark reports whether part stands in text only together with the mark that
// replaces what was taken out.
func meetsMark(text, part string) bool {
	return !strings.Contains(strings.ReplaceAll(text, redacted, "\x00"), part)
}

func TestCheckKey(t *testing.T) {
	for key, ok := range map[string]bool{"sk-1~!": true, "": true, "a b": false, "a\n": false, "a\x7f": false, "ñ": false} {
		if err := CheckKey(key); (err == nil) != ok {
			t.Errorf("%q: %v", key, err)
		}
	}
}
