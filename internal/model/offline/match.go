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
	strong    = 1.5  // it is meant although something else was being talked about
)

// A match is the tool that a message means.
type match struct {
	candidate
	filling *filling
}

// best returns the tool that m means, or nil.
func (d *dialogue) best(m *message) *match {
	if m.refuses() {
		return nil
	}
	ranked := d.ix.rank(m.tokens)
	var best *match
	refused := 0.0 // the score of the best tool that the message rules out
	for i, c := range ranked {
		if i >= 6 {
			break
		}
		if c.tool.Name == chat.IdentifyContactTool || c.tool.Name == chat.RequestContactInfoTool {
			c.score -= 0.5 // they are part of another operation as a rule
		}
		f := d.ix.fill(c.tool, m)
		if c.score < minWords || f.loose && (c.score < minLoose || c.score < threshold && m.wonders()) {
			continue
		}
		c.score += d.fit(c, f, m)
		if d.negatesKey(c.tool, m) {
			refused = max(refused, c.score)
			continue
		}
		if c.score < threshold {
			continue
		}
		if best == nil || c.score > best.score+1e-9 {
			best = &match{c, f}
		}
	}
	if best != nil && best.score < refused {
		return nil
	}
	return best
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
