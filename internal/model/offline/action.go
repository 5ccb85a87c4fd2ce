package offline

import (
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
)

// An action is a verb with which a tool says what it does.
type action struct {
	token
	forms [2]form
}

// readingVerbs lead what a tool that only looks at things says of itself. A
// tool that says anything else changes something.
const readingVerbs = "check get list find look search show track see view read lookup fetch query retrieve browse count describe display " +
	"tell give explain compare calculate compute convert estimate validate verify know preview inspect monitor quote consult " +
	"consultar consulta ver buscar busca listar lista mostrar muestra obtener obten encontrar encuentra revisar revisa verificar verifica convertir " +
	"convierte calcular calcula saber conocer informar informa rastrear rastrea leer lee comparar compara"

// changingVerbs lead keys that mean a change whatever the description begins
// with.
const changingVerbs = "cancel move change book reserve create update delete remove send notify add pay open close set block submit post put reset"

func reads(w string) bool {
	return in(w, readingVerbs) || in(strings.TrimSuffix(w, "s"), readingVerbs) || in(strings.TrimSuffix(w, "es"), readingVerbs)
}

// describe finds out what kind of tool t is and with which words it is asked
// for, from the tool's own texts.
func (ix *index) describe(t *toolInfo) {
	description := ix.tokens(t.Description)
	when := ix.tokens(t.WhenToUse)
	t.changes = !t.ReadOnly && !readsOnly(t.keyWords, description)
	ix.nounsOf(description)
	ix.nounsOf(when)
	t.notes(t.keyWords, description, when)
	for i := range t.params {
		for k := range t.params[i].words {
			t.words[t.params[i].words[k].word] = true
		}
	}
	if len(t.keyWords) > 0 {
		t.finds = t.findsProducts(t.keyWords, description, when)
	}
	t.situation = situation(when, t.ReadOnly)
	if !t.changes {
		return
	}
	add := func(w token) {
		if w.class == stop || w.class == meta || w.word == "another" || len(w.word) < 3 || reads(w.word) ||
			slices.ContainsFunc(t.actions, func(a action) bool { return a.word == w.word }) {
			return
		}
		t.actions = append(t.actions, action{w, formsOf(w.word)})
	}
	if len(t.keyWords) > 0 {
		add(t.keyWords[0])
	}
	if len(description) > 0 {
		add(description[0])
	}
	for _, lead := range [...][]token{t.keyWords, description} {
		add(acted(lead))
	}
	ix.verbsOf(t.Description, description, add)
	ix.verbsOf(t.WhenToUse, when, add)
}

// emptyVerbs say nothing of what is done: that is the noun behind them.
const emptyVerbs = "start make do request file place submit begin issue perform run iniciar inicia hacer hace haz solicitar solicita pedir pide realizar realiza"

// acted returns the noun of "start a return", which is asked for as a verb as
// well, or the zero token.
func acted(lead []token) token {
	if len(lead) == 0 || !in(strings.TrimSuffix(lead[0].word, "s"), emptyVerbs) {
		return token{}
	}
	for _, w := range lead[1:] {
		if w.class != stop {
			return w
		}
	}
	return token{}
}

func (ix *index) tokens(text string) []token {
	tokens := ix.lex.split(ix.st, text)
	ix.lex.classify(tokens, ix.lex.guess(text, tokens))
	return tokens
}

// readsOnly goes by the verbs that lead the key and the description, and takes
// a description that is a noun ("Opening hours of a branch") for one of what
// is shown.
func readsOnly(key, description []token) bool {
	first := ""
	if len(key) > 0 {
		first = key[0].word
	}
	switch {
	case reads(first):
		return true
	case in(first, changingVerbs):
		return false
	case len(description) == 0:
		return false
	}
	d := description[0]
	if reads(d.word) || strings.HasSuffix(d.word, "ing") || in(d.word, "the a an el la los las un una") {
		return true
	}
	return len(description) > 1 && in(description[1].word, "of de del")
}

// verbsOf gives add the verbs of a text that follow "to" ("wants to book a
// product and collect it") or stand as Spanish infinitives, and those in
// brackets, which say it in the other language.
func (ix *index) verbsOf(text string, tokens []token, add func(token)) {
	spanish := ix.lex.guess(text, tokens) == inSpanish
	depth, at := 0, 0
	infinitive := false // behind "to", and in the same clause
	for i := range tokens {
		t := &tokens[i]
		between := text[at:t.start]
		at = t.end
		depth += strings.Count(between, "(") - strings.Count(between, ")")
		opened := strings.Contains(between, "(") || depth > 0 && strings.Contains(between, ",")
		before := ""
		if i > 0 {
			before = tokens[i-1].word
		}
		if t.gap {
			infinitive = false
		}
		switch {
		case before == "to" && depth == 0:
			infinitive = true
			add(*t)
		case infinitive && before == "be": // "to be called"
			add(*t)
		case infinitive && (before == "or" || before == "and"):
			add(*t)
		case isInfinitive(t.word) && (spanish || depth > 0):
			add(*t)
		case opened && (spanish || strings.HasSuffix(t.word, "me") || strings.HasSuffix(t.word, "nos")):
			add(*t)
		}
	}
}

// situation finds what a text says has happened when the tool is wanted: the
// "lost" of "The customer lost their card". What is asked about counts for a
// tool that reads: "asks if a server is down".
func situation(when []token, reads bool) []string {
	var out []string
	for i := 1; i < len(when); i++ {
		t, before := &when[i], &when[i-1]
		if in(t.word, "to and what that which when where who que cuando donde") || !reads && in(t.word, "if si whether") {
			break
		}
		if t.class != content || t.gap {
			continue
		}
		if before.class == meta || in(before.word, "is are not cannot or") {
			out = append(out, t.word)
		}
	}
	return out
}

// nounsOf remembers which words stand as nouns in the tools' texts.
func (ix *index) nounsOf(tokens []token) {
	for i := 1; i < len(tokens); i++ {
		if in(tokens[i-1].word, "a an the their my of un una el la los las su sus mi mis") && !tokens[i].gap {
			ix.nouns[tokens[i].word] = true
		}
	}
}

// asked tells whether m asks for what tool does: by a verb of the tool that
// stands as a request (verb is its token), or by saying that what the tool is
// for has happened (verb is -1).
func (d *dialogue) asked(tool *toolInfo, m *message) (verb int, ok bool) {
	for n, i := range m.asks {
		t := &m.tokens[i]
		for k := range tool.actions {
			if tool.actions[k].is(t, &m.forms[n]) && (tool.words["off"] || !m.off(i)) {
				return i, true
			}
		}
	}
	if i := d.obtains(tool, m); i >= 0 {
		return i, true
	}
	return -1, d.happened(tool, m)
}

// givingVerbs lead the keys of tools that give what their noun says, the
// keeping ones of those that deliver what is there already.
const (
	givingVerbs = "enable activate activar habilitar create make add book reserve request order start open schedule issue get register buy new crear agregar reservar solicitar pedir " +
		"agendar abrir iniciar emitir registrar generar generate comprar " + deliveringVerbs
	deliveringVerbs = "send subscribe email mail enviar mandar suscribir"
)

// obtains returns the noun of tool's key that m wishes to have: "I need a
// prescription", "quiero pedir una hora", "new ticket". Or -1.
func (d *dialogue) obtains(tool *toolInfo, m *message) int {
	from, definite := m.desired, m.definite
	if from >= 0 && from < len(m.tokens) && !definite && m.word(from) != "book" {
		for k := range tool.actions { // "a refund"
			if tool.actions[k].word == m.word(from) {
				return from
			}
		}
	}
	if len(tool.keyWords) < 2 || !in(tool.keyWords[0].word, givingVerbs) {
		return -1
	}
	if from < 0 || definite && !in(tool.keyWords[0].word, deliveringVerbs) {
		return -1
	}
	for i := from; i < len(m.tokens) && i < from+4 && (i == from || !m.tokens[i].gap); i++ {
		t := &m.tokens[i]
		if t.class == stop || t.entity >= 0 {
			break
		}
		for k := range tool.keyWords[1:] {
			if tool.keyWords[k+1].same(t) {
				return i
			}
		}
	}
	return -1
}

// off tells "turn off backups" and "turn backups off".
func (m *message) off(i int) bool {
	for k := i + 1; k <= i+4 && k < len(m.tokens) && !m.tokens[k].gap; k++ {
		if m.word(k) == "off" {
			return true
		}
	}
	return false
}

// is tells whether t, in one of its forms, is the verb a and may ask for
// something.
func (a *action) is(t *token, forms *[2]form) bool {
	if a.word == t.word || !forms[0].tells && a.same(t) {
		return true
	}
	stem := strings.TrimSuffix(a.stems[0], "i")
	for i := range forms {
		f := &forms[i]
		switch {
		case f.tells:
		case len(f.root) >= 3 && (f.root == a.forms[0].root || f.root == a.forms[1].root):
			return true
		case len(stem) >= 5 && strings.HasPrefix(f.root, stem) && len(f.root) <= len(stem)+2:
			return true // "cancelar" for "cancel": the same word in the other language
		}
	}
	return false
}

func (d *dialogue) happened(tool *toolInfo, m *message) bool {
	if len(tool.situation) == 0 || m.question() {
		return false
	}
	for i := range m.tokens {
		t := &m.tokens[i]
		if t.class != content || t.entity >= 0 || i == 0 {
			continue
		}
		for _, s := range tool.situation {
			if s == t.word {
				return true
			}
		}
	}
	return false
}

// builtIn tells the tools that go by rules of their own.
func builtIn(key string) bool {
	switch key {
	case chat.HandoffTool, chat.IdentifyContactTool, chat.KnowledgeLookupTool:
		return true
	}
	return false
}

// isInfinitive tells a Spanish infinitive, with or without pronouns behind it.
func isInfinitive(w string) bool {
	w = withoutPronouns(w)
	return len(w) >= 5 && (strings.HasSuffix(w, "ar") || strings.HasSuffix(w, "er") || strings.HasSuffix(w, "ir"))
}

// withoutPronouns returns a Spanish verb without what hangs on it: reservar
// for reservarmelo, cancela for cancelame.
func withoutPronouns(w string) string {
	for range 2 {
		for _, p := range [...]string{"melos", "melas", "melo", "mela", "selo", "sela", "los", "las", "les", "nos", "me", "lo", "la", "le", "te", "se"} {
			s, ok := strings.CutSuffix(w, p)
			if ok && len(s) >= 4 && (strings.HasSuffix(s, "r") || strings.HasSuffix(s, "a") || strings.HasSuffix(s, "e") || strings.HasSuffix(s, "n")) {
				return s
			}
		}
	}
	return w
}

// A form is a way to read a word as a Spanish verb.
type form struct {
	root  string
	tells bool // it says something and does not ask: pago, cancelaste
}

// formsOf returns w read as it stands, and without pronouns behind it: the
// "cancela" that could be "cance-la" is the first, "pagalo" the second.
func formsOf(w string) [2]form {
	bare := withoutPronouns(w)
	return [2]form{{verbRoot(w), telling(w)}, {verbRoot(bare), telling(bare)}}
}

func telling(w string) bool {
	for _, end := range [...]string{"o", "aste", "iste", "amos", "emos", "imos", "aba", "abas", "aban", "aran", "aras", "ieran", "ieras"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

// verbRoot reduces the forms of a Spanish verb in which something is asked for
// to what they share: mover and mueve give "mov".
func verbRoot(w string) string {
	for _, end := range [...]string{"ar", "er", "ir", "as", "es", "an", "en", "a", "e"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 3 {
			w = s
			break
		}
	}
	switch {
	case strings.HasSuffix(w, "qu"):
		w = w[:len(w)-2] + "c"
	case strings.HasSuffix(w, "gu"):
		w = w[:len(w)-1]
	case strings.HasSuffix(w, "z"):
		w = w[:len(w)-1] + "c"
	}
	return strings.ReplaceAll(strings.ReplaceAll(w, "ue", "o"), "ie", "e")
}
