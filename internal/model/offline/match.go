package offline

import (
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
)

// The scores that decide. They are sums of the weights in index.go.
const (
	threshold = 1.0  // a tool is meant
	minWords  = 0.55 // of which so much must come from its words
	minLoose  = 0.75 // and so much when an argument is words that nothing marks
	minCode   = 0.3  // when an identifier says the rest and nothing is changed
	minRead   = 0.65 // which is enough for a tool that is known to change nothing
	strong    = 1.5  // it is meant although something else was being talked about
)

// A match is the tool that a message means.
type match struct {
	candidate
	filling *filling
}

// best returns the tool that m means, or nil. A tool that changes something is
// meant only where m asks for it.
func (d *dialogue) best(m *message) *match {
	if m.refuses() {
		return nil
	}
	ranked, verbs := d.candidates(m)
	var best *match
	refused := 0.0 // the score of the best tool that the message rules out
	st := m.stance()
	for _, c := range ranked {
		f := d.ix.fill(c.tool, m)
		if d.weak(c, f, m) {
			continue
		}
		c.score += d.fit(c, f, m) + d.evidence(c.tool, m)
		if d.negatesKey(c.tool, m) {
			refused = max(refused, c.score)
			continue
		}
		if c.score < threshold && !(c.score >= minRead && c.tool.ReadOnly && f.explained() && m.question()) ||
			!c.tool.changes && !builtIn(c.tool.Name) && d.ruledOut(st, c.tool, f, m) {
			continue
		}
		if best == nil || c.score > best.score+1e-9 {
			best = &match{c, f}
		}
	}
	if best != nil && best.score < refused {
		return nil
	}
	if !verbs && (best == nil || !best.tool.changes) {
		if other := d.suited(m); other != nil {
			return other
		}
	}
	return best
}

// weak tells whether the words that a tool and m share are too few to look
// further.
func (d *dialogue) weak(c candidate, f *filling, m *message) bool {
	words, loose, wondering := minWords, minLoose, m.wonders()
	if c.tool.ReadOnly {
		loose = minRead
		if f.typed > 0 && f.missing() < 0 {
			words = minCode
		}
		if f.article && in(m.word(m.start()+1), "do does") { // "what does the saw cost?"
			wondering = false
		}
	}
	if !f.loose {
		return c.score < words
	}
	return c.score < max(words, loose) || c.score < threshold && wondering || d.asksForValue(f, m)
}

// explained tells whether the tool or a value accounts for every word.
func (f *filling) explained() bool {
	return f.spare == 0 && !f.chose || f.spare <= 1 && f.proper
}

// maxCandidates is how many of the tools that share words with a message are
// looked at closely.
const maxCandidates = 6

// candidates returns the tools that m may mean, best first, and whether any of
// them is asked for by its verb.
func (d *dialogue) candidates(m *message) (out []candidate, verbs bool) {
	ranked := d.ix.rank(m.tokens)
	seen := make([]bool, len(d.ix.tools))
	for _, c := range ranked {
		seen[c.tool.at] = true
	}
	for _, t := range d.ix.tools {
		if t.changes && !seen[t.at] && len(m.asks) > 0 {
			ranked = append(ranked, candidate{tool: t})
		}
	}
	if m.asked() == howMuch {
		ranked = d.priced(ranked)
	}
	taken := 0
	for _, c := range ranked {
		switch {
		case c.tool.Name == chat.IdentifyContactTool:
			if name, _, _ := introduction(m); name == "" {
				continue
			}
			c.score -= 0.5 // it is part of another operation as a rule
		case c.tool.Name == chat.HandoffTool:
			if m.question() || len(m.tokens) > 0 && m.unsure(len(m.tokens)-1, 0) || d.ix.shared(c.tool, m) < 2 {
				continue // a delivery is not yet a damaged one
			}
		case c.tool.changes:
			verb, ok := d.asked(c.tool, m)
			if !ok {
				continue
			}
			if verb >= 0 {
				verbs = true
				c.score += 0.15
				if !d.ix.explains(c.tool, &m.tokens[verb]) {
					c.score += keyWeight + 0.25 // a word of another language
				}
				out = append(out, c)
				continue
			}
			c.situation = true
		}
		if taken < maxCandidates && c.score > 0 {
			taken++
			out = append(out, c)
		}
	}
	return out, verbs
}

// suited returns the one tool that changes something and takes exactly the
// values which m gives, where m asks for something in words that no tool has:
// "Cambia mi cita AP-104 al 20 de diciembre". Or nil.
func (d *dialogue) suited(m *message) *match {
	noun := m.wanted()
	if len(m.asks) == 0 && noun < 0 {
		return nil
	}
	var best *match
	for _, t := range d.ix.tools {
		if !t.changes || builtIn(t.Name) {
			continue
		}
		f := d.ix.fill(t, m)
		if f.missing() >= 0 || f.loose || f.proper || f.typed == 0 || f.untaken(m) || !d.suits(t, f, m, noun) {
			continue
		}
		switch {
		case best == nil || f.typed > best.filling.typed:
			best = &match{candidate{tool: t, score: strong}, f}
		case f.typed == best.filling.typed:
			return nil
		}
	}
	return best
}

func (d *dialogue) suits(t *toolInfo, f *filling, m *message, noun int) bool {
	record := false // the values name something that is there already
	for i := range t.params {
		record = record || t.params[i].kind == code && f.values[i] != ""
	}
	if noun >= 0 && !record {
		_, own := d.ix.lookup(&m.tokens[noun], t.at)
		return own || f.typed > 1
	}
	for _, i := range m.asks {
		w := &m.tokens[i]
		if w.class != content && !in(w.word, "pasa pasar pasame pasen") || in(w.word, keepingVerbs) || telling(w.word) && telling(withoutPronouns(w.word)) || d.ix.nouns[w.word] || f.typed < 2 || f.used[i] {
			continue
		}
		if record && (m.heads() || f.placed) || !record && (!m.leads(i) || in(m.word(i+1), "a an un una otra otro another")) {
			return true
		}
	}
	return false
}

// keepingVerbs ask for nothing to be changed.
const keepingVerbs = "keep remember remind forget confirm think hope wonder attend visit discuss talk speak bring ask say print mantener " +
	"recordar recuerda recuerdame recuerde recordarme olvidar confirmar confirma mantiene hablar decir pensar preguntar traer ir asistir imprimir imprime"

// untaken tells whether a value of m found no place in f.
func (f *filling) untaken(m *message) bool {
	for j := range m.entities {
		if k := m.entities[j].kind; !f.taken[j] && k != date && k != clock && k != integer && (k != number || f.tool.hasNumber()) {
			return true
		}
	}
	return false
}

func (t *toolInfo) hasNumber() bool {
	for i := range t.params {
		if k := t.params[i].kind; k == number || k == integer {
			return true
		}
	}
	return false
}

// fit is what a tool's arguments say for or against it.
func (d *dialogue) fit(c candidate, f *filling, m *message) float64 {
	s := -0.2 * f.spare
	for i, p := range c.tool.params {
		switch {
		case p.required && f.values[i] != "" && p.fixed == "":
			s += 0.25
		case p.required:
			s -= 0.1
		case f.values[i] != "":
			s += 0.1
		}
	}
	if m.thanks() {
		s -= 0.6
	}
	if f.spare == 0 && f.known > 0 && !f.loose {
		s += 0.3
		if f.missing() < 0 {
			s += 0.15
		}
	}
	if f.proper {
		s += 0.1
	}
	if f.typed > 0 && f.missing() < 0 {
		s += 0.2
	}
	return s + 0.25*float64(f.fits)
}

// negatesKey tells "do not cancel" from "cancel".
func (d *dialogue) negatesKey(tool *toolInfo, m *message) bool {
	if i := m.start(); in(m.word(i), "no nunca") {
		for i++; in(m.word(i), "me te se lo la le les nos los las"); {
			i++
		}
		if i < len(m.tokens) && d.spanishVerb(tool, &m.tokens[i]) {
			return true
		}
	}
	for i := range m.tokens {
		p, ok := d.ix.lookup(&m.tokens[i], tool.at)
		if !ok || !p.first || i == 0 {
			continue
		}
		for k := i - 1; k >= 0 && k >= i-4 && !m.tokens[k+1].gap; k-- {
			switch m.tokens[k].word {
			case "already":
				return k == i-1
			case "dont", "not", "never", "nunca", "no", "tampoco", "doesnt", "didnt", "wont":
				return true
			case "want", "need", "to", "wish", "quiero", "deseo", "necesito", "me", "lo", "la", "le", "que", "you", "please", "ever", "quisiera":
				continue
			}
			break
		}
	}
	return false
}

// spanishVerb tells whether t is a verb of the tool in the form that follows
// "no": bloquees for bloquear. Its stem may differ from that of the infinitive.
func (d *dialogue) spanishVerb(tool *toolInfo, t *token) bool {
	if t.class != content || len(t.word) < 5 || !strings.HasSuffix(t.word, "es") && !strings.HasSuffix(t.word, "as") {
		return false
	}
	for n := len(t.word); n >= 4; n-- {
		if d.ix.has(t.word[:n], tool.at) {
			return true
		}
	}
	return false
}
