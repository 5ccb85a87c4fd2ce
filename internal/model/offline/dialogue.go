package offline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A dialogue is one request being answered. What was asked before is found by
// playing the last messages through the same rules again.
type dialogue struct {
	ix   *index
	now  time.Time
	told bool // the visitor has seen what the agent can do
}

// state is what a message is read against.
type state struct {
	pending *pending
	last    *chat.Call // the last call, when its turn was the one before
}

// pending is a call that waits for an argument.
type pending struct {
	tool   *toolInfo
	values []string
	ask    int // index of the parameter that was asked for; -1: whether to call at all
}

// A plan is what to do about a message: a call or a text.
type plan struct {
	tool      string
	arguments string
	text      string
	pending   *pending // with a text: what it asks for
}

// maxReplay is how many of the visitor's messages are played through again,
// and looked at for their language.
const maxReplay = 12

func (d *dialogue) next(messages []chat.Message) chat.Reply {
	n := len(messages)
	if n == 0 {
		return say(inEnglish.phrases().overview(d.ix))
	}
	if messages[n-1].Role == chat.ToolResults {
		return d.afterResults(messages)
	}
	if c, ok := d.retry(messages); ok {
		return call(c.Tool, c.Arguments)
	}
	if _, note := chat.SharedPhone(messages[n-1].Text); note && messages[n-1].Role == chat.User {
		return say(d.language(messages).phrases().arrived)
	}
	at := lastUser(messages)
	if at < 0 {
		return say(inEnglish.phrases().overview(d.ix))
	}
	d.told = introduced(messages[:at])
	st, lang := d.before(messages, at), d.language(messages[:at+1])
	if st.pending == nil {
		if calls := d.several(messages[at].Text, lang); calls != nil {
			return chat.Reply{Calls: calls}
		}
	}
	p := d.plan(st, messages[at].Text, lang)
	if p.tool != "" {
		return call(p.tool, p.arguments)
	}
	return say(p.text)
}

func lastUser(messages []chat.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == chat.User {
			if _, note := chat.SharedPhone(messages[i].Text); !note {
				return i
			}
		}
	}
	return -1
}

// introduced tells whether the agent has said what it can do.
func introduced(messages []chat.Message) bool {
	for i := range messages {
		if m := &messages[i]; m.Role == chat.Agent && (strings.Contains(m.Text, inEnglish.phrases().standIn) || strings.Contains(m.Text, inSpanish.phrases().standIn)) {
			return true
		}
	}
	return false
}

// language is that of the visitor's last message that tells.
func (d *dialogue) language(messages []chat.Message) language {
	seen := 0
	for i := len(messages) - 1; i >= 0 && seen < maxReplay; i-- {
		if messages[i].Role != chat.User {
			continue
		}
		if _, note := chat.SharedPhone(messages[i].Text); note {
			continue
		}
		seen++
		text := readable(messages[i].Text)
		if l := d.ix.lex.guess(text, d.ix.lex.words(text)); l != 0 {
			return l
		}
	}
	return inEnglish
}

// before returns the state in which message at arrived.
func (d *dialogue) before(messages []chat.Message, at int) state {
	// The turns before that went without a call, and the call before them.
	start := at
	for start >= 2 && (at-start)/2 < maxReplay && messages[start-1].Role == chat.Agent && len(messages[start-1].Calls) == 0 &&
		messages[start-2].Role == chat.User {
		start -= 2
	}
	var st state
	if start >= 3 && messages[start-1].Role == chat.Agent && messages[start-2].Role == chat.ToolResults {
		if calls := messages[start-3].Calls; len(calls) > 0 {
			st.last = &calls[len(calls)-1]
		}
	}
	for i := start; i < at; i += 2 {
		p := d.plan(st, messages[i].Text, d.language(messages[:i+1]))
		// A text of somebody else, another model or an older set of tools,
		// asks for nothing that is known here.
		st.pending = nil
		if p.tool == "" && p.text == messages[i+1].Text {
			st.pending = p.pending
		}
	}
	return st
}

// plan decides about one message of the visitor.
func (d *dialogue) plan(st state, text string, lang language) plan {
	ph := lang.phrases()
	known := func(key string) bool { return d.find(key) != nil }
	if c, ok, err := parseCommand(text, known); ok {
		return d.command(c, err, text, ph)
	}
	m := d.ix.read(text, lang, d.now)
	if len(m.tokens) == 0 {
		if st.pending != nil {
			return plan{text: ph.notUnderstood + " " + st.pending.question(ph), pending: st.pending}
		}
		return plan{text: d.lost(ph)}
	}
	if st.pending != nil {
		if p, ok := d.answer(st.pending, m, ph); ok {
			return p
		}
	}
	best := d.best(m)
	if st.last != nil && m.corrects() {
		if best == nil || best.tool.Name == st.last.Tool || best.score < strong {
			if p, ok := d.correct(st.last, m, ph); ok {
				return p
			}
		}
	}
	if text, ok := d.shares(m, ph); ok && (best == nil || best.tool.changes) {
		return plan{text: text}
	}
	if t := d.find(chat.HandoffTool); t != nil && m.wantsPerson() && !m.refuses() {
		return d.decide(t, d.ix.fill(t, m), ph)
	}
	if best != nil {
		lookup := d.find(chat.KnowledgeLookupTool)
		if lookup != nil && best.filling.missing() >= 0 && best.filling.typed == 0 && m.general() && !best.tool.changes && !(best.tool.ReadOnly && m.own() && !m.asksHow()) {
			return d.decide(lookup, d.ix.fill(lookup, m), ph)
		}
		p := d.decide(best.tool, best.filling, ph)
		if best.situation && p.tool != "" {
			// Nobody has asked for it yet.
			pd := &pending{best.tool, best.filling.values, -1}
			return plan{text: pd.question(ph), pending: pd}
		}
		return p
	}
	if a := d.identified(m); a != nil {
		return d.decide(a.tool, a.filling, ph)
	}
	if a := d.available(m); a != nil {
		return d.decide(a.tool, a.filling, ph)
	}
	if t := d.find(chat.IdentifyContactTool); t != nil {
		if name, _, _ := introduction(m); name != "" {
			return d.decide(t, d.ix.fill(t, m), ph)
		}
	}
	if t := d.find(chat.KnowledgeLookupTool); t != nil && m.question() && m.hasContent() {
		return d.decide(t, d.ix.fill(t, m), ph)
	}
	switch {
	case m.helps():
		return plan{text: ph.overview(d.ix)}
	case m.thanks():
		return plan{text: ph.welcome}
	case m.drops():
		return plan{text: ph.fine}
	case m.greets() && d.told && len(d.ix.tools) > 0:
		return plan{text: ph.greeting + " " + ph.howHelp}
	case m.greets():
		return plan{text: ph.greeting + " " + ph.overview(d.ix)}
	}
	return plan{text: d.lost(ph)}
}

// lost says what the agent can do, and after the first time how to see that
// again.
func (d *dialogue) lost(ph *phrases) string {
	if d.told && len(d.ix.tools) > 0 {
		return ph.again
	}
	return ph.overview(d.ix)
}

// shares answers a visitor who writes their own phone number or email address:
// it is for the contact, which no message changes, and never the argument of
// something that was not asked for.
func (d *dialogue) shares(m *message, ph *phrases) (string, bool) {
	if len(m.entities) == 0 || m.question() {
		return "", false
	}
	own := false
	for i := range m.tokens {
		t := &m.tokens[i]
		switch {
		case t.entity >= 0 || t.class == stop:
		case in(t.word, phoneNames+" "+emailNames+" number numero"):
			own = own || i > 0 && in(m.word(i-1), "my mi") || i > 1 && in(m.word(i-2), "my mi")
		case t.class == content:
			return "", false
		}
	}
	for i := range m.entities {
		alone := len(m.entities) == 1 && !m.hasContent()
		switch e := &m.entities[i]; {
		case !own && !alone:
		case e.kind == phone:
			return fmt.Sprintf(ph.sharePhone, e.text), true
		case e.kind == email:
			return fmt.Sprintf(ph.shareEmail, e.text), true
		case own && (e.kind == number || e.kind == code) && isPhone(e.text):
			return fmt.Sprintf(ph.sharePhone, digitsOf(e.text)), true
		}
	}
	return "", false
}

func (d *dialogue) find(key string) *toolInfo {
	for _, t := range d.ix.tools {
		if t.Name == key {
			return t
		}
	}
	return nil
}

// command answers a message in the exact form.
func (d *dialogue) command(c command, err error, text string, ph *phrases) plan {
	if err == errUnknownKey {
		key, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		return plan{text: fmt.Sprintf(ph.unknownTool, key) + "\n" + ph.overview(d.ix)}
	}
	key, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if err != nil {
		t := d.find(key)
		s := fmt.Sprintf(ph.malformed, key, err)
		if t != nil {
			s += "\n" + fmt.Sprintf(ph.exact, usage(t))
		}
		return plan{text: s}
	}
	if c.arguments != "" {
		return plan{tool: c.key, arguments: c.arguments}
	}
	t := d.find(c.key)
	return d.complete(t, make([]string, len(t.params)), ph)
}

// decide calls tool with what was found, or asks for what is missing.
func (d *dialogue) decide(tool *toolInfo, f *filling, ph *phrases) plan {
	return d.complete(tool, f.values, ph)
}

func (d *dialogue) complete(tool *toolInfo, values []string, ph *phrases) plan {
	for i, p := range tool.params {
		if values[i] == "" && p.required {
			values[i] = p.fixed
		}
	}
	if i := missing(tool, values); i >= 0 {
		return plan{text: ph.question(&tool.params[i]), pending: &pending{tool: tool, values: values, ask: i}}
	}
	return plan{tool: tool.Name, arguments: object(tool.paths, values)}
}

// answer reads m as the answer to a question that was asked. It declines when
// the visitor turned to something else.
func (d *dialogue) answer(pd *pending, m *message, ph *phrases) (plan, bool) {
	if pd.ask < 0 {
		return d.confirmed(pd, m, ph)
	}
	p := &pd.tool.params[pd.ask]
	value, ok := "", false
	if !m.aside(d.ix, pd.tool, p) {
		value, ok = d.value(pd.tool, p, m)
	}
	if m.drops() && (!ok || p.kind != boolean && p.kind != enum) {
		return plan{text: ph.dropped}, true
	}
	if d.find(chat.HandoffTool) != nil && m.wantsPerson() && !m.refuses() {
		return plan{}, false
	}
	values := slices.Clone(pd.values)

	other := d.best(m)
	turned := other != nil && other.tool != pd.tool && (other.score >= strong || m.question() || other.tool.changes)
	if turned && (!ok || p.kind == plain && !p.text || p.kind == code && other.filling.typed > 0 && (m.question() || d.orders(m)) ||
		other.tool.changes && other.filling.missing() < 0) {
		return plan{}, false
	}
	if !ok {
		if m.corrects() && d.amend(pd, values, m) {
			return d.complete(pd.tool, values, ph), true
		}
		if other != nil && other.tool == pd.tool || m.question() && d.find(chat.KnowledgeLookupTool) != nil && m.hasContent() {
			return plan{}, false
		}
		note := ph.notUnderstood
		if text, shared := d.shares(m, ph); shared {
			note = text
		}
		return plan{text: note + " " + ph.question(p), pending: &pending{pd.tool, values, pd.ask}}, true
	}
	values[pd.ask] = value
	// The same message may answer what would be asked next.
	if p.kind == plain && len(p.path) > 1 {
		values[pd.ask] = d.parts(pd, p, m, values)
	}
	rest := newFilling(pd.tool, m)
	copy(rest.values, values)
	rest.claim(p, value, m)
	rest.typedValues(m)
	rest.enums(m)
	if p.kind != integer && p.kind != number {
		if p.kind != plain || len(p.path) == 1 && strings.ContainsAny(m.text, ",;") {
			rest.numbers(m)
		}
	}
	return d.complete(pd.tool, rest.values, ph), true
}

// orders tells whether a verb of m asks for something to be shown or done.
func (d *dialogue) orders(m *message) bool {
	return slices.ContainsFunc(m.asks, func(i int) bool { return reads(m.tokens[i].word) || d.ix.acts(&m.tokens[i]) })
}

// amend changes values that were given before: "better on Friday".
func (d *dialogue) amend(pd *pending, values []string, m *message) bool {
	f := newFilling(pd.tool, m)
	f.typedValues(m)
	f.enums(m)
	f.codes(m)
	f.numbers(m)
	changed := false
	for i, v := range f.values {
		if v != "" && values[i] != "" && pd.tool.params[i].fixed == "" {
			values[i], changed = v, true
		}
	}
	return changed
}

// question is what the pending call waits for, in words.
func (pd *pending) question(ph *phrases) string {
	if pd.ask < 0 {
		return fmt.Sprintf(ph.confirm, pd.tool.Name, object(pd.tool.paths, pd.values))
	}
	return ph.question(&pd.tool.params[pd.ask])
}

// confirmed reads m as the answer to whether to call at all.
func (d *dialogue) confirmed(pd *pending, m *message, ph *phrases) (plan, bool) {
	if m.drops() {
		return plan{text: ph.dropped}, true
	}
	if yes, ok := m.yes(); ok && yes == "true" && len(m.tokens) <= 4 && !m.question() {
		return d.complete(pd.tool, slices.Clone(pd.values), ph), true
	}
	return plan{}, false
}

// parts splits "Main Street 5, Springfield" between p and the value of the
// same object that would be asked for next. It returns that of p.
func (d *dialogue) parts(pd *pending, p *param, m *message, values []string) string {
	first, rest, cut := strings.Cut(strings.TrimSpace(m.text), ",")
	next := pd.ask + 1
	if !cut || next >= len(values) || values[next] != "" {
		return values[pd.ask]
	}
	q := &pd.tool.params[next]
	first, rest = strings.TrimSpace(first), strings.Trim(rest, " .")
	if q.kind != plain || !q.required || !slices.Equal(q.path[:len(q.path)-1], p.path[:len(p.path)-1]) || !q.takes(rest) || !p.takes(first) {
		return values[pd.ask]
	}
	values[next] = quote(rest)
	return quote(first)
}

// aside tells that m is plainly no answer to a question for p: it asks
// something itself, or says something that has nothing to do with p.
func (m *message) aside(ix *index, tool *toolInfo, p *param) bool {
	if p.kind == raw || p.kind == boolean {
		return false
	}
	if m.question() && len(m.tokens) > 2 && !m.corrects() && !(p.text && !strings.ContainsAny(m.text, "?¿")) {
		if in(m.word(0), "about sobre acerca") || p.kind == plain && !strings.ContainsAny(m.text, "?¿") && !in(m.word(m.start()), asking) {
			return false
		}
		return true
	}
	if p.text {
		return false
	}
	if p.kind == plain {
		i := m.start()
		if name, _, _ := introduction(m); name != "" {
			return false
		}
		return in(m.word(i), "i we he she they you ive im yo") && !in(m.word(i+1), "want need would mean meant take prefer choose looking") &&
			!(m.word(i+1) == "am" && m.word(i+2) == "looking") ||
			m.word(i) == "no" && i+1 < len(m.tokens) && !m.tokens[i+1].gap && !m.tokens[i+1].capital
	}
	if !m.statement() || len(m.entities) == 1 && m.answers(p) {
		return false
	}
	for i := range m.tokens {
		t := &m.tokens[i]
		if t.class == content && t.entity < 0 && !ix.explains(tool, t) && !p.mentions(t) &&
			!in(t.word, "prefer better good fine perfect suits works prefiero mejor perfecto sirve date day fecha dia "+codeNames+" "+timeNames+" "+emailNames+" "+phoneNames) {
			return true
		}
	}
	return false
}

// answers tells whether the one value of m can be nothing but p: a sentence
// that holds an address answers the question for an address.
func (m *message) answers(p *param) bool {
	e := &m.entities[0]
	switch p.kind {
	case email, phone, link:
		_, ok := typedValue(p, m, 0, []bool{false})
		return ok
	case code:
		return e.kind == code && p.example != "" && familyOf(e.text) == familyOf(p.example) ||
			(e.kind == code || e.kind == number) && p.pattern != nil && fitting(p, m.text[e.start:e.end]) != ""
	}
	return false
}

// claim marks the typed values that already went into value.
func (f *filling) claim(p *param, value string, m *message) {
	for j := range m.entities {
		e := &m.entities[j]
		if p.kind == plain || p.kind == raw || p.kind == list {
			f.taken[j] = strings.Contains(value, strings.Trim(quote(m.text[e.start:e.end]), `"`))
			continue
		}
		v, ok := typedValue(p, m, j, slices.Clone(f.taken))
		if !ok {
			v, ok = numberFor(p, e)
		}
		if p.kind == code {
			v, ok = quote(e.text), true
		}
		if ok && v == value {
			f.taken[j] = true
			return
		}
	}
}

// value reads all of m as a value of p.
func (d *dialogue) value(tool *toolInfo, p *param, m *message) (string, bool) {
	switch p.kind {
	case raw:
		v, err := jsondoc.Parse([]byte(m.whole))
		if err != nil {
			return "", false
		}
		return string(v.AppendCompact(nil)), true
	case boolean:
		return m.yes()
	case plain:
		s, ok := m.plainAnswer(p)
		return quote(s), ok && p.takes(s)
	}
	// The other kinds are found as in any message, with the one parameter
	// alone to take them.
	q := *p
	q.required = true
	alone := &toolInfo{params: []param{q}, paths: [][]string{{"value"}}, at: tool.at, ix: d.ix}
	f := newFilling(alone, m)
	f.typedValues(m)
	f.enums(m)
	f.codes(m)
	f.numbers(m)
	f.quotes(m)
	f.lists(d.ix, m)
	if f.values[0] == "" && p.kind == code {
		// A code may be a plain word when it is all there is.
		if s, ok := m.plainAnswer(p); ok && !strings.ContainsAny(s, " ") {
			if p.pattern != nil {
				s = fitting(p, s)
			}
			if s != "" && p.shape == "" {
				f.values[0] = quote(s)
			}
		}
	}
	return f.values[0], f.values[0] != ""
}
