package syntax

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// tomlError turns the error of the parser into a diagnostic at the token at
// fault, or where what was never closed opens.
func tomlError(src *source, p *unstable.Parser, err error) diag.Diagnostic {
	e := tomlFault{src: src, data: src.file.Data, problem: err.Error(), at: len(src.file.Data)}
	var problem *unstable.ParserError
	if errors.As(err, &problem) {
		e.problem = problem.Message
		if at, ok := rangeOf(p, problem.Highlight); ok {
			e.at = src.file.BOM() + at
		}
	}
	return e.diagnostic()
}

// rangeOf returns the offset of b in what p parses.
func rangeOf(p *unstable.Parser, b []byte) (at int, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return int(p.Range(b).Offset), true
}

// tomlFault is a syntax error as the parser reports it.
type tomlFault struct {
	src     *source
	data    []byte
	problem string
	at      int
}

func (e *tomlFault) says(part string) bool { return strings.Contains(e.problem, part) }

func (e *tomlFault) report(at int, hint, format string, args ...any) diag.Diagnostic {
	return e.src.fault(at, hint, format, args...)
}

// char returns the character at the fault as it is to be named.
func (e *tomlFault) char() string {
	if e.at >= len(e.data) {
		return "the end of the file"
	}
	if breakLen(e.data, e.at) > 0 {
		return "the end of the line"
	}
	_, n := utf8.DecodeRune(e.data[e.at:])
	return fmt.Sprintf("%q", e.data[e.at:e.at+n])
}

const hintTOMLString = "put a text in quotes"

func (e *tomlFault) diagnostic() diag.Diagnostic {
	if e.says("reached end of input") {
		e.at = len(e.data) // the parser names the last character
	}
	switch {
	case e.says("nested more than"):
		if open, _, _ := tomlScan(e.data, e.src.file.BOM(), e.at); len(open) > maxDepth {
			e.at = open[maxDepth]
		}
		return e.report(e.at, "", "%s", tooDeep)
	case e.says("unterminated"), e.says("not terminated"), e.says("cannot have new lines"):
		at, quote := tomlQuote(e.data, e.src.file.BOM(), e.at)
		hint := "add the closing quote at the end of the text"
		if len(quote) == 1 && e.says("new lines") {
			hint += "; a text of several lines stands between " + strings.Repeat(quote, 3)
		}
		return e.report(at, hint, "the quote %s is never closed", quote)
	case e.says("incomplete"), e.says("after array value"), e.says("after inline table"), e.says("expected value"), e.says("expected key but reached"),
		e.says("expected '=' after key"):
		if at, ok := tomlUnclosed(e.data, e.src.file.BOM(), e.at); ok {
			want := "]"
			if e.data[at] == '{' {
				want = "}"
			}
			return e.report(at, fmt.Sprintf("add the %q", want), "%q is never closed", e.data[at:at+1])
		}
	}
	switch {
	case e.says("after array value"), e.says("after inline table"):
		return e.report(e.at, "separate the entries by commas", `a "," is missing before %s`, e.char())
	case e.says("unexpected comma"), e.says("expected value but got"):
		return e.report(e.at, "remove the comma", "%s stands where an entry is expected", e.char())
	case e.says("reached end of input"):
		return e.report(e.at, "", "a key is missing at the end of the file")
	case e.says("expected value, not end"):
		return e.report(e.at, "", `a value is missing after "="`)
	case e.says("to close table name"), e.says("to close array table name"):
		if open, _, _ := tomlScan(e.data, e.src.file.BOM(), e.at); len(open) > 0 && (blankAt(e.data, e.at) || e.data[e.at] == ']' || e.data[e.at] == '#') {
			at := open[0]
			if e.says("]]") {
				return e.report(at, `add the "]]"`, `"[[" is never closed`)
			}
			return e.report(at, `add the "]"`, `"[" is never closed`)
		}
		return e.report(e.at, "a name with other characters than letters, digits, - and _ stands in quotes", "%s in the name of a table", e.char())
	case e.says("expected '=' after key") && blankAt(e.data, e.at):
		return e.report(e.at, "write key = value", `"=" and a value are missing after the key`)
	case e.says("expected '=' after key"):
		return e.report(e.at, `write key = value; a key with blanks stands in quotes`, `%s stands where "=" is expected`, e.char())
	case e.says("start of key"):
		return e.report(e.at, "a key is made of letters, digits, - and _, or stands in quotes", "a key cannot start with %s", e.char())
	case e.says("strings must be quoted"):
		return e.report(e.at, hintTOMLString, "text without quotes")
	case e.says("start of value"), e.says("expected keyword"), e.says(`expected "`):
		if e.at < len(e.data) && breakLen(e.data, e.at) > 0 || e.at == len(e.data) {
			return e.report(e.at, "", `a value is missing after "="`)
		}
		return e.report(e.at, hintTOMLString, "%s starts no value", e.char())
	case e.says("expected newline"):
		return e.report(e.at, "start a new line, or put the text in quotes", "%s stands after the end of the value", e.char())
	case e.says("escape character"), e.says("need a character after"):
		return e.report(e.at, `write the backslash twice, or use single quotes`, "this is no escape sequence")
	case e.says("unicode escape"), e.says("unicode code point"):
		at := e.at
		for at > 0 && e.data[min(at, len(e.data)-1)] != '\\' {
			at--
		}
		return e.report(at, `\x takes 2 hexadecimal digits, \u 4 and \U 8; write a plain backslash twice`, "this escape sequence stands for no character")
	case e.says("leading zero"):
		return e.report(e.at, "remove the zeros; an octal number starts with 0o", "an integer cannot start with 0")
	case e.says("radix prefix"):
		return e.report(e.at, hintTOMLString, "this is no number: digits without a sign must follow 0x, 0o and 0b")
	case e.says("digit"), e.says("number"):
		return e.report(e.at, hintTOMLString, "this is no number")
	case e.says("too many quotes"):
		return e.report(e.at, `write one of them as \"`, "too many quotes at the end of the text")
	case e.says("carriage return"):
		return e.report(e.at, "", "a carriage return without a line feed")
	}
	return e.report(e.at, "", "this is not TOML: %s", e.problem)
}

// tomlScan reads strings, comments and brackets up to end and returns the
// brackets that are open there and the string that is, if any.
func tomlScan(data []byte, i, end int) (open []int, quoteAt int, quote string) {
	for i < end {
		c := data[i]
		switch {
		case c == '#':
			for i < end && data[i] != '\n' {
				i++
			}
			continue
		case c == '"' || c == '\'':
			quote = string(c)
			if strings.HasPrefix(string(data[i:min(i+3, len(data))]), strings.Repeat(quote, 3)) {
				quote = strings.Repeat(quote, 3)
			}
			next, closed := tomlStringEnd(data, i+len(quote), quote)
			if !closed && next >= end || next > end {
				return open, i, quote
			}
			i = next
			continue
		case c == '[' || c == '{':
			open = append(open, i)
		case (c == ']' || c == '}') && len(open) > 0:
			open = open[:len(open)-1]
		}
		i++
	}
	return open, -1, ""
}

// tomlStringEnd returns where the string whose content starts at i ends.
func tomlStringEnd(data []byte, i int, quote string) (end int, closed bool) {
	for i < len(data) {
		switch {
		case data[i] == '\\' && quote[0] == '"':
			i++
		case data[i] == '\n' && len(quote) == 1:
			return i, false
		case strings.HasPrefix(string(data[i:min(i+3, len(data))]), quote):
			i += len(quote)
			for n := 0; len(quote) == 3 && n < 2 && i < len(data) && data[i] == quote[0]; n++ {
				i++
			}
			return i, true
		}
		i++
	}
	return len(data), false
}

// tomlQuote returns the opening quote of the string that goes on at at.
func tomlQuote(data []byte, from, at int) (int, string) {
	if _, i, quote := tomlScan(data, from, at); i >= 0 {
		return i, quote
	}
	if _, i, quote := tomlScan(data, from, min(at+1, len(data))); i >= 0 {
		return i, quote
	}
	return min(at, max(0, len(data)-1)), string(data[min(at, len(data)-1)])
}

// tomlUnclosed returns the innermost bracket that is open at at and stays so.
func tomlUnclosed(data []byte, from, at int) (int, bool) {
	open, _, _ := tomlScan(data, from, at)
	last, _, _ := tomlScan(data, from, len(data))
	still := make(map[int]bool, len(last))
	for _, i := range last {
		still[i] = true
	}
	for k := len(open) - 1; k >= 0; k-- {
		if still[open[k]] {
			return open[k], true
		}
	}
	return 0, false
}
