package remote

import (
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// CallID returns a conversation's id of a call in a form that every provider
// takes.
func CallID(id string) string { return "call_" + id }

// HumanText is what a model reads of the person who had the conversation.
func HumanText(text string) string { return "(A person wrote:) " + text }

// Theirs returns the arguments of a call of the history as the model knows
// them: one JSON object. What is none stands in it as a text.
func (a Adapted) Theirs(arguments string) string {
	v, err := jsondoc.Parse([]byte(arguments))
	switch {
	case strings.TrimSpace(arguments) == "":
		return "{}"
	case err != nil || v.Kind() != jsondoc.Object:
		return string(append(jsondoc.AppendQuote([]byte(`{"invalid_arguments":`), arguments), '}'))
	case len(a.theirs) > 0:
		return string(appendRenamed(nil, v, a.theirs))
	}
	return string(v.AppendCompact(nil))
}

// Ours returns the arguments that the model wrote with the names that the tool
// gives its parameters.
func (a Adapted) Ours(arguments string) string {
	if len(a.ours) == 0 {
		return arguments
	}
	v, err := jsondoc.Parse([]byte(arguments))
	if err != nil {
		return arguments
	}
	return string(appendRenamed(nil, v, a.ours))
}

// appendRenamed appends v with other names for some members, at any depth.
func appendRenamed(dst []byte, v jsondoc.Value, names map[string]string) []byte {
	switch v.Kind() {
	case jsondoc.Object:
		dst = append(dst, '{')
		for name, member := range v.Members() {
			if other, ok := names[name]; ok {
				name = other
			}
			dst = appendName(dst, name)
			dst = appendRenamed(dst, member, names)
		}
		return append(dst, '}')
	case jsondoc.Array:
		dst = append(dst, '[')
		for e := range v.Elements() {
			dst = appendRenamed(appendComma(dst), e, names)
		}
		return append(dst, ']')
	}
	return v.AppendCompact(dst)
}

// appendName appends a member's name, after a comma where one is due.
func appendName(dst []byte, name string) []byte {
	return append(jsondoc.AppendQuote(appendComma(dst), name), ':')
}

func appendComma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last != '{' && last != '[' {
		dst = append(dst, ',')
	}
	return dst
}

// ToolName returns the name of a call of the history, which a model may have
// made up, in a form that every provider takes.
func ToolName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if refusedRune(r) || r == '.' {
			return '_'
		}
		return r
	}, name)
	if plain == "" {
		return "unnamed"
	}
	return plain[:min(len(plain), longestName)]
}

// Blank reports whether text has nothing in it to be seen, which some providers
// refuse.
func Blank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsControl(r) })
}

// Size is about how many bytes the messages take in a request.
func Size(messages []chat.Message) int {
	n := 0
	for _, m := range messages {
		n += 64 + len(m.Text)
		for _, c := range m.Calls {
			n += 128 + len(c.Arguments)
		}
		for _, r := range m.Results {
			n += 128 + len(r.Content)
		}
	}
	return n + n/8
}
