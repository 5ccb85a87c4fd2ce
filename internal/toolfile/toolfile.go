// Package toolfile writes the names and texts of a tool's file so that they
// check clean, whatever they were made of. Its functions are pure.
package toolfile

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// Identifier writes a name so that a placeholder can hold it: first-name and
// firstName become first_name.
func Identifier(name string) string {
	var b strings.Builder
	for _, r := range Snake(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte('_')
		}
	}
	id := strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' }), "_")
	if id != "" && id[0] >= '0' && id[0] <= '9' {
		return "n" + id
	}
	return id
}

// Snake puts _ before a capital that follows a small letter.
func Snake(name string) string {
	var b strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte('_')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// Scalar writes a text as YAML: in double quotes, as JSON does, unless it is
// plain beyond doubt.
func Scalar(s string) string {
	if isPlain(s) {
		return s
	}
	return Quote(s)
}

// Quote writes a text in double quotes, as JSON and YAML both read it: what YAML
// takes for the end of a line, or does not take at all, is escaped.
func Quote(s string) string {
	var b strings.Builder
	for _, r := range string(jsondoc.AppendQuote(nil, s)) {
		switch {
		case r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Key writes the key of a map as YAML.
func Key(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" && isPlain(s) {
		return s
	}
	return Quote(s)
}

// isPlain reports whether YAML reads s as itself without quotes: words that begin
// with a letter, and none of the words that mean something else.
func isPlain(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return false
	}
	if first := s[0] | 0x20; first < 'a' || first > 'z' || strings.HasSuffix(s, " ") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || strings.ContainsRune(":#{}[],&*!|>'\"%@`", r)
	})
}
