package offline

import (
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A filling is the arguments of one tool taken from one message.
type filling struct {
	tool    *toolInfo
	values  []string // JSON by parameter, "" where there is none
	taken   []bool   // entities that became a value
	used    []bool   // tokens that became a value, or named one
	spare   float64  // words that neither the tool nor a value explains; half for those another tool does
	loose   bool     // a value is words that nothing but their place marks
	article bool     // an article stands before that value
	proper  bool     // that value has a capital of its own
	known   int      // words that the tool explains
	fits    int      // codes that are of the form which the tool names
	placed  bool     // a value was taken by its place alone, behind "to"
	extra   []bool   // tokens that became the choice of an optional parameter
	chose   bool     // one of a parameter's choices was named
	typed   int      // required values that were taken by their form
}

// fill takes the arguments of tool from m.
func (ix *index) fill(tool *toolInfo, m *message) *filling {
	f := newFilling(tool, m)
	f.typedValues(m)
	f.enums(m)
	f.codes(m)
	f.numbers(m)
	f.booleans(m)
	f.named(ix, m)
	f.quotes(m)
	f.places(ix, m)
	f.destination(m)
	f.lists(ix, m)
	f.remainder(ix, m)
	f.count(ix, m)
	return f
}

func newFilling(tool *toolInfo, m *message) *filling {
	n, w := len(m.entities), len(m.tokens)
	marks := make([]bool, n+2*w)
	f := &filling{tool: tool, values: make([]string, len(tool.params)), taken: marks[:n:n], used: marks[n : n+w : n+w], extra: marks[n+w:]}
	for i, p := range tool.params {
		if p.required {
			f.values[i] = p.fixed
		}
	}
	return f
}

// missing returns the first required parameter without a value, or -1.
func (f *filling) missing() int { return missing(f.tool, f.values) }

func missing(tool *toolInfo, values []string) int {
	for i, p := range tool.params {
		if p.required && values[i] == "" {
			return i
		}
	}
	return -1
}

// order is that in which parameters choose: the required ones first.
func (f *filling) order() []int {
	var out []int
	for _, required := range [...]bool{true, false} {
		for i, p := range f.tool.params {
			if p.required == required && f.values[i] == "" {
				out = append(out, i)
			}
		}
	}
	return out
}

func (f *filling) take(param, entity int, value string, m *message) {
	f.values[param] = value
	f.taken[entity] = true
	if f.tool.params[param].required {
		f.typed++
	}
	if e := &m.entities[entity]; e.last >= e.first {
		f.mark(e.first, e.last)
	}
}

func quote(s string) string { return string(jsondoc.AppendQuote(nil, s)) }

func (p *param) mentions(t *token) bool {
	for i := range p.words {
		if w := &p.words[i]; w.class != stop && w.same(t) {
			return true
		}
	}
	return false
}

func (f *filling) mark(first, last int) {
	for i := first; i <= last; i++ {
		f.used[i] = true
	}
}

// count counts what is left unexplained.
func (f *filling) count(ix *index, m *message) {
	counted := -1
	intro, first, last := introduction(m)
	for i := range m.tokens {
		t := &m.tokens[i]
		switch {
		case f.used[i], intro != "" && i >= first && i <= last:
		case t.entity >= 0:
			if !f.taken[t.entity] && t.entity != counted && t.class != stop {
				counted = t.entity
				f.spare++
			}
		case t.class != content, in(t.word, "time hora") && i > 0 && in(m.tokens[i-1].word, "what which que"), in(t.word, "new another other nuevo nueva otro otra"):
		case !ix.explains(f.tool, t) && !f.labels(t, m):
			f.spare++
			if len(ix.terms[t.stems[0]]) > 0 || len(ix.terms[t.stems[1]]) > 0 {
				f.spare -= 0.5
			}
		default:
			f.known++
		}
	}
}

// labels tells whether t says of which kind a value is that was taken: the
// "correo" of "mi correo es ana@acme.example".
func (f *filling) labels(t *token, m *message) bool {
	for j, taken := range f.taken {
		if !taken {
			continue
		}
		names := ""
		switch m.entities[j].kind {
		case email:
			names = emailNames
		case phone:
			names = phoneNames
		case link:
			names = linkNames
		case date, dateTime, clock:
			names = dateNames + " " + timeNames
		case code, number:
			names = codeNames + " " + phoneNames
		}
		if in(t.word, names) {
			return true
		}
	}
	return false
}
