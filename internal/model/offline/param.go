package offline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// kind is what a parameter takes, as far as a text can give it.
type kind uint8

const (
	plain    kind = iota + 1 // any string
	enum                     // one of choices
	integer                  // a whole number
	number                   // a number
	boolean                  // yes or no
	date                     // full-date of RFC 3339
	dateTime                 // date-time of RFC 3339
	clock                    // a time of day
	email
	phone //
	link  // a URL
	code  // an identifier: A-1042, 10013
	list  // an array, of item
	raw   // JSON only
)

// A param is one value that a tool takes. The properties of objects inside
// are parameters of their own, with a path of several names.
type param struct {
	path        []string
	words       []token // of the names
	description string
	kind        kind
	item        *param // list
	choices     []choice
	pattern     *regexp.Regexp // nil for none
	example     string         // in the description, for a code
	shape       string         // of the example
	offset      bool           // a clock with a zone
	text        bool           // takes a whole phrase: a note, a reason
	required    bool
	minimum     jsondoc.Value
	maximum     jsondoc.Value
	fixed       string // JSON of a const
	maxLength   int    // in characters; 0: any
}

// A choice is one value of an enum.
type choice struct {
	json  string
	shown string
	words []token
}

func (p *param) name() string { return strings.TrimSpace(splitName(strings.Join(p.path, " "))) }

const maxDepth = 4 // of objects in objects

func compileParams(lex *lexicon, st *stemmer, schema jsondoc.Value) []param {
	c := paramCompiler{lex: lex, st: st, root: schema}
	return c.object(nil, schema, true, 0)
}

type paramCompiler struct {
	lex  *lexicon
	st   *stemmer
	root jsondoc.Value
}

func (c *paramCompiler) object(path []string, schema jsondoc.Value, required bool, depth int) []param {
	var needs []string
	for v := range schema.Get("required").Elements() {
		needs = append(needs, v.Text())
	}
	var out []param
	for name, s := range schema.Get("properties").Members() {
		s = c.resolve(s)
		at := append(slices.Clone(path), name)
		must := required && slices.Contains(needs, name)
		if typeOf(s) == "object" && s.Get("properties").Len() > 0 && depth < maxDepth {
			out = append(out, c.object(at, s, must, depth+1)...)
			continue
		}
		out = append(out, c.param(at, s, must))
	}
	return out
}

// resolve follows references inside the schema, a few of them at most.
func (c *paramCompiler) resolve(s jsondoc.Value) jsondoc.Value {
	for range maxDepth {
		ref, ok := strings.CutPrefix(s.Get("$ref").Text(), "#/")
		if !ok {
			return s
		}
		t := c.root
		for name := range strings.SplitSeq(ref, "/") {
			t = t.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
		}
		if !t.Exists() {
			return s
		}
		s = t
	}
	return s
}

func typeOf(s jsondoc.Value) string {
	t := s.Get("type")
	if t.Kind() == jsondoc.Array {
		for v := range t.Elements() {
			if v.Text() != "null" {
				return v.Text()
			}
		}
		return "null"
	}
	if t.Kind() == jsondoc.String {
		return t.Text()
	}
	if s.Get("properties").Exists() {
		return "object"
	}
	return "string"
}

// What a parameter's name says about its values, in both languages.
const (
	dateNames  = "date day fecha dia birthday birthdate cumpleanos deadline"
	timeNames  = "time hour hora horario"
	emailNames = "email mail correo"
	phoneNames = "phone telephone telefono celular mobile movil whatsapp"
	linkNames  = "url uri link website enlace"
	codeNames  = "id code number num no nro numero codigo folio sku ref reference referencia tracking uuid guia isbn serial " +
		"postcode zip zipcode postal rut dni ticket"
	textNames = "text message note notes reason comment comments description details body content summary subject question query feedback " +
		"texto mensaje nota notas motivo razon comentario comentarios descripcion detalle detalles resumen asunto pregunta problem problema issue"
)

func named(words []token, list string) bool {
	for i := range words {
		for w := range strings.FieldsSeq(list) {
			if words[i].word == w {
				return true
			}
		}
	}
	return false
}

func (c *paramCompiler) param(path []string, s jsondoc.Value, required bool) param {
	p := param{
		path: path, required: required,
		description: s.Get("description").Text(),
		minimum:     s.Get("minimum"), maximum: s.Get("maximum"),
		maxLength: atoi(s.Get("maxLength").Text()),
	}
	p.words = c.lex.split(c.st, splitName(strings.Join(path, " ")))
	c.lex.classify(p.words, 0)
	if v := s.Get("const"); v.Exists() {
		p.fixed = string(v.AppendCompact(nil))
	}
	if e := s.Get("pattern"); e.Kind() == jsondoc.String {
		p.pattern, _ = regexp.Compile(e.Text())
	}
	for v := range s.Get("enum").Elements() {
		if v.Kind() == jsondoc.Null {
			continue
		}
		words := c.lex.split(c.st, splitName(v.Text()))
		c.lex.classify(words, 0)
		p.choices = append(p.choices, choice{json: string(v.AppendCompact(nil)), shown: v.Text(), words: words})
	}
	t := typeOf(s)
	switch {
	case len(p.choices) > 0:
		p.kind = enum
	case t == "integer":
		p.kind = integer
	case t == "number":
		p.kind = number
	case t == "boolean":
		p.kind = boolean
	case t == "array":
		item := c.param(path, c.resolve(s.Get("items")), false)
		p.kind, p.item = list, &item
		if item.kind == list || item.kind == raw {
			p.kind, p.item = raw, nil
		}
	case t == "string":
		p.stringKind(s.Get("format").Text(), c.lex.patterns.exampleCode(p.description))
	default:
		p.kind = raw
	}
	return p
}

func (p *param) stringKind(format, example string) {
	last := p.words
	if n := len(p.words); n > 1 {
		last = p.words[n-1:]
	}
	switch format {
	case "date":
		p.kind = date
	case "date-time":
		p.kind = dateTime
	case "time":
		p.kind, p.offset = clock, true
	case "email", "idn-email":
		p.kind = email
	case "uri", "url", "iri", "uri-reference":
		p.kind = link
	case "phone":
		p.kind = phone
	case "uuid":
		p.kind = code
	}
	digits := p.pattern != nil && strings.ContainsAny(p.pattern.String(), "d0")
	switch {
	case p.kind != 0:
	case named(p.words, emailNames):
		p.kind = email
	case named(p.words, phoneNames):
		p.kind = phone
	case digits && !named(last, dateNames+" "+timeNames):
		p.kind = code
	case strings.Contains(p.description, "HH:MM"):
		p.kind = clock
	case named(last, dateNames):
		p.kind = date
		if strings.Contains(p.description, "T") && strings.Contains(strings.ToLower(p.description), "date-time") {
			p.kind = dateTime
		}
	case named(last, timeNames):
		p.kind = clock
	case named(p.words, linkNames):
		p.kind = link
	case named(last, codeNames), example != "":
		p.kind = code
	default:
		p.kind = plain
		p.text = named(last, textNames)
	}
	if p.kind == code && example != "" {
		p.example, p.shape = example, shapeOf(example)
	}
}

// titles makes the title of what a tool creates a phrase: a search goes by
// words of it.
func (t *toolInfo) titles() {
	for i := range t.params {
		if p := &t.params[i]; t.changes && p.kind == plain && named(p.words, "title titulo task tarea todo reminder recordatorio") {
			p.text = true
		}
	}
}

// place tells a place, whose article belongs to its name: "Los Aromos 245".
func (p *param) place() bool {
	return named(p.words, "address street place city direccion calle lugar ciudad comuna")
}

// exampleCode finds an identifier such as A-1042 in a description, or one of
// letters with marks between such as shop-eu, or returns "".
func (p *patterns) exampleCode(description string) string {
	for _, m := range p.example.FindAllString(description, -1) {
		if strings.ContainsFunc(m, isLetter) && strings.ContainsAny(m, "0123456789") && !p.common.MatchString(m) {
			return m
		}
	}
	for _, mark := range [...]string{"such as ", "e.g. ", "for example ", "por ejemplo ", "como "} {
		_, rest, _ := strings.Cut(description, mark)
		if word, _, _ := strings.Cut(rest, " "); word != "" {
			word = strings.Trim(word, ".,;:)\"'")
			if p.marked.MatchString(word) && !strings.Contains(word, "YYYY") {
				return word
			}
		}
	}
	return ""
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// shapeOf reduces an identifier to its kinds of characters: A-1042 is "a-9".
func shapeOf(s string) string {
	var b strings.Builder
	var last byte
	for _, r := range s {
		c := byte('a')
		switch {
		case r >= '0' && r <= '9':
			c = '9'
		case r == '-' || r == '_' || r == '/' || r == '.':
			c = '-'
		}
		if c != last {
			b.WriteByte(c)
		}
		last = c
	}
	return b.String()
}

// familyOf is the shape of an identifier together with the letters that it
// begins with: A-1042 and A-7 are of one family, X-200 is not.
func familyOf(s string) string {
	n := 0
	for n < len(s) && isLetter(rune(s[n])) {
		n++
	}
	return strings.ToUpper(s[:n]) + " " + shapeOf(s)
}
