package offline

import (
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
)

// maxSplits is how many places a message is looked at for a second request.
const maxSplits = 6

// several returns the calls of a message that asks for two things, "invite Bob
// and log 2 hours": both halves are a whole request, and for different tools.
func (d *dialogue) several(text string, lang language) []chat.Call {
	if _, ok, _ := parseCommand(text, func(key string) bool { return d.find(key) != nil }); ok {
		return nil
	}
	text = readable(text)
	var m *message
	tokens := d.ix.lex.words(text)
	splits := 0
	for i := 1; i < len(tokens)-1 && splits < maxSplits; i++ {
		from := i
		switch {
		case in(tokens[i].word, "and y e also tambien ademas luego then"):
			from = i + 1
		case !tokens[i].gap || !strings.ContainsAny(text[tokens[i-1].end:tokens[i].start], ".?!;,"):
			continue
		}
		if m == nil { // most messages have no such place
			m = d.ix.read(text, lang, d.now)
		}
		if m.tokens[i].entity >= 0 {
			continue
		}
		splits++
		first, ok := d.whole(m.text[:m.tokens[i].start], lang)
		if !ok {
			continue
		}
		second, ok := d.whole(m.text[m.tokens[from].start:], lang)
		if ok && first.Tool != second.Tool {
			return []chat.Call{first, second}
		}
	}
	return nil
}

// whole returns the call of a text that is a complete request by itself.
func (d *dialogue) whole(text string, lang language) (chat.Call, bool) {
	m := d.ix.read(text, lang, d.now)
	if len(m.tokens) == 0 {
		return chat.Call{}, false
	}
	best := d.best(m)
	if best == nil || best.situation || builtIn(best.tool.Name) || best.filling.missing() >= 0 {
		return chat.Call{}, false
	}
	return chat.Call{Tool: best.tool.Name, Arguments: object(best.tool.paths, best.filling.values)}, true
}
