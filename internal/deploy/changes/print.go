package changes

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// WriteJSON prints the report as one indented JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteShort prints a line for each file, with the fields that differ:
//
//	M tools/check_stock.yml  request.path, timeout_seconds
func (r *Report) WriteShort(w io.Writer, p iox.Palette) error {
	var out strings.Builder
	for _, f := range r.Files {
		out.WriteString(f.head(p))
		var names []string
		const most = 8
		for i, field := range f.Fields {
			if i == most {
				names = append(names, "…")
				break
			}
			names = append(names, field.Field)
		}
		if len(names) > 0 {
			out.WriteString("  " + strings.Join(names, ", "))
		} else if f.Note != "" {
			out.WriteString("  " + p.Dim(f.Note))
		}
		out.WriteByte('\n')
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// WriteText prints each file, and below it what changed in it:
//
//	M tools/check_stock.yml
//	    request.path changed from "/a" to "/b"
//	    parameters.properties.qty added
func (r *Report) WriteText(w io.Writer, p iox.Palette) error {
	var out strings.Builder
	for _, f := range r.Files {
		out.WriteString(f.head(p) + "\n")
		for _, field := range f.Fields {
			field.write(&out, p)
		}
		if f.Note != "" {
			out.WriteString("    " + p.Dim(f.Note) + "\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (f File) head(p iox.Palette) string {
	colour := p.Yellow
	switch f.Status {
	case "A":
		colour = p.Green
	case "D":
		colour = p.Red
	}
	return colour(f.Status) + " " + p.Bold(strings.ReplaceAll(diag.Printable(f.Path), "\t", "\uFFFD"))
}

func (f Field) write(out *strings.Builder, p iox.Palette) {
	const indent = "    "
	colour := func(text string) string {
		switch {
		case strings.HasPrefix(text, "+ "):
			return p.Green(text)
		case strings.HasPrefix(text, "- "):
			return p.Red(text)
		}
		return text
	}
	switch {
	case len(f.Lines) == 1:
		out.WriteString(indent + f.Field + ": " + colour(f.Lines[0]) + "\n")
	case len(f.Lines) > 1:
		out.WriteString(indent + f.Field + ":\n")
		for _, text := range f.Lines {
			out.WriteString(indent + "  " + colour(text) + "\n")
		}
	case f.Change == "changed" && f.Before != "" && f.After != "" && f.Before == f.After:
		// What differs is hidden.
		out.WriteString(indent + f.Field + " changed\n")
	case f.Change == "changed" && f.Before != "" && f.After != "":
		out.WriteString(indent + f.Field + " changed from " + f.Before + " to " + f.After + "\n")
	case f.Change == "added" && f.After != "":
		out.WriteString(indent + f.Field + " added: " + f.After + "\n")
	case f.Change == "removed" && f.Before != "":
		out.WriteString(indent + f.Field + " removed: " + f.Before + "\n")
	default:
		out.WriteString(indent + f.Field + " " + f.Change + "\n")
	}
}
