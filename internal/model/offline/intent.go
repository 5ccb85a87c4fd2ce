package offline

import (
	"strings"
)

// in tells whether w is one of the words of list, which single spaces part.
func in(w, list string) bool {
	if w == "" {
		return false
	}
	for {
		i := strings.Index(list, w)
		if i < 0 {
			return false
		}
		end := i + len(w)
		if (i == 0 || list[i-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
		list = list[end:]
		if list == "" || list[0] != ' ' { // the rest of another word
			_, rest, _ := strings.Cut(list, " ")
			list = rest
		}
	}
}

func (m *message) word(i int) string {
	if i >= 0 && i < len(m.tokens) {
		return m.tokens[i].word
	}
	return ""
}

// start is the first token behind a greeting.
func (m *message) start() int {
	i := 0
	for i < len(m.tokens) && in(m.tokens[i].word, "hi hello hey hola buenas buenos dias tardes noches good morning afternoon evening please y and so ok okay bueno por favor oye") {
		i++
	}
	return i
}

const asking = "what whats when where wheres which who whos whom whose why how is are do does did can could will would should has have " +
	"que cual cuales cuando donde adonde quien quienes como cuanto cuanta cuantos cuantas puedo puede pueden podria tienen tiene hay hacen venden"

// question tells whether m asks something.
func (m *message) question() bool {
	if strings.ContainsAny(m.text, "?¿") {
		return true
	}
	i := m.start()
	for k := i; k < i+4; k++ { // "tell me about …", "información sobre …"
		if in(m.word(k), "about sobre acerca") || in(m.word(k), "how whether como") && in(m.word(k-1), "me know explain saber dime explicame") {
			return true
		}
	}
	return in(m.word(i), asking) || in(m.word(i), "por para a en de con") && in(m.word(i+1), "que donde cual quien cuanto cuanta cuantos")
}

// general tells a question about how things are done from one about a record.
func (m *message) general() bool {
	i := m.start()
	return in(m.word(i), "how why what whats como cuanto cuanta cuantos cuantas que cual cuales which") ||
		in(m.word(i), "por a en de") && in(m.word(i+1), "que cual") ||
		in(m.word(i), "can could do does is are puedo puede pueden hay tienen hacen") && strings.ContainsAny(m.text, "?¿")
}

// wonders tells a question about how things are: "what is …", "cómo …".
func (m *message) wonders() bool {
	i := m.start()
	w, next := m.word(i), m.word(i+1)
	return in(w, "what whats why que como cual cuales") || w == "how" && !in(next, "many much") || in(w, "por en a de") && in(next, "que cual")
}

func (m *message) hasContent() bool {
	for i := range m.tokens {
		if t := &m.tokens[i]; t.class == content && t.entity < 0 {
			return true
		}
	}
	return false
}

func (m *message) thanks() bool {
	i := m.start()
	for in(m.word(i), "great perfect cool nice awesome excellent perfecto genial excelente super ah oh") {
		i++
	}
	return in(m.word(i), "thanks thank gracias cheers") && !m.question()
}

func (m *message) greets() bool {
	return in(m.word(0), "hi hello hey hola buenas buenos") || m.word(0) == "good" && in(m.word(1), "morning afternoon evening")
}

// refuses tells that the visitor wants nothing done.
func (m *message) refuses() bool {
	i := m.start()
	if in(m.word(i), "thanks gracias") && in(m.word(i+1), "for por") && !m.question() {
		return !m.goesOn(i + 2)
	}
	if m.forbids(i) {
		return true
	}
	return in(m.word(i), "dont never") && in(m.word(i+1), "want need") && m.word(i+2) != "to" && !m.question() ||
		m.word(i) == "never" && m.word(i+1) == "mind"
}

// goesOn tells whether a new clause begins behind token i.
func (m *message) goesOn(i int) bool {
	for ; i < len(m.tokens); i++ {
		if m.tokens[i].gap {
			return true
		}
	}
	return false
}

// drops tells that a question is not going to be answered: "no, cancel that",
// "never mind", "nada".
func (m *message) drops() bool {
	if i := m.dropped(); i > 0 && (i == len(m.tokens) || m.tokens[i].gap) {
		return true
	}
	core := false
	for i := range m.tokens {
		w := m.tokens[i].word
		switch {
		case m.tokens[i].entity >= 0:
			return false
		case in(w, "no nope nah cancel stop nothing forget nevermind never mind quit leave cancela cancelar nada olvidalo olvida olvidelo dejalo dejemoslo basta dont changed"):
			core = true
		case !in(w, "that it this thanks thank you gracias please por favor porfa ya mejor eso asi lo be importa quiero want need i my all de about anymore more any me ok okay sorry perdon hola"):
			return false
		}
	}
	return core
}

// helps tells that m asks what the agent can do.
func (m *message) helps() bool {
	if n := len(m.tokens); n <= 3 {
		for i := range n {
			if in(m.word(i), "help ayuda menu ayudame") {
				return true
			}
		}
	}
	i := m.start()
	return m.word(i) == "what" && m.word(i+1) == "can" && m.word(i+2) == "you" ||
		m.word(i) == "que" && in(m.word(i+1), "puedes puede pueden sabes") && in(m.word(i+2), "hacer")
}

// dropped returns the token behind "forget it", "déjalo", "ya no quiero" at the
// begin of m, or 0.
func (m *message) dropped() int {
	i := 0
	for in(m.word(i), "no nah oh ok okay sorry perdon actually bueno mejor please nada gracias thanks well") {
		i++
	}
	switch w, x := m.word(i), m.word(i+1); {
	case in(w, "olvidalo olvidelo dejalo dejelo dejemoslo nevermind"):
		return i + 1
	case w == "never" && x == "mind", in(w, "forget leave drop cancel stop") && in(x, "it that this"), w == "no" && x == "importa", w == "ya" && x == "no":
		i += 2
	case w == "forget" && x == "about":
		i += 3
	default:
		return 0
	}
	for in(m.word(i), "quiero gracias thanks please") {
		i++
	}
	return i
}

// corrects tells that m changes what was just done: "no, the red one",
// "and the blue?", "y el rojo?".
func (m *message) corrects() bool {
	w, x := m.word(0), m.word(1)
	switch {
	case in(w, "no nope") && len(m.tokens) > 1 && !m.tokens[1].gap && !m.tokens[1].capital && m.tokens[1].entity < 0:
		return in(x, "wait the a an it its that in on at for el la los las un una en para es") // "no sé" corrects nothing
	case in(w, "no nope sorry perdon actually rather mejor disculpa wait") && len(m.tokens) > 1:
		return true
	case w == "no" && len(m.tokens) == 1:
		return true
	case w == "i" && x == "meant", w == "quise" && x == "decir", w == "make" && x == "it", w == "que" && x == "sea", w == "what" && x == "about",
		w == "how" && x == "about", w == "not" && len(m.tokens) > 2:
		return true
	case in(w, "and y e or o") && len(m.tokens) <= 8:
		return true
	case w == "instead", m.word(len(m.tokens)-1) == "instead":
		return true
	}
	return false
}

func (m *message) yes() (string, bool) {
	for i := range m.tokens {
		switch w := m.tokens[i].word; {
		case in(w, "no not nope false nunca never falso dont"):
			return "false", true
		case in(w, "yes y yep yeah sure true ok okay si claro verdadero correct correcto please dale"):
			return "true", true
		}
	}
	return "", false
}

// plainAnswer returns what m answers to a question for a text: a quoted
// string, a name that is introduced, or the message without what leads it in.
func (m *message) plainAnswer(p *param) (string, bool) {
	for _, e := range m.entities {
		if e.kind == plain {
			return e.text, true
		}
	}
	if named(p.words, "name nombre") {
		if name, _, _ := introduction(m); name != "" {
			return name, true
		}
	}
	text := strings.TrimSpace(m.whole)
	if p.text {
		return text, m.hasContent() || len(m.tokens) > 3
	}
	first, last := 0, len(m.tokens)-1
	for i := 1; i <= last; i++ { // "the Picker, on Friday": the rest answers another question
		if e := m.tokens[i].entity; e > 0 || e == 0 && m.tokens[0].entity != 0 {
			if k := m.entities[e].kind; k == date || k == dateTime || k == clock || k == email || k == phone {
				last = i - 1
				for last > 0 && m.tokens[last].class == stop {
					last--
				}
			}
		}
	}
	place := p.place() && last > 0 && m.tokens[1].capital && m.word(0) != "in" && m.word(0) != "en" && m.word(0) != "at"
	for first < last && (m.tokens[first].class == stop && !(m.tokens[first].capital && m.tokens[first+1].capital) && !(place && first == 0 && in(m.word(0), "el la los las the")) || m.tokens[first].class == request || in(m.tokens[first].word, "called named titled llama llamado llamada")) {
		first++
	}
	for last > first && in(m.tokens[last].word, "please favor por porfa thanks gracias one") {
		last--
	}
	if first == last && m.tokens[first].class != content && m.tokens[first].entity < 0 && len(m.tokens[first].word) > 1 && m.conversational() {
		return "", false
	}
	if strings.HasSuffix(text, "?") && in(m.word(m.start()), asking) || m.greets() || m.thanks() {
		return "", false
	}
	start, end := m.tokens[first].start, m.tokens[last].end
	if e := m.tokens[first].entity; e >= 0 {
		start = min(start, m.entities[e].start)
	}
	if e := m.tokens[last].entity; e >= 0 {
		end = max(end, m.entities[e].end)
	}
	return m.text[start:end], true
}

// conversational tells a message of function words alone.
func (m *message) conversational() bool {
	for i := range m.tokens {
		if c := m.tokens[i].class; c == content || m.tokens[i].entity >= 0 {
			return false
		}
	}
	return true
}
