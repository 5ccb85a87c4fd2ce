// Package credential recognises what must not be shown to a reviewer or kept in
// the description of a deployment. It would rather hide a value too many than
// show one too many: what it takes for a credential includes everything that
// the checker warns about.
package credential

import (
	"encoding/base64"
	"strings"
	"unicode"
)

// Redacted stands in the place of what is hidden.
const Redacted = "[redacted]"

// Named reports whether a field of this name holds a credential.
func Named(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' || r == '.' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	for _, end := range [...]string{
		"authorization", "apikey", "token", "secret", "password", "passwd", "passphrase", "credential", "credentials",
		"accesskey", "privatekey", "secretkey", "signingkey", "signature", "cookie", "xkey", "apisecret",
	} {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	return plain == "auth" || plain == "key" || plain == "pwd"
}

// In reports whether a value, which stands in a field of this name, looks like a
// credential that was written down.
func In(name, value string) bool {
	if Redact(value) != value {
		return true
	}
	words := strings.Fields(value)
	if !Named(name) || len(words) == 0 || len(words) > 2 {
		return false
	}
	const shortest = 12
	last := words[len(words)-1]
	return len(last) >= shortest && mixed(last) && !strings.Contains(last, "://")
}

// Redact replaces in a text what looks like a credential by itself: keys, tokens
// of known services, what follows the name of an authentication scheme, the user
// and password of an address, and any long run of letters and digits.
func Redact(text string) string {
	text = redactPEM(text)
	var out strings.Builder
	out.Grow(len(text))
	var before string // the word before this one
	words := 0
	total := len(strings.Fields(text))
	assigned := false // the word before names a credential, and a = or : follows it
	for i := 0; i < len(text); {
		if !isToken(text[i]) {
			if c := text[i]; c != '=' && c != ':' && c != ' ' && c != '"' && c != '\'' {
				assigned = false
			}
			out.WriteByte(text[i])
			i++
			continue
		}
		end := i
		for end < len(text) && isToken(text[end]) {
			end++
		}
		word := text[i:end]
		words++
		placeholder := i > 0 && text[i-1] == '$' || i > 1 && text[i-2:i] == "${"
		// The user and the password of an address stand before its @.
		if at := userInfo(text, i); at > 0 {
			out.WriteString("//" + Redacted)
			before, assigned = "", false
			i = at
			continue
		}
		switch {
		case placeholder:
			out.WriteString(word)
		case shaped(word) || assigned && len(word) >= 8 && mixed(word) || follows(before, word, total == 2):
			out.WriteString(Redacted)
			// What pads base64 belongs to it.
			for end < len(text) && text[end] == '=' {
				end++
			}
		default:
			out.WriteString(word)
		}
		rest := text[end:]
		assigned = Named(word) && (strings.HasPrefix(rest, "=") || strings.HasPrefix(strings.TrimLeft(rest, `"' `), ":"))
		before = word
		i = end
	}
	return out.String()
}

// isToken reports whether c is part of a word.
func isToken(c byte) bool {
	return c >= 0x80 || c == '_' || c == '-' || c == '+' || c == '/' || c == '.' || c == '~' ||
		'0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// userInfo returns where the @ of an address stands whose // ends before or at i,
// 0 for none.
func userInfo(text string, i int) int {
	if i < 1 || text[i-1] != ':' || !strings.HasPrefix(text[i:], "//") {
		return 0
	}
	authority := text[i+2:]
	if end := strings.IndexAny(authority, "/?# \t\n\"'"); end >= 0 {
		authority = authority[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at > 0 && !strings.HasPrefix(authority, "$") {
		return i + 2 + at
	}
	return 0
}

// follows reports whether word is what belongs to the scheme before it. Whole is
// a text of these two words.
func follows(before, word string, whole bool) bool {
	before = strings.ToLower(before)
	word = strings.TrimRight(word, ".")
	switch {
	case strings.HasSuffix(before, "bearer"), strings.HasSuffix(before, "token"):
		return whole && len(word) >= 8 || len(word) >= 12 && mixed(word)
	case strings.HasSuffix(before, "basic"):
		decoded, err := base64.RawStdEncoding.DecodeString(word)
		return err == nil && len(decoded) >= 5 && strings.Contains(string(decoded), ":")
	}
	return false
}

// shaped reports whether a word is a credential whatever stands around it.
func shaped(word string) bool {
	for _, prefix := range [...]string{
		"sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_", "whsec_",
		"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA", "AIza", "eyJ",
	} {
		if i := strings.Index(word, prefix); i >= 0 && len(word)-i >= 16 && (prefix == "eyJ" || prefix[0] != 'x' || strings.Contains(word[i:], "-")) {
			return true
		}
	}
	if i := strings.Index(word, "sk-"); i >= 0 && len(word)-i >= 20 && mixed(word) {
		return true
	}
	upper := strings.ToUpper(word)
	if strings.Contains(upper, "AGE-SECRET-KEY-") || strings.Contains(upper, "AGE-PLUGIN-") {
		return true
	}
	const longest = 20 // an identifier of this length has no digits strewn in
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '/' || r == '.' || r == '-' || r == '_' }) {
		if len(part) >= longest && changes(part) >= 4 {
			return true
		}
	}
	return false
}

// changes counts how often letters and digits take turns.
func changes(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		if digit(s[i]) != digit(s[i-1]) {
			n++
		}
	}
	return n
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// mixed reports whether s has letters and digits.
func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

// redactPEM hides private keys with all of their lines.
func redactPEM(text string) string {
	const begin, end = "-----BEGIN ", "-----END "
	for at := 0; ; {
		i := strings.Index(text[at:], begin)
		if i < 0 {
			return text
		}
		at += i
		label, _, _ := strings.Cut(text[at+len(begin):], "-----")
		if !strings.Contains(label, "PRIVATE KEY") || len(label) > 64 {
			at += len(begin)
			continue
		}
		stop := len(text)
		if j := strings.Index(text[at:], end); j >= 0 {
			stop = at + j + len(end)
			if k := strings.Index(text[stop:], "-----"); k >= 0 {
				stop += k + len("-----")
			}
		}
		text = text[:at] + Redacted + text[stop:]
		at += len(Redacted)
	}
}
