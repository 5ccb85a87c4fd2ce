package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/spanish"
	"golang.org/x/text/unicode/norm"
)

// A token is one word or number of a text.
type token struct {
	start, end int       // bytes of the text
	word       string    // lower case, without accents or a possessive 's
	stems      [2]string // English, Spanish
	class      class
	capital    bool // begins with a capital that a sentence does not ask for
	gap        bool // punctuation stands before it
	entity     int  // index of the typed value it is part of, or -1
}

// class says how much a word tells about what somebody wants.
type class uint8

const (
	content class = iota + 1
	request       // "show", "quiero": asking for something, whatever it is
	stop          // articles, pronouns and the like
	meta          // words of tool texts that are about the conversation: "visitor", "asks"
)

type language uint8

const (
	inEnglish language = iota + 1
	inSpanish
)

// A lexicon holds the function words of both languages and the typed-value
// patterns. It never changes.
type lexicon struct {
	stopEN, stopES, request, meta map[string]bool
	patterns                      patterns
}

func newLexicon() *lexicon {
	return &lexicon{
		stopEN:   set(stopEN),
		stopES:   set(stopES),
		request:  set(requestWords),
		meta:     set(metaWords),
		patterns: newPatterns(),
	}
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

const stopEN = `a about above after again all also am an and any anyone anything are aren arent as at be because been
before being below both but by can cannot cant could couldn couldnt did didn didnt do does doesn doesnt doing don dont
during each either else even ever every everything few for from further had has have haven having he her here hers
him his how however i id if ill im in into is isn isnt it its itself ive just least less let lets ll many may maybe me
might mine more most much must my myself near no nor not now of off ok okay on once one ones only onto or other our
ours out over own per please pls quite rather re really same shall she should so some someone something sometimes soon
still such than that thats the their theirs them then there theres these they theyre thing things this those through
to today tomorrow tonight too under until up upon us ve very via was wasn wasnt we well were weren what whats when
whens where wheres whether which while who whom whos whose why will with within without won wont would wouldnt yes yet
you your youre yours yourself hello hi hey thanks thank bye goodbye sorry actually currently right kindly anyway
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays next week`

const stopES = `a al algo alguien algun alguna algunas alguno algunos alla alli ante antes aquel aquella aquello aqui asi
aun aunque bajo bien cada casi como con contra cosa cosas cual cuales cualquier cualquiera cuando cuanta cuantas cuanto
cuantos de del desde donde durante e el ella ellas ellos en entre era eran eres es esa esas ese eso esos esta estan
estar estas este esto estos estoy etc fue fueron ha haber habia habra hace hacen hacia han has hasta hay haya he hemos hoy i
igual ir jamas junto la las le les lo los luego mas me menos mi mia mias mientras mio mios mis mismo misma mucha muchas
mucho muchos muy nada nadie ni ningun ninguna ninguno no nos nosotras nosotros nuestra nuestras nuestro nuestros nunca o
os otra otras otro otros para parte pero poca pocas poco pocos por porque pues que queda quedan quien quienes sea sean
se segun ser sera si sido siempre sin sino so sobre sois solamente solo somos son soy su sus suya suyas suyo suyos tal tales
tambien tampoco tan tanta tantas tanto tantos te tenemos tener tengan tengo ti tiene tienen tienes toda todas todavia
todo todos tu tus tuve un una unas uno unos usted ustedes va vamos van vez voy y ya yo hola gracias adios chao favor
porfavor porfa perdon buenas buenos dias tardes noches ahora manana hoy ayer tarde bueno entonces
lunes martes miercoles jueves viernes sabado domingo sabados domingos proximo proxima semana acaso disculpa disculpe oye`

const requestWords = `ask asking check checking find finding fetch get getting give go going got have help inform know
knowing like list look looking lookup make making need needed needs obtain query retrieve search searching
see seek show showing tell tried try trying use using view wanna want wanted wants wish wondering check request
anybody left carry sell come came take possible able interested kind sort chance
busca buscame buscando buscar busco conoce conocer consulta consultar consultame da dame dar decime deme desea deseo
dices dime diga digame encontrar encuentra haz hazme hacer haga informacion informame indica indicame interesa listar lista
mira mirar muestra muestrame muestreme mostrar mostrarme necesita necesitamos necesito obtener pasame pido pide podemos podes podria podrian
podrias puede pueden puedes puedo queremos queria quiere quieren quieres quiero quisiera quisieramos revisa revisar revisame saber sabe sabes
sacar ve veo ver verificar verifica gustaria intento intentar tratando venden vende traer queda ayuda ayudame ayudar decir decirme
cuentame confirmar confirma confirme confirm pasa pasar posibilidad`

const metaWords = `visitor visitors user users customer customers client person's asks asked asking wants wanted whether
tool tools question questions gives given says tells mentions conversation someone cliente clientes visitante visitantes usuario
usuarios pregunta preguntas preguntan pide piden herramienta when use used useful e.g eg such example ejemplo`

// words splits text into tokens. Marks inside a word, such as an apostrophe,
// do not end it.
func (l *lexicon) words(text string) []token { return l.split(newStemmer(), text) }

func (l *lexicon) split(st *stemmer, text string) []token {
	var out []token
	gap, sentence := false, true
	capitals := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !wordRune(r) {
			if !unicode.IsSpace(r) && r != '\'' && r != '’' && r != '-' && r != '"' && r != '#' {
				gap = true
			}
			if r == '.' || r == '?' || r == '!' || r == '¿' || r == '¡' || r == '\n' || r == ':' {
				sentence = true
			}
			i += n
			continue
		}
		start := i
		for i < len(text) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if !wordRune(r) && !(r == '\'' || r == '’') {
				break
			}
			if !wordRune(r) {
				if next, _ := utf8.DecodeRuneInString(text[i+n:]); !unicode.IsLetter(next) {
					break
				}
			}
			i += n
		}
		first, _ := utf8.DecodeRuneInString(text[start:i])
		t := token{start: start, end: i, word: fold(text[start:i]), gap: gap, entity: -1}
		t.stems = st.stems(t.word)
		if unicode.IsUpper(first) {
			capitals++
			t.capital = !sentence && t.word != "i" && t.word != "im" && t.word != "id" && t.word != "ive" && t.word != "ill"
		}
		out = append(out, t)
		gap, sentence = false, false
	}
	titled := len(out) > 4 && capitals*5 > len(out)*4
	if titled || text == strings.ToUpper(text) { // no capital tells anything
		for i := range out {
			out[i].capital = false
		}
	}
	return out
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// fold returns the word in lower case, without accents and without the
// apostrophes of "what's" and "don't".
func fold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if !ascii {
		s = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(strings.ReplaceAll(s, "’", "'")))
	}
	s = strings.ToLower(s)
	if before, ok := strings.CutSuffix(s, "'s"); ok {
		return before
	}
	return strings.ReplaceAll(s, "'", "")
}

// A stemmer remembers the stems of the words that it has seen.
type stemmer struct {
	env  *snowballstem.Env
	seen map[string][2]string
}

func newStemmer() *stemmer {
	return &stemmer{env: snowballstem.NewEnv(""), seen: map[string][2]string{}}
}

func (s *stemmer) stems(word string) [2]string {
	if len(word) < 3 || word[0] >= '0' && word[0] <= '9' {
		return [2]string{word, word}
	}
	if known, ok := s.seen[word]; ok {
		return known
	}
	s.env.SetCurrent(word)
	english.Stem(s.env)
	en := s.env.Current()
	s.env.SetCurrent(word)
	spanish.Stem(s.env)
	out := [2]string{en, s.env.Current()}
	s.seen[word] = out
	return out
}

func (a *token) same(b *token) bool {
	return a.word == b.word || a.stems[0] == b.stems[0] || a.stems[1] == b.stems[1]
}

// guess returns the language that the words speak for, or 0.
func (l *lexicon) guess(text string, tokens []token) language {
	en, es := 0, 0
	for i := range tokens {
		w := tokens[i].word
		inEN, inES := l.stopEN[w], l.stopES[w] || spanishRequest(w) && l.request[w]
		switch {
		case inEN && !inES:
			en++
		case inES && !inEN:
			es++
		}
	}
	if strings.ContainsAny(text, "¿¡ñÑáéíóúÁÉÍÓÚ") {
		es++
	}
	if n := len(tokens); en == 0 && es == 0 && n > 0 && n < 6 && isInfinitive(tokens[0].word) && strings.HasSuffix(tokens[0].word, "ar") {
		es++ // "agendar cita"
	}
	switch {
	case es > en:
		return inSpanish
	case en > es:
		return inEnglish
	}
	return 0
}

// spanishRequest tells the Spanish among the request words by their ends; the
// English ones end otherwise.
func spanishRequest(w string) bool {
	return len(w) > 2 && strings.ContainsAny(w[len(w)-1:], "aorz") && w != "wanna"
}

// classify sets the class of every token, by the function words of lang, or
// of both languages where it is unknown.
func (l *lexicon) classify(tokens []token, lang language) {
	for i := range tokens {
		t := &tokens[i]
		en, es := l.stopEN[t.word], l.stopES[t.word]
		switch {
		case en && lang != inSpanish, es && lang != inEnglish, len(t.word) == 1 && t.word[0] > '9':
			t.class = stop
		case en || es:
			t.class = stop
			if len(t.word) > 3 || t.capital {
				t.class = content
			}
		case l.request[t.word]:
			t.class = request
		case l.meta[t.word]:
			t.class = meta
		default:
			t.class = content
		}
	}
}
