package syntax

import (
	"bytes"
	"strings"
)

// mapTOML reads a TOML string or key again.
func (n *Node) mapTOML() *mapping {
	m := &mapping{start: int(n.a), end: int(n.b)}
	t := tracer{data: n.src.file.Data, text: n.Text}
	raw := t.data[m.start:m.end]
	open := 0 // length of the opening quotes
	for _, quotes := range []string{`"""`, "'''", `"`, "'"} {
		if n.style == tomlString && bytes.HasPrefix(raw, []byte(quotes)) && len(raw) >= 2*len(quotes) {
			open = len(quotes)
			break
		}
	}
	i, end := m.start+open, m.end-open
	if open == 3 && i < end {
		i += lineFeed(t.data[i:end])
	}
	from := i
	for open > 0 && raw[0] == '"' && i < end && !t.failed {
		if t.data[i] != '\\' {
			i++
			continue
		}
		t.copied(from, i-from)
		if s, width := unescapeTOML(t.data[i:end]); width > 0 {
			t.made(s, i, width)
			i += width
		} else {
			// A backslash at the end of a line swallows the white space around it.
			i++
			for i < end && strings.IndexByte(" \t\r\n", t.data[i]) >= 0 {
				i++
			}
		}
		from = i
	}
	t.copied(from, end-from)
	if t.complete() {
		m.pieces = t.pieces
		if len(t.text) == 0 {
			m.pieces = []piece{{at: int32(m.start + open), verbatim: true}}
		}
	}
	return m
}

// lineFeed returns the length of the line break b starts with.
func lineFeed(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(b, []byte("\n")):
		return 1
	}
	return 0
}

// unescapeTOML decodes the escape sequence b starts with and returns its
// length, 0 for none.
func unescapeTOML(b []byte) (string, int) {
	if len(b) < 2 || strings.IndexByte(`btnfre"\xuU`, b[1]) < 0 {
		return "", 0
	}
	return unescape(b)
}
