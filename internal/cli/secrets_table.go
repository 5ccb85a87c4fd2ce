package cli

import (
	"io"
	"strings"
	"unicode/utf8"
)

// writeTable writes rows in columns as wide as their widest cell, in one write.
// text/tabwriter writes each cell by itself, which takes longer than to decrypt
// what is listed.
func writeTable(w io.Writer, rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for len(row) > 0 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				for range widths[i] - utf8.RuneCountInString(cell) + 2 {
					b.WriteByte(' ')
				}
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
