package offline

import (
	"slices"
	"strings"
)

// A chunk is a run of words that could be a value: words that the tool itself
// does not use, next to each other.
type chunk struct {
	first, last int
	capital     bool // holds a word with a capital that the sentence does not ask for
	article     bool // an article or "any" stands before it
	named       bool // the name of a parameter stands before it
}

// explains tells whether the tool's own words account for t. A proper noun is
// only explained by a name.
func (ix *index) explains(tool *toolInfo, t *token) bool {
	p, ok := ix.lookup(t, tool.at)
	return ok && (p.name || !t.capital)
}

// valueWord tells whether token i may be part of a value.
func (ix *index) valueWord(f *filling, m *message, i int) bool {
	t := &m.tokens[i]
	if f.used[i] {
		return false
	}
	if t.entity >= 0 {
		e := &m.entities[t.entity]
		return !f.taken[t.entity] && (e.kind == number || e.kind == code && !ix.codes[familyOf(e.text)] || e.kind == date && m.inName(i))
	}
	switch t.class {
	case content:
		return !ix.explains(f.tool, t) && !m.verb(i)
	case meta:
		return t.capital
	case request:
		return t.capital && !ix.explains(f.tool, t)
	case stop:
		// "The Hobbit": a capital where the sentence asks for none.
		return m.inName(i) || t.capital && i+1 < len(m.tokens) && !m.tokens[i+1].gap && m.tokens[i+1].capital && m.tokens[i+1].class == content
	}
	return false
}

// inName tells whether token i has a capital and stands behind another word
// with one: "Black Friday", "Newsletter May".
func (m *message) inName(i int) bool {
	return i > 0 && m.tokens[i].capital && !m.tokens[i].gap && m.tokens[i-1].capital && m.tokens[i-1].entity < 0
}

// verb tells whether token i stands where a verb does: "can I return", "puedo
// devolver".
func (m *message) verb(i int) bool {
	t := &m.tokens[i]
	if i == 0 || t.gap || t.capital {
		return false
	}
	before := m.tokens[i-1].word
	if in(before, "i you we they can could would should will") {
		return true
	}
	return in(before, "puedo puede puedes podria podrias quiero quisiera necesito debo") &&
		(strings.HasSuffix(t.word, "ar") || strings.HasSuffix(t.word, "er") || strings.HasSuffix(t.word, "ir"))
}

// chunks returns the runs of m, in its order.
func (ix *index) chunks(f *filling, m *message) []chunk {
	var out []chunk
	for i := 0; i < len(m.tokens); {
		c, ok := ix.chunkAt(f, m, i, false)
		if !ok {
			i++
			continue
		}
		if i > 0 && !m.tokens[i].gap {
			switch m.tokens[i-1].word {
			case "the", "a", "an", "any", "some", "el", "la", "los", "las", "un", "una", "unos", "unas", "algun", "alguna":
				c.article = true
			}
		}
		for k := i - 1; k >= 0 && k >= i-2 && !m.tokens[k+1].gap; k-- {
			for p := range f.tool.params {
				c.named = c.named || f.tool.params[p].required && f.tool.params[p].mentions(&m.tokens[k])
			}
		}
		out = append(out, c)
		i = c.last + 1
	}
	out = slices.DeleteFunc(out, func(c chunk) bool { // "a new task" has no name
		return c.first == c.last && in(m.tokens[c.first].word, "new another other nuevo nueva otro otra")
	})
	// A number alone is a value only where nothing else is.
	if len(out) > 1 {
		kept := out[:0:0]
		for _, c := range out {
			if !m.figures(c) {
				kept = append(kept, c)
			}
		}
		if len(kept) > 0 {
			out = kept
		}
	}
	return out
}

func (m *message) figures(c chunk) bool {
	for i := c.first; i <= c.last; i++ {
		if e := m.tokens[i].entity; e < 0 || m.entities[e].kind != number {
			return false
		}
	}
	return true
}

// chunkAt returns the run that begins at token i. Behind a marker ("city: …")
// any word may be part of it.
func (ix *index) chunkAt(f *filling, m *message, i int, marked bool) (chunk, bool) {
	ok := func(j int) bool {
		if ix.valueWord(f, m, j) {
			return true
		}
		t := &m.tokens[j]
		return marked && !f.used[j] && t.entity < 0 && t.class != stop
	}
	for marked && i < len(m.tokens)-1 && m.tokens[i].class == stop && !m.tokens[i+1].gap && !ok(i) {
		i++
	}
	if i >= len(m.tokens) || !ok(i) {
		return chunk{}, false
	}
	c := chunk{first: i, last: i, capital: m.tokens[i].capital}
	for j := i + 1; j < len(m.tokens); {
		if m.tokens[j].gap {
			break
		}
		if ok(j) {
			c.capital = c.capital || m.tokens[j].capital
			c.last = j
			j++
			continue
		}
		k := j
		if !joins(m.tokens[j].word) {
			break
		}
		for k < len(m.tokens) && k-j < 3 && m.tokens[k].class == stop && !m.tokens[k].gap && !ok(k) {
			k++
		}
		if k >= len(m.tokens) || m.tokens[k].gap || !ok(k) || k-j > 1 && m.tokens[j].word == "y" {
			break
		}
		j = k
	}
	if !marked {
		ix.trim(&c, m)
	}
	return c, true
}

// trim takes words off both ends that other tools use: they say what is being
// talked about, as in "sucursal Providencia".
func (ix *index) trim(c *chunk, m *message) {
	known := func(i int) bool {
		t := &m.tokens[i]
		return !t.capital && t.class != content || !t.capital && t.entity < 0 && (len(ix.terms[t.stems[0]]) > 0 || len(ix.terms[t.stems[1]]) > 0)
	}
	first, last := c.first, c.last
	// "disponibilidad del Picker": what a message opens with is about the name.
	if c.capital && first == 0 {
		for i := 1; i < last && !m.tokens[i].capital; i++ {
			if m.tokens[i].class == stop && m.tokens[i+1].capital {
				first = i + 1
			}
		}
	}
	for first < last && known(first) {
		first++
	}
	for last > first && known(last) && !(m.tokens[last].class == content && joins(m.tokens[last-1].word)) {
		last--
	}
	if !known(first) {
		c.first, c.last = first, last
	}
}

// joins tells the words that hold a name together: "lord of the rings",
// "zapatos de cuero".
func joins(w string) bool {
	switch w {
	case "of", "de", "del", "with", "con", "and", "y":
		return true
	}
	return false
}

// plainWords tells a chunk that nothing marks as a value.
func (c chunk) plainWords() bool { return !c.capital && c.first == c.last }

func (c chunk) rank(m *message) int {
	r := 0
	if c.capital {
		r += 4
	}
	if c.named {
		r += 3
	}
	if c.article {
		r += 2
	}
	if c.first > 0 || c.last > 0 {
		r++
	}
	return r*10 + min(c.last-c.first, 9)
}

// text returns the chunk as it stands in the message.
func (c chunk) text(m *message) string {
	start, end := m.tokens[c.first].start, m.tokens[c.last].end
	if e := m.tokens[c.first].entity; e >= 0 {
		start = m.entities[e].start
	}
	if e := m.tokens[c.last].entity; e >= 0 {
		end = max(end, m.entities[e].end)
	}
	return m.text[start:end]
}

// items splits a chunk at "and".
func (c chunk) items(m *message) []string {
	var out []string
	from := c.first
	for i := c.first; i <= c.last; i++ {
		if w := m.tokens[i].word; (w == "and" || w == "y") && i > from {
			out = append(out, m.text[m.tokens[from].start:m.tokens[i-1].end])
			from = i + 1
		}
	}
	return append(out, m.text[m.tokens[from].start:m.tokens[c.last].end])
}

// introduction finds "my name is Ana", "me llamo Ana", "soy Ana" and returns
// the name and its tokens.
func introduction(m *message) (name string, first, last int) {
	for i := range m.tokens {
		at := func(words ...string) bool {
			for k, w := range words {
				if i+k >= len(m.tokens) || m.tokens[i+k].word != w {
					return false
				}
			}
			return true
		}
		from, strict := -1, false
		switch {
		case at("my", "name", "is"), at("mi", "nombre", "es"), at("a", "nombre", "de"), at("under", "the", "name"), at("the", "name", "is"), at("el", "nombre", "es"):
			from = i + 3
		case at("call", "me"), at("me", "llamo"), at("my", "names"):
			from = i + 2
		case at("i", "am"), at("name", "is"):
			from, strict = i+2, true
		case at("im"), at("soy"):
			from, strict = i+1, true
		}
		if from < 0 || from >= len(m.tokens) {
			continue
		}
		if !strict && m.tokens[from].word == "of" && from+1 < len(m.tokens) {
			from++
		}
		end := from
		for end < len(m.tokens) && end-from < 4 && m.tokens[end].entity < 0 && (end == from || !m.tokens[end].gap) &&
			m.tokens[end].class != request && (m.tokens[end].class != stop || m.tokens[end].capital || end > from && (m.tokens[end].word == "de" || m.tokens[end].word == "la")) &&
			(m.tokens[end].capital || end == from && !strict) {
			end++
		}
		if !strict && end == from+1 && !m.tokens[from].capital { // all in lower case
			for end < len(m.tokens) && end-from < 3 && m.tokens[end].class == content && !m.tokens[end].gap {
				end++
			}
		}
		for end > from && m.tokens[end-1].class == stop && !m.tokens[end-1].capital {
			end--
		}
		if end > from {
			return m.text[m.tokens[from].start:m.tokens[end-1].end], i, end - 1
		}
	}
	return "", 0, 0
}

// wantsPerson tells whether the text asks for a person, for the handoff that
// is built in.
func (m *message) wantsPerson() bool {
	contact, person := false, false
	for i := range m.tokens {
		if i > 0 && in(m.tokens[i].word, "want need quiero necesito") && !m.tokens[i].gap && in(m.tokens[i-1].word, "dont not no") {
			return false
		}
		switch m.tokens[i].word {
		case "talk", "speak", "chat", "connect", "transfer", "hablar", "conversar", "comunicar", "comunicarme", "comunicame", "conectar", "pasame", "contactar", "hablo":
			contact = true
		case "person", "human", "agent", "representative", "operator", "somebody", "someone", "persona", "humano", "humana", "agente", "alguien", "ejecutivo", "ejecutiva", "representante", "operador", "asesor", "asesora":
			person = true
		}
	}
	if i := m.wanted(); i >= 0 && !contact {
		contact = in(m.tokens[i].word, "person human agent representative operator persona humano humana agente ejecutivo ejecutiva representante operador")
	}
	return contact && person
}
