package tool

import "strings"

// ValidKey reports whether s can be a tool's key: a letter, then letters,
// digits, _ and -, all lower case, 64 at most.
func ValidKey(s string) bool { return len(s) <= 64 && isName(s, true) }

// ValidServiceName reports whether s can be the name of a service: a letter,
// then letters, digits and -, all lower case.
func ValidServiceName(s string) bool { return isName(s, false) }

// isName reports whether s is a lower-case letter and then letters, digits, -
// and, where they are allowed, underscores.
func isName(s string, underscores bool) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_' && underscores):
		default:
			return false
		}
	}
	return s != ""
}

// validScope reports whether s is a scope-token of RFC 6749 section 3.3.
func validScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || r == '"' || r == '\\'
	})
}

// FramingHeader reports whether a header, in any case, frames the message or
// belongs to one connection (RFC 9110 section 7.6.1): nobody but the client
// sets it.
func FramingHeader(name string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-authenticate",
		"proxy-authorization", "proxy-connection", "te", "trailer", "upgrade":
		return true
	}
	return false
}

// suggestKey returns the key that a name probably stands for, "" for none.
func suggestKey(key string) string {
	better := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == ' ' || r == '.':
			return '_'
		}
		return r
	}, key)
	if ValidKey(better) {
		return better
	}
	return ""
}
