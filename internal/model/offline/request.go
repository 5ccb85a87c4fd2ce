package offline

import (
	"strings"
	"unicode/utf8"
)

// What a message asks for is told from what it talks about by where its verbs
// stand: "cancel it", "I want to cancel it", "could you cancel it", but not
// "can I cancel it", "if I cancel it", "was it cancelled".

const (
	openers   = "hi hello hey hola buenas buenos buen dias dia tardes noches good morning afternoon evening ok okay yes well bueno oye si ya porfa ah oh thanks thank gracias favor por"
	adverbs   = "please just also now kindly then really immediately quickly favor por porfa only still actually definitely urgently ya tambien mejor usted ustedes ahora"
	denials   = "no not dont never nunca without sin cannot cant doesnt didnt wont wouldnt shouldnt isnt arent hasnt havent hadnt wasnt werent tampoco ni jamas nobody nadie"
	doubts    = "if si unless whether suppose supposing cuando when"
	hearsay   = "say says said saying told tells asked asks asking heard reads wrote dice dicen dijo dijeron pidio pidieron pregunto contaron escribio"
	wishes    = "want need like love wish have prefer must gotta"
	wishesES  = "quiero queremos quisiera quisieramos necesito necesitamos deseo deseamos querria querriamos queria queriamos gustaria agradeceria preciso"
	modalsES  = "puedes puede pueden podes podrias podria podrian"
	pronounES = "me lo la le nos les los las te se"
	wonderers = "what whats when where which who whom whose why how do does did is are was were am has have had should must may might " +
		"que cual cuales cuando donde quien quienes como cuanto cuantos por"
)

// What a message is looked through for, at most.
const (
	maxAsks   = 16 // verbs that may be requests
	maxClause = 60 // tokens of a clause, in each direction
)

// findRequests finds the verbs of m that stand as requests. Any content word
// may turn out to be one: whether it is a verb is for the tools to tell.
func (ix *index) findRequests(m *message) {
	for i := range m.tokens {
		t := &m.tokens[i]
		if t.entity >= 0 || t.class == stop || len(t.word) < 3 {
			continue
		}
		if m.requested(i) && !ix.record(m, i) {
			m.asks = append(m.asks, i)
			if len(m.asks) == maxAsks {
				return
			}
		}
	}
}

// record tells a noun that names a record, the "reserva" of "reserva R-1001",
// from a verb.
func (ix *index) record(m *message, i int) bool {
	if !ix.nouns[m.tokens[i].word] || i+1 >= len(m.tokens) {
		return false
	}
	next := &m.tokens[i+1]
	return next.entity >= 0 && m.entities[next.entity].kind == code || in(next.word, "of de del number numero")
}

// clause returns the first token of the clause that holds token i: behind the
// punctuation before it, and behind the "and" before it.
func (m *message) clause(i int) (hard, soft int) {
	soft = -1
	for k := i; k > 0; k-- {
		if i-k == maxClause {
			hard = k
			break
		}
		t := &m.tokens[k]
		if soft < 0 && in(m.tokens[k-1].word, "and y e then so but pero entonces") {
			soft = k
		}
		if t.gap && !strings.Contains(m.text[m.tokens[k-1].end:t.start], ":") {
			hard = k
			break
		}
	}
	return hard, max(soft, hard)
}

// asksWith tells whether the sentence of token i ends with a question mark,
// other than the one of "…, please?".
func (m *message) asksWith(i int) bool {
	rest := m.text[m.tokens[i].end:]
	for k := 0; k < len(rest) && k < 8*maxClause; k++ {
		switch c := rest[k]; c {
		case '?':
			last := strings.ToLower(strings.TrimSpace(rest[:k]))
			return !strings.HasSuffix(last, "please") && !strings.HasSuffix(last, "ok") && !strings.HasSuffix(last, "favor")
		case '.', '!', '\n':
			if k+1 == len(rest) || rest[k+1] == ' ' || c == '\n' {
				return false
			}
		}
	}
	return false
}

func (m *message) requested(i int) bool {
	w := m.tokens[i].word
	hard, soft := m.clause(i)
	if m.unsure(i, hard) {
		return false
	}
	begin := soft
	for begin < i && (in(m.word(begin), openers) || m.word(begin) == "you" && m.word(begin-1) == "thank") {
		begin++
	}
	j := i - 1 // the word before, but for adverbs and pronouns
	for j >= soft && in(m.word(j), adverbs) {
		j--
	}
	base := baseForm(w)
	last, _ := utf8.DecodeLastRuneInString(m.text[m.tokens[i].start:m.tokens[i].end])
	past := last == 'é' || last == 'ó' || last == 'í'
	switch {
	case past:
		return false
	case j < begin: // the clause begins with it
		return base && (!m.asksWith(i) || in(m.word(i-1), "please favor"))
	}
	before := m.word(j)
	switch {
	case in(m.word(i-1), "please favor"):
		return base
	case before == "to":
		return base && m.wishes(begin, j)
	case before == "you" || before == "somebody" || before == "someone" || before == "anyone":
		for j--; j > begin && in(m.word(j), adverbs); {
			j--
		}
		return base && j == begin && (in(m.word(j), "can could would") || m.word(j) == "will" && m.polite())
	case before == "mind":
		return strings.HasSuffix(w, "ing") && m.word(j-1) == "you" && m.word(j-2) == "would"
	case before == "me" && in(m.word(j-1), "let help"):
		return base && (j-1 == begin || in(m.word(j-2), "you please"))
	case in(before, "let lets"): // "let's"
		return base && j == begin
	case before == "rather":
		return base && in(m.word(begin), "id i wed we")
	}
	if strings.HasSuffix(w, "ed") && m.ends(i) && in(m.word(begin), "i we id") &&
		(in(m.word(begin+1), "want need") || in(m.word(begin+1), "like") && m.word(begin) == "id" || m.word(begin+1) == "would" && m.word(begin+2) == "like") {
		return true // "I want it cancelled"
	}
	return m.requestedInSpanish(i, j, begin)
}

// polite tells "will you cancel it for me?" from "will you call me?".
func (m *message) polite() bool {
	n := len(m.tokens)
	return m.word(n-1) == "please" || m.word(n-2) == "for" && in(m.word(n-1), "me us")
}

// requestedInSpanish goes on with what stands before a Spanish verb.
func (m *message) requestedInSpanish(i, j, begin int) bool {
	w := m.tokens[i].word
	pronoun := false
	for j >= begin && in(m.word(j), pronounES) {
		pronoun = pronoun || in(m.word(j), "me nos")
		j--
	}
	if j < begin { // "me cancelas la cita", "la cancelas"
		return pronoun && (m.asksWith(i) || strings.HasSuffix(w, "s") || in(m.word(len(m.tokens)-1), "favor porfa"))
	}
	before := m.word(j)
	if before == "a" && in(m.word(j-1), "ayudas ayudame ayuda ayudar ayude ayudan") {
		return isInfinitive(w)
	}
	if before == "que" {
		switch {
		case in(m.word(j-1), "tengo tenemos hay"):
			return isInfinitive(w) && !m.asksWith(i)
		case in(m.word(j-1), wishesES):
			return !isInfinitive(w) && !m.asksWith(i)
		}
		return false
	}
	if !isInfinitive(w) {
		return false
	}
	switch {
	case in(before, wishesES):
		return !in(m.word(begin), wonderers) || m.word(begin) == "que"
	case in(before, modalsES):
		for j--; j >= begin && in(m.word(j), pronounES); j-- {
			if m.word(j) == "se" {
				return false
			}
		}
		return j < begin
	}
	return false
}

// wishes tells whether the words from begin to the "to" at j wish for
// something on the visitor's own behalf: "I want to", "I would like you to".
func (m *message) wishes(begin, j int) bool {
	k := j - 1
	for k > begin && in(m.word(k), adverbs+" you") {
		k--
	}
	if k < begin {
		return false
	}
	w := m.word(k)
	for k--; k >= begin && in(m.word(k), adverbs+" would"); {
		k--
	}
	if in(w, "trying looking hoping") {
		if k > begin && m.word(k) == "am" || k > begin && m.word(k) == "are" {
			k--
		}
		return k <= begin && (k < begin || in(m.word(k), "i we im were"))
	}
	if !in(w, wishes) {
		return false
	}
	// "want to cancel it" needs no subject; "do I need to" is a question.
	return k < begin && w != "have" || k == begin && in(m.word(k), "i we id wed ill")
}

// unsure tells that what stands around token i takes the request back:
// a denial, a condition, what somebody else said.
func (m *message) unsure(i, hard int) bool {
	for k := i - 1; k >= hard; k-- {
		w := m.word(k)
		if w == "please" || w == "favor" {
			// "please do not" has its denial behind.
			break
		}
		if in(w, denials) || in(w, doubts) && !m.accented(k) || in(w, hearsay) {
			return true
		}
	}
	for k := i + 1; k < len(m.tokens) && k-i < maxClause; k++ {
		w := m.word(k)
		if w == "if" && !in(m.word(k+1), "possible you") || w == "unless" || w == "si" && !m.accented(k) && !in(m.word(k+1), "puedes puede es") {
			return true
		}
		if m.tokens[k].gap && strings.ContainsAny(m.text[m.tokens[k-1].end:m.tokens[k].start], ".?!") {
			break
		}
	}
	return false
}

// accented tells "sí" from "si".
func (m *message) accented(i int) bool {
	return strings.ContainsAny(m.text[m.tokens[i].start:m.tokens[i].end], "íÍ")
}

// ends tells whether a clause ends behind token i.
func (m *message) ends(i int) bool {
	return i+1 >= len(m.tokens) || m.tokens[i+1].gap || in(m.word(i+1), "please by")
}

// baseForm tells whether w may be the form of a verb that asks: no past, no
// gerund, no third person, no noun made of a verb.
func baseForm(w string) bool {
	if len(w) > 4 && strings.HasSuffix(w, "ed") {
		return false
	}
	if len(w) > 5 {
		for _, end := range [...]string{"ing", "tion", "cion", "aron", "ieron", "ando", "iendo", "ado", "ada"} {
			if strings.HasSuffix(w, end) {
				return false
			}
		}
	}
	if n := len(w); n > 2 && w[n-1] == 's' && w[n-2] != 's' {
		v := withoutPronouns(w)
		return v != w // "cancelalos"
	}
	return true
}

// statement tells that m says something and asks for nothing, not even by
// being a heading such as "order A-1042".
func (m *message) statement() bool {
	if m.question() {
		return false
	}
	states := false
	for i := range m.tokens {
		t := &m.tokens[i]
		if in(t.word, "want wants need show tell find check looking wonder wondering know track list search see "+wishesES) ||
			in(t.word, "busco buscando saber ver muestrame dime avisame consultar revisar") ||
			t.word == "like" && i > 0 && in(m.tokens[i-1].word, "id would wed") {
			return false
		}
		if in(t.word, denials) && i > 0 && !in(t.word, "sin without") {
			return false // "my order has not arrived" is a question in other words
		}
		states = states || m.states(i)
	}
	return states
}

// states tells whether a clause that says something begins at token i.
func (m *message) states(i int) bool {
	last := m.text[m.tokens[i].start:m.tokens[i].end]
	if len(last) > 4 && (strings.HasSuffix(last, "é") || strings.HasSuffix(last, "ó") || strings.HasSuffix(last, "í")) && !m.tokens[i].capital {
		return true
	}
	hard, soft := m.clause(i)
	if hard != i && soft != i {
		return false
	}
	for i < len(m.tokens)-1 && in(m.word(i), openers+" maybe perhaps quizas") {
		i++
	}
	w := m.word(i)
	if in(w, "i im ive ill we weve he she they it its this that there these those you youre somebody someone everybody yo nosotros ella ellos esto eso "+
		"tengo tenemos compre compramos recibi recibimos fui odio amo creo llego") {
		return true
	}
	if w == "me" && in(m.word(i+1), "gusta gustan encanta encantan llego") {
		return true
	}
	if in(m.word(i+1), "is are was were es era son") && m.tokens[i].class == content && !m.tokens[i+1].gap {
		return true
	}
	if !in(w, "my our the a his her their mi mis nuestro nuestra el la los las") {
		return false
	}
	for k := i + 1; k < len(m.tokens) && k < i+8 && !m.tokens[k].gap; k++ {
		v := m.word(k)
		if in(v, "is are was were has had have went goes looks seems came broke does do did works es era fue esta estaba son llego llegaron tiene") ||
			m.tokens[k].class == content && strings.HasSuffix(v, "ed") && len(v) > 5 {
			return true
		}
	}
	return false
}

// leads tells whether the clause of token i begins with it.
func (m *message) leads(i int) bool {
	_, soft := m.clause(i)
	for k := soft; k < i; k++ {
		if !in(m.word(k), openers) && !in(m.word(k), adverbs) && !in(m.word(k), pronounES) {
			return false
		}
	}
	return true
}

// heads tells whether a date of m is where something goes: "to Friday", "al 20
// de diciembre".
func (m *message) heads() bool {
	for j := range m.entities {
		if k := m.entities[j].kind; (k == date || k == dateTime) && m.direction(j) > 0 {
			return true
		}
	}
	return false
}

// direction tells whether entity j is where something goes (1), where it comes
// from (-1), or neither.
func (m *message) direction(j int) int {
	i := m.entities[j].first - 1
	for i > 0 && in(m.word(i), "the next el la dia proximo this") {
		if m.word(i) == "el" && m.word(i-1) != "para" && m.word(i-1) != "a" && m.word(i-1) != "desde" {
			break
		}
		i--
	}
	switch {
	case i < 0:
	case m.tokens[i].entity >= 0 && m.tokens[i].word == "a":
	case in(m.word(i), "to al a para until hasta till into"):
		return 1
	case in(m.word(i), "from del de desde since"):
		return -1
	}
	return 0
}

// obtaining verbs stand between a wish and what is wished for.
const obtaining = "get have make request order receive take obtain pedir solicitar obtener sacar tomar hacer recibir tener"

// wish returns where the name begins of what m wishes to have, or -1, and
// whether it is definite: "the quote", not "a quote". What is "mine" is there
// already.
func (m *message) wish() (at int, definite bool) {
	begin := m.start()
	i := begin
	switch k := m.wishesTo(i); {
	case in(m.word(i), "new nuevo nueva another otra otro") && !m.question():
		return i + 1, false
	case k > 0 && in(m.word(k), obtaining):
		i = k + 1
	case in(m.word(i), wishesES):
		i++
	case in(m.word(i), "me") && in(m.word(i+1), "gustaria das podrias puedes"):
		i += 2
		if in(m.word(i), "dar "+obtaining) {
			i++
		}
	case in(m.word(i), "i we id wed") && in(m.word(i+1), "want need like"):
		i += 2
	case in(m.word(i), "i we") && m.word(i+1) == "would" && m.word(i+2) == "like":
		i += 3
	default:
		return -1, false
	}
	if m.unsure(begin, begin) || m.unsure(i, begin) {
		return -1, false
	}
	switch w := m.word(i); {
	case in(w, "a an un una another otra otro some"):
	case in(w, "the el la los las"):
		definite = true
	default:
		if i == begin || i >= len(m.tokens) || m.tokens[i].class != content || m.tokens[i].entity >= 0 {
			return -1, false
		}
		return i, false
	}
	i++
	for in(m.word(i), "new nuevo nueva") {
		i++
	}
	return i, definite
}

// wanted returns the noun of "I want an appointment", "necesito una cita", or
// -1. What is meant is a new one: "my appointment" is there already.
func (m *message) wanted() int {
	for i := range m.tokens {
		_, soft := m.clause(i)
		w := m.word(i)
		k := i
		for k--; k >= soft && (in(m.word(k), openers) || in(m.word(k), adverbs)); k-- {
		}
		switch {
		case in(w, "want need"):
			if k >= soft && (!in(m.word(k), "i we") || k > soft && !in(m.word(k-1), openers)) {
				continue
			}
		case w == "like":
			if k < soft || !in(m.word(k), "id wed would") {
				continue
			}
		case in(w, wishesES):
			if k >= soft {
				continue
			}
		default:
			continue
		}
		if m.asksWith(i) || m.unsure(i+1, soft) {
			continue
		}
		i++
		for in(m.word(i), "a an un una another otra otro some") {
			i++
		}
		if i < len(m.tokens) && m.tokens[i].class == content && m.tokens[i].entity < 0 && !isInfinitive(m.tokens[i].word) {
			return i
		}
	}
	return -1
}
