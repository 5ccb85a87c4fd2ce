package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// tables makes tables of paragraphs that hold a line of dashes and pipes under a
// line with as many cells, as GitHub does. goldmark/extension does so too, and
// costs every start of the program a millisecond.
type tables struct{}

func (tables) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source, lines := reader.Source(), node.Lines()
	for i := 1; i < lines.Len(); i++ {
		delimiter := lines.At(i)
		alignments := alignmentsOf(delimiter.Value(source))
		if alignments == nil {
			continue
		}
		header := cellsOf(lines.At(i-1), source)
		if len(header) != len(alignments) {
			return
		}
		table := extast.NewTable()
		table.Alignments = alignments
		table.AppendChild(table, extast.NewTableHeader(tableRow(header, alignments)))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, tableRow(cellsOf(lines.At(j), source), alignments))
		}
		parent := node.Parent()
		parent.InsertAfter(parent, node, table)
		if i == 1 {
			table.SetBlankPreviousLines(node.HasBlankPreviousLines())
			parent.RemoveChild(parent, node)
			return
		}
		lines.SetSliced(0, i-1)
		last := lines.At(i - 2)
		lines.Set(i-2, last.TrimRightSpace(source))
		return
	}
}

// alignmentsOf reads the line under a table's header; nil for any other line.
func alignmentsOf(line []byte) []extast.Alignment {
	text := strings.TrimSpace(string(line))
	if !strings.Contains(text, "-") || strings.Trim(text, "-:| \t") != "" || !strings.ContainsAny(text, "|:") {
		return nil
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "|"), "|")
	var alignments []extast.Alignment
	for cell := range strings.SplitSeq(text, "|") {
		cell = strings.TrimSpace(cell)
		dashes, left := strings.CutPrefix(cell, ":")
		dashes, right := strings.CutSuffix(dashes, ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		switch {
		case left && right:
			alignments = append(alignments, extast.AlignCenter)
		case left:
			alignments = append(alignments, extast.AlignLeft)
		case right:
			alignments = append(alignments, extast.AlignRight)
		default:
			alignments = append(alignments, extast.AlignNone)
		}
	}
	return alignments
}

// cellsOf divides a line at its pipes, but for those behind a backslash.
func cellsOf(line text.Segment, source []byte) []text.Segment {
	line = text.NewSegment(line.Start, line.Stop)
	line = line.TrimLeftSpace(source)
	line = line.TrimRightSpace(source)
	if bytes.HasPrefix(line.Value(source), []byte("|")) {
		line.Start++
	}
	var cells []text.Segment
	start := line.Start
	for i := line.Start; i <= line.Stop; i++ {
		end := i == line.Stop
		if !end && (source[i] != '|' || i > line.Start && source[i-1] == '\\') {
			continue
		}
		if end && start == i && len(cells) > 0 {
			break // the pipe at the end
		}
		cell := text.NewSegment(start, i)
		cell = cell.TrimLeftSpace(source)
		cells = append(cells, cell.TrimRightSpace(source))
		start = i + 1
	}
	return cells
}

// tableRow has as many cells as the table has columns.
func tableRow(cells []text.Segment, alignments []extast.Alignment) *extast.TableRow {
	row := extast.NewTableRow(alignments)
	for i, alignment := range alignments {
		cell := extast.NewTableCell()
		cell.Alignment = alignment
		if i < len(cells) {
			cell.Lines().Append(cells[i])
		}
		row.AppendChild(row, cell)
	}
	return row
}
