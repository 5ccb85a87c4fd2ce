package executor

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// toText converts a body to UTF-8, and tells from which charset; nil when it was
// in UTF-8. A byte order mark says more than the Content-Type, and a charset
// nobody knows is taken for UTF-8. Bytes that are no text become U+FFFD.
func toText(body []byte, contentType string) ([]byte, encoding.Encoding) {
	marked, charset, ok := cutMark(body)
	if !ok {
		charset = charsetOf(contentType)
	}
	if charset != nil {
		if text, err := charset.NewDecoder().Bytes(marked); err == nil {
			marked = text
		}
	}
	return replaceInvalid(marked), charset
}

// cutMark removes the byte order mark and tells the encoding it stands for, nil
// for UTF-8.
func cutMark(body []byte) (rest []byte, charset encoding.Encoding, ok bool) {
	for _, mark := range []struct {
		bytes   string
		charset encoding.Encoding
	}{
		{"\xEF\xBB\xBF", nil},
		{"\xFF\xFE\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{"\x00\x00\xFE\xFF", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{"\xFF\xFE", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"\xFE\xFF", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	} {
		if rest, ok := bytes.CutPrefix(body, []byte(mark.bytes)); ok {
			return rest, mark.charset, true
		}
	}
	return body, nil, false
}

// charsetOf returns the encoding a Content-Type names; nil for UTF-8, none and
// one that is not known.
func charsetOf(contentType string) encoding.Encoding {
	if !strings.Contains(strings.ToLower(contentType), "charset") {
		return nil
	}
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil
	}
	switch label := strings.ToLower(strings.TrimSpace(parameters["charset"])); label {
	case "", "utf-8", "utf8":
		return nil
	case "utf-32", "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	default:
		charset, err := htmlindex.Get(label)
		if err != nil {
			return nil
		}
		return charset
	}
}

// replaceInvalid puts one U+FFFD for each byte that is no UTF-8.
func replaceInvalid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	valid := make([]byte, 0, len(text)+len(text)/8+8)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		valid = utf8.AppendRune(valid, r)
		text = text[size:]
	}
	return valid
}
