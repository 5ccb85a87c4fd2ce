package jsonschema

import (
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// Nobody waits for suggestions: longer words and longer lists get none.
const (
	maxSuggestLength = 64
	maxSuggestNames  = 200
)

// nearest returns the one of the candidates that word is most likely a
// misspelling of, "" when none is near. Earlier candidates win ties.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", 3
	if len(word) > maxSuggestLength || len(candidates) > maxSuggestNames {
		return ""
	}
	for _, candidate := range candidates {
		if candidate == word {
			continue
		}
		if strings.EqualFold(candidate, word) {
			return candidate
		}
		if d := diag.Distance(strings.ToLower(word), strings.ToLower(candidate)); d <= allowance(word, candidate) && d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// allowance is how many slips two words may differ by to be taken for the same:
// short words are too easily near to each other.
func allowance(a, b string) int {
	switch shorter := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b)); {
	case shorter < 3:
		return 0
	case shorter < 6:
		return 1
	}
	return 2
}
