package offline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const (
	maxRows    = 8   // of a table
	maxColumns = 5   // of a table
	maxWidth   = 78  // of a table, in columns of a terminal
	minCell    = 8   // to which a table shrinks its widest columns for that
	maxCell    = 40  // columns of a terminal
	maxItems   = 12  // of a list in a line
	maxRecords = 3   // of those that hold long texts
	maxProse   = 700 // characters of one long text
)

type dataWriter struct {
	b  strings.Builder
	ph *phrases
}

func (w *dataWriter) object(prefix string, v jsondoc.Value, headings bool) {
	for name, x := range v.Members() {
		w.value(prefix+name, x, headings)
	}
}

func (w *dataWriter) value(name string, v jsondoc.Value, heading bool) {
	switch {
	case v.IsEmpty():
	case v.Kind() == jsondoc.Array && objects(v) && prose(v):
		w.records(v)
	case v.Kind() == jsondoc.Array && objects(v):
		if heading {
			w.b.WriteString(name + ":\n")
		}
		w.table(v)
	case v.Kind() == jsondoc.Array:
		w.b.WriteString(name + ": ")
		n := 0
		for x := range v.Elements() {
			if n == maxItems {
				w.b.WriteString(" " + w.more(v.Len()-n))
				break
			}
			if n > 0 {
				w.b.WriteString(", ")
			}
			w.b.WriteString(cell(x, maxCell))
			n++
		}
		w.b.WriteByte('\n')
	case v.Kind() == jsondoc.Object && strings.Count(name, ".") < 2:
		w.object(name+".", v, true)
	default:
		w.b.WriteString(name + ": " + cell(v, 10*maxCell) + "\n")
	}
}

func (w *dataWriter) more(n int) string { return strings.ReplaceAll(w.ph.more, "%d", strconv.Itoa(n)) }

func objects(v jsondoc.Value) bool {
	for x := range v.Elements() {
		if x.Kind() != jsondoc.Object {
			return false
		}
	}
	return v.Len() > 0
}

// prose tells whether a row holds a text that no table can show.
func prose(v jsondoc.Value) bool {
	for row := range v.Elements() {
		for _, x := range row.Members() {
			if x.Kind() == jsondoc.String && len(x.Text()) > 3*maxCell {
				return true
			}
		}
	}
	return false
}

// records writes an array of objects one below the other: the short values in
// a line, and the long ones under it.
func (w *dataWriter) records(v jsondoc.Value) {
	n := 0
	for row := range v.Elements() {
		if n == maxRecords {
			w.b.WriteString(w.more(v.Len()-n) + "\n")
			return
		}
		if n > 0 {
			w.b.WriteByte('\n')
		}
		n++
		var short, long []string
		for _, x := range row.Members() {
			switch s := strings.TrimSpace(x.Text()); {
			case x.IsEmpty():
			case x.Kind() == jsondoc.String && len(s) > 2*maxCell:
				long = append(long, clip(s, maxProse))
			case x.Kind() == jsondoc.Array:
				for y := range x.Elements() {
					short = append(short, cell(y, maxCell))
				}
			default:
				short = append(short, cell(x, 2*maxCell))
			}
		}
		for _, s := range append([]string{strings.Join(short, " · ")}, long...) {
			if s != "" {
				w.b.WriteString(s + "\n")
			}
		}
	}
}

// table writes an array of objects, aligned, with the columns in the order in
// which they come up.
func (w *dataWriter) table(v jsondoc.Value) {
	var columns, hidden []string
	rows := 0
	for x := range v.Elements() {
		if rows++; rows > maxRows {
			break
		}
		for name := range x.Members() {
			switch {
			case slices.Contains(columns, name) || slices.Contains(hidden, name):
			case len(columns) < maxColumns:
				columns = append(columns, name)
			default:
				hidden = append(hidden, name)
			}
		}
	}
	cells := [][]string{columns}
	for x := range v.Elements() {
		if len(cells) > maxRows {
			break
		}
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = cell(x.Get(c), maxCell)
		}
		cells = append(cells, row)
	}
	widths := make([]int, len(columns))
	numeric := make([]bool, len(columns))
	for i := range columns {
		numeric[i] = true
		for j, row := range cells {
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
			if j > 0 && row[i] != "" && strings.Trim(row[i], "0123456789.-+eE") != "" {
				numeric[i] = false
			}
		}
	}
	shrink(widths)
	for _, row := range cells {
		var line strings.Builder
		for i, s := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			s = fit(s, widths[i])
			pad := strings.Repeat(" ", widths[i]-uniseg.StringWidth(s))
			if numeric[i] {
				s, pad = pad, s
			}
			line.WriteString(s)
			line.WriteString(pad)
		}
		w.b.WriteString(strings.TrimRight(line.String(), " "))
		w.b.WriteByte('\n')
	}
	if n := v.Len() - maxRows; n > 0 {
		w.b.WriteString(w.more(n))
		w.b.WriteByte('\n')
	}
	if len(hidden) > 0 {
		w.b.WriteString(fmt.Sprintf(w.ph.hidden, clip(strings.Join(hidden, ", "), 2*maxCell)) + "\n")
	}
}

// shrink makes the widest columns narrower until the table fits.
func shrink(widths []int) {
	total := 2 * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	for total > maxWidth {
		widest := 0
		for i, n := range widths {
			if n > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= minCell {
			return
		}
		widths[widest]--
		total--
	}
}

// fit shortens s to width columns.
func fit(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	end, used := 0, 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used+g.Width() > width-1 {
			break
		}
		used += g.Width()
		_, end = g.Positions()
	}
	return strings.TrimRight(s[:end], " ") + "…"
}

// cell writes a value in one line of at most n characters.
func cell(v jsondoc.Value, n int) string {
	return clip(strings.Join(strings.Fields(inline(v, 0)), " "), n)
}

// inline writes a value without the marks of JSON, as deep as it reads well.
func inline(v jsondoc.Value, depth int) string {
	var parts []string
	switch {
	case v.Kind() == jsondoc.Null:
		return ""
	case depth > 1:
	case v.Kind() == jsondoc.Array:
		for x := range v.Elements() {
			if len(parts) == maxItems {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, inline(x, depth+1))
		}
		return strings.Join(parts, ", ")
	case v.Kind() == jsondoc.Object:
		for name, x := range v.Members() {
			if !x.IsEmpty() {
				parts = append(parts, name+" "+inline(x, depth+1))
			}
		}
		return strings.Join(parts, ", ")
	}
	return v.Text()
}
