package repl

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// printable keeps line breaks and replaces what else could move the cursor.
func printable(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.Contains(s, "\n") {
		return diag.Printable(s)
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = diag.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// oneLine makes line breaks and tabs spaces and cuts the text to limit code
// points.
func oneLine(s string, limit int) string {
	return cut(diag.Printable(strings.Map(flat, s)), limit)
}

func flat(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return ' '
	}
	return r
}

// folded is oneLine of prose: white space is as good as a single space.
func folded(s string, limit int) string {
	return oneLine(strings.Join(strings.Fields(s), " "), limit)
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit-1 {
			if utf8.RuneCountInString(s[i:]) <= 1 {
				return s
			}
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// compactJSON returns JSON text on one line, and any other text as it is.
func compactJSON(s string) string {
	if v, err := jsondoc.Parse([]byte(s)); err == nil {
		return string(v.AppendCompact(nil))
	}
	return s
}

// indentedJSON returns objects and arrays indented, and any other text as it is.
func indentedJSON(s string) string {
	v, err := jsondoc.Parse([]byte(s))
	if err != nil || v.Kind() != jsondoc.Object && v.Kind() != jsondoc.Array {
		return s
	}
	return string(jsondoc.Indent(nil, v))
}

// messageOf returns the message of a tool's result, or all of a result that
// has none.
func messageOf(content string) string {
	if v, err := jsondoc.Parse([]byte(content)); err == nil {
		if m := v.Get("message"); m.Kind() == jsondoc.String && strings.TrimSpace(m.Text()) != "" {
			return m.Text()
		}
	}
	return content
}

// reasonOf returns the error key of a result: the agent is about to say what its
// message says. A result that has no key gives its text.
func reasonOf(content string) string {
	if v, err := jsondoc.Parse([]byte(content)); err == nil {
		if key := v.Get("error_key"); key.Kind() == jsondoc.String {
			return folded(key.Text(), lineLimit)
		}
	}
	return folded(messageOf(content), lineLimit)
}

// pad fills s up to width columns.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-runewidth.StringWidth(s)))
}
