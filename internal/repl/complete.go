package repl

import (
	"slices"
	"strings"
	"unicode"
)

// A candidate is one way to go on from the word before the cursor.
type candidate struct {
	text        string
	description string
	spaced      bool // another word follows
}

// complete lists what the text before the cursor can go on with: commands,
// their arguments, tool keys, and the names of a tool's arguments.
func (l *loop) complete(before string) []candidate {
	start := strings.LastIndexFunc(before, unicode.IsSpace) + 1
	head, word := before[:start], before[start:]
	first := strings.Fields(head)
	var list []candidate
	switch {
	case len(first) == 0 && start > 0:
	case len(first) == 0:
		if !strings.HasPrefix(word, "/") {
			for _, t := range l.Session.Tools() {
				if t.Problem == "" {
					list = append(list, candidate{t.Name, folded(t.Description, 60), true})
				}
			}
		}
		for _, c := range commands() {
			list = append(list, candidate{"/" + c.name, c.help, c.argument != ""})
		}
	case strings.HasPrefix(first[0], "/"):
		list = l.completeArgument(first[0][1:], len(first))
	default:
		for _, t := range l.Session.Tools() {
			if t.Name != first[0] {
				continue
			}
			for _, p := range t.Parameters {
				list = append(list, candidate{text: p + "="})
			}
		}
	}
	return slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.text, word) })
}

func (l *loop) completeArgument(command string, words int) []candidate {
	if command == "contact" {
		var list []candidate
		for _, f := range contactFields {
			list = append(list, candidate{text: f + "="})
		}
		return list
	}
	if words > 1 {
		return nil
	}
	var values []string
	switch command {
	case "channel":
		values = l.Session.Channels()
	case "env":
		values = l.Session.Environments()
	case "scope":
		values = append(slices.Clone(l.Session.AllScopes()), allScopes)
	case "tools":
		values = []string{"--json"}
	case "trace":
		for _, c := range slices.Backward(l.calls.calls) {
			values = append(values, c.ID)
		}
		values = append(values, "all")
	case "as":
		values = []string{l.Session.Owner()}
	}
	var list []candidate
	for _, v := range values {
		list = append(list, candidate{text: oneLine(v, lineLimit)})
	}
	return list
}
