package offline

import "strings"

// What a message that names the words of a tool says against calling it: it
// forbids something, supposes it, asks how it is done, or asks for something
// else to be done.

// A stance is what a message does instead of asking for something.
type stance struct {
	told          bool // it states, thanks or supposes
	howTo, wonder bool // it asks how something is done, or what a word means
}

func (m *message) stance() stance {
	return stance{m.statement() || m.thanks() && !m.question() || m.supposes(), m.asksHow(), m.defines()}
}

// ruledOut tells whether tool, which looks things up, is not asked for although
// m has its words.
func (d *dialogue) ruledOut(s stance, tool *toolInfo, f *filling, m *message) bool {
	switch {
	case s.told && !(tool.ReadOnly && f.spare == 0 && !f.loose && d.happened(tool, m)),
		s.howTo && f.missing() >= 0,
		f.typed == 0 && (s.wonder || s.howTo && !reads(m.word(m.start()+3))):
		return true
	}
	return d.elsewhere(tool, m)
}

// forbids tells that the one clause of m, which begins at token i, wants
// something not to be done: "don't cancel it", "no quiero anularla".
func (m *message) forbids(i int) bool {
	for in(m.word(i), adverbs) || in(m.word(i), "i we yo") {
		i++
	}
	own := i > 0 && in(m.word(i-1), "i we yo") // "I don't cancel": no order
	switch w := m.word(i); {
	case w == "do" && m.word(i+1) == "not":
		i += 2
	case in(w, "dont never"):
		i++
	case w == "no" && in(m.word(i+1), wishesES):
		return isInfinitive(m.word(i+2)) && !m.goesOn(i+3)
	default:
		return false
	}
	switch w := m.word(i); {
	case in(w, "want need wish"):
		return in(m.word(i+1), "to you") && !reads(m.word(i+2)) && !m.goesOn(i+2)
	case own, in(w, "know see have find understand get remember care mind think believe recall"):
		return false
	default:
		return i < len(m.tokens) && baseForm(w) && !m.goesOn(i+1)
	}
}

// supposes tells "if I cancel it", "what if …", "qué pasa si …".
func (m *message) supposes() bool {
	i := m.start()
	if in(m.word(i), "what que") {
		i++
		if in(m.word(i), "happens happen pasa pasaria sucede ocurre") {
			i++
		}
		return in(m.word(i), "if when si cuando") && (m.word(i) != "when" && m.word(i) != "cuando" || i > m.start()+1)
	}
	for k := i + 1; k < len(m.tokens)-1; k++ {
		if m.word(k) == "if" && in(m.word(k+1), "i we my") && !in(m.word(k-1), "know check see tell me wonder wondering verify") {
			return true
		}
		if m.word(k) == "be" && in(m.word(i), "can could may") && strings.HasSuffix(m.word(k+1), "ed") {
			return true
		}
	}
	return in(m.word(i), "if suppose supposing imagine") && !in(m.word(i+1), "possible you") ||
		m.word(i) == "si" && !m.accented(i) && i+1 < len(m.tokens) && !m.tokens[i+1].gap
}

// asksHow tells a question about how or where something is done.
func (m *message) asksHow() bool {
	i := m.start()
	return in(m.word(i), "how where") && in(m.word(i+1), "do does can could should would to") && in(m.word(i+2), "i you we one") ||
		in(m.word(i), "como donde") && in(m.word(i+1), "puedo podemos podria se hago hacemos")
}

// own tells that m is about something of the visitor's.
func (m *message) own() bool {
	for i := range m.tokens {
		if in(m.tokens[i].word, "my our mi mis nuestro nuestra") {
			return true
		}
	}
	return false
}

// defines tells "what is a bounce?", "qué es Fonasa": nothing of the visitor's.
func (m *message) defines() bool {
	i := m.start()
	switch w := m.word(i); {
	case w == "what" && in(m.word(i+1), "is are"), w == "que" && in(m.word(i+1), "es son significa"):
		i += 2
	case w == "whats":
		i++
	default:
		return false
	}
	if in(m.word(i), "a an un una") {
		i++
	}
	return i < len(m.tokens) && len(m.tokens)-i <= 2 && m.tokens[i].class != stop
}

// asksForValue tells whether what m asks for, the fine of "what is the fine for
// late books?", was taken for the argument.
func (d *dialogue) asksForValue(f *filling, m *message) bool {
	i := m.start()
	switch w := m.word(i); {
	case in(w, "what que cual") && in(m.word(i+1), "is are es son"):
		i += 2
	case w == "whats":
		i++
	default:
		return false
	}
	for in(m.word(i), "the a an my your el la los las mi un una") {
		i++
	}
	if i >= len(m.tokens) || !f.used[i] || m.tokens[i].capital || d.ix.explains(f.tool, &m.tokens[i]) {
		return false
	}
	for i < len(m.tokens) && f.used[i] {
		i++
	}
	return i >= len(m.tokens) || !d.ix.explains(f.tool, &m.tokens[i])
}

// doingVerbs ask for a change, or for something that no tool looks up.
const doingVerbs = changingVerbs + " return refund invite stop start restart schedule edit rename replace upgrade downgrade subscribe unsubscribe " +
	"write translate draw sing play cancela anula elimina borra cambia modifica actualiza crea agenda envia manda paga bloquea devuelve agrega abre " +
	"cierra mueve reembolsa escribe traduce dibuja canta"

// mildVerbs go along with a question about something else: "I would like to
// visit the shop, what are its hours".
const mildVerbs = keepingVerbs + " buy purchase come go be have get understand learn hear eat pick collect stay travel work use live plan order " +
	"comprar venir pasar estar ser tener entender comer retirar llevar recoger viajar trabajar usar vivir"

// elsewhere tells whether m asks for something to be done which tool, that
// looks things up, does not do: "cancel order A-1042" does not ask for its
// status.
func (d *dialogue) elsewhere(tool *toolInfo, m *message) bool {
	for i := 2; i < len(m.tokens); i++ { // "can I return it?"
		t := &m.tokens[i]
		if in(m.word(i-1), "i we") && in(m.word(i-2), "can could may should must") && t.class == content && !d.ix.explains(tool, t) && d.ix.acts(t) {
			return true
		}
	}
	for _, i := range m.asks {
		t := &m.tokens[i]
		if t.class != content && !in(t.word, "make hacer haz") || t.entity >= 0 || reads(t.word) || reads(withoutPronouns(t.word)) || in(t.word, mildVerbs) || d.ix.explains(tool, t) {
			continue
		}
		next := m.word(i + 1)
		if in(t.word, doingVerbs) || in(withoutPronouns(t.word), doingVerbs) || !m.leads(i) ||
			in(next, "my me it this that mi la las los lo me") {
			return !d.inquires(m, i+1)
		}
	}
	return false
}

// acts tells whether t is a verb with which something is changed.
func (ix *index) acts(t *token) bool {
	if in(t.word, doingVerbs) {
		return true
	}
	for _, own := range ix.tools {
		for k := range own.actions {
			if own.actions[k].same(t) {
				return true
			}
		}
	}
	return false
}

// inquires tells whether the noun behind a verb is a question or a look-up:
// "hacer una consulta", "make a search".
func (d *dialogue) inquires(m *message, i int) bool {
	for ; i < len(m.tokens) && m.tokens[i].class == stop; i++ {
	}
	return in(m.word(i), "question query search inquiry enquiry report list summary sure consulta pregunta busqueda informe reporte resumen lista")
}
