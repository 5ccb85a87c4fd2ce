package executor

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// minSecret is how many characters a value has at least to be redacted: shorter
// ones occur by accident.
const minSecret = 8

// secretsOf lists what must not leave in an outcome of a call: granted header
// values, $env values used in headers, query, path or body, and $auth.token. A
// $env used in base_url alone is an address.
func secretsOf(t *tool.Tool, v *values) []string {
	var list []string
	if p := v.scope.Principal; p != nil {
		list = append(list, p.Token)
	}
	if t.Service != nil {
		if v.scope.Grant != nil {
			for _, h := range v.scope.Grant.Headers {
				list = append(list, h.Value)
			}
		}
		return list
	}
	for field, text := range t.Templates() {
		if field == "base_url" {
			continue
		}
		refs := text.Refs()
		for i := range refs {
			if refs[i].Source == placeholder.Env {
				list = append(list, v.keep(&refs[i]).raw)
			}
		}
	}
	return list
}

// formsOf adds to list the texts a secret is looked for as: as it is, without
// white space around it (headers lose it), without its scheme word, each of them
// as it looks when it is read or written in Latin-1 or Windows-1252 instead of
// UTF-8, and as it looks once bytes that are no text have become U+FFFD.
func formsOf(list []string, secret string) []string {
	list = addForm(list, secret)
	trimmed := strings.TrimSpace(secret)
	list = addForm(list, trimmed)
	if rest, ok := cutScheme(trimmed); ok {
		list = addForm(list, rest)
	}
	return list
}

func addForm(list []string, form string) []string {
	if utf8.RuneCountInString(form) < minSecret {
		return list
	}
	if slices.Contains(list, form) {
		return list
	}
	list = appendValid(append(list, form), form)
	if strings.IndexFunc(form, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return list
	}
	for _, c := range [...]*charmap.Charmap{charmap.Windows1252, charmap.ISO8859_1} {
		if text, err := c.NewDecoder().String(form); err == nil && !slices.Contains(list, text) {
			list = append(list, text)
		}
		if text, err := c.NewEncoder().String(form); err == nil && !slices.Contains(list, text) {
			list = appendValid(append(list, text), text)
		}
	}
	return list
}

// appendValid adds form with its bytes that are no text replaced.
func appendValid(list []string, form string) []string {
	if utf8.ValidString(form) {
		return list
	}
	text := string(replaceInvalid([]byte(form)))
	if !distinct(text) || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// distinct reports whether something is left of a secret in which U+FFFD may
// stand for what was no text.
func distinct(text string) bool {
	return utf8.RuneCountInString(text) >= minSecret && strings.Trim(text, "\uFFFD") != ""
}

// cutScheme cuts the scheme word of an Authorization value (RFC 9110 section 11.4).
func cutScheme(s string) (rest string, ok bool) {
	scheme, rest, ok := strings.Cut(s, " ")
	if !ok || scheme == "" || strings.ContainsFunc(scheme, notToken) {
		return "", false
	}
	return strings.TrimLeft(rest, " "), true
}
