package offline

import (
	"strings"
)

// enums takes the choices that the text names, the longest first.
func (f *filling) enums(m *message) {
	for _, i := range f.order() {
		p := &f.tool.params[i]
		if p.kind == list && p.item.kind == enum {
			var all []string
			for _, hit := range choices(p.item, m, f.used) {
				all = append(all, p.item.choices[hit.choice].json)
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
			if h.first > 0 && !m.tokens[h.first].gap && p.called(&m.tokens[h.first-1]) {
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
		if hits := choices(p, m, f.used); len(hits) > 0 {
			f.choose(i, hits[0])
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

type hit struct{ choice, first, last int }

// choices returns which of p's choices m names, in the order of the text. The
// longer choice wins where two overlap.
func choices(p *param, m *message, used []bool) []hit {
	var out []hit
	for i := 0; i < len(m.tokens); {
		best := hit{last: -1}
		for c, ch := range p.choices {
			n := len(ch.words)
			if n == 0 || i+n > len(m.tokens) || i+n-1 <= best.last {
				continue
			}
			same := true
			for k := range ch.words {
				t := &m.tokens[i+k]
				same = same && !used[i+k] && (ch.words[k].same(t) || n == 1 && akin(ch.words[k].word, t.word)) && !(n == 1 && t.class == stop && ch.words[k].word != t.word)
			}
			if same && !negated(m, i) {
				best = hit{c, i, i + n - 1}
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
