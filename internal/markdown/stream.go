package markdown

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// longest is the length in bytes at which a block is cut in two, so that the work
// for a text grows with its length and not much faster.
const longest = 16 << 10

// A Stream shows a text while it arrives. What it returns is to be written one
// after the other; together it is what Render returns, except where a later
// line changes what an earlier one is, such as an underlined heading: the
// earlier one then stays as it was shown. It is not safe for concurrent use.
type Stream struct {
	options func() Options
	r       *renderer
	pending string // from the start of the block that is under way
	partial string // the end of a character's start
	shown   string // what is on the screen of that block
	read    int    // how much of pending was shown
	scanner scanner
	apart   bool // a blank line belongs before the block
	wrote   bool
	midLine bool
}

// NewStream returns a stream that asks for its options at the start of each
// block: the terminal may have become another size.
func NewStream(options func() Options) *Stream { return &Stream{options: options} }

// MidLine tells whether what was shown last does not end its line.
func (s *Stream) MidLine() bool { return s.midLine }

// Write takes the next piece of the text and returns what can be shown now.
func (s *Stream) Write(piece string) string {
	text := s.partial + piece
	n := len(text) - unfinished(text)
	text, s.partial = text[:n], text[n:]
	if text == "" {
		return ""
	}
	s.pending += cleanSource(text)
	var out strings.Builder
	for {
		head := s.pending[:min(len(s.pending), longest)]
		switch end := s.scanner.scan(head); {
		case end > 0:
			out.WriteString(s.finish(s.pending[:end]))
			s.pending, s.apart = s.pending[end:], true
		case len(s.pending) > longest:
			out.WriteString(s.force())
		default:
			// A long block is not shown anew for each word of it.
			if s.scanner.hope()-s.read <= s.read/32 {
				return out.String()
			}
			if safe := s.scanner.settled(s.pending); safe-s.read > s.read/32 {
				out.WriteString(s.show(s.pending[:safe]))
				s.read = safe
			}
			return out.String()
		}
	}
}

// Close returns the rest.
func (s *Stream) Close() string {
	if s.partial != "" {
		s.pending += cleanSource(strings.TrimSuffix(s.partial, "\r"))
		s.partial = ""
	}
	out := s.finish(s.pending)
	s.pending = ""
	return out
}

// force cuts a block that is too long, behind its last whole line if it has one.
// Code and tables go on as such.
func (s *Stream) force() string {
	opening := s.scanner.fence
	if s.scanner.held && opening == "" {
		opening = tableHead(s.pending[s.scanner.table:])
	}
	at := s.scanner.at
	if at <= len(opening) || at <= longest/2 {
		at = longest
		for at > 0 && s.pending[at]&0xC0 == 0x80 {
			at--
		}
	}
	rest := s.pending[at:]
	out := s.finish(s.pending[:at])
	if len(opening) < longest/2 {
		rest = opening + rest
	}
	s.pending, s.apart = rest, false
	return out
}

// tableHead returns the two lines that begin a table.
func tableHead(s string) string {
	first := strings.IndexByte(s, '\n') + 1
	second := strings.IndexByte(s[first:], '\n') + 1
	if line := s[first : first+second]; strings.Trim(line, "|:- \n") == "" && strings.Contains(line, "-") {
		return s[:first+second]
	}
	return ""
}

// finish shows all of a block and ends its line.
func (s *Stream) finish(block string) string {
	out := s.show(block)
	s.shown, s.read, s.scanner = "", 0, scanner{}
	if s.midLine {
		out += "\n"
		s.midLine = false
	}
	return out
}

// show shows a block as far as it goes, and returns what is new of it.
func (s *Stream) show(block string) string {
	if s.shown == "" {
		s.begin()
	}
	text := string(s.r.render([]byte(block)))
	added := beyond(s.shown, text)
	if added == "" {
		return ""
	}
	before := ""
	if s.shown == "" && s.apart && s.wrote {
		before = "\n"
	}
	s.shown = text
	s.wrote, s.midLine = true, true
	return before + added
}

// begin takes the options for a block.
func (s *Stream) begin() {
	o := s.options()
	if o.Width <= 0 {
		o.Width = usualWidth
	}
	o.Width = max(o.Width, leastWidth)
	if s.r == nil {
		s.r = &renderer{parser: newParser()}
	}
	s.r.Options = o
	s.r.plain = o.Palette.Bold == nil || o.Palette.Bold("x") == "x"
}

// beyond returns what text adds to what is shown. Where it does not go on from
// there, it goes on behind as many characters as are shown, and where the
// characters are others, from the line that is under way.
func beyond(shown, text string) string {
	if added, ok := strings.CutPrefix(text, shown); ok {
		return added
	}
	before, now := visible(shown), visible(text)
	if strings.HasPrefix(now, before) {
		return text[offset(text, len(before)):]
	}
	n := strings.Count(shown, "\n")
	for range n {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	if i := strings.LastIndexByte(before, '\n'); strings.HasPrefix(visible(text), before[i+1:]) {
		return text[offset(text, len(before)-i-1):]
	}
	return "\n" + text
}

// visible returns a text without the palette's sequences.
func visible(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := sequence(s[i:]); n > 0 {
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// offset returns where the visible byte n of a text stands.
func offset(s string, n int) int {
	i := 0
	for i < len(s) {
		if k := sequence(s[i:]); k > 0 {
			i += k
			continue
		}
		if n == 0 {
			break
		}
		n--
		i++
	}
	return i
}

// sequence returns the length of the palette's sequence at the start of s.
func sequence(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	return strings.IndexByte(s, 'm') + 1
}

// cleanSource takes out of a text what could move the cursor, before its
// Markdown is looked at.
func cleanSource(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.Contains(s, "\n") {
		return diag.Printable(s)
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = diag.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}
