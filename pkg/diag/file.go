package diag

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf8"
)

// A File is one source text and the table of its lines. It is safe for
// concurrent use as long as nobody changes Data.
type File struct {
	Name string // the path shown to people: relative to the workspace, with slashes
	Data []byte

	once  sync.Once
	lines []int // offset of the first byte of every line
}

// NewFile returns the file called name that holds data.
func NewFile(name string, data []byte) *File { return &File{Name: name, Data: data} }

// A Position is a place as people and editors count: both fields start at 1
// and Column counts code points. The zero Position is invalid.
type Position struct {
	Line   int
	Column int
}

var bom = []byte("\xef\xbb\xbf")

// BOM returns the length of the byte order mark the file starts with, 0 or 3.
func (f *File) BOM() int {
	if bytes.HasPrefix(f.Data, bom) {
		return len(bom)
	}
	return 0
}

// Lines returns the number of lines; an empty file has one.
func (f *File) Lines() int {
	f.index()
	return len(f.lines)
}

// LineStart returns the offset at which line (from 1) starts, clamped to the file.
func (f *File) LineStart(line int) int {
	f.index()
	switch {
	case line < 1:
		return 0
	case line > len(f.lines):
		return len(f.Data)
	}
	return f.lines[line-1]
}

// Line returns the text of line (from 1) without its line break and without
// a byte order mark.
func (f *File) Line(line int) []byte {
	start, end := f.LineStart(line), f.LineStart(line+1)
	text := f.Data[start:end]
	if start == 0 {
		text = text[min(f.BOM(), len(text)):]
	}
	return bytes.TrimRight(text, "\r\n")
}

// Position converts a byte offset; offsets outside the file are clamped.
// Lines end at LF, CR LF or a lone CR. A byte order mark has no width.
func (f *File) Position(offset int) Position {
	f.index()
	offset = max(0, min(offset, len(f.Data)))
	line := sort.SearchInts(f.lines, offset+1)
	start := f.lines[line-1]
	if line == 1 {
		start = min(f.BOM(), offset)
	}
	return Position{Line: line, Column: 1 + utf8.RuneCount(f.Data[start:offset])}
}

// Offset converts a position back; a column past the end of its line is the
// line's end.
func (f *File) Offset(p Position) int {
	start := f.LineStart(p.Line)
	if p.Line <= 1 {
		start = f.BOM()
	}
	end := f.LineStart(p.Line + 1)
	for column := 1; column < p.Column && start < end; column++ {
		if b := f.Data[start]; b == '\n' || b == '\r' {
			break
		}
		_, size := utf8.DecodeRune(f.Data[start:end])
		start += size
	}
	return start
}

func (f *File) index() {
	f.once.Do(func() {
		f.lines = make([]int, 1, 1+bytes.Count(f.Data, []byte{'\n'}))
		for i := 0; i < len(f.Data); i++ {
			switch f.Data[i] {
			case '\r':
				if i+1 < len(f.Data) && f.Data[i+1] == '\n' {
					i++
				}
				f.lines = append(f.lines, i+1)
			case '\n':
				f.lines = append(f.lines, i+1)
			}
		}
	})
}

// A Span is the half-open byte range [Start, End) of a file. The zero Span,
// with no file, is invalid.
type Span struct {
	File  *File
	Start int
	End   int
}

// Text returns the bytes the span covers.
func (s Span) Text() string { return string(s.File.Data[s.Start:s.End]) }
