package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner looks for the places at which a text that grows can be divided. It
// stands at the start of a block. A block ends at a blank line, unless it is
// code between fences or a list that goes on.
type scanner struct {
	at        int    // of the first line that was not whole
	paragraph int    // where the lines that belong together start
	safe      int    // up to where the text looks the same whatever follows
	upTo      int    // the same, if no mark since paragraph waits for its other half
	word      int    // the same, in the line that is not whole
	apart     bool   // that line is no part of the paragraph
	held      bool   // nothing more is safe until the block ends
	table     int    // where the line is that held it
	begun     bool   // there was a line that is not blank
	list      bool   // the block is one
	blank     int    // behind blank lines; 0: the line before is none
	fence     string // the line that opens the code at the end of the text; "" for none
}

// scan goes on through the text and returns where its first block ends; 0 when
// that may go on.
func (c *scanner) scan(text string) (end int) {
	c.word, c.apart = 0, false
	for c.at < len(text) {
		line, whole := text[c.at:], false
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line, whole = line[:i], true
		}
		if end, known := c.line(line, c.at, whole); end > 0 || !known {
			return end
		}
		if !whole {
			break
		}
		c.at += len(line) + 1
	}
	return 0
}

// settled returns up to where the text looks the same whatever follows. The
// start of a line that would be a rule by itself waits.
func (c *scanner) settled(text string) int {
	at := c.divide(text)
	if at > c.at && isMarksOnly(strings.TrimSpace(text[c.at:at])) {
		return c.safe
	}
	return at
}

func (c *scanner) divide(text string) int {
	switch {
	case c.word > 0 && c.apart:
		return max(c.safe, c.upTo, balanced(text[:c.word], c.at))
	case c.word > 0:
		return max(c.safe, balanced(text[:c.word], c.paragraph))
	case c.upTo > c.safe:
		return max(c.safe, balanced(text[:c.upTo], c.paragraph))
	}
	return c.safe
}

// hope returns a bound of what settled returns, which takes longer.
func (c *scanner) hope() int { return max(c.safe, c.upTo, c.word) }

// parts ends the lines that belong together: no mark in them waits any more.
func (c *scanner) parts(at int) {
	c.safe = max(c.safe, c.upTo)
	c.paragraph = at
}

// line looks at one line, or the start of one. It is not known what a line is
// that is too short to tell.
func (c *scanner) line(line string, at int, whole bool) (end int, known bool) {
	next := at + len(line) + 1
	trimmed := strings.TrimSpace(line)
	switch {
	case c.fence != "":
		if whole {
			if closes(trimmed, c.fence) {
				c.fence = ""
			}
			if !c.held {
				c.safe = at + len(line)
			}
			c.paragraph = next
		}
		return 0, true
	case trimmed == "":
		switch {
		case !whole:
			return 0, false
		case c.begun && !c.list:
			return next, true
		case c.begun:
			c.blank = next
		}
		c.parts(next)
		return 0, true
	}
	content, marked := behindMarks(line)
	if c.begun && c.blank > 0 && c.list && !marked && line[0] != ' ' && line[0] != '\t' {
		if !whole && couldBeMark(trimmed) {
			return 0, false
		}
		return c.blank, true
	}
	rest := line[content:]
	first := firstByte(rest)
	if !whole {
		c.start(line, rest, first, at, content, marked)
		return 0, true
	}
	if !c.begun {
		c.begun, c.list = true, marked && !strings.HasPrefix(strings.TrimLeft(line, " "), ">")
	}
	c.blank = 0
	if marked {
		c.parts(at + content)
	}
	switch {
	case strings.HasPrefix(rest, "```") && !strings.Contains(rest[3:], "`") || strings.HasPrefix(rest, "~~~"):
		c.fence = line + "\n"
		c.parts(next)
	case c.held:
	case first == '#':
		c.upTo = at + len(line)
		c.parts(next)
	case strings.Contains(line, "|"):
		c.held, c.table = true, at
	case isMarksOnly(trimmed): // what the line before is depends on the next one
	default:
		c.upTo = at + len(line)
	}
	return 0, true
}

// start looks at the start of a line: whole words of it can be shown, unless it
// may become a heading, a fence, a rule, a table or code.
func (c *scanner) start(line, rest string, first byte, at, content int, marked bool) {
	if c.held || first == '#' || first == '`' || first == '~' || isMarksOnly(strings.TrimSpace(line)) ||
		strings.Contains(line, "|") || content >= 4 && !marked {
		return
	}
	if end := lastWord(rest); end > 0 {
		c.word, c.apart = at+content+end, marked
	}
}

func isMarksOnly(s string) bool { return strings.Trim(s, "-_*=+> \t") == "" }

// behindMarks returns where the text of a line starts behind the marks of lists
// and quotations, and whether there are any.
func behindMarks(line string) (at int, marked bool) {
	for {
		i := at
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		n := markLength(line[i:])
		if n == 0 {
			return i, marked
		}
		at, marked = i+n, true
	}
}

// markLength returns the length of the mark of a list item or a quotation at the
// start of s.
func markLength(s string) int {
	if s == "" {
		return 0
	}
	n := 1
	switch c := s[0]; {
	case c == '>':
		return 1
	case c == '-' || c == '+' || c == '*':
	case c >= '0' && c <= '9':
		for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// couldBeMark tells whether the start of a line may become the mark of a list.
func couldBeMark(s string) bool {
	return strings.Trim(s, "0123456789") == "" || strings.Trim(s, "0123456789.)-+*") == "" && len(s) < 11
}

func firstByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// closes tells whether a line closes the code that a fence opened.
func closes(line, opening string) bool {
	at, _ := behindMarks(opening)
	mark := opening[at : at+1]
	n := len(opening[at:]) - len(strings.TrimLeft(opening[at:], mark))
	at, _ = behindMarks(line)
	line = line[at:]
	return len(line) >= n && strings.Trim(line, mark) == ""
}

// lastWord returns the end of the last whole word of a line that may go on. A
// script without spaces is as good as one with a space between any two of its
// characters. A space that the next character joins, or may yet join, divides
// nothing.
func lastWord(s string) int {
	if last, n := utf8.DecodeLastRuneInString(s); n > 0 && unicode.In(last, unicode.Han, unicode.Hiragana, unicode.Katakana) {
		if before, _ := utf8.DecodeLastRuneInString(s[:len(s)-n]); unicode.In(before, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			return len(s) - n
		}
	}
	for end := strings.LastIndexAny(s, " \t"); end > 0; end = strings.LastIndexAny(s[:end], " \t") {
		next, n := utf8.DecodeRuneInString(s[end+1:])
		if n > 0 && !unicode.In(next, unicode.M, unicode.Cf) {
			return len(strings.TrimRight(s[:end], " \t"))
		}
	}
	return 0
}

// openMark is a mark whose other half has not come.
type openMark struct {
	mark   byte
	count  int // that wait
	at     int
	length int  // of the run
	both   bool // the run can close, too
}

// balanced returns up to where the lines that start at a place can be shown: as
// far as no mark in them waits for its other half.
func balanced(text string, from int) int {
	var open []openMark
	for i := from; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i == len(text)-1 {
				return before(text, from, open, i)
			}
			i++
		case '`':
			n := runLength(text[i:])
			end := closingRun(text[i+n:], n)
			if end < 0 {
				return before(text, from, open, i)
			}
			i += n + end + n - 1
		case '*', '_':
			n := runLength(text[i:])
			opens, closes := flanks(text, i, n)
			if rest := closeMarks(&open, openMark{c, n, i, n, opens && closes}, closes); rest > 0 && opens {
				open = append(open, openMark{c, rest, i, n, closes})
			}
			i += n - 1
		case '[':
			open = append(open, openMark{mark: c, count: 1, at: i})
		case ']':
			if n := len(open) - 1; n >= 0 && open[n].mark == '[' {
				if i+1 < len(text) && text[i+1] == '(' {
					end := strings.IndexByte(text[i:], ')')
					if end < 0 {
						return before(text, from, open, i)
					}
					i += end
				}
				open = open[:n]
			}
		case '<':
			if i+1 < len(text) && (text[i+1] == '/' || unicode.IsLetter(rune(text[i+1]))) {
				end := strings.IndexByte(text[i:], '>')
				if end < 0 {
					return before(text, from, open, i)
				}
				i += end
			}
		}
	}
	return before(text, from, open, len(text))
}

// before returns the end of the last word before the first mark that is open, or
// else before a place.
func before(text string, from int, open []openMark, at int) int {
	if len(open) > 0 {
		at = open[0].at
	}
	if at == len(text) {
		return at
	}
	head := strings.TrimRight(text[from:at], " \t\n")
	if len(head) == at-from { // the word that the mark is a part of waits with it
		head = strings.TrimRight(head[:strings.LastIndexAny(head, " \t\n")+1], " \t\n")
	}
	if head == "" {
		return 0
	}
	return from + len(head)
}

func runLength(s string) int { return len(s) - len(strings.TrimLeft(s, s[:1])) }

// closingRun returns where a run of exactly n backquotes starts.
func closingRun(s string, n int) int {
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		k := runLength(s[i:])
		if k == n {
			return i
		}
		i += k - 1
	}
	return -1
}

// flanks tells whether a run of emphasis marks can open and close (CommonMark
// 0.31.2 section 6.2). What stands before and behind the text counts as space.
func flanks(text string, at, n int) (opens, closes bool) {
	before, size := utf8.DecodeLastRuneInString(text[:at])
	spaceBefore, punctBefore := size == 0 || unicode.IsSpace(before), isPunct(before)
	after, size := utf8.DecodeRuneInString(text[at+n:])
	spaceAfter, punctAfter := size == 0 || unicode.IsSpace(after), isPunct(after)
	left := !spaceAfter && (!punctAfter || spaceBefore || punctBefore)
	right := !spaceBefore && (!punctBefore || spaceAfter || punctAfter)
	if text[at] == '_' {
		return left && (!right || punctBefore), right && (!left || punctAfter)
	}
	return left, right
}

func isPunct(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// closeMarks takes the marks of a run off those that are open and returns how
// many are left. Two runs of which one can open and close do not belong together
// when their lengths add up to a multiple of three, unless both are (CommonMark
// 0.31.2, rules 9 and 10 of emphasis).
func closeMarks(open *[]openMark, run openMark, closes bool) int {
	n := run.count
	if !closes {
		return n
	}
	for i := len(*open) - 1; i >= 0 && n > 0; i-- {
		o := &(*open)[i]
		apart := (o.both || run.both) && (o.length+run.length)%3 == 0 && o.length%3 != 0
		if o.mark != run.mark || apart {
			continue
		}
		if n < o.count {
			o.count -= n
			return 0
		}
		n -= o.count
		*open = (*open)[:i]
	}
	return n
}

// unfinished returns the length of the end of s that may go on: a carriage
// return, or the start of a character.
func unfinished(s string) int {
	if strings.HasSuffix(s, "\r") {
		return 1
	}
	for n := 1; n <= min(len(s), utf8.UTFMax-1); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
