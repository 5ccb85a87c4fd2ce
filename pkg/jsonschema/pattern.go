package jsonschema

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxPatternSize bounds the instructions of a compiled pattern: matching takes
// their number times the length of the text.
const maxPatternSize = 20_000

// compilePattern compiles a pattern of ECMA-262 as far as Go can express it
// and returns the number of its instructions. The message says what is wrong
// with it otherwise.
func compilePattern(pattern string) (re *regexp.Regexp, size int, message string) {
	if len(pattern) > maxPatternSize {
		return nil, 0, "it is too long"
	}
	text := translate(pattern)
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err == nil {
		program, compileErr := syntax.Compile(parsed.Simplify())
		if compileErr == nil && len(program.Inst) > maxPatternSize {
			return nil, 0, "it repeats too much"
		}
		re, err = regexp.Compile(text)
		if err == nil && compileErr == nil {
			return re, len(program.Inst), ""
		}
	}
	var fault *syntax.Error
	if !errors.As(err, &fault) {
		return nil, 0, "it cannot be compiled"
	}
	switch {
	case strings.HasPrefix(fault.Expr, "(?"):
		return nil, 0, "groups such as " + quote(cut(fault.Expr)) + " are not supported"
	case fault.Code == syntax.ErrInvalidEscape && len(fault.Expr) == 2 && fault.Expr[1] >= '1' && fault.Expr[1] <= '9':
		return nil, 0, "references to groups such as " + quote(fault.Expr) + " are not supported"
	}
	return nil, 0, string(fault.Code) + " in " + quote(fault.Expr)
}

// translate rewrites the escapes that Go spells otherwise: \uXXXX, \u{X} and \cX.
func translate(pattern string) string {
	if !strings.Contains(pattern, `\u`) && !strings.Contains(pattern, `\c`) {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			i++
			continue
		}
		r, n := escapedRune(pattern[i:])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(pattern[i+1:])
			b.WriteString(pattern[i : i+1+size])
			i += 1 + size
			continue
		}
		b.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
		i += n
	}
	return b.String()
}

// escapedRune reads \uXXXX, a pair of them, \u{X} or \cX at the start of text;
// n is the length, 0 for any other escape.
func escapedRune(text string) (r rune, n int) {
	switch {
	case strings.HasPrefix(text, `\u{`):
		digits, _, ok := strings.Cut(text[3:], "}")
		value, err := strconv.ParseUint(digits, 16, 21)
		if !ok || err != nil {
			return 0, 0
		}
		return rune(value), len(`\u{}`) + len(digits)
	case strings.HasPrefix(text, `\u`):
		high, ok := hex4(text[2:])
		if !ok {
			return 0, 0
		}
		if rest, paired := strings.CutPrefix(text[6:], `\u`); paired {
			if low, ok := hex4(rest); ok {
				if joined := utf16.DecodeRune(high, low); joined != utf8.RuneError {
					return joined, 12
				}
			}
		}
		return high, 6
	case len(text) > 2 && text[1] == 'c' && ('a' <= text[2]|0x20 && text[2]|0x20 <= 'z'):
		return rune(text[2] & 0x1f), 3
	}
	return 0, 0
}

func hex4(text string) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	value, err := strconv.ParseUint(text[:4], 16, 32)
	return rune(value), err == nil
}
