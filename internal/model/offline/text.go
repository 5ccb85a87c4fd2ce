package offline

import (
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/internal/chat"
)

// quotes gives quoted strings to the string parameters.
func (f *filling) quotes(m *message) {
	for j := range m.entities {
		e := &m.entities[j]
		if e.kind != plain || f.taken[j] {
			continue
		}
		best, dist := -1, 0
		for _, i := range f.order() {
			p := &f.tool.params[i]
			if p.kind != plain || !p.takes(e.text) {
				continue
			}
			d := m.distance(m.mentioned(p), j)
			if !p.required && d > 3 {
				d += 1000
			}
			if best < 0 || d < dist {
				best, dist = i, d
			}
		}
		if best >= 0 {
			f.take(best, j, quote(e.text), m)
		}
	}
}

func (p *param) takes(s string) bool {
	return s != "" && (p.maxLength == 0 || utf8.RuneCountInString(s) <= p.maxLength) && (p.pattern == nil || p.pattern.MatchString(s))
}

// named takes what follows a parameter's own name: "name is Ana", "city: Lima",
// and for a name what follows "my name is".
func (f *filling) named(ix *index, m *message) {
	intro, first, last := introduction(m)
	for _, i := range f.order() {
		p := &f.tool.params[i]
		if p.kind != plain {
			continue
		}
		if intro != "" && named(p.words, "name nombre") && (len(p.words) == 1 || f.tool.Name == chat.IdentifyContactTool ||
			named(p.words, "customer visitor client user contact full first guest cliente contacto completo")) {
			f.values[i] = quote(intro)
			f.mark(first, last)
			continue
		}
		for j := range m.tokens {
			if f.values[i] != "" || !p.mentions(&m.tokens[j]) || m.tokens[j].entity >= 0 {
				continue
			}
			from, marked := afterName(m, j)
			if from < 0 || !marked && !p.required {
				continue
			}
			c, ok := ix.chunkAt(f, m, from, marked)
			if !ok || !marked && c.plainWords() {
				continue
			}
			if s := c.text(m); p.takes(s) {
				f.values[i] = quote(s)
				f.mark(j, c.last)
			}
		}
	}
}

// places takes the name behind "in" for a place that need not be given.
func (f *filling) places(ix *index, m *message) {
	for i := range f.tool.params {
		p := &f.tool.params[i]
		if p.required || p.kind != plain || f.values[i] != "" || !p.place() {
			continue
		}
		for j := 1; j < len(m.tokens); j++ {
			if m.tokens[j].gap || !in(m.word(j-1), "in en near at") {
				continue
			}
			if c, ok := ix.chunkAt(f, m, j, false); ok && c.capital && p.takes(c.text(m)) {
				f.values[i] = quote(c.text(m))
				f.mark(c.first, c.last)
				break
			}
		}
	}
}

// afterName returns the token after a parameter's name at j, and whether a
// marker such as "is" or ":" stands between.
func afterName(m *message, j int) (next int, marked bool) {
	k := j + 1
	if k >= len(m.tokens) {
		return -1, false
	}
	between := m.text[m.tokens[j].end:m.tokens[k].start]
	if strings.ContainsAny(between, ":=") {
		return k, true
	}
	if m.tokens[k].gap {
		return -1, false
	}
	switch m.tokens[k].word {
	case "is", "es", "called", "llamado", "llamada", "named", "to":
		if k+1 < len(m.tokens) && !m.tokens[k+1].gap {
			return k + 1, true
		}
		return -1, false
	}
	return k, false
}

// lists takes arrays of strings: quoted ones, or words with commas between.
func (f *filling) lists(ix *index, m *message) {
	for _, i := range f.order() {
		p := &f.tool.params[i]
		if p.kind != list || p.item.kind != plain && p.item.kind != code && p.item.kind != email || f.values[i] != "" {
			continue
		}
		var all []string
		for j := range m.entities {
			e := &m.entities[j]
			if !f.taken[j] && (e.kind == plain && p.item.kind == plain || e.kind == p.item.kind) {
				f.take(i, j, "", m)
				all = append(all, quote(e.text))
			}
		}
		if len(all) == 0 && p.required && p.item.kind == plain && f.openStrings() == 0 {
			for _, c := range ix.chunks(f, m) {
				for _, part := range c.items(m) {
					all = append(all, quote(part))
				}
				f.mark(c.first, c.last)
			}
		}
		if len(all) > 0 {
			f.values[i] = "[" + strings.Join(all, ",") + "]"
		}
	}
}

// openStrings counts the required strings that have no value.
func (f *filling) openStrings() int {
	n := 0
	for i, p := range f.tool.params {
		if p.required && p.kind == plain && f.values[i] == "" {
			n++
		}
	}
	return n
}

// remainder gives the words that nothing else explains to the one required
// string that is still open.
func (f *filling) remainder(ix *index, m *message) {
	open := -1
	for i, p := range f.tool.params {
		if !p.required || f.values[i] != "" {
			continue
		}
		if p.kind == code {
			f.shouted(i, m)
			continue
		}
		if p.kind == plain {
			if open >= 0 {
				return
			}
			open = i
		}
	}
	if open < 0 {
		return
	}
	p := &f.tool.params[open]
	if f.tool.Name == chat.KnowledgeLookupTool || f.tool.Name == chat.HandoffTool {
		text := strings.TrimSpace(m.whole)
		if p.maxLength > 0 {
			text = clip(text, p.maxLength-1) // it may end with an ellipsis
		}
		f.values[open] = quote(text)
		for i := range f.used {
			f.used[i] = true
		}
		return
	}
	if named(p.words, "name nombre") && f.tool.Name == chat.IdentifyContactTool {
		return
	}
	chunks := ix.chunks(f, m)
	if len(chunks) == 0 {
		return
	}
	if p.text {
		f.phrase(ix, open, chunks, m)
		return
	}
	best := 0
	for i := range chunks {
		if chunks[i].rank(m) > chunks[best].rank(m) {
			best = i
		}
	}
	c := chunks[best]
	for f.tool.finds && c.last+1 < len(m.tokens) && f.extra[c.last+1] && !m.tokens[c.last+1].gap {
		c.last++ // the dress of "red dress" may be a category too
	}
	s := c.text(m)
	if !p.takes(s) {
		return
	}
	f.values[open] = quote(s)
	f.loose, f.proper, f.article = !c.capital, c.capital, c.article
	f.mark(c.first, c.last)
}

// phrase gives a free text what follows a colon, or the clauses around the
// words that the tool does not explain.
func (f *filling) phrase(ix *index, open int, chunks []chunk, m *message) {
	first, last := chunks[0].first, chunks[len(chunks)-1].last
	key := func(i int) bool {
		p, ok := ix.lookup(&m.tokens[i], f.tool.at)
		return ok && p.name || f.used[i]
	}
	for last+1 < len(m.tokens) && !m.tokens[last+1].gap && !key(last+1) {
		last++
	}
	end := m.tokens[last].end
	if i := strings.Index(m.text, ": "); i >= 0 && strings.TrimSpace(m.text[i+2:]) != "" {
		for first < len(m.tokens)-1 && m.tokens[first].start < i {
			first++
		}
		for first > 0 && m.tokens[first-1].start > i {
			first--
		}
		last, end = len(m.tokens)-1, len(m.text)
	} else {
		for first > 0 && !m.tokens[first].gap && !key(first-1) {
			first--
		}
		for first < chunks[0].first && m.tokens[first].class != content {
			first++
		}
	}
	s := strings.TrimSpace(m.text[m.tokens[first].start:end])
	if !f.tool.params[open].takes(s) {
		return
	}
	f.values[open] = quote(s)
	f.loose = true
	f.mark(first, last)
}

// shouted takes an identifier without a digit that is written in capitals.
func (f *filling) shouted(i int, m *message) {
	p := &f.tool.params[i]
	for j := range m.tokens {
		t := &m.tokens[j]
		raw := m.text[t.start:t.end]
		if t.entity < 0 && !f.used[j] && t.capital && len(raw) >= 4 && strings.ToUpper(raw) == raw && p.takes(raw) {
			f.values[i] = quote(raw)
			f.used[j] = true
			return
		}
	}
}
