package diag

import (
	"bytes"
	"encoding/json"
	"io"
)

// record is the form of a diagnostic in JSON: lines and columns start at 1,
// columns count code points, the end is exclusive.
type record struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Severity  string `json:"severity"`
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
}

func (d Diagnostic) record() record {
	start, end := d.Span.File.Position(d.Span.Start), d.Span.File.Position(d.Span.End)
	return record{d.Span.File.Name, start.Line, start.Column, end.Line, end.Column, d.Severity.String(), d.Code, d.Message, d.Hint}
}

// MarshalJSON writes the diagnostic as one object.
func (d Diagnostic) MarshalJSON() ([]byte, error) { return marshal(d.record()) }

// marshal writes JSON for programs and people, not for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// WriteJSON prints the list as one indented JSON array; an empty list is [].
func WriteJSON(w io.Writer, list List) error {
	records := make([]record, len(list))
	for i, d := range list {
		records[i] = d.record()
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(records)
}
