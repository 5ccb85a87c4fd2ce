package remote

import (
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// Pieces joins a text that arrives in JSON strings which may end anywhere, also
// inside a UTF-8 character or between the escapes of a surrogate pair. The zero
// value is an empty text.
type Pieces struct {
	text strings.Builder
	held string // of a JSON string's inside, what waits for the rest of a character
}

// Add appends the value of a JSON string, given as it stands in the document,
// and returns what it adds to the text. Anything but a string adds nothing.
func (p *Pieces) Add(raw string) string {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return ""
	}
	inside := p.held + raw[1:len(raw)-1]
	cut := len(inside) - unfinished(inside)
	p.held = inside[cut:]
	return p.write(inside[:cut])
}

// End returns what was held back, and did not become a character.
func (p *Pieces) End() string {
	held := p.held
	p.held = ""
	return p.write(held)
}

// String returns the whole text.
func (p *Pieces) String() string { return p.text.String() }

// Len returns how many bytes the text has.
func (p *Pieces) Len() int { return p.text.Len() }

// AddText appends a text that is no JSON.
func (p *Pieces) AddText(text string) string {
	p.text.WriteString(text)
	return text
}

func (p *Pieces) write(inside string) string {
	if inside == "" {
		return ""
	}
	text := inside
	if strings.ContainsRune(inside, '\\') || !utf8.ValidString(inside) {
		v, err := jsondoc.Parse([]byte(`"` + strings.ToValidUTF8(inside, "\uFFFD") + `"`))
		if err != nil {
			return ""
		}
		text = v.Text()
	}
	p.text.WriteString(text)
	return text
}

// unfinished returns how many bytes at the end of a JSON string's inside are the
// beginning of a character.
func unfinished(inside string) int {
	n := len(inside)
	if n >= 6 && highSurrogate(inside[n-6:]) && !escaped(inside[:n-6]) {
		return 6
	}
	for back := 1; back <= min(n, utf8.UTFMax-1); back++ {
		if c := inside[n-back]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRuneInString(inside[n-back:]) {
				return back
			}
			break
		}
	}
	return 0
}

// escaped reports whether a backslash at the end of before takes the meaning
// from what follows.
func escaped(before string) bool {
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

func highSurrogate(escape string) bool {
	return escape[0] == '\\' && escape[1] == 'u' && (escape[2] == 'd' || escape[2] == 'D') &&
		strings.IndexByte("89abAB", escape[3]) >= 0 && hex(escape[4]) && hex(escape[5])
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
