package repl

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// usualChannel needs no mention.
const usualChannel = "cli"

// promptText says where one is and who is talking, such as
// "acme · web/alice (Ana) · whatsapp · local". What does not fit into so many
// columns is left out: the workspace first, then the name, the environment
// and the channel; 0 is any number.
func promptText(s Session, columns int) string {
	who := oneLine(s.Owner(), lineLimit)
	named := who
	if name := folded(s.Contact().Name, 40); name != "" {
		named += " (" + name + ")"
	}
	workspace, env, channel := oneLine(s.Workspace(), lineLimit), oneLine(s.Environment(), lineLimit), s.Channel()
	if channel == usualChannel {
		channel = ""
	}
	var text string
	for _, parts := range [...][]string{
		{workspace, named, channel, env}, {named, channel, env}, {who, channel, env}, {who, channel}, {who},
	} {
		text = joined(parts)
		if columns <= 0 || runewidth.StringWidth(text) <= columns {
			return text
		}
	}
	return runewidth.Truncate(text, columns, "…")
}

func joined(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(p)
	}
	return b.String()
}
