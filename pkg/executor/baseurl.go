package executor

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// A base is where a call goes, before its path.
type base struct {
	scheme string // "http" or "https"
	host   string // with the port, where there is one
	path   pathWriter
}

// resolveBase evaluates request.base_url. What a value may bring depends on
// where it stands:
//
//   - first, followed by nothing or a slash: a whole URL with a path
//   - before "://": the scheme
//   - in the host: letters, digits, dots, hyphens and a :port at the end
//   - in the path: part of one segment, percent-encoded
func resolveBase(t tool.Text, v *values) (base, *failure) {
	pieces := make([]piece, 0, 4)
	text, ok, _ := t.Append(make([]byte, 0, 64), v, func(dst []byte, p placeholder.Part) ([]byte, error) {
		start := len(dst)
		dst = append(dst, v.text(p)...)
		pieces = append(pieces, piece{start, len(dst), p.Ref})
		return dst, nil
	})
	if !ok {
		return base{}, missingIn("base_url", t, v)
	}
	return parseBase("base_url", string(text), pieces)
}

// A piece is a stretch of a base URL; ref is nil where the author wrote it.
type piece struct {
	start, end int
	ref        *placeholder.Ref
}

// parseBase takes a base URL apart. field is what messages call it.
func parseBase(field, text string, pieces []piece) (base, *failure) {
	colon := strings.Index(text, "://")
	if colon <= 0 {
		return base{}, badBase(field, pieces, "it must start with http:// or https://")
	}
	authority := colon + len("://")
	for _, p := range pieces {
		if p.ref != nil {
			if wrong := misplaced(text, p, colon); wrong != "" {
				return base{}, &failure{keyArguments, fmt.Sprintf("the %s cannot take the value of %s: %s", field, p.ref, wrong)}
			}
		}
	}
	end := len(text)
	if i := strings.IndexAny(text[authority:], "/?#"); i >= 0 {
		end = authority + i
	}
	if strings.Contains(text[authority:end], "@") {
		return base{}, &failure{keyArguments, "the " + field + " must not hold a user name or password: send credentials in a header"}
	}
	u, err := url.Parse(text[:end])
	if err != nil || u.Hostname() == "" {
		return base{}, badBase(field, pieces, "it has no valid host")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return base{}, badBase(field, pieces, "it must start with http:// or https://")
	}
	b := base{scheme: u.Scheme, host: u.Host, path: newPathWriter()}
	if f := b.readPath(field, text, end, pieces); f != nil {
		return base{}, f
	}
	return b, nil
}

// readPath writes what follows the host, from end on.
func (b *base) readPath(field, text string, end int, pieces []piece) *failure {
	for _, p := range pieces {
		start := max(p.start, end)
		if start >= p.end {
			continue
		}
		part := text[start:p.end]
		if p.ref != nil && p.start > 0 {
			b.path.value(part)
			continue
		}
		if strings.ContainsAny(part, "?#") {
			return badBase(field, pieces, "it must have no query and no fragment")
		}
		if p.ref == nil || p.ref.Source == placeholder.Env {
			b.path.literal(part)
		} else {
			b.path.urlValue(part)
		}
	}
	if b.path.dots() >= 0 {
		return badBase(field, pieces, `a value may not bring a "." or ".." segment into it`)
	}
	return nil
}

// badBase does not repeat what the base URL has come to: where it is no
// address, it may be a secret that was set under the wrong name.
func badBase(field string, pieces []piece, why string) *failure {
	var from []string
	for _, p := range pieces {
		if p.ref != nil {
			from = append(from, p.ref.String())
		}
	}
	if len(from) > 0 {
		field += " that " + strings.Join(from, " and ") + " gives"
	}
	return &failure{keyArguments, fmt.Sprintf("the %s cannot be used: %s", field, why)}
}

// misplaced says what is wrong with a value where it stands; "" for nothing.
// colon is the place of the first "://".
func misplaced(text string, p piece, colon int) string {
	value, rest := text[p.start:p.end], text[p.end:]
	authority := colon + len("://")
	switch {
	case p.start == 0 && (rest == "" || rest[0] == '/'):
		return "" // a whole URL, checked as one
	case p.start < authority && colon >= p.end:
		return "" // part of the scheme, checked with it
	case p.start == 0 && authority <= p.end:
		value = text[authority:p.end]
	case p.start < authority:
		return "it would change the scheme or the host"
	case strings.ContainsAny(text[authority:p.start], "/?#"):
		return "" // in the path, encoded
	}
	host, port, hasPort := strings.Cut(value, ":")
	for i := range len(host) {
		if c := host[i]; !isUnreserved(c) || c == '_' || c == '~' {
			return "a host may only hold A-Z, a-z, 0-9, dots and hyphens"
		}
	}
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "" || rest != "" && rest[0] != '/') {
		return "a host may only end in a :port and hold no other colon"
	}
	return ""
}
