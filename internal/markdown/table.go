package markdown

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

const (
	betweenColumns = 2 // blank ones between those of a table
	leastColumn    = 8 // that a column is narrowed to
)

// table shows a table with its columns aligned, narrowed to fit. One that cannot
// fit is shown row by row, a line for each cell.
func (r *renderer) table(n *extast.Table, apart bool) {
	var rows [][][]span
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells [][]span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.spans(cell))
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return
	}
	for _, cell := range rows[0] {
		for i := range cell {
			cell[i].style |= bold
		}
	}
	r.separate(apart)
	widths, fits := r.columnWidths(rows)
	if !fits {
		r.records(rows)
		return
	}
	for i, row := range rows {
		r.row(row, widths, n.Alignments)
		if i == 0 {
			total := betweenColumns * (len(widths) - 1)
			for _, w := range widths {
				total += w
			}
			r.line(r.Palette.Dim(strings.Repeat("─", total)))
		}
	}
}

// columnWidths returns how wide each column is, and whether they fit.
func (r *renderer) columnWidths(rows [][][]span) (widths []int, fits bool) {
	widths = make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			if i < len(widths) {
				widths[i] = max(widths[i], 1, r.cellWidth(cell))
			}
		}
	}
	room := r.room() - betweenColumns*(len(widths)-1)
	least, total := 0, 0
	for _, w := range widths {
		least += min(w, leastColumn)
		total += w
	}
	if least > room {
		return nil, false
	}
	for total > room {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		widths[widest]--
		total--
	}
	return widths, true
}

func (r *renderer) cellWidth(cell []span) int {
	widest, line := 0, 0
	for _, s := range cell {
		for i, part := range strings.Split(s.text, "\n") {
			if i > 0 {
				line = 0
			}
			line += columns(part)
			widest = max(widest, line)
		}
	}
	return widest
}

func (r *renderer) row(cells [][]span, widths []int, alignments []extast.Alignment) {
	wrapped := make([][]string, len(widths))
	height := 1
	for i := range widths {
		if i < len(cells) {
			wrapped[i] = r.wrap(cells[i], widths[i])
		}
		height = max(height, len(wrapped[i]))
	}
	for y := range height {
		var b strings.Builder
		for i, w := range widths {
			text := ""
			if y < len(wrapped[i]) {
				text = wrapped[i][y]
			}
			before, after := 0, w-columns(visible(text))
			if i < len(alignments) {
				switch alignments[i] {
				case extast.AlignRight:
					before, after = after, 0
				case extast.AlignCenter:
					before, after = after/2, after-after/2
				}
			}
			if i > 0 {
				before += betweenColumns
			}
			if i == len(widths)-1 {
				after = 0
			}
			b.WriteString(strings.Repeat(" ", max(0, before)) + text + strings.Repeat(" ", max(0, after)))
		}
		r.line(b.String())
	}
}

// records shows each row as lines of a column's name and the cell.
func (r *renderer) records(rows [][][]span) {
	for i, row := range rows[1:] {
		if i > 0 {
			r.blank()
		}
		for j, cell := range row {
			if j >= len(rows[0]) {
				break
			}
			text := append(append([]span(nil), rows[0][j]...), span{": ", 0})
			for _, l := range r.wrap(append(text, cell...), r.room()) {
				r.line(l)
			}
		}
	}
	if len(rows) == 1 {
		for _, cell := range rows[0] {
			for _, l := range r.wrap(cell, r.room()) {
				r.line(l)
			}
		}
	}
}
