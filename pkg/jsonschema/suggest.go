package jsonschema

import (
	"strings"
	"unicode/utf8"
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
		if d := distance(word, candidate, 2); d <= allowance(word, candidate) && d < bestDistance {
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

// distance counts the letters to insert, delete, replace or swap with their
// neighbour; more than limit when it is above limit.
func distance(a, b string, limit int) int {
	s, t := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	if len(s)-len(t) > limit || len(t)-len(s) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
