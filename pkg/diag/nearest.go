package diag

import (
	"slices"
	"strings"
)

// Nearest returns the candidate that word was most likely meant to be, or ""
// where none is near: equal but for case or for `-` against `_`, or at an edit
// distance (a swap of neighbours counts one) of at most a third of the word.
// Ties go to the candidate that comes first.
func Nearest(word string, candidates []string) string {
	best, distance := "", max(1, min(3, len([]rune(word))/3))+1
	folded := fold(word)
	for _, c := range candidates {
		if c == word {
			continue
		}
		if d := Distance(folded, fold(c)); d < distance && d < len(c) {
			best, distance = c, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}

// maxWord is the longest word, in bytes, that is compared letter by letter.
const maxWord = 64

// Distance returns how many insertions, deletions, substitutions and swaps of
// neighbouring code points turn a into b (optimal string alignment).
func Distance(a, b string) int {
	if len(a) > maxWord || len(b) > maxWord {
		return max(len(a), len(b))
	}
	x, y := []rune(a), []rune(b)
	var rows [3][maxWord + 1]int
	before, last, row := rows[0][:len(y)+1], rows[1][:len(y)+1], rows[2][:len(y)+1]
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// Quoted lists words for a message: `"a", "b" or "c"`.
func Quoted(words []string) string {
	quoted := slices.Clone(words)
	for i, w := range quoted {
		quoted[i] = `"` + w + `"`
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
