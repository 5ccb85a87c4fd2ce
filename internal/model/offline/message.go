package offline

import (
	"strings"
	"time"
)

// A message is one text of the visitor, read once.
type message struct {
	whole    string
	text     string // whole, up to maxRead
	tokens   []token
	entities []entity
	lang     language // 0: the text alone does not tell
	now      time.Time
	asks     []int     // tokens that stand as verbs of a request
	forms    [][2]form // of those
	desired  int       // where the name begins of what is wished for, or -1
	definite bool      // it is "the" one
}

// maxRead is how many bytes of a message are looked at for words and values.
const maxRead = 4000

func (ix *index) read(text string, lang language, now time.Time) *message {
	m := &message{whole: text, now: now}
	text = readable(text)
	m.text = text
	m.tokens = ix.lex.words(text)
	m.lang = ix.lex.guess(text, m.tokens)
	for i := range m.tokens {
		ix.bare(&m.tokens[i])
	}
	use := m.lang
	if use == 0 {
		use = lang
	}
	ix.lex.classify(m.tokens, use)
	m.entities = ix.lex.scan(text, m.tokens, now, ix.marked)
	ix.findRequests(m)
	for _, i := range m.asks {
		m.forms = append(m.forms, formsOf(m.tokens[i].word))
	}
	m.desired, m.definite = m.wish()
	return m
}

// bare gives a Spanish verb with pronouns behind it, "cotízame", the stems of
// the verb where the tools know only that.
func (ix *index) bare(t *token) {
	verb := withoutPronouns(t.word)
	if verb == t.word || len(ix.terms[t.stems[0]]) > 0 || len(ix.terms[t.stems[1]]) > 0 {
		return
	}
	if stems := newStemmer().stems(verb); len(ix.terms[stems[1]]) > 0 {
		t.stems = stems
	}
}

func readable(text string) string {
	if len(text) > maxRead {
		return strings.ToValidUTF8(text[:maxRead], "")
	}
	return text
}

// far is the distance of a value from a name that is not mentioned.
const far = 1000

// mentioned returns the tokens that name p.
func (m *message) mentioned(p *param) []int {
	var out []int
	for i := range m.tokens {
		if p.mentions(&m.tokens[i]) {
			out = append(out, i)
		}
	}
	return out
}

// distance counts the tokens between an entity and the nearest of the places.
func (m *message) distance(places []int, entity int) int {
	e := &m.entities[entity]
	d := far
	for _, i := range places {
		switch {
		case i < e.first:
			d = min(d, e.first-i)
		case i > e.last:
			d = min(d, i-e.last)
		}
	}
	return d
}

// negated tells whether token i is ruled out by the word before it.
func negated(m *message, i int) bool {
	if i == 0 || m.tokens[i].gap {
		return false
	}
	switch m.tokens[i-1].word {
	case "not", "no", "except", "excepto", "ni":
		return true
	}
	return false
}

// model tells whether an entity looks like part of a name: the 15 of
// "Walker 15".
func (m *message) model(entity int) bool {
	i := m.entities[entity].first
	return i > 0 && i <= m.entities[entity].last && m.tokens[i-1].capital && !m.tokens[i].gap && m.tokens[i-1].entity < 0
}
