package offline

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A command is a message in the exact form: a tool's key and its arguments.
type command struct {
	key       string
	arguments string // a compact JSON object; "" for a key alone
}

// parseCommand reads the exact forms
//
//	KEY
//	KEY {"name": "value"}
//	KEY name=text other:=JSON
//
// where known tells the keys. Values may be quoted as in a shell, names are
// taken as they stand. ok is false when text is not in the exact form at all;
// an error tells a person what is wrong with one that is.
func parseCommand(text string, known func(string) bool) (c command, ok bool, err error) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	c.key = text[:end]
	rest := strings.TrimSpace(text[end:])
	switch {
	case !known(c.key):
		if !keyLike(c.key) || !pairStarts(rest) {
			return command{}, false, nil
		}
		if _, err := parsePairs(rest); err != nil {
			return command{}, false, nil
		}
		return command{}, true, errUnknownKey
	case rest == "":
		return c, true, nil
	case rest[0] == '{':
		v, err := jsondoc.Parse([]byte(rest))
		if err != nil {
			return command{}, true, fmt.Errorf("the arguments are no JSON object: %s", err)
		}
		c.arguments = string(v.AppendCompact(nil))
		return c, true, nil
	case !pairStarts(rest):
		return command{}, false, nil
	}
	c.arguments, err = parsePairs(rest)
	return c, true, err
}

// unknownKey marks a well-formed command for a tool that is not offered.
type unknownKey struct{}

func (unknownKey) Error() string { return "there is no such tool" }

var errUnknownKey = unknownKey{}

func keyLike(s string) bool {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// pairStarts tells whether s begins with name= or name:=.
func pairStarts(s string) bool {
	n := nameLength(s)
	return n > 0 && (strings.HasPrefix(s[n:], "=") || strings.HasPrefix(s[n:], ":="))
}

func nameLength(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.-$", r) {
			return i
		}
	}
	return len(s)
}

// parsePairs reads name=text and name:=JSON, separated by white space, into a
// JSON object with the names in their order.
func parsePairs(s string) (string, error) {
	out := []byte{'{'}
	seen := map[string]bool{}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeftFunc(s, unicode.IsSpace) {
		if !pairStarts(s) {
			word, _, err := shellWord(s)
			if err != nil {
				word = s
			}
			return "", fmt.Errorf("%q is neither name=text nor name:=JSON; a value with spaces needs quotes", word)
		}
		n := nameLength(s)
		name := s[:n]
		if seen[name] {
			return "", fmt.Errorf("%q is given twice", name)
		}
		seen[name] = true
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = jsondoc.AppendQuote(out, name)
		out = append(out, ':')
		if value, isText := strings.CutPrefix(s[n:], "="); isText {
			word, rest, err := shellWord(value)
			if err != nil {
				return "", fmt.Errorf("the value of %q: %s", name, err)
			}
			out, s = jsondoc.AppendQuote(out, word), rest
			continue
		}
		v, rest, err := jsonWord(s[n+2:])
		if err != nil {
			return "", fmt.Errorf("the value of %q is no JSON: %s (use %s=… for text)", name, err, name)
		}
		out, s = v.AppendCompact(out), rest
	}
	return string(append(out, '}')), nil
}

// jsonWord reads the JSON value that s begins with. It may stand bare, with
// spaces inside, or quoted as in a shell.
func jsonWord(s string) (jsondoc.Value, string, error) {
	end := jsonLength(s)
	if end < len(s) {
		if r, _ := utf8.DecodeRuneInString(s[end:]); !unicode.IsSpace(r) {
			end = 0
		}
	}
	if end > 0 {
		if v, err := jsondoc.Parse([]byte(s[:end])); err == nil {
			return v, s[end:], nil
		}
	}
	word, rest, err := shellWord(s)
	if err != nil {
		return jsondoc.Value{}, "", err
	}
	v, err := jsondoc.Parse([]byte(word))
	return v, rest, err
}

// jsonLength returns where the JSON value at the start of s ends, if it is
// one: at the bracket or quote that closes it, or at white space.
func jsonLength(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
			if !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			if depth <= 0 {
				return i + 1
			}
		case depth == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			return i
		}
	}
	return len(s)
}

// shellWord reads the word that s begins with by the rules of a shell: quotes
// of both kinds and backslashes, and nothing is expanded. White space ends it.
func shellWord(s string) (word, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			return b.String(), s[i:], nil
		case r == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return "", "", fmt.Errorf("the quote ' is never closed")
			}
			b.WriteString(s[i+1 : i+1+end])
			n = end + 2
		case r == '"':
			end := i + 1
			for ; end < len(s) && s[end] != '"'; end++ {
				if s[end] == '\\' && end+1 < len(s) && strings.IndexByte("\"\\$`", s[end+1]) >= 0 {
					end++
				}
				b.WriteByte(s[end])
			}
			if end >= len(s) {
				return "", "", fmt.Errorf("the quote \" is never closed")
			}
			n = end + 1 - i
		case r == '\\':
			_, m := utf8.DecodeRuneInString(s[i+1:])
			if m == 0 {
				return "", "", fmt.Errorf("the backslash at the end has nothing to escape")
			}
			b.WriteString(s[i+1 : i+1+m])
			n += m
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String(), "", nil
}
