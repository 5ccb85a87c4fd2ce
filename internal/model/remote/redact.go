package remote

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"github.com/vatio-dev/vatio/pkg/executor"
)

const redacted = "[redacted]"

// gram is how many bytes of a key, anywhere in it, are too many to show.
const gram = 8

// CheckKey refuses a key that no header can carry.
func CheckKey(key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the key has a space, a line break or a character beyond ASCII in it: set it anew")
	}
	return nil
}

// redact takes the key out of a text: as it is, encoded, in pieces, and as
// providers abbreviate it (sk-ab***yz).
func redact(text, key string) string {
	if key == "" {
		return text
	}
	if len(key) < gram {
		for _, form := range []string{key, url.QueryEscape(key), url.PathEscape(key), base64.StdEncoding.EncodeToString([]byte(key)), base64.RawURLEncoding.EncodeToString([]byte(key))} {
			text = strings.ReplaceAll(text, form, redacted)
		}
		return text
	}
	text = executor.NewRedactor([]string{key})(text)
	return redactMasked(redactPieces(text, key), key)
}

// redactPieces takes out what has gram bytes in common with the key.
func redactPieces(text, key string) string {
	grams := make(map[string]bool, len(key))
	for i := 0; i+gram <= len(key); i++ {
		grams[key[i:i+gram]] = true
	}
	var b strings.Builder
	from, until := 0, -1 // text[from:] is not written yet; until: the end of the piece found
	for i := 0; i+gram <= len(text); i++ {
		if !grams[text[i:i+gram]] {
			continue
		}
		if i > until {
			b.WriteString(text[from:i])
			b.WriteString(redacted)
		}
		until = i + gram
		from = until
	}
	if until < 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// redactMasked takes out words that begin or end like the key around a mask.
func redactMasked(text, key string) string {
	const some = 3
	return mapWords(text, func(word string) string {
		first := strings.IndexAny(word, "*…•")
		last := strings.LastIndexAny(word, "*…•")
		if dots := strings.Index(word, "..."); first < 0 && dots > 0 {
			first, last = dots, dots+2
		}
		if first < 0 {
			return word
		}
		head := word[:first]
		tail := strings.TrimLeft(strings.ToValidUTF8(word[last+1:], ""), "*…•.")
		tail = strings.TrimRight(tail, ".,;:!?")
		if len(head) >= some && strings.HasPrefix(key, head) || len(tail) >= some && strings.HasSuffix(key, tail) {
			return redacted
		}
		return word
	})
}

// mapWords changes each run of characters that are no space, quote or bracket.
func mapWords(text string, change func(word string) string) string {
	var b strings.Builder
	start := -1
	for i, r := range text {
		if strings.ContainsRune(" \t\r\n\"'`()<>{}=", r) {
			if start >= 0 {
				b.WriteString(change(text[start:i]))
				start = -1
			}
			b.WriteRune(r)
		} else if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		b.WriteString(change(text[start:]))
	}
	return b.String()
}
