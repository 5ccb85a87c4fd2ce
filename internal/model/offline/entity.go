package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// An entity is a stretch of a text that is a typed value.
type entity struct {
	start, end  int
	first, last int  // tokens; last is before first when it has none of its own
	kind        kind // plain: a quoted string
	text        string
	day         civil // date, dateTime
	hour, min   int   // clock, dateTime
	zoned       bool  // dateTime: text says the zone, and is used as it came
}

// civil is a day without a zone.
type civil struct {
	year  int
	month time.Month
	day   int
}

func (c civil) String() string {
	return time.Date(c.year, c.month, c.day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

func (c civil) valid() bool {
	t := time.Date(c.year, c.month, c.day, 0, 0, 0, 0, time.UTC)
	return c.year >= 1 && c.year <= 9999 && t.Day() == c.day && t.Month() == c.month
}

func civilOf(t time.Time) civil {
	y, m, d := t.Date()
	return civil{y, m, d}
}

func (c civil) add(days int) civil {
	return civilOf(time.Date(c.year, c.month, c.day+days, 0, 0, 0, 0, time.UTC))
}

const monthNames = `january|february|march|april|may|june|july|august|september|october|november|december|` +
	`jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|` +
	`enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|ene|abr|ago|dic`

// patterns are the forms of typed values, in the order in which they claim
// their part of a text.
type patterns struct {
	quoted, email, link, isoTime, isoDate, slashDate, dayMonth, monthDay, time12, time24, dayAlone, phone, code, number *regexp.Regexp

	common  *regexp.Regexp // number and unit in one word, which is no identifier
	example *regexp.Regexp // an identifier in a description
	marked  *regexp.Regexp // one without a digit: shop-eu, acme.example
}

func newPatterns() patterns {
	c := regexp.MustCompile
	return patterns{
		quoted:    c(`"([^"\n]+)"|“([^”\n]+)”|«([^»\n]+)»|(?:^|[\s(:=])'([^'\n]+)'(?:$|[\s,.;:!?)])`),
		email:     c(`[\pL\pN._%+\-]+@[\pL\pN\-]+(?:\.[\pL\pN\-]+)+`),
		link:      c(`(?i)\bhttps?://[^\s<>"']*[^\s<>"'.,;:!?)]`),
		isoTime:   c(`\b(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(:\d{2}(?:\.\d+)?)?([Zz]|[+\-]\d{2}:\d{2})?`),
		isoDate:   c(`\b(\d{4})-(\d{1,2})-(\d{1,2})\b`),
		slashDate: c(`\b(\d{1,2})[/.\-](\d{1,2})[/.\-](\d{4}|\d{2})\b|\b(\d{1,2})/(\d{1,2})\b`),
		dayMonth:  c(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?(?:\s+of|\s+de)?\s+(` + monthNames + `)\b\.?(?:,?\s+(?:de\s+|del\s+)?(\d{4})\b)?`),
		monthDay:  c(`(?i)\b(` + monthNames + `)\.?\s+(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?`),
		time24:    c(`(?i)\b(\d{1,2})[:h](\d{2})(?:\s*(a\.?\s?m\b\.?|p\.?\s?m\b\.?)|\s*(?:hrs|horas|h)\b)?`),
		time12:    c(`(?i)\b(\d{1,2})\s*(a\.?m\b\.?|p\.?m\b\.?)|\b(?:at|a\s+las?)\s+(\d{1,2})\b`),
		dayAlone:  c(`(?i)\bal\s+(?:d[ií]a\s+)?(\d{1,2})\b`),
		phone:     c(`\+\d[\d\s().\-]{5,}\d|\(?\d{2,4}\)?(?:[\s\-]\d{3,4}){2,3}\b`),
		code:      c(`#?[\pL\pN]+(?:[\-_/][\pL\pN]+)*`),
		common:    c(`(?i)^\d+(?:st|nd|rd|th|x|kg|g|gr|cm|mm|m|km|l|lt|ml|h|hr|hrs|min|k|am|pm|usd|eur|º|ª|er|do|ro|ra)$`),
		example:   c(`\b[\pL]{0,6}[-_]?\d[\pL\d]*(?:[-_][\pL\d]+)*\b`),
		marked:    c(`\b[\pL\pN]+(?:[\-_.][\pL\pN]+)+\b`),
		number:    c(`[+\-]?\d+(?:[.,]\d+)*`),
	}
}

// scan finds the typed values of text and marks the tokens they cover. The
// values stand in the order of the text.
// Identifiers without a digit are found only where marked says that some tool
// takes them.
func (l *lexicon) scan(text string, tokens []token, now time.Time, marked bool) []entity {
	s := scanner{text: text, marked: marked, taken: make([]bool, len(text)), now: now, p: &l.patterns}
	s.all(tokens)
	slices.SortStableFunc(s.out, func(a, b entity) int { return cmp.Compare(a.start, b.start) })
	i := 0
	for j := range s.out {
		e := &s.out[j]
		for i < len(tokens) && tokens[i].start < e.start {
			i++
		}
		e.first = i
		for i < len(tokens) && tokens[i].start < e.end {
			tokens[i].entity = j
			i++
		}
		e.last = i - 1
	}
	return s.out
}

type scanner struct {
	text   string
	marked bool
	taken  []bool // bytes that belong to a value already
	now    time.Time
	p      *patterns
	out    []entity
}

// each calls f with the matches of re that nothing has claimed; f returns the
// value, or false when it is none after all.
func (s *scanner) each(re *regexp.Regexp, f func(m []int) (entity, bool)) {
	for _, m := range re.FindAllStringSubmatchIndex(s.text, -1) {
		free := true
		for i := m[0]; i < m[1]; i++ {
			free = free && !s.taken[i]
		}
		if !free {
			continue
		}
		if e, ok := f(m); ok {
			s.claim(e)
		}
	}
}

func (s *scanner) claim(e entity) {
	for i := e.start; i < e.end; i++ {
		s.taken[i] = true
	}
	s.out = append(s.out, e)
}

func (s *scanner) group(m []int, n int) string {
	if 2*n+1 >= len(m) || m[2*n] < 0 {
		return ""
	}
	return s.text[m[2*n]:m[2*n+1]]
}

func (s *scanner) all(tokens []token) {
	s.each(s.p.quoted, func(m []int) (entity, bool) {
		for n := 1; n <= 4; n++ {
			if g := s.group(m, n); strings.TrimSpace(g) != "" {
				return entity{start: m[2*n], end: m[2*n+1], kind: plain, text: g}, true
			}
		}
		return entity{}, false
	})
	s.each(s.p.email, s.whole(email))
	s.each(s.p.link, s.whole(link))
	s.each(s.p.isoTime, func(m []int) (entity, bool) {
		e := entity{start: m[0], end: m[1], kind: dateTime, day: civil{atoi(s.group(m, 1)), time.Month(atoi(s.group(m, 2))), atoi(s.group(m, 3))},
			hour: atoi(s.group(m, 4)), min: atoi(s.group(m, 5))}
		if zone := s.group(m, 7); zone != "" {
			seconds := s.group(m, 6)
			if seconds == "" {
				seconds = ":00"
			}
			e.zoned = true
			e.text = e.day.String() + "T" + s.group(m, 4) + ":" + s.group(m, 5) + seconds + strings.ToUpper(zone)
		}
		return e, e.day.valid() && e.hour < 24 && e.min < 60
	})
	s.each(s.p.isoDate, func(m []int) (entity, bool) {
		return s.dated(m, atoi(s.group(m, 1)), atoi(s.group(m, 2)), atoi(s.group(m, 3)))
	})
	s.each(s.p.slashDate, func(m []int) (entity, bool) {
		if d := s.group(m, 4); d != "" {
			return s.dated(m, 0, atoi(s.group(m, 5)), atoi(d))
		}
		year := atoi(s.group(m, 3))
		if year < 100 {
			year += 2000
		}
		day, month := atoi(s.group(m, 1)), atoi(s.group(m, 2))
		if month > 12 {
			day, month = month, day
		}
		return s.dated(m, year, month, day)
	})
	s.each(s.p.dayMonth, func(m []int) (entity, bool) {
		return s.dated(m, atoi(s.group(m, 3)), monthOf(s.group(m, 2)), atoi(s.group(m, 1)))
	})
	s.each(s.p.monthDay, func(m []int) (entity, bool) {
		return s.dated(m, atoi(s.group(m, 3)), monthOf(s.group(m, 1)), atoi(s.group(m, 2)))
	})
	s.each(s.p.phone, func(m []int) (entity, bool) {
		t := digitsOf(s.text[m[0]:m[1]])
		n := len(strings.TrimPrefix(t, "+"))
		return entity{start: m[0], end: m[1], kind: phone, text: t}, n >= 7 && n <= 15 && (n >= 8 || t[0] == '+') && !s.inWord(m)
	})
	s.each(s.p.time24, func(m []int) (entity, bool) {
		return clocked(m, atoi(s.group(m, 1)), atoi(s.group(m, 2)), s.group(m, 3))
	})
	s.each(s.p.time12, func(m []int) (entity, bool) {
		if h := s.group(m, 3); h != "" {
			return clocked(m, atoi(h), 0, s.afternoon(m[1], atoi(h)))
		}
		return clocked(m, atoi(s.group(m, 1)), 0, s.group(m, 2))
	})
	s.each(s.p.dayAlone, func(m []int) (entity, bool) {
		c := civil{s.now.Year(), s.now.Month(), atoi(s.group(m, 1))}
		if c.day < s.now.Day() {
			c.month++
			if c.month > time.December {
				c.year, c.month = c.year+1, time.January
			}
		}
		return entity{start: m[2], end: m[3], kind: date, day: c}, c.day > 0 && c.valid()
	})
	if s.marked {
		s.each(s.p.marked, func(m []int) (entity, bool) {
			t := s.text[m[0]:m[1]]
			return entity{start: m[0], end: m[1], kind: code, text: t}, strings.ContainsFunc(t, unicode.IsLetter)
		})
	}
	s.each(s.p.code, func(m []int) (entity, bool) {
		t := s.text[m[0]:m[1]]
		bare := strings.TrimPrefix(t, "#")
		letters := strings.ContainsFunc(bare, unicode.IsLetter)
		digits := strings.ContainsFunc(bare, unicode.IsDigit)
		mark := bare != t || strings.ContainsAny(bare, "-_/")
		if !digits || !letters && !mark || s.p.common.MatchString(bare) {
			return entity{}, false
		}
		return entity{start: m[0], end: m[1], kind: code, text: bare}, true
	})
	s.each(s.p.number, func(m []int) (entity, bool) {
		start := m[0]
		if c := s.text[start]; (c == '-' || c == '+') && start > 0 && s.text[start-1] != ' ' && s.text[start-1] != '\t' && s.text[start-1] != '(' {
			start++
		}
		if start > 0 {
			if r, _ := utf8.DecodeLastRuneInString(s.text[:start]); unicode.IsLetter(r) {
				return entity{}, false
			}
		}
		t, ok := numeral(s.text[start:m[1]])
		return entity{start: start, end: m[1], kind: number, text: t}, ok
	})
	s.spoken(tokens)
}

func (s *scanner) whole(k kind) func([]int) (entity, bool) {
	return func(m []int) (entity, bool) {
		return entity{start: m[0], end: m[1], kind: k, text: strings.TrimRight(s.text[m[0]:m[1]], ".")}, true
	}
}

func (s *scanner) inWord(m []int) bool {
	before, _ := utf8.DecodeLastRuneInString(s.text[:m[0]])
	after, _ := utf8.DecodeRuneInString(s.text[m[1]:])
	return wordRune(before) && m[0] > 0 || wordRune(after) && m[1] < len(s.text) || before == '-' || after == '-'
}

// dated makes a day; year 0 is the next time that day comes.
func (s *scanner) dated(m []int, year, month, day int) (entity, bool) {
	c := civil{year, time.Month(month), day}
	if year == 0 {
		c.year = s.now.Year()
		if today := civilOf(s.now); c.String() < today.String() {
			c.year++
		}
	}
	return entity{start: m[0], end: m[1], kind: date, day: c}, month >= 1 && c.valid()
}

// clocked makes a time of day; half is "am", "pm" or what there is of it.
func clocked(m []int, hour, min int, half string) (entity, bool) {
	if half != "" {
		if hour < 1 || hour > 12 {
			return entity{}, false
		}
		hour %= 12
		if half[0] == 'p' || half[0] == 'P' {
			hour += 12
		}
	}
	return entity{start: m[0], end: m[1], kind: clock, hour: hour, min: min}, hour < 24 && min < 60
}

// afternoon reads "de la tarde" or "in the afternoon" behind an hour.
func (s *scanner) afternoon(at, hour int) string {
	rest := fold(s.text[at:])
	for _, p := range [...]string{" de la tarde", " de la noche", " in the afternoon", " in the evening", " at night"} {
		if strings.HasPrefix(rest, p) && hour <= 12 && hour > 0 {
			return "pm"
		}
	}
	return ""
}

func monthOf(name string) int {
	name = strings.ToLower(name)
	if len(name) < 3 {
		return 0
	}
	switch name[:3] {
	case "jan", "ene":
		return 1
	case "feb":
		return 2
	case "mar":
		return 3
	case "apr", "abr":
		return 4
	case "may":
		return 5
	case "jun":
		return 6
	case "jul":
		return 7
	case "aug", "ago":
		return 8
	case "sep", "set":
		return 9
	case "oct":
		return 10
	case "nov":
		return 11
	}
	return 12
}

// spoken finds the days and numbers that are words.
func (s *scanner) spoken(tokens []token) {
	today := civilOf(s.now)
	at := func(i int) string {
		if i >= 0 && i < len(tokens) {
			return tokens[i].word
		}
		return ""
	}
	day := func(first, last int, c civil) {
		s.claim(entity{start: tokens[first].start, end: tokens[last].end, kind: date, day: c})
	}
	for i := 0; i < len(tokens); i++ {
		if s.taken[tokens[i].start] {
			continue
		}
		w := tokens[i].word
		if wd, ok := weekday(w); ok {
			ahead := (int(wd)-int(s.now.Weekday())+6)%7 + 1
			day(i, i, today.add(ahead))
			continue
		}
		switch {
		case w == "day" && at(i+1) == "after" && at(i+2) == "tomorrow":
			day(i, i+2, today.add(2))
			i += 2
		case w == "pasado" && at(i+1) == "manana":
			day(i, i+1, today.add(2))
			i++
		case w == "tomorrow", w == "manana" && at(i-1) != "la" && at(i-1) != "esta":
			day(i, i, today.add(1))
		case w == "yesterday", w == "ayer":
			day(i, i, today.add(-1))
		case w == "today", w == "hoy", w == "tonight":
			day(i, i, today)
		case (w == "in" || w == "en") && (at(i+2) == "days" || at(i+2) == "dias" || at(i+2) == "weeks" || at(i+2) == "semanas"):
			n, ok := wordNumber(at(i + 1))
			if !ok {
				n = atoi(at(i + 1))
			}
			if strings.HasPrefix(at(i+2), "w") || strings.HasPrefix(at(i+2), "s") {
				n *= 7
			}
			if n < 1 || n > 3660 {
				continue
			}
			s.drop(tokens[i+1])
			day(i, i+2, today.add(n))
			i += 2
		case w == "noon", w == "mediodia":
			s.claim(entity{start: tokens[i].start, end: tokens[i].end, kind: clock, hour: 12})
		default:
			if n, ok := wordNumber(w); ok && n > 1 && halfBehind(at(i+1), at(i+2), at(i+3)) > 0 {
				last := i + halfBehind(at(i+1), at(i+2), at(i+3))
				s.claim(entity{start: tokens[i].start, end: tokens[last].end, kind: number, text: strconv.Itoa(n) + ".5"})
				i = last
			} else if ok && (n > 1 || lone(tokens, i)) && !(w == "once" && tokens[i].class == stop) {
				s.claim(entity{start: tokens[i].start, end: tokens[i].end, kind: integer, text: strconv.Itoa(n)})
			}
		}
	}
}

// halfBehind counts the words of "and a half", "y media".
func halfBehind(a, b, c string) int {
	switch {
	case a == "and" && b == "a" && c == "half":
		return 3
	case a == "y" && in(b, "medio media"):
		return 2
	}
	return 0
}

// lone tells whether "one" stands as a number: alone, or before a noun and
// behind no article.
func lone(tokens []token, i int) bool {
	if len(tokens) == 1 || i == len(tokens)-1 && i <= 2 && in(tokens[0].word, "just only solo ok okay yes si") {
		return true
	}
	if i+1 >= len(tokens) || tokens[i+1].gap {
		return false
	}
	switch tokens[max(i-1, 0)].word {
	case "the", "that", "this", "which", "any", "a", "red", "other":
		return false
	}
	return i == 0 || in(tokens[i-1].word, "for by por con with just only") || tokens[i-1].class == request || tokens[i-1].class == content && tokens[i+1].class == content
}

// drop gives up the value that covers t.
func (s *scanner) drop(t token) {
	for i, e := range s.out {
		if e.start <= t.start && t.start < e.end {
			s.out = append(s.out[:i], s.out[i+1:]...)
			return
		}
	}
}

func weekday(w string) (time.Weekday, bool) {
	switch w {
	case "sunday", "domingo":
		return time.Sunday, true
	case "monday", "lunes":
		return time.Monday, true
	case "tuesday", "martes":
		return time.Tuesday, true
	case "wednesday", "miercoles":
		return time.Wednesday, true
	case "thursday", "jueves":
		return time.Thursday, true
	case "friday", "viernes":
		return time.Friday, true
	case "saturday", "sabado":
		return time.Saturday, true
	}
	return 0, false
}

func wordNumber(w string) (int, bool) {
	for i, names := range [...]string{"one uno", "two dos", "three tres", "four cuatro", "five cinco", "six seis", "seven siete",
		"eight ocho", "nine nueve", "ten diez", "eleven once", "twelve doce dozen docena"} {
		for n := range strings.FieldsSeq(names) {
			if n == w {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// numeral turns a number as people write it into a JSON number, with the
// digits kept: 1,000 and 1.000 are thousands, 2,5 is 2.5.
func numeral(s string) (string, bool) {
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		if s[0] == '-' {
			sign = "-"
		}
		s = s[1:]
	}
	commas, dots := strings.Count(s, ","), strings.Count(s, ".")
	grouped := func(sep string) bool {
		parts := strings.Split(s, sep)
		for i, p := range parts {
			if i == 0 && (len(p) > 3 || p == "0") || i > 0 && len(p) != 3 {
				return false
			}
		}
		return true
	}
	switch {
	case commas > 0 && dots > 0:
		if strings.LastIndex(s, ",") < strings.LastIndex(s, ".") {
			s = strings.ReplaceAll(s, ",", "")
		} else {
			s = strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
		}
	case commas > 0 && grouped(","):
		s = strings.ReplaceAll(s, ",", "")
	case dots > 1 && grouped("."):
		s = strings.ReplaceAll(s, ".", "")
	case commas == 1:
		s = strings.Replace(s, ",", ".", 1)
	}
	if strings.Count(s, ".") > 1 || strings.Contains(s, ",") {
		return "", false
	}
	whole, fraction, cut := strings.Cut(s, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if cut {
		whole += "." + fraction
	}
	return sign + whole, true
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '+' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

func atoi(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || n > 1e8 {
			return 0
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}
