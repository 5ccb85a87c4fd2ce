package diag

import (
	"cmp"
	"slices"
)

// An Edit replaces the bytes a span covers. It never changes what a file means:
// it only writes what was meant.
type Edit struct {
	Span Span
	Text string
}

// WithRewrite returns d with the edit that puts better where text stands. It
// has none where the file writes the text in another way, with escapes or over
// several lines: what is better there is for a person to write.
func (d Diagnostic) WithRewrite(at Span, text, better string) Diagnostic {
	if at.Text() == text {
		d.Fix = &Edit{Span: at, Text: better}
	}
	return d
}

// Apply returns data with the edits made, all of which are of one file that
// holds data; every other byte stays as it is. Of edits that overlap the first
// counts.
func Apply(data []byte, edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.Span.Start < at {
			continue
		}
		out = append(append(out, data[at:e.Span.Start]...), e.Text...)
		at = e.Span.End
	}
	return append(out, data[at:]...)
}
