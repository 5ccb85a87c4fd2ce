package offline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// typedValues takes dates, times, addresses and phone numbers.
func (f *filling) typedValues(m *message) {
	for _, i := range f.order() {
		p := &f.tool.params[i]
		best, value, dist, places := -1, "", 0, m.mentioned(p)
		for j := range m.entities {
			if f.taken[j] {
				continue
			}
			v, ok := typedValue(p, m, j, f.taken)
			if !ok {
				continue
			}
			d := m.distance(places, j)
			if (p.kind == date || p.kind == dateTime) && f.tool.dates() == 1 {
				d -= far * m.direction(j) // "from Monday to Friday": it goes to Friday
			}
			if best < 0 || d < dist {
				best, value, dist = j, v, d
			}
		}
		if best >= 0 {
			f.take(i, best, value, m)
		}
	}
}

// typedValue reads entity j as a value of p, for the kinds that a form alone
// tells.
func typedValue(p *param, m *message, j int, taken []bool) (string, bool) {
	e := &m.entities[j]
	switch {
	case p.kind == e.kind && (e.kind == email || e.kind == link):
		return quote(e.text), true
	case p.kind == phone && (e.kind == phone || (e.kind == number || e.kind == code) && isPhone(e.text)):
		return quote(digitsOf(e.text)), true
	case p.kind == date && (e.kind == date || e.kind == dateTime):
		return quote(e.day.String()), true
	case p.kind == dateTime && e.kind == dateTime && e.zoned:
		return quote(e.text), true
	case p.kind == dateTime && e.kind == dateTime:
		return quote(stamp(e.day, e.hour, e.min, m.now)), true
	case p.kind == dateTime && e.kind == date:
		for k, t := range m.entities {
			if t.kind == clock && !taken[k] {
				taken[k] = true
				return quote(stamp(e.day, t.hour, t.min, m.now)), true
			}
		}
	case p.kind == clock && (e.kind == clock || e.kind == dateTime && !e.zoned):
		t := time.Date(m.now.Year(), m.now.Month(), m.now.Day(), e.hour, e.min, 0, 0, m.now.Location())
		if p.offset {
			return quote(t.Format("15:04:05Z07:00")), true
		}
		return quote(t.Format("15:04")), true
	}
	return "", false
}

func isPhone(s string) bool {
	n := len(digitsOf(s))
	return n >= 7 && n <= 15 && !strings.ContainsFunc(s, isLetter)
}

func stamp(c civil, hour, min int, now time.Time) string {
	return time.Date(c.year, c.month, c.day, hour, min, 0, 0, now.Location()).Format(time.RFC3339)
}

// codes takes identifiers.
func (f *filling) codes(m *message) {
	for _, i := range f.order() {
		p := &f.tool.params[i]
		if p.kind != code {
			continue
		}
		best, score, text, places := -1, 0, "", m.mentioned(p)
		for j := range m.entities {
			e := &m.entities[j]
			if f.taken[j] || e.kind != code && e.kind != number && e.kind != plain {
				continue
			}
			t := e.text
			if e.kind == number {
				t = strings.TrimSpace(m.text[e.start:e.end])
			}
			if p.pattern != nil {
				t = fitting(p, t)
			}
			if p.example != "" && familyOf(t) == familyOf(p.example) && strings.ToUpper(p.example) == p.example {
				t = strings.ToUpper(t)
			}
			if t == "" || e.kind == plain && strings.ContainsAny(t, " ") || isPhone(t) && t[0] == '+' {
				continue
			}
			if family := familyOf(t); p.example != "" && family != familyOf(p.example) && f.tool.ix.codes[family] {
				continue // the code of something else
			}
			if e.kind == number && f.numbered(e, m) {
				continue
			}
			s := 1
			if e.kind == code {
				s = 3
			}
			if p.shape != "" {
				if shapeOf(t) == p.shape {
					s += 5
				} else if e.kind == number && m.distance(places, j) > 3 {
					s -= 3
				}
			}
			if d := m.distance(places, j); d <= 3 {
				s += 4 - d
			}
			if s > score {
				best, score, text = j, s, t
			}
		}
		if best >= 0 && (p.required || score > 1) {
			if p.pattern != nil || p.shape != "" && shapeOf(text) == p.shape {
				f.fits++
			}
			f.take(i, best, quote(text), m)
		}
	}
}

// numbered tells whether e is the number of something that the tool knows
// nothing of: the 1 of "doctor 1", for a tool that shows appointments.
func (f *filling) numbered(e *entity, m *message) bool {
	if e.first == 0 || m.tokens[e.first].gap {
		return false
	}
	before := &m.tokens[e.first-1]
	return before.class == content && before.entity < 0 && !f.tool.ix.explains(f.tool, before) &&
		!in(before.word, codeNames+" number numero meant mean decir think")
}

// fitting returns t, or t in capitals, when p's pattern takes it.
func fitting(p *param, t string) string {
	for _, s := range [...]string{t, strings.ToUpper(t), "#" + t} {
		if p.pattern.MatchString(s) {
			return s
		}
	}
	return ""
}

// numbers gives the numbers of the text to the parameters whose names stand
// nearest, and the rest in their order.
func (f *filling) numbers(m *message) {
	type pair struct{ distance, param, entity int }
	var pairs []pair
	for _, i := range f.order() {
		p := &f.tool.params[i]
		q := p
		if p.kind == list {
			q = p.item
		}
		if q.kind != integer && q.kind != number {
			continue
		}
		places := m.mentioned(p)
		for j := range m.entities {
			if f.taken[j] {
				continue
			}
			if _, ok := numberFor(q, &m.entities[j]); !ok {
				continue
			}
			d := m.distance(places, j)
			if d > 3 && m.model(j) && !p.required {
				continue
			}
			if m.model(j) {
				d++
			}
			if !p.required {
				d += 2
			}
			pairs = append(pairs, pair{d, i, j})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	for _, x := range pairs {
		p := &f.tool.params[x.param]
		if f.taken[x.entity] {
			continue
		}
		if p.kind == list {
			v, _ := numberFor(p.item, &m.entities[x.entity])
			if old := f.values[x.param]; old != "" {
				v = strings.TrimSuffix(old, "]") + "," + v + "]"
			} else {
				v = "[" + v + "]"
			}
			f.take(x.param, x.entity, v, m)
			continue
		}
		if f.values[x.param] != "" {
			continue
		}
		v, _ := numberFor(p, &m.entities[x.entity])
		f.take(x.param, x.entity, v, m)
	}
}

// numberFor reads e as a value of p, within p's limits.
func numberFor(p *param, e *entity) (string, bool) {
	if e.kind != number && e.kind != integer {
		return "", false
	}
	v := e.text
	if p.kind == integer {
		whole, fraction, _ := strings.Cut(v, ".")
		if strings.Trim(fraction, "0") != "" {
			return "", false
		}
		v = whole
	}
	if p.minimum.Exists() && compareNumbers(v, p.minimum.Text()) < 0 ||
		p.maximum.Exists() && compareNumbers(v, p.maximum.Text()) > 0 {
		return "", false
	}
	return v, true
}

// booleans takes what the text says about a yes-or-no parameter by its name:
// "with gift wrap", "sin envoltorio".
func (f *filling) booleans(m *message) {
	for _, i := range f.order() {
		p := &f.tool.params[i]
		if p.kind != boolean {
			continue
		}
		first, last, n, want := -1, -1, 0, 0
		for k := range p.words {
			w := &p.words[k]
			if w.class == stop || w.word == "is" || w.word == "has" || w.word == "with" {
				continue
			}
			want++
			for j := range m.tokens {
				if m.tokens[j].same(w) {
					if first < 0 || j < first {
						first = j
					}
					last = max(last, j)
					n++
					break
				}
			}
		}
		if want == 0 || n < want || last-first > want {
			continue
		}
		f.values[i] = "true"
		for j := max(0, first-3); j < first; j++ {
			switch m.tokens[j].word {
			case "no", "not", "without", "dont", "sin", "nunca":
				f.values[i] = "false"
			}
		}
		if last+1 < len(m.tokens) {
			switch m.tokens[min(last+2, len(m.tokens)-1)].word + " " + m.tokens[last+1].word {
			case "no no", "false false", "no is", "false is", "no es":
				f.values[i] = "false"
			}
		}
		f.mark(first, last)
	}
}

// compareNumbers compares two JSON numbers; float precision is enough for the
// limits of a schema.
func compareNumbers(a, b string) int {
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return cmp.Compare(x, y)
}

// dates counts the parameters that take a day.
func (t *toolInfo) dates() int {
	n := 0
	for i := range t.params {
		if k := t.params[i].kind; k == date || k == dateTime {
			n++
		}
	}
	return n
}

// destination takes what a change leads to where only its place tells: the
// street of "change the address of A-1042 to Main Street 5, Springfield". What
// commas part goes to the parameters in their order.
func (f *filling) destination(m *message) {
	if !f.tool.changes || len(m.asks) == 0 {
		return
	}
	var open []int
	for i := range f.tool.params {
		if p := &f.tool.params[i]; p.required && p.kind == plain && !p.text && f.values[i] == "" {
			open = append(open, i)
		}
	}
	from := m.leadsTo()
	if len(open) == 0 || from < 0 {
		return
	}
	text := m.text[m.tokens[from].start:]
	if e := m.tokens[from].entity; e >= 0 {
		text = m.text[m.entities[e].start:]
	}
	last := from // as far as nothing else has been taken
	for last+1 < len(m.tokens) && !f.used[last+1] {
		last++
	}
	if last+1 < len(m.tokens) {
		for last > from && m.tokens[last].class == stop {
			last--
		}
		text = text[:m.tokens[last].end-(len(m.text)-len(text))]
	}
	f.mark(from, last)
	for j := range m.entities {
		if m.entities[j].first >= from && m.entities[j].last <= last {
			f.taken[j] = true
		}
	}
	for n, i := range open {
		part, rest, cut := strings.Cut(text, ",")
		if n == len(open)-1 {
			part, cut = text, false
		}
		if part = strings.Trim(part, " .!"); f.tool.params[i].takes(part) {
			f.values[i] = quote(part)
			f.placed = true
			f.typed++
		}
		if !cut {
			return
		}
		text = rest
	}
}

// leadsTo returns the token behind the "to" that a name or a number follows
// until the end of m, or -1.
func (m *message) leadsTo() int {
	for i := m.asks[0] + 1; i < len(m.tokens)-1; i++ {
		if m.tokens[i].entity >= 0 || !in(m.tokens[i].word, "to a por") {
			continue
		}
		next := &m.tokens[i+1]
		if next.gap || next.entity < 0 && !next.capital {
			continue
		}
		plainOnly := true
		for j := range m.entities {
			if e := &m.entities[j]; e.first > i && e.kind != number && e.kind != integer {
				plainOnly = false
			}
		}
		last := &m.tokens[len(m.tokens)-1]
		if plainOnly && !in(last.word, "please favor") {
			return i + 1
		}
	}
	return -1
}
