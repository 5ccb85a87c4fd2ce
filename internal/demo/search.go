package demo

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// search returns the products whose names hold every word of text, in the order
// of the catalogue. Case, accents and the plural make no difference.
func (s *shop) search(text string) []*product {
	words := words(text)
	if len(words) == 0 {
		return nil
	}
	var found []*product
	for _, p := range s.products {
		if holdsAll(p.searched, words) {
			found = append(found, p)
		}
	}
	return found
}

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !holds(text, w) {
			return false
		}
	}
	return true
}

func holds(text, word string) bool {
	for _, w := range singulars(word) {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// fold returns s in lower case and without accents.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s))
}

func words(s string) []string {
	return strings.FieldsFunc(fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// singulars returns word and what it may be the English or Spanish plural of.
func singulars(word string) []string {
	forms := []string{word}
	stem, plural := strings.CutSuffix(word, "s")
	if !plural || len(stem) < 3 || strings.HasSuffix(stem, "s") {
		return forms
	}
	forms = append(forms, stem)
	if s, ok := strings.CutSuffix(stem, "ie"); ok {
		forms = append(forms, s+"y")
	}
	if s, ok := strings.CutSuffix(stem, "e"); ok && len(s) >= 3 && strings.ContainsAny(s[len(s)-1:], "sxzhrldn") {
		forms = append(forms, s)
	}
	return forms
}
