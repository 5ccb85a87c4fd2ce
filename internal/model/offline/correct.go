package offline

import (
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// correct calls the last tool again with what m changes: "no, the red one".
func (d *dialogue) correct(last *chat.Call, m *message, ph *phrases) (plan, bool) {
	tool := d.find(last.Tool)
	if tool == nil || tool.Name == chat.HandoffTool || tool.Name == chat.RequestContactInfoTool {
		return plan{}, false
	}
	if tool.changes && (m.question() || in(m.word(0), "and y e or o")) {
		return plan{}, false // one more of it is to be asked for in words
	}
	args, err := jsondoc.Parse([]byte(last.Arguments))
	if err != nil {
		return plan{}, false
	}
	values := make([]string, len(tool.params))
	for i, p := range tool.params {
		v := args
		for _, name := range p.path {
			v = v.Get(name)
		}
		values[i] = string(v.AppendCompact(nil))
	}
	f := newFilling(tool, m)
	f.typedValues(m)
	f.enums(m)
	f.codes(m)
	f.numbers(m)
	f.booleans(m)
	f.named(d.ix, m)
	f.quotes(m)
	changed := false
	for i, v := range f.values {
		if v != "" && tool.params[i].fixed == "" {
			values[i] = v
			changed = true
		}
	}
	if !changed {
		text := -1
		for i, p := range tool.params {
			if p.kind == plain && values[i] != "" && (text < 0 || p.required && !tool.params[text].required) {
				text = i
			}
		}
		chunks := d.ix.chunks(f, m)
		if text < 0 || len(chunks) == 0 {
			if len(chunks) == 0 && !m.hasContent() && m.tokens[0].word == "no" && len(m.tokens) <= 2 {
				return plan{text: ph.change}, true
			}
			return plan{}, false
		}
		s := chunks[len(chunks)-1].text(m)
		if !tool.params[text].takes(s) {
			return plan{}, false
		}
		old, _ := jsondoc.Parse([]byte(values[text]))
		values[text] = quote(replaced(old.Text(), s, m))
	}
	return d.complete(tool, values, ph), true
}

// replaced puts s in the place of what it says of another thing in old: "the
// cotton one" makes a cotton shirt of a linen shirt, "la de algodón" a camisa
// de algodón of a camisa de lino.
func replaced(old, s string, m *message) string {
	last := len(m.tokens) - 1
	for last > 0 && in(m.tokens[last].word, "please") {
		last--
	}
	if words := strings.Fields(old); in(m.tokens[last].word, "one ones") && len(words) > 1 {
		kept := words[min(len(strings.Fields(s)), len(words)-1):]
		return s + " " + strings.Join(kept, " ")
	}
	if head, _, ok := strings.Cut(old, " de "); ok {
		for i := 1; i < len(m.tokens); i++ {
			if m.tokens[i].word == "de" && in(m.tokens[i-1].word, "el la los las") {
				return head + " de " + s
			}
		}
	}
	return s
}
