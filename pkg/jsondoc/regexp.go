package jsondoc

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// A textRegexp is a compiled I-Regexp (RFC 9485) as Go understands it.
type textRegexp struct {
	*regexp.Regexp
	cost int // the size of its program: a bound of the steps per byte
}

// compileRegexp returns nil when pattern is no regular expression.
func compileRegexp(pattern string, whole bool) *textRegexp {
	pattern = spellDots(pattern)
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil
	}
	if whole {
		pattern = `\A(?:` + pattern + `)\z`
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return &textRegexp{Regexp: re, cost: len(prog.Inst)}
}

// spellDots writes every . outside a class as [^\n\r]: in an I-Regexp the dot
// does not match a carriage return either.
func spellDots(pattern string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
			b.WriteByte(pattern[i])
		case c == '.' && !class:
			b.WriteString(`[^\n\r]`)
		default:
			class = c == '[' || class && c != ']'
			b.WriteByte(c)
		}
	}
	return b.String()
}

// lastRegexp remembers the pattern compiled last, since the patterns read from
// a document are mostly all the same.
type lastRegexp struct {
	pattern string
	whole   bool
	known   bool
	re      *textRegexp
}

func (l *lastRegexp) get(e *evaluator, pattern string, whole bool) *textRegexp {
	if l.known && l.pattern == pattern && l.whole == whole {
		return l.re
	}
	const compileSteps = 1000
	if !e.spend(compileSteps + 10*len(pattern)) {
		return nil
	}
	*l = lastRegexp{pattern: pattern, whole: whole, known: true, re: compileRegexp(pattern, whole)}
	return l.re
}
