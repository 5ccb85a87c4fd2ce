package offline

import (
	"fmt"
	"strings"
)

// phrases are the model's own words in one language. What tools say stays in
// the language of the tools.
type phrases struct {
	standIn, can, cannot, exact, more string
	greeting, dropped, change         string
	ask, choices, hidden              string
	integer, number, boolean, date    string
	dateTime, clock, email, phone     string
	link, json, notUnderstood         string
	unknownTool, malformed            string
	needPhone                         string
	nothing, arrived                  string
	welcome, fine, howHelp, again     string
	confirm                           string // a tool's key and its arguments
	sharePhone, shareEmail            string // the value
	giveName, givePhone, giveEmail    string // how a contact that is missing is given
}

func (l language) phrases() *phrases {
	if l == inSpanish {
		return &phrases{
			standIn:       "Soy el sustituto sin conexión: comparo palabras, no soy un modelo de lenguaje.",
			can:           "Puedo hacer esto:",
			cannot:        "No hay herramientas disponibles, así que no puedo hacer nada más.",
			exact:         "Para llamar una herramienta tal cual: %s",
			more:          "… y %d más",
			hidden:        "sin mostrar: %s",
			greeting:      "¡Hola!",
			dropped:       "De acuerdo, lo dejo.",
			change:        "¿Qué cambio? Escribe el valor nuevo.",
			ask:           "Para seguir necesito «%s»",
			choices:       "uno de: %s",
			integer:       "un número entero",
			number:        "un número",
			boolean:       "sí o no",
			date:          "una fecha, como 2026-12-04 o 4/12/2026",
			dateTime:      "una fecha y una hora, como 2026-12-04 15:30",
			clock:         "una hora, como 15:30",
			email:         "un correo electrónico",
			phone:         "un número de teléfono",
			link:          "una dirección que empiece con https://",
			json:          "como JSON",
			notUnderstood: "No lo entendí.",
			unknownTool:   "No hay una herramienta %q.",
			malformed:     "No llamé a %s: %s.",
			needPhone:     "Para esto hace falta tu número de teléfono. ¿Me lo compartes?",
			arrived:       "Gracias, el número llegó.",
			nothing:       "La herramienta respondió sin contenido.",
			welcome:       "¡De nada!",
			fine:          "De acuerdo.",
			confirm:       "¿Llamo a %s %s? Responde «sí» o «no».",
			howHelp:       "¿En qué te ayudo?",
			again:         "No lo entendí. Escribe «ayuda» para ver qué puedo hacer.",
			sharePhone:    "No puedo guardar un teléfono desde un mensaje. Se comparte con /share %[1]s, o al empezar con --contact phone_number=%[1]s.",
			shareEmail:    "No puedo guardar un correo desde un mensaje. Se indica con /contact email=%[1]s, o al empezar con --contact email=%[1]s.",
			giveName:      "El nombre se indica con /contact name=…, o al empezar con --contact name=….",
			givePhone:     "El teléfono se comparte con /share +56912345678, o al empezar con --contact phone_number=+56912345678.",
			giveEmail:     "El correo se indica con /contact email=ana@acme.example, o al empezar con --contact email=ana@acme.example.",
		}
	}
	return &phrases{
		standIn:       "I am the offline stand-in: I match words, I am not a language model.",
		can:           "I can do this:",
		cannot:        "No tools are available, so there is nothing else that I can do.",
		exact:         "To call a tool exactly: %s",
		more:          "… and %d more",
		hidden:        "not shown: %s",
		greeting:      "Hello!",
		dropped:       "All right, I leave it.",
		change:        "What should I change? Write the new value.",
		ask:           "To go on I need the %s",
		choices:       "one of: %s",
		integer:       "a whole number",
		number:        "a number",
		boolean:       "yes or no",
		date:          "a date, such as 2026-12-04",
		dateTime:      "a date and a time, such as 2026-12-04 15:30",
		clock:         "a time, such as 15:30",
		email:         "an email address",
		phone:         "a phone number",
		link:          "an address that starts with https://",
		json:          "as JSON",
		notUnderstood: "I did not understand that.",
		unknownTool:   "There is no tool %q.",
		malformed:     "I did not call %s: %s.",
		needPhone:     "This needs your phone number. Please share it.",
		arrived:       "Thank you, the number arrived.",
		nothing:       "The tool answered without content.",
		welcome:       "You're welcome!",
		fine:          "All right.",
		confirm:       "Should I call %s %s? Answer yes or no.",
		howHelp:       "How can I help?",
		again:         "I did not understand that. Write \"help\" to see what I can do.",
		sharePhone:    "I cannot store a phone number from a message. Share it with /share %[1]s, or start with --contact phone_number=%[1]s.",
		shareEmail:    "I cannot store an email address from a message. Give it with /contact email=%[1]s, or start with --contact email=%[1]s.",
		giveName:      "Give the name with /contact name=…, or start with --contact name=….",
		givePhone:     "Share it with /share +56912345678, or start with --contact phone_number=+56912345678.",
		giveEmail:     "Give it with /contact email=ana@acme.example, or start with --contact email=ana@acme.example.",
	}
}

// question asks for one parameter: by its name, its form and its description.
func (ph *phrases) question(p *param) string {
	s := fmt.Sprintf(ph.ask, p.name())
	if form := ph.form(p); form != "" {
		s += " (" + form + ")"
	}
	if d := strings.TrimSpace(p.description); d != "" {
		return s + ": " + d
	}
	return s + "."
}

func (ph *phrases) form(p *param) string {
	switch p.kind {
	case enum:
		var shown []string
		for _, c := range p.choices {
			shown = append(shown, c.shown)
		}
		return fmt.Sprintf(ph.choices, strings.Join(shown, ", "))
	case integer:
		return ph.integer
	case number:
		return ph.number
	case boolean:
		return ph.boolean
	case date:
		return ph.date
	case dateTime:
		return ph.dateTime
	case clock:
		return ph.clock
	case email:
		return ph.email
	case phone:
		return ph.phone
	case link:
		return ph.link
	case raw:
		return ph.json
	case list:
		return ph.form(p.item)
	}
	return ""
}

// maxListed is how many tools the overview names.
const maxListed = 20

// overview says what the model is and what it can do.
func (ph *phrases) overview(ix *index) string {
	var b strings.Builder
	b.WriteString(ph.standIn)
	if len(ix.tools) == 0 {
		b.WriteString(" " + ph.cannot)
		return b.String()
	}
	b.WriteString(" " + ph.can)
	for i, t := range ix.tools {
		if i == maxListed {
			b.WriteString("\n" + fmt.Sprintf(ph.more, len(ix.tools)-i))
			break
		}
		b.WriteString("\n- " + t.Name)
		if d := firstSentence(t.Description); d != "" {
			b.WriteString(": " + d)
		}
	}
	b.WriteString("\n" + fmt.Sprintf(ph.exact, usage(ix.tools[0])))
	return b.String()
}

// usage shows the exact form of a call.
func usage(t *toolInfo) string {
	s := t.Name
	for _, p := range t.params {
		if !p.required {
			continue
		}
		if len(p.path) > 1 {
			return t.Name + " {…}"
		}
		switch p.kind {
		case integer, number, boolean, list, raw:
			s += " " + p.path[0] + ":=…"
		default:
			s += " " + p.path[0] + "=…"
		}
	}
	return s
}

// firstSentence is what an overview shows of a description.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if before, _, ok := strings.Cut(s, ". "); ok {
		return before + "."
	}
	return strings.TrimSpace(s)
}
