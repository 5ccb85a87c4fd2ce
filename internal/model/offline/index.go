package offline

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
)

// An index is the tools of one request, compiled. It never changes.
type index struct {
	lex    *lexicon
	tools  []*toolInfo
	terms  map[string][]posting // by stem, in the order of the tools
	nouns  map[string]bool      // words that stand behind an article in the tools' texts
	codes  map[string]bool      // families of the identifiers that the tools name as examples
	marked bool                 // a tool takes identifiers without a digit
	st     *stemmer             // nil when the index is complete
}

// A posting says where a stem stands in a tool's texts.
type posting struct {
	tool   int
	weight float64 // of the strongest field that holds it
	name   bool    // it stands in the key or in a parameter's name
	first  bool    // it is the key's first word, as a rule its verb
}

// toolInfo is one tool: what it is told by and what it takes.
type toolInfo struct {
	chat.Tool
	at        int
	params    []param
	paths     [][]string // of params
	keyWords  []token
	keyWeight float64 // of all key words together
	changes   bool    // it does more than look at things
	actions   []action
	situation []string
	words     map[string]bool // of its texts, as they stand there
	answers   map[string]bool // the questions that it says it answers
	ix        *index
	finds     bool // it tells something of a product
	tells     bool // it tells which products there are
}

// The weight of a word by where a tool names it.
const (
	keyWeight         = 1.0
	whenWeight        = 0.8
	enumWeight        = 0.8
	descriptionWeight = 0.7
	paramWeight       = 0.6
	paramTextWeight   = 0.4
	metaFactor        = 0.6
	requestFactor     = 0.35 // "get", "list", "buscar": every second tool has them
)

func newIndex(lex *lexicon, tools []chat.Tool) *index {
	ix := &index{lex: lex, terms: map[string][]posting{}, nouns: map[string]bool{}, codes: map[string]bool{}, st: newStemmer()}
	for i, t := range tools {
		info := &toolInfo{Tool: t, at: i, ix: ix, params: compileParams(lex, ix.st, t.Parameters)}
		for _, p := range info.params {
			info.paths = append(info.paths, p.path)
			if p.example != "" {
				ix.codes[familyOf(p.example)] = true
				ix.marked = ix.marked || !strings.ContainsAny(p.example, "0123456789")
			}
		}
		info.keyWords = lex.split(ix.st, splitName(t.Name))
		lex.classify(info.keyWords, 0)
		ix.tools = append(ix.tools, info)
		ix.describe(info)
		info.titles()

		for j, w := range info.keyWords {
			if w.class == stop && len(info.keyWords) > 1 {
				continue
			}
			info.keyWeight += keyFactor(w)
			ix.add(posting{tool: i, weight: keyWeight, name: true, first: j == 0 && len(info.keyWords) > 1}, w)
		}
		ix.addText(posting{tool: i, weight: whenWeight}, t.WhenToUse)
		ix.addText(posting{tool: i, weight: descriptionWeight}, t.Description)
		for _, p := range info.params {
			for _, w := range p.words {
				if w.class != stop {
					ix.add(posting{tool: i, weight: paramWeight, name: true}, w)
				}
			}
			for _, c := range p.choices {
				for _, w := range c.words {
					if w.class != stop {
						ix.add(posting{tool: i, weight: enumWeight}, w)
					}
				}
			}
			ix.addText(posting{tool: i, weight: paramTextWeight}, withoutExamples(p.description))
		}
	}
	ix.st = nil
	return ix
}

func keyFactor(w token) float64 {
	if w.class == request {
		return requestFactor
	}
	return 1
}

func (ix *index) addText(p posting, text string) {
	tokens := ix.lex.split(ix.st, text)
	ix.lex.classify(tokens, ix.lex.guess(text, tokens))
	for i, w := range tokens {
		if w.class == stop || w.class == meta || ix.lex.stopEN[w.word] || ix.lex.stopES[w.word] || strings.ContainsAny(w.word, "0123456789") {
			continue
		}
		// A proper noun in a text is an example of a value, not a word for the tool.
		if w.capital && p.weight == paramTextWeight {
			continue
		}
		ix.add(p, tokens[i])
	}
}

// withoutExamples cuts a parameter's description before its examples: they are
// values, and no words for the tool.
func withoutExamples(s string) string {
	for _, mark := range [...]string{" such as", " e.g.", " for example", " por ejemplo"} {
		s, _, _ = strings.Cut(s, mark)
	}
	return s
}

func (ix *index) add(p posting, w token) {
	ix.addStem(p, w.stems[0])
	if w.stems[1] != w.stems[0] {
		ix.addStem(p, w.stems[1])
	}
}

func (ix *index) addStem(p posting, stem string) {
	list := ix.terms[stem]
	if n := len(list); n > 0 && list[n-1].tool == p.tool {
		old := &list[n-1]
		old.weight = max(old.weight, p.weight)
		old.name = old.name || p.name
		old.first = old.first || p.first
		return
	}
	ix.terms[stem] = append(list, p)
}

// lookup returns what the tool says with the word.
func (ix *index) lookup(w *token, tool int) (posting, bool) {
	var best posting
	found := false
	for i, s := range w.stems {
		if i == 1 && s == w.stems[0] {
			break
		}
		list := ix.terms[s]
		if j, ok := slices.BinarySearchFunc(list, tool, func(p posting, t int) int { return cmp.Compare(p.tool, t) }); ok {
			p := list[j]
			if found {
				p.name, p.first, p.weight = p.name || best.name, p.first || best.first, max(p.weight, best.weight)
			}
			best, found = p, true
		}
	}
	return best, found
}

// rarity makes words that many tools share weigh less.
func (ix *index) rarity(w *token) float64 {
	n := max(len(ix.terms[w.stems[0]]), len(ix.terms[w.stems[1]]), 1)
	return 1 / (1 + 0.5*math.Log(float64(n)))
}

// A candidate is a tool that shares words with a message.
type candidate struct {
	tool      *toolInfo
	score     float64
	situation bool // it changes something, and m only says what it is for
}

// rank returns the tools that share words with the message, best first.
func (ix *index) rank(tokens []token) []candidate {
	scores := make([]float64, len(ix.tools))
	covered := make([]float64, len(ix.tools))
	add := func(w *token, factor float64) {
		rare := ix.rarity(w)
		for i, s := range w.stems {
			if i == 1 && s == w.stems[0] {
				break
			}
			for _, p := range ix.terms[s] {
				if i == 1 && ix.has(w.stems[0], p.tool) {
					continue
				}
				q, _ := ix.lookup(w, p.tool)
				scores[p.tool] += q.weight * rare * factor
				for _, k := range ix.tools[p.tool].keyWords {
					if k.same(w) {
						covered[p.tool] += keyFactor(k)
						break
					}
				}
			}
		}
	}
	for i := range tokens {
		w := &tokens[i]
		if repeated(tokens[:i], w) {
			continue
		}
		switch w.class {
		case content:
			if w.entity < 0 {
				add(w, 1)
			}
		case request:
			add(w, requestFactor)
		case meta: // no text of a tool gives it to the index, a name does
			add(w, metaFactor)
		}
	}
	for _, w := range joined(ix, tokens) {
		add(&w, 1)
	}
	var out []candidate
	for i, t := range ix.tools {
		if scores[i] == 0 {
			continue
		}
		s := scores[i]
		if t.keyWeight > 0 {
			s += 0.5 * min(covered[i]/t.keyWeight, 1)
		}
		out = append(out, candidate{tool: t, score: s})
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return out
}

func (ix *index) has(stem string, tool int) bool {
	_, ok := slices.BinarySearchFunc(ix.terms[stem], tool, func(p posting, t int) int { return cmp.Compare(p.tool, t) })
	return ok
}

// shared counts the words that m has of the tool.
func (ix *index) shared(tool *toolInfo, m *message) int {
	n := 0
	for i := range m.tokens {
		if t := &m.tokens[i]; t.class == content && t.entity < 0 {
			if _, ok := ix.lookup(t, tool.at); ok {
				n++
			}
		}
	}
	return n
}

func repeated(before []token, w *token) bool {
	for i := range before {
		if before[i].same(w) {
			return true
		}
	}
	return false
}

// joined returns the words that two tokens make together and that a tool
// knows: "pick up" for pickup.
func joined(ix *index, tokens []token) []token {
	var out []token
	for i := 1; i < len(tokens); i++ {
		a, b := &tokens[i-1], &tokens[i]
		if b.gap || a.entity >= 0 || b.entity >= 0 || len(a.word) < 2 || len(b.word) < 2 {
			continue
		}
		word := a.word + b.word
		if _, ok := ix.terms[word]; !ok {
			continue
		}
		out = append(out, token{start: a.start, end: b.end, word: word, stems: [2]string{word, word}, class: content, entity: -1})
	}
	return out
}

// splitName makes words of a key or a parameter's name.
func splitName(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.':
			b.WriteByte(' ')
			lower = false
			continue
		case r >= 'A' && r <= 'Z':
			if lower {
				b.WriteByte(' ')
			}
			lower = false
			r += 'a' - 'A'
		default:
			lower = true
		}
		b.WriteRune(r)
	}
	return b.String()
}
