package offline

import "slices"

// available answers "Do you have the Picker?" with the one tool that finds
// products by a text, or with one that has what is asked for among the choices
// of a parameter. It returns nil for any other message.
func (d *dialogue) available(m *message) *match {
	wide, ok := m.asksForThing()
	if !ok || m.refuses() {
		return nil
	}
	for _, t := range d.ix.tools { // "Do you have any cardiologist?"
		if t.changes || builtIn(t.Name) {
			continue
		}
		f := newFilling(t, m)
		f.typedValues(m)
		f.enums(m)
		f.numbers(m)
		f.places(d.ix, m)
		if f.missing() < 0 && f.chose && !f.spares(d.ix, m) {
			return &match{candidate{tool: t, score: strong}, f}
		}
	}
	tool := d.finder()
	if tool == nil {
		return nil
	}
	f := d.ix.fill(tool, m)
	if f.missing() >= 0 || wide && !f.proper {
		return nil
	}
	for i := range m.tokens {
		t := &m.tokens[i]
		if t.class != content || t.entity >= 0 || in(t.word, leftWords) {
			continue
		}
		known := !t.capital && (len(d.ix.terms[t.stems[0]]) > 0 || len(d.ix.terms[t.stems[1]]) > 0)
		if f.used[i] == known && !(f.used[i] || d.ix.explains(tool, t)) || f.used[i] && known {
			return nil
		}
	}
	return &match{candidate{tool: tool, score: threshold}, f}
}

// finder returns the one tool that finds products, or the one of them that
// says whether there are any, or nil.
func (d *dialogue) finder() *toolInfo {
	var all, telling []*toolInfo
	for _, t := range d.ix.tools {
		if t.finds {
			all = append(all, t)
			if t.tells {
				telling = append(telling, t)
			}
		}
	}
	if len(telling) == 1 {
		return telling[0]
	}
	if len(all) == 1 {
		return all[0]
	}
	return nil
}

// leftWords say that something is to be had.
const leftWords = "left available remaining disponible disponibles queda quedan quedara existencia existencias venta"

// productWords are in the texts of a tool that tells what is to be had.
const (
	productWords = productNouns + " " + stockWords
	productNouns = "product products item items producto productos articulo articulos stock catalog catalogue inventory existencias inventario catalogo"
	stockWords   = "stock available availability search catalog catalogue inventory existencias inventario catalogo disponible disponibles disponibilidad"
)

// findsProducts tells whether t takes one text and says of itself that it
// finds products. A text that is called a query is then a product's name.
func (t *toolInfo) findsProducts(texts ...[]token) bool {
	if t.changes || builtIn(t.Name) {
		return false
	}
	var only *param
	for i := range t.params {
		if p := &t.params[i]; p.required {
			if only != nil || p.kind != plain {
				return false
			}
			only = p
		}
	}
	says := func(words string) bool {
		return slices.ContainsFunc(texts, func(tokens []token) bool { return named(tokens, words) })
	}
	if only != nil && !only.text && t.ReadOnly && named(only.words, "title name query item product term keyword titulo nombre producto articulo") &&
		in(texts[0][0].word, "find search buscar busca") {
		t.tells = true
		return true
	}
	if only == nil || !says(productWords) {
		return false
	}
	t.tells = says(stockWords)
	if only.text && named(only.words, "query") && says(productNouns) {
		only.text = false
	}
	return !only.text
}

// asksForThing tells whether m asks whether there is a thing. wide marks the
// forms that ask for places and facts as well: "is there".
func (m *message) asksForThing() (wide, ok bool) {
	i := m.start()
	w, x, y := m.word(i), m.word(i+1), m.word(i+2)
	n := len(m.tokens)
	has := func(words string) bool {
		for k := i; k < n; k++ {
			if in(m.word(k), words) {
				return true
			}
		}
		return false
	}
	if k := m.wishesTo(i); k > 0 && in(m.word(k), "buy purchase find search get comprar encontrar buscar conseguir") {
		return false, true
	}
	switch {
	case in(w, "do does") && x == "you" && in(y, "have carry sell stock got keep offer"),
		w == "have" && x == "you" && y == "got",
		w == "got" && x == "any",
		w == "any" && has("left available"),
		w == "how" && in(x, "many much") && (has("left have stock remain remaining available") || n-i <= 3),
		in(w, "search look hunt shop") && x == "for", in(w, "search find") && n > i+1,
		w == "im" && x == "looking" && y == "for",
		w == "i" && x == "am" && y == "looking",
		w == "looking" && x == "for",
		in(w, "is are") && has("available left"):
		return false, true
	case in(w, "tienen tienes tiene venden vende busco buscamos tendran tendra ofrecen"),
		w == "estoy" && x == "buscando", in(w, "buscar busca buscame buscame encuentra encuentrame"),
		in(w, "queda quedan"), in(w, "les te") && in(x, "queda quedan"),
		in(w, "cuantos cuantas cuanto") && has("queda quedan hay tienen tiene disponibles"),
		has("disponible disponibles") && has("esta estan hay sigue siguen"):
		return false, true
	case in(w, "is are") && x == "there", w == "hay":
		return true, true
	}
	if m.desired > 0 && !m.definite {
		return true, true
	}
	return false, false
}

// wishesTo returns the verb of "I want to buy", "quiero comprar", "can I see",
// at whose clause's begin i stands, or 0.
func (m *message) wishesTo(i int) int {
	if in(m.word(i), wishesES) || in(m.word(i), "puedo podria") {
		return i + 1
	}
	if in(m.word(i), "can could may") && in(m.word(i+1), "i we you") {
		return i + 2
	}
	for k := i + 1; k < i+5; k++ {
		if m.word(k) == "to" && m.wishes(i, k) {
			return k + 1
		}
	}
	return 0
}

// spares tells whether a content word of m is explained neither by the tool
// nor by a value.
func (f *filling) spares(ix *index, m *message) bool {
	for i := range m.tokens {
		t := &m.tokens[i]
		if !f.used[i] && (t.class == content && !ix.explains(f.tool, t) && !in(t.word, leftWords) || t.entity >= 0) {
			return true
		}
	}
	return false
}

// akin tells words of one family: cardiologist and cardiology, pediatra and
// pediatría.
func akin(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= 6 && 3*n >= 2*max(len(a), len(b))
}
