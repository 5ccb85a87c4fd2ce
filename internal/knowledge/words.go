package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/spanish"
	"golang.org/x/text/unicode/norm"
)

// maxWord is how many characters of a word are looked at.
const maxWord = 48

// maxKnown bounds how many different words a stemmer remembers.
const maxKnown = 1 << 17

// A stemmer turns text into index terms. Every word gives the stem that the
// English and the one that the Spanish rules find, once where they agree:
// guessing the language of a short passage, let alone of a query, fails just
// where it matters, and bases mix both. Terms are lower-case letters and
// digits without accents. A stemmer serves one goroutine.
type stemmer struct {
	env   *snowballstem.Env
	known map[string]string // word → its terms, joined by a space
	word  []byte
	runes int
}

func newStemmer() *stemmer {
	return &stemmer{env: snowballstem.NewEnv(""), known: map[string]string{}}
}

// append adds the terms of text to dst, each followed by a space.
func (s *stemmer) append(dst []byte, text string) []byte {
	s.each(text, func(word []byte) {
		dst = append(dst, s.terms(word)...)
		dst = append(dst, ' ')
	})
	return dst
}

// each calls yield with every word of text, in lower case. The word is valid
// until yield returns.
func (s *stemmer) each(text string, yield func(word []byte)) {
	s.word, s.runes = s.word[:0], 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			s.add(rune(c))
			i++
			continue
		case 'A' <= c && c <= 'Z':
			s.add(rune(c + 'a' - 'A'))
			i++
			continue
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size
			if unicode.IsLetter(r) || unicode.IsDigit(r) || len(s.word) > 0 && unicode.IsMark(r) {
				s.add(unicode.ToLower(r))
				continue
			}
		default:
			i++
		}
		s.flush(yield)
	}
	s.flush(yield)
}

func (s *stemmer) add(r rune) {
	if s.runes < maxWord {
		s.word = utf8.AppendRune(s.word, r)
		s.runes++
	}
}

func (s *stemmer) flush(yield func(word []byte)) {
	if len(s.word) > 0 {
		yield(s.word)
		s.word, s.runes = s.word[:0], 0
	}
}

// terms returns the terms of one word, joined by a space.
func (s *stemmer) terms(word []byte) string {
	if t, ok := s.known[string(word)]; ok {
		return t
	}
	w := norm.NFC.String(string(word))
	en := s.stem(w, english.Stem)
	es := s.stem(accented(w), spanish.Stem)
	t := en
	if es != en {
		t += " " + es
	}
	if len(s.known) >= maxKnown {
		clear(s.known)
	}
	s.known[string(word)] = t
	return t
}

func (s *stemmer) stem(word string, rules func(*snowballstem.Env) bool) string {
	s.env.SetCurrent(word)
	rules(s.env)
	stem := unaccented(s.env.Current())
	if stem == "" {
		return unaccented(word)
	}
	return stem
}

// accented gives the accent back to -ión, which people leave out and without
// which the Spanish rules do not know the ending: devolucion, devolución.
func accented(word string) string {
	if stem, ok := strings.CutSuffix(word, "ion"); ok && len(stem) > 1 {
		return stem + "ión"
	}
	return word
}

func unaccented(word string) string {
	i := strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf })
	if i < 0 {
		return word
	}
	folded := strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFD.String(word))
	if folded == "" {
		return word
	}
	return folded
}
