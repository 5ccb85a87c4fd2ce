package offline

import (
	"slices"
	"strings"
)

// What speaks for a tool that looks things up besides the words that it shares
// with a message.

// evidence is that for tool: the question word that its texts have too, a
// request to see something, and whether one or many are asked for.
func (d *dialogue) evidence(tool *toolInfo, m *message) float64 {
	if tool.changes || builtIn(tool.Name) {
		return 0
	}
	s := 0.0
	if tool.ReadOnly && m.asksToSee() {
		s += 0.45
	} else if tool.ReadOnly && len(tool.keyWords) > 1 && m.word(m.start()) == tool.keyWords[0].word {
		s += 0.3
	}
	if q := m.asked(); q != "" && tool.answers[q] {
		s += 0.3
	}
	for i := 1; i < len(m.tokens); i++ {
		t := &m.tokens[i]
		if t.class != content || t.entity >= 0 || tool.words[t.word] {
			continue
		}
		switch before := m.word(i - 1); {
		case in(before, "my the this a an mi el la este esta un una") && tool.words[pluralOf(t.word)],
			in(before, "my mis") && tool.words[strings.TrimSuffix(t.word, "s")]:
			s -= 0.25
		}
	}
	return s
}

func pluralOf(w string) string {
	if strings.HasSuffix(w, "s") {
		return w
	}
	if r := w[len(w)-1]; strings.IndexByte("aeiou", r) < 0 && (r == 'r' || r == 'l' || r == 'n' || r == 'd') && strings.HasSuffix(w, "ion") {
		return w + "es"
	}
	return w + "s"
}

// questionWord reduces the question words of both languages to one.
func questionWord(w string) string {
	switch w {
	case "where", "wheres", "donde", "adonde":
		return "where"
	case "when", "whens", "cuando":
		return "when"
	case "who", "quien", "quienes":
		return "who"
	case "cuanto", "cuanta", "cuantos", "cuantas":
		return howMuch
	}
	return ""
}

// asked returns the question word of m, reduced, or "".
func (m *message) asked() string {
	i := m.start()
	for k := i + 1; k < i+4; k++ { // of time, not of money
		if in(m.word(k), "demora demoran tarda tardan dura duran tiempo falta toma time longer") {
			return ""
		}
	}
	if in(m.word(i), "a en por") && in(m.word(i+1), "cuanto cuantos") {
		return howMuch
	}
	if m.word(i) == "how" && m.word(i+1) == "much" {
		return howMuch
	}
	return questionWord(m.word(i))
}

// identified answers a question of which nothing but an identifier is left,
// "is web-01 up?", with the one tool that looks up those.
func (d *dialogue) identified(m *message) *match {
	if len(m.entities) != 1 || m.entities[0].kind != code || m.hasContent() || m.refuses() || m.supposes() ||
		!in(m.word(m.start()), "is are was has where wheres what whats when how donde cuando como esta") {
		return nil
	}
	var best *match
	for _, t := range d.ix.tools {
		if !t.ReadOnly {
			continue
		}
		f := d.ix.fill(t, m)
		if f.missing() >= 0 || f.fits == 0 {
			continue
		}
		if best != nil {
			return nil
		}
		best = &match{candidate{tool: t, score: threshold}, f}
	}
	return best
}

// priced adds to the ranking what "how much" says: the one tool that tells
// prices is meant.
func (d *dialogue) priced(ranked []candidate) []candidate {
	var teller *toolInfo
	for _, t := range d.ix.tools {
		if !t.changes && !builtIn(t.Name) && t.answers[howMuch] {
			if teller != nil {
				return ranked
			}
			teller = t
		}
	}
	if teller == nil {
		return ranked
	}
	c := candidate{tool: teller}
	if i := slices.IndexFunc(ranked, func(c candidate) bool { return c.tool == teller }); i >= 0 {
		c = ranked[i]
		ranked = slices.Delete(ranked, i, i+1)
	}
	c.score = max(c.score, whenWeight)
	return slices.Insert(ranked, 0, c)
}

const (
	howMuch    = "how much"
	priceWords = "price prices cost costs fee fees rate rates precio precios costo costos cuesta cuestan tarifa tarifas"
)

// notes remembers the words of tool's texts, as they stand there, and which
// questions they say it answers.
func (t *toolInfo) notes(texts ...[]token) {
	t.words, t.answers = map[string]bool{}, map[string]bool{}
	for _, tokens := range texts {
		for i := range tokens {
			t.words[tokens[i].word] = true
			if in(tokens[i].word, priceWords) {
				t.answers[howMuch] = true
			}
			if q := questionWord(tokens[i].word); q != "" && i > 0 { // "When the visitor asks …" is no question
				t.answers[q] = true
			}
		}
	}
}

// asksToSee tells a request to be shown something: "show me …", "quiero ver …".
func (m *message) asksToSee() bool {
	i := m.start()
	if k := m.wishesTo(i); k > 0 {
		i = k
	}
	return in(m.word(i), "show see list view check give tell get display ver muestra muestrame muestreme mostrar mostrarme lista listame dame dime consulta consultar revisa revisar")
}
