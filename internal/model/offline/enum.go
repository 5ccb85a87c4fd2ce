package offline

import (
	"slices"
	"strings"
)

// enums takes the choices that the text names, the longest first.
func (f *filling) enums(m *message) {
	for _, i := range f.order() {
		p := &f.tool.params[i]
		if p.kind == list && p.item.kind == enum {
			var all []string
			for _, hit := range choices(p.item, m, f.used) {
				if v := p.item.choices[hit.choice].json; !slices.Contains(all, v) {
					all = append(all, v)
				}
				f.mark(hit.first, hit.last)
			}
			if len(all) > 0 {
				f.values[i] = "[" + strings.Join(all, ",") + "]"
				f.typed++
			}
		}
	}
	f.singleEnums(m)
}

// singleEnums gives each choice to the parameter whose name stands before it
// ("from EUR"), and the others in the order of the schema; when there are too
// few for all, the required ones come first.
func (f *filling) singleEnums(m *message) {
	var open []int
	found := 0
	for i, p := range f.tool.params {
		if p.kind != enum || f.values[i] != "" {
			continue
		}
		hits := choices(&f.tool.params[i], m, f.used)
		found = max(found, len(hits))
		for _, h := range hits {
			if h.first > 0 && !m.tokens[h.first].gap && (p.called(&m.tokens[h.first-1]) || p.headedBy(m.tokens[h.first-1].word)) {
				f.choose(i, h)
				break
			}
		}
		if f.values[i] == "" {
			open = append(open, i)
		}
	}
	if found < len(open) {
		open = f.order()
	}
	for _, i := range open {
		p := &f.tool.params[i]
		if p.kind != enum || f.values[i] != "" {
			continue
		}
		for _, h := range choices(p, m, f.used) {
			if h.first > 0 && f.elsewhere(p, m.tokens[h.first-1].word) {
				continue
			}
			f.choose(i, h)
			break
		}
	}
}

func (f *filling) choose(param int, h hit) {
	p := &f.tool.params[param]
	f.values[param] = p.choices[h.choice].json
	f.chose = true
	f.mark(h.first, h.last)
	if p.required {
		f.typed++
		return
	}
	for i := h.first; i <= h.last; i++ {
		f.extra[i] = true
	}
}

// called tells whether t is a word of p's name, function words included.
func (p *param) called(t *token) bool {
	for i := range p.words {
		if p.words[i].same(t) {
			return true
		}
	}
	return false
}

// headedBy tells whether a word such as the "from" of "from Lima" announces p.
func (p *param) headedBy(w string) bool {
	return in(w, "from de desde") && named(p.words, "origin source origen departure") ||
		in(w, "to a al hacia para") && named(p.words, "destination destino target arrival")
}

// elsewhere tells whether w announces another parameter than p.
func (f *filling) elsewhere(p *param, w string) bool {
	for i := range f.tool.params {
		if q := &f.tool.params[i]; q != p && q.kind == p.kind && q.headedBy(w) {
			return true
		}
	}
	return false
}

// at returns the last token of the choice's words that stand at token i, or
// -1. Function words may stand between: "changed my mind".
func (c *choice) at(m *message, used []bool, i int) int {
	n := len(c.words)
	if n == 0 {
		return -1
	}
	for k := range c.words {
		for k > 0 && i < len(m.tokens) && m.tokens[i].class == stop && !m.tokens[i].gap && !c.words[k].same(&m.tokens[i]) {
			i++
		}
		if i >= len(m.tokens) {
			return -1
		}
		t := &m.tokens[i]
		if used[i] || !(c.words[k].same(t) || n == 1 && akin(c.words[k].word, t.word)) || n == 1 && t.class == stop && c.words[k].word != t.word {
			return -1
		}
		i++
	}
	return i - 1
}

// insideQuote tells whether the tokens are a part of a quoted string.
func (m *message) insideQuote(first, last int) bool {
	j := m.tokens[first].entity
	return j >= 0 && m.entities[j].kind == plain && (m.entities[j].first < first || m.entities[j].last > last)
}

type hit struct{ choice, first, last int }

// choices returns which of p's choices m names, in the order of the text. The
// longer choice wins where two overlap.
func choices(p *param, m *message, used []bool) []hit {
	var out []hit
	for i := 0; i < len(m.tokens); {
		best := hit{last: -1}
		for c, ch := range p.choices {
			if last := ch.at(m, used, i); last > best.last && !negated(m, i) && !m.insideQuote(i, last) {
				best = hit{c, i, last}
			}
		}
		if best.last < 0 {
			i++
			continue
		}
		out = append(out, best)
		i = best.last + 1
	}
	return out
}
