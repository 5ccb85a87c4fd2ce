package ignore

import "strings"

type outcome uint8

const (
	no outcome = iota
	yes
	never   // nor does any rest of the text match
	tillAny // nor does any rest, up to the next **
)

// match compares text with a pattern the way git's wildmatch does. Where slashes
// is set, only ** matches a slash.
func match(pattern, text string, slashes bool) outcome {
	p, t := 0, 0
	for ; p < len(pattern); p, t = p+1, t+1 {
		c := pattern[p]
		if t == len(text) && c != '*' {
			return never
		}
		switch c {
		case '\\':
			p++
			if p == len(pattern) || text[t] != pattern[p] {
				return no
			}
		case '?':
			if slashes && text[t] == '/' {
				return no
			}
		case '*':
			start := p
			for p < len(pattern) && pattern[p] == '*' {
				p++
			}
			across := !slashes
			if slashes && p-start > 1 {
				rest := pattern[p:]
				whole := (start == 0 || pattern[start-1] == '/') &&
					(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
				if whole {
					if rest != "" && rest[0] == '/' && match(rest[1:], text[t:], slashes) == yes {
						return yes
					}
					across = true
				}
			}
			rest := pattern[p:]
			if rest == "" {
				if !across && strings.Contains(text[t:], "/") {
					return tillAny
				}
				return yes
			}
			if !across && rest[0] == '/' {
				// One star and a slash: the next directory.
				slash := strings.IndexByte(text[t:], '/')
				if slash < 0 {
					return tillAny
				}
				t += slash
				continue
			}
			return star(rest, text[t:], slashes, across)
		case '[':
			end, in := class(pattern[p:], text[t])
			if end == 0 {
				return never
			}
			if !in || slashes && text[t] == '/' {
				return no
			}
			p += end - 1
		default:
			if text[t] != c {
				return no
			}
		}
	}
	if t < len(text) {
		return no
	}
	return yes
}

// star matches what follows a star with every rest of the text.
func star(rest, text string, slashes, across bool) outcome {
	for t := 0; t < len(text); t++ {
		switch got := match(rest, text[t:], slashes); {
		case got == no:
			if !across && text[t] == '/' {
				return tillAny
			}
		case !across || got != tillAny:
			return got
		}
	}
	return never
}

// class reports whether the character class that s starts with holds c, and
// where it ends; the end is 0 for one that never ends or names an unknown class.
func class(s string, c byte) (end int, in bool) {
	i := 1
	at := func() byte {
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	negated := at() == '!' || at() == '^'
	if negated {
		i++
	}
	var before byte // what a range may start with
	for first := true; first || at() != ']'; first = false {
		ch := at()
		switch {
		case ch == 0:
			return 0, false
		case ch == '\\':
			i++
			if ch = at(); ch == 0 {
				return 0, false
			}
			in = in || c == ch
		case ch == '-' && before != 0 && i+1 < len(s) && s[i+1] != ']':
			i++
			if ch = at(); ch == '\\' {
				i++
				if ch = at(); ch == 0 {
					return 0, false
				}
			}
			in = in || before <= c && c <= ch
			ch = 0 // no range starts with the end of another
		case ch == '[' && i+1 < len(s) && s[i+1] == ':':
			name, _, closed := strings.Cut(s[i+2:], "]")
			if !closed {
				return 0, false
			}
			word, named := strings.CutSuffix(name, ":")
			if !named { // a [ among others
				in = in || c == '['
				break
			}
			holds, known := posix(word, c)
			if !known {
				return 0, false
			}
			in = in || holds
			i += len("[:") + len(name)
			ch = 0
		default:
			in = in || c == ch
		}
		before = ch
		i++
	}
	return i + 1, in != negated
}

// posix reports whether the class of POSIX 9.3.5 holds c, in the C locale.
func posix(name string, c byte) (holds, known bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := '!' <= c && c <= '~'
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	}
	return false, false
}
