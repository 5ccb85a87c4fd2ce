package executor

import (
	"strings"
	"unicode/utf8"

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
// white space around it (headers lose it), without its scheme word, and each of
// them as it looks once bytes that are no text have become U+FFFD.
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
	for _, known := range list {
		if known == form {
			return list
		}
	}
	list = append(list, form)
	if !utf8.ValidString(form) {
		list = append(list, string(replaceInvalid([]byte(form))))
	}
	return list
}

// cutScheme cuts the scheme word of an Authorization value (RFC 9110 section 11.4).
func cutScheme(s string) (rest string, ok bool) {
	scheme, rest, ok := strings.Cut(s, " ")
	if !ok || scheme == "" || strings.ContainsFunc(scheme, notToken) {
		return "", false
	}
	return strings.TrimLeft(rest, " "), true
}
