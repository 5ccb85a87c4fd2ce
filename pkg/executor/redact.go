package executor

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const (
	redactedMark = "[redacted]"
	layers       = 2
)

// A redactor takes the secrets of one call out of texts. The nil redactor has
// none. It is not safe for concurrent use.
//
// A secret is found as it is and in base64, in the text as it stands and
// without its JSON escapes and percent-encodings, two layers deep in any order:
// JSON in a JSON string, or in a query. Where secrets overlap, one mark stands
// for all of them.
type redactor struct {
	needles []needle
	spaced  bool // a secret has a space, which a form writes as +
	sieve   *sieve
	data    bool // values taken from the answer are looked at
	cut     bool // texts may end in the middle of a secret
}

func newRedactor(secrets []string) *redactor {
	if len(secrets) == 0 {
		return nil
	}
	forms := make([]string, 0, 3*len(secrets))
	for _, s := range secrets {
		forms = formsOf(forms, s)
	}
	if len(forms) == 0 {
		return nil
	}
	r := &redactor{needles: make([]needle, 0, 6*len(forms)), data: true}
	for _, form := range forms {
		r.needles = appendNeedles(r.needles, form)
		r.spaced = r.spaced || strings.Contains(form, " ")
	}
	return r
}

// messagesOnly returns a redactor for the result of an answer in which no
// secret occurs: what is copied out of it needs no second look.
func (r *redactor) messagesOnly() *redactor {
	if r == nil {
		return nil
	}
	quick := *r
	quick.data = false
	return &quick
}

// text redacts s.
func (r *redactor) text(s string) string {
	return replace(s, r.find(s))
}

// cutText redacts a text that was not read to its end, and that may hold the
// first half of a secret there.
func (r *redactor) cutText(s string) string {
	if r == nil {
		return s
	}
	ending := *r
	ending.cut = true
	whole := len(s) - brokenEnd(s)
	hits := ending.find(s[:whole])
	if n := len(hits); n > 0 && hits[n-1].end == whole {
		hits[n-1].end = len(s)
	}
	return replace(s, hits)
}

// brokenEnd returns the length of what may be the beginning of an escape or of
// a character at the end of s.
func brokenEnd(s string) int {
	const longest = len(`\ud83d\ude0`)
	n := 0
	for {
		rest := s[:len(s)-n]
		if trimmed := strings.TrimSuffix(rest, "\uFFFD"); trimmed != rest {
			n += len("\uFFFD")
			continue
		}
		i := strings.LastIndexAny(rest[max(0, len(rest)-longest):], `\%`)
		if i < 0 {
			return n
		}
		end := rest[max(0, len(rest)-longest)+i:]
		before := rest[:len(rest)-len(end)]
		escaped := (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1 // by the backslash before it
		if !isBeginning(end) || end[0] == '\\' && escaped {
			return n
		}
		n += len(end)
	}
}

// isBeginning reports whether an escape, given whole or in part, needs more to be
// a character.
func isBeginning(s string) bool {
	hex := strings.Trim(s[1:], "0123456789abcdefABCDEF") == ""
	switch {
	case s[0] == '%':
		return hex && len(s) < 3
	case len(s) == 1:
		return true
	case s[1] != 'u':
		return false
	case strings.Trim(s[2:], "0123456789abcdefABCDEF") != "":
		return false
	}
	return len(s) < 6 || len(s) == 6 && (s[2] == 'd' || s[2] == 'D') && strings.IndexByte("89abAB", s[3]) >= 0
}

// replace puts the mark in place of the hits.
func replace(s string, hits []stretch) string {
	if len(hits) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, h := range hits {
		b.WriteString(s[at:h.start])
		b.WriteString(redactedMark)
		at = h.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// appendJSON appends v as compact JSON, redacted.
func (r *redactor) appendJSON(dst []byte, v jsondoc.Value) []byte {
	start := len(dst)
	dst = v.AppendCompact(dst)
	if r == nil || !r.data {
		return dst
	}
	if redacted, ok := r.json(dst[start:]); ok {
		dst = append(dst[:start], redacted...)
	}
	return dst
}

// json redacts a JSON text such that it stays one. It reports false when there
// is nothing to redact.
func (r *redactor) json(text []byte) ([]byte, bool) {
	s := string(text)
	hits := r.find(s)
	if len(hits) == 0 {
		return nil, false
	}
	return redactJSON(s, hits), true
}

// find returns where secrets stand in s, in order and without overlaps.
func (r *redactor) find(s string) []stretch {
	if r == nil || len(s) < minSecret {
		return nil
	}
	return merge(r.findLayers(s, layers))
}

// findLayers looks through s and through what it is without one to deeper
// layers of encoding.
func (r *redactor) findLayers(s string, deeper int) []stretch {
	hits := r.search(s)
	if deeper == 0 {
		return hits
	}
	for i, c := range [...]coding{jsonCoding(), percentCoding(), formCoding()} {
		if i == 2 && (!r.spaced || !strings.Contains(s, "+")) {
			break
		}
		if decoded, ok := c.decode(s); ok {
			hits = append(hits, c.back(s, r.findLayers(decoded, deeper-1))...)
		}
	}
	return hits
}

// search looks for the needles in s.
func (r *redactor) search(s string) []stretch {
	if len(s) >= sieveFrom {
		if r.sieve == nil {
			r.sieve = newSieve(r.needles)
		}
		if !r.sieve.mayHold(s) {
			return r.beginnings(s)
		}
	}
	hits := r.beginnings(s)
	for i := range r.needles {
		n := &r.needles[i]
		for from := 0; ; {
			at := strings.Index(s[from:], n.text)
			if at < 0 {
				break
			}
			start, end := from+at, from+at+len(n.text)
			from = end
			start, end = n.widen(s, start, end)
			hits = append(hits, stretch{start, end})
		}
	}
	return hits
}

// beginnings returns where at the end of s the first characters of a needle
// stand, as far as the redactor looks for them.
func (r *redactor) beginnings(s string) []stretch {
	if !r.cut {
		return nil
	}
	var hits []stretch
	for i := range r.needles {
		text := r.needles[i].text
		for n := min(len(text)-1, len(s)); n >= minSecret; n-- {
			if strings.HasSuffix(s, text[:n]) {
				if utf8.RuneCountInString(text[:n]) >= minSecret {
					hits = append(hits, stretch{len(s) - n, len(s)})
				}
				break
			}
		}
	}
	return hits
}

// merge sorts stretches and joins those that overlap.
func merge(hits []stretch) []stretch {
	if len(hits) < 2 {
		return hits
	}
	slices.SortFunc(hits, func(a, b stretch) int { return a.start - b.start })
	merged := hits[:1]
	for _, h := range hits[1:] {
		if last := &merged[len(merged)-1]; h.start < last.end {
			last.end = max(last.end, h.end)
		} else {
			merged = append(merged, h)
		}
	}
	return merged
}
