package executor

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const (
	redactedMark = "[redacted]"
)

// A redactor takes the secrets of one call out of texts. The nil redactor has
// none. It is not safe for concurrent use.
//
// A secret is found as it is and in base64, in the text as it stands and
// without its JSON escapes and percent-encodings, layer by layer and in any
// order: JSON in a JSON string, or in a query. One that looks like JSON is found
// however the white space between its parts is set. Where secrets overlap, one
// mark stands for all of them.
type redactor struct {
	needles  []needle
	squeezed []string // secrets that may lie across JSON values, without white space between these
	spaced   bool     // a secret has a space, which a form writes as +
	fold     bool     // the case of ASCII letters does not count
	sieve    *sieve
	data     bool // values taken from the answer are looked at
	cut      bool // texts may end in the middle of a secret
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
		r.squeezed = appendSqueezed(r.squeezed, form)
	}
	return r
}

// charset returns a redactor that also knows what the secrets look like when
// their bytes are read in an answer's charset.
func (r *redactor) charset(c encoding.Encoding) *redactor {
	if r == nil || c == nil {
		return r
	}
	wider := *r
	wider.needles = slices.Clip(r.needles)
	wider.sieve = nil
	for i := range r.needles {
		if !r.needles[i].form {
			continue
		}
		form := r.needles[i].text
		if text, err := c.NewDecoder().String(form); err == nil && text != form && len(text) >= sieveHead && strings.Trim(text, "\uFFFD") != "" {
			wider.needles = append(wider.needles, needle{text: text, form: true})
		}
	}
	return &wider
}

// name redacts the name of a header, whose case may have been changed on the way.
func (r *redactor) name(s string) string {
	if r == nil || len(s) < minSecret {
		return s
	}
	folding := *r
	folding.fold = true
	return replace(s, folding.find(s))
}

// messagesOnly returns a redactor for the result of an answer in which no
// secret occurs: what is copied out of it needs no second look. Values that are
// put beside each other may make up a secret that lies across them.
func (r *redactor) messagesOnly() *redactor {
	if r == nil || len(r.squeezed) > 0 {
		return r
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

// acrossValues takes out of the JSON text dst[start:] what only came about by
// putting redacted values beside each other.
func (r *redactor) acrossValues(dst []byte, start int) []byte {
	if r == nil || len(r.squeezed) == 0 {
		return dst
	}
	if redacted, ok := r.json(dst[start:]); ok {
		return append(dst[:start], redacted...)
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
	hits := r.look(s)
	for _, c := range [...]coding{jsonCoding(), percentCoding()} {
		if strings.ContainsAny(s, c.starts) {
			return merge(r.findLayers(s, hits))
		}
	}
	if r.spaced && strings.Contains(s, "+") {
		hits = r.findLayers(s, hits)
	}
	return merge(hits)
}

// look searches s as it stands.
func (r *redactor) look(s string) []stretch {
	hits := r.search(s)
	if len(r.squeezed) == 0 {
		return hits
	}
	return append(hits, r.searchSqueezed(s)...)
}

// search looks for the needles in s.
func (r *redactor) search(s string) []stretch {
	if r.fold {
		return r.searchFolded(s)
	}
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

// searchFolded looks for the needles in s, whatever the case of its letters.
func (r *redactor) searchFolded(s string) []stretch {
	var hits []stretch
	for i := range r.needles {
		text := r.needles[i].text
		for at := 0; at+len(text) <= len(s); at++ {
			if equalFold(s[at:at+len(text)], text) {
				hits = append(hits, stretch{at, at + len(text)})
			}
		}
	}
	return hits
}

// equalFold compares texts of the same length but for the case of ASCII letters.
func equalFold(a, b string) bool {
	for i := range len(a) {
		if c := a[i] ^ b[i]; c != 0 && (c != 0x20 || 'a' > a[i]|0x20 || a[i]|0x20 > 'z') {
			return false
		}
	}
	return true
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
