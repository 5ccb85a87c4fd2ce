package knowledge

import "strings"

// maxTerms bounds how many different terms of a query are looked for.
const maxTerms = 64

// match returns the FTS5 expression that finds the passages with any word of
// the query, or "" when it has no word. Only terms get into the expression,
// in quotes, so nothing a person writes can be an operator. Words so common
// that they say nothing are left out while there are others.
func match(query string) string {
	s := newStemmer()
	var telling, common []string
	seen := map[string]bool{}
	s.each(query, func(word []byte) {
		if len(telling) >= maxTerms {
			return
		}
		to := &telling
		if isStopword(word) {
			if len(common) >= maxTerms {
				return
			}
			to = &common
		}
		for term := range strings.FieldsSeq(s.terms(word)) {
			if !seen[term] {
				seen[term] = true
				*to = append(*to, term)
			}
		}
	})
	if len(telling) == 0 {
		telling = common
	}
	if len(telling) == 0 {
		return ""
	}
	return `"` + strings.Join(telling, `" OR "`) + `"`
}

// isStopword reports whether word, in lower case, is an article, a pronoun, a
// preposition or the like, in English or Spanish.
func isStopword(word []byte) bool {
	switch string(word) {
	case "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
		"could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into",
		"is", "it", "its", "ll", "may", "my", "of", "on", "or", "our", "re", "s", "should", "so", "some",
		"t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
		"to", "ve", "was", "we", "were", "what", "when", "where", "which", "who", "will", "with", "would",
		"you", "your":
		return true
	case "al", "algo", "como", "cómo", "con", "cual", "cuál", "cuales", "cuáles", "cuando", "cuándo", "de",
		"del", "desde", "donde", "dónde", "e", "el", "él", "ella", "en", "entre", "era", "es", "esa", "ese",
		"eso", "esta", "está", "están", "este", "esto", "fue", "ha", "han", "hasta", "hay", "la", "las",
		"le", "les", "lo", "los", "me", "mi", "mis", "ni", "nos", "o", "para", "pero", "por", "porque",
		"puede", "puedo", "que", "qué", "quien", "quién", "se", "ser", "si", "sobre", "son", "su",
		"sus", "también", "te", "tu", "tus", "u", "un", "una", "unas", "unos", "y", "ya", "yo":
		return true
	}
	return false
}
