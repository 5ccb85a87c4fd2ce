package offline

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
		if f.missing() < 0 && f.chose && !f.spares(d.ix, m) {
			return &match{candidate{tool: t, score: strong}, f}
		}
	}
	var tool *toolInfo
	for _, t := range d.ix.tools {
		if t.finds {
			if tool != nil {
				return nil
			}
			tool = t
		}
	}
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

// leftWords say that something is to be had.
const leftWords = "left available remaining disponible disponibles queda quedan quedara existencia existencias venta"

// productWords are in the texts of a tool that tells what is to be had.
const productWords = "available availability stock product products item items catalog catalogue inventory search " +
	"disponible disponibles disponibilidad producto productos existencias articulo articulos inventario catalogo"

// findsProducts tells whether t takes one text and says of itself that it
// finds products.
func (t *toolInfo) findsProducts(texts ...[]token) bool {
	if t.changes || builtIn(t.Name) {
		return false
	}
	required := 0
	for i := range t.params {
		if p := &t.params[i]; p.required {
			required++
			if p.kind != plain || p.text {
				return false
			}
		}
	}
	if required != 1 {
		return false
	}
	for _, tokens := range texts {
		if named(tokens, productWords) {
			return true
		}
	}
	return false
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
	switch {
	case in(w, "do does") && x == "you" && in(y, "have carry sell stock got keep offer"),
		w == "have" && x == "you" && y == "got",
		w == "got" && x == "any",
		w == "any" && has("left available"),
		w == "how" && in(x, "many much") && (has("left have stock remain remaining available") || n-i <= 3),
		w == "im" && x == "looking" && y == "for",
		w == "i" && x == "am" && y == "looking",
		w == "looking" && x == "for",
		in(w, "is are") && has("available left"):
		return false, true
	case in(w, "tienen tienes tiene venden vende busco buscamos tendran tendra ofrecen"),
		w == "estoy" && x == "buscando",
		in(w, "queda quedan"), in(w, "les te") && in(x, "queda quedan"),
		in(w, "cuantos cuantas cuanto") && has("queda quedan hay tienen tiene disponibles"),
		has("disponible disponibles") && has("esta estan hay sigue siguen"):
		return false, true
	case in(w, "is are") && x == "there", w == "hay":
		return true, true
	}
	return false, false
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
