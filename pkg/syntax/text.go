package syntax

import (
	"bytes"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// checkText looks for what no text file holds: bytes that are not UTF-8 and
// control characters other than tab and line breaks.
func checkText(f *diag.File) *diag.Diagnostic {
	data := f.Data
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		d := diag.Errorf(diag.Span{File: f, Start: 0, End: 2}, "file", "the file is UTF-16, not UTF-8").
			WithHint("save it as UTF-8")
		return &d
	}
	for i := f.BOM(); i < len(data); {
		c := data[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(data[i:])
		}
		at := diag.Span{File: f, Start: i, End: i + size}
		switch {
		case r == utf8.RuneError && size == 1:
			d := diag.Errorf(at, "file", "the file is not UTF-8: byte 0x%02x", c).WithHint("save it as UTF-8")
			return &d
		case r == 0:
			d := diag.Errorf(at, "file", "the file holds a NUL byte").WithHint("this is no text file, or it is UTF-16: save it as UTF-8")
			return &d
		case r < 0x20, r >= 0x7f && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
			d := diag.Errorf(at, "file", "the file holds the control character U+%04X", r).WithHint("remove it, or write it as an escape in double quotes")
			return &d
		}
		i += size
	}
	return nil
}
