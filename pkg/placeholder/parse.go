package placeholder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// Compile reads a text. Where there are faults, each of them is returned, and
// the template holds the placeholders that are right and nothing to evaluate.
//
//	template    = text { "||" text }           (one text where there is no placeholder)
//	placeholder = "$" reference | "${" reference "}"
//	reference   = ("params" | "auth.claims") 1*("." segment)
//	            | "env." name | "auth.subject" | "auth.token" | "contact." field
//	segment     = name | index                 (anything but "." and "}" inside braces)
//	escape      = "$$" before a placeholder or before "||"
func Compile(text string) (*Template, []Fault) {
	if strings.IndexByte(text, '$') < 0 {
		return &Template{alternatives: [][]part{literal(text)}, constant: jsondoc.Quote(text)}, nil
	}
	p := parser{text: text}
	p.scan()
	if len(p.faults) > 0 {
		return &Template{alternatives: [][]part{nil}, refs: p.refs}, p.faults
	}
	return p.template(), nil
}

func literal(text string) []part {
	if text == "" {
		return nil
	}
	return []part{{text: text}}
}

// tokenKind says what a stretch of the text is. Tokens follow one another
// without a gap: every byte belongs to exactly one.
type tokenKind uint8

const (
	tokenText   tokenKind = iota + 1
	tokenEscape           // "$$": stands for one $, or for nothing before ||
	tokenRef
	tokenOr    // "||"
	tokenFault // a placeholder that is none
)

type token struct {
	kind       tokenKind
	start, end int
	ref        int // index into parser.refs
}

type parser struct {
	text   string
	open   bool // no closing brace follows any more
	tokens []token
	refs   []Ref
	faults []Fault
}

// scan cuts the text into tokens.
func (p *parser) scan() {
	for i := 0; i < len(p.text); {
		switch rest := p.text[i:]; {
		case strings.HasPrefix(rest, "$$||"):
			p.add(tokenEscape, i, i+2)
			p.add(tokenText, i+2, i+4)
			i += 4
		case strings.HasPrefix(rest, "$$") && opensPlaceholder(rest[1:]):
			p.add(tokenEscape, i, i+1)
			p.add(tokenText, i+1, i+2)
			i += 2
		case strings.HasPrefix(rest, "||"):
			p.add(tokenOr, i, i+2)
			i += 2
		case rest[0] == '$' && opensPlaceholder(rest):
			i = p.placeholder(i)
		default:
			p.add(tokenText, i, i+1)
			i++
		}
	}
}

// add appends a token, joining neighbouring texts.
func (p *parser) add(kind tokenKind, start, end int) {
	if last := len(p.tokens) - 1; kind == tokenText && last >= 0 && p.tokens[last].kind == tokenText {
		p.tokens[last].end = end
		return
	}
	p.tokens = append(p.tokens, token{kind: kind, start: start, end: end})
}

// opensPlaceholder reports whether s, which starts with $, is meant as a
// placeholder: a known source and a dot, any word that a dot and a name
// follow, or a brace before a known source.
func opensPlaceholder(s string) bool {
	if strings.HasPrefix(s, "${") {
		_, rest, ok := cutSource(s[2:])
		return ok && (rest == "" || !isNameByte(rest[0]) && rest[0] != '-')
	}
	word := name(s[1:])
	rest := s[1+len(word):]
	if word == "" || !strings.HasPrefix(rest, ".") {
		return false
	}
	_, known := sourceOf(word)
	return known || name(rest[1:]) != ""
}

func cutSource(s string) (Source, string, bool) {
	word := name(s)
	source, ok := sourceOf(word)
	return source, s[len(word):], ok
}

func sourceOf(word string) (Source, bool) {
	for s := Params; s <= Contact; s++ {
		if sourceNames[s] == word {
			return s, true
		}
	}
	return 0, false
}

// name returns the identifier s starts with: [A-Za-z_][A-Za-z0-9_]*.
func name(s string) string {
	if s == "" || !isNameByte(s[0]) || isDigit(s[0]) {
		return ""
	}
	i := 1
	for i < len(s) && isNameByte(s[i]) {
		i++
	}
	return s[:i]
}

// segment returns the identifier or the array index s starts with.
func segment(s string) string {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i > 0 {
		return s[:i]
	}
	return name(s)
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isNameByte(b byte) bool {
	return b == '_' || isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// placeholder reads the placeholder that starts at i and returns its end.
func (p *parser) placeholder(i int) int {
	if strings.HasPrefix(p.text[i:], "${") {
		return p.braced(i)
	}
	start := i + 1
	word := name(p.text[start:])
	source, known := sourceOf(word)
	segments, end := p.path(start + len(word))
	if !known {
		p.fault(i, end, unknownSource(word, segments, p.text[i:end]))
		return end
	}
	if len(segments) == 0 { // the dot is part of the mistake
		p.fault(i, end+1, noName(source, p.text[i:end+1]))
		return end + 1
	}
	if taken := fieldsOf(source, segments); taken < len(segments) {
		for _, s := range segments[taken:] {
			end -= len(s) + 1
		}
		segments = segments[:taken]
	}
	if f := p.subscript(i, end, source, segments); f > end {
		return f
	}
	return p.reference(Ref{Source: source, Path: segments, Start: i, End: end})
}

// path reads segments, each with its dot, from i on.
func (p *parser) path(i int) (segments []string, end int) {
	for i < len(p.text) && p.text[i] == '.' {
		s := segment(p.text[i+1:])
		if s == "" {
			break
		}
		segments = append(segments, s)
		i += 1 + len(s)
	}
	return segments, i
}

// fieldsOf says how many of the segments belong to the placeholder: only
// $params and $auth.claims take paths. What claims is misspelt as takes one
// too, so that the fault covers all of it.
func fieldsOf(source Source, segments []string) int {
	switch {
	case source == Env, source == Contact:
		return 1
	case source == Auth && (segments[0] == "subject" || segments[0] == "token"):
		return 1
	}
	return len(segments)
}

// maxSubscript is how far a bracket is looked for.
const maxSubscript = 128

// subscript reports `$params.x[0]`, which other languages would read as an
// index. It returns the end of the whole, or end where there is none.
func (p *parser) subscript(start, end int, source Source, segments []string) int {
	if source != Params && source != Auth || end >= len(p.text) || p.text[end] != '[' {
		return end
	}
	stop := strings.IndexByte(p.text[end:min(len(p.text), end+maxSubscript)], ']')
	if stop < 0 {
		return end
	}
	inner := p.text[end+1 : end+stop]
	key := strings.Trim(inner, `"'`)
	quoted := len(inner) == len(key)+2
	if key == "" || !quoted && strings.Trim(key, "0123456789") != "" {
		return end
	}
	end += stop + 1
	after, tail := p.path(end)
	better := source.String() + "." + strings.Join(append(append(slices.Clone(segments), key), after...), ".")
	if segment(key) != key {
		better = "{" + better + "}"
	}
	p.fault(start, tail, Fault{
		Message: fmt.Sprintf("a placeholder takes no brackets: %q", p.text[start:tail]),
		Hint:    fmt.Sprintf(`write "$%s"`, better),
	})
	return tail
}

// braced reads `${source.path}`, whose names may hold any character but . and }.
func (p *parser) braced(i int) int {
	source, rest, _ := cutSource(p.text[i+2:])
	stop := -1
	if !p.open {
		stop = strings.IndexByte(rest, '}')
		p.open = stop < 0
	}
	if stop < 0 {
		end := len(p.text) - len(rest)
		_, end = p.path(end)
		p.fault(i, end, Fault{
			Message: fmt.Sprintf("the placeholder %q has no closing brace", p.text[i:end]),
			Hint:    fmt.Sprintf(`write "%s}", or "$%s" for the literal text`, p.text[i:end], p.text[i:end]),
		})
		return end
	}
	end := len(p.text) - len(rest) + stop + 1
	ref, f := reference(source, rest[:stop], p.text[i:end])
	if f != nil {
		p.fault(i, end, *f)
		return end
	}
	ref.Start, ref.End = i, end
	return p.reference(ref)
}

// reference reads what follows the source in braces or in request.requires:
// all of it is the path. whole is the placeholder as it stands.
func reference(source Source, path, whole string) (Ref, *Fault) {
	if path == "" || path == "." {
		f := noName(source, whole)
		return Ref{}, &f
	}
	segments := strings.Split(path[1:], ".")
	if path[0] != '.' || slices.Contains(segments, "") {
		return Ref{}, &Fault{Message: fmt.Sprintf("%q is no path: names are joined by single dots", whole)}
	}
	if taken := fieldsOf(source, segments); taken < len(segments) {
		return Ref{}, &Fault{
			Message: fmt.Sprintf("%q goes too deep: $%s takes one name", whole, source),
			Hint:    fmt.Sprintf(`write "$%s.%s"`, source, segments[0]),
		}
	}
	return Ref{Source: source, Path: segments}, nil
}

// reference checks the names of a placeholder and records it.
func (p *parser) reference(r Ref) int {
	if f := checkNames(r, p.text[r.Start:r.End]); f != nil {
		p.fault(r.Start, r.End, *f)
		return r.End
	}
	p.tokens = append(p.tokens, token{kind: tokenRef, start: r.Start, end: r.End, ref: len(p.refs)})
	p.refs = append(p.refs, r)
	return r.End
}

func (p *parser) fault(start, end int, f Fault) {
	f.Start, f.End = start, end
	p.faults = append(p.faults, f)
	p.add(tokenFault, start, end)
}

// template groups the tokens into alternatives. Without a placeholder `||` is text.
func (p *parser) template() *Template {
	t := &Template{refs: p.refs}
	var parts []part
	for i, tok := range p.tokens {
		text := p.text[tok.start:tok.end]
		switch {
		case tok.kind == tokenRef:
			parts = append(parts, part{ref: &p.refs[tok.ref]})
		case tok.kind == tokenOr && len(p.refs) > 0:
			t.alternatives = append(t.alternatives, trimLast(parts))
			parts = nil
		case tok.kind == tokenOr || tok.kind == tokenText:
			if i > 0 && p.tokens[i-1].kind == tokenOr && len(p.refs) > 0 {
				text = strings.TrimLeft(text, white)
			}
			if text != "" {
				parts = append(parts, part{text: text})
			}
		}
	}
	t.alternatives = append(t.alternatives, parts)
	for i := range t.alternatives {
		t.alternatives[i] = joinTexts(t.alternatives[i])
	}
	if len(p.refs) == 0 {
		t.constant = jsondoc.Quote(joinLiteral(t.alternatives[0]))
	}
	return t
}

const white = " \t\r\n"

// trimLast drops the white space before a `||`.
func trimLast(parts []part) []part {
	if last := len(parts) - 1; last >= 0 && parts[last].ref == nil {
		if parts[last].text = strings.TrimRight(parts[last].text, white); parts[last].text == "" {
			parts = parts[:last]
		}
	}
	return parts
}

// joinTexts makes one part of neighbouring texts.
func joinTexts(parts []part) []part {
	joined := parts[:0]
	for i := 0; i < len(parts); {
		run := i
		for run < len(parts) && parts[run].ref == nil {
			run++
		}
		if run == i {
			run++
			joined = append(joined, parts[i])
		} else {
			joined = append(joined, part{text: joinLiteral(parts[i:run])})
		}
		i = run
	}
	return joined
}

// ParseRef reads a placeholder path without its $, as request.requires holds it.
func ParseRef(s string) (Ref, *Fault) {
	ref, f := parseRef(s)
	if f != nil {
		f.Start, f.End = 0, len(s)
		return Ref{}, f
	}
	ref.End = len(s)
	return ref, nil
}

func parseRef(s string) (Ref, *Fault) {
	if bare := strings.TrimPrefix(s, "$"); bare != s {
		bare = strings.TrimSuffix(strings.TrimPrefix(bare, "{"), "}")
		return Ref{}, &Fault{
			Message: fmt.Sprintf("%q has a $: a required value is named by its path alone", s),
			Hint:    fmt.Sprintf("write %q", bare),
		}
	}
	source, rest, known := cutSource(s)
	if !known {
		word, path, dotted := strings.Cut(s, ".")
		f := unknownSource(word, strings.Split(path, "."), s)
		switch {
		case !dotted && slices.Contains(contactFields, word) && word != "name":
			f.Hint = fmt.Sprintf(`write "$contact.%s"`, word)
		case !dotted && name(word) == word && word != "":
			f.Hint = fmt.Sprintf(`write "$params.%s"`, word)
		}
		return Ref{}, asPath(f)
	}
	if open := strings.IndexByte(rest, '['); open > 0 && strings.HasSuffix(rest, "]") {
		index := strings.Trim(rest[open+1:len(rest)-1], `"'`)
		return Ref{}, &Fault{
			Message: fmt.Sprintf("a path takes no brackets: %q", s),
			Hint:    fmt.Sprintf("write %q", source.String()+rest[:open]+"."+index),
		}
	}
	r, f := reference(source, rest, s)
	if f == nil {
		f = checkNames(r, s)
	}
	if f != nil {
		return Ref{}, asPath(*f)
	}
	return r, nil
}

// asPath words a fault for a place where paths stand without the $, and where
// nothing can be literal.
func asPath(f Fault) *Fault {
	f.Message = strings.Replace(f.Message, "placeholder ", "path ", 1)
	f.Hint, _, _ = strings.Cut(f.Hint, ", or ")
	if strings.HasSuffix(f.Hint, "for the literal text") {
		f.Hint = `write "params.name", with the parameter's name`
	}
	f.Hint = strings.Replace(f.Hint, `"$`, `"`, 1)
	return &f
}

// describe names what may follow a source.
func describe(s Source) string {
	switch s {
	case Params:
		return "a parameter"
	case Env:
		return "a secret"
	case Auth:
		return "a field of the principal"
	}
	return "a field of the contact"
}

func noName(s Source, whole string) Fault {
	return Fault{
		Message: fmt.Sprintf("the placeholder %q does not name %s", whole, describe(s)),
		Hint:    fmt.Sprintf(`write "$%s", or "$%s" for the literal text`, example(s), whole),
	}
}

func example(s Source) string {
	switch s {
	case Params:
		return "params.name"
	case Env:
		return "env.KEY"
	case Auth:
		return "auth.subject"
	}
	return "contact.email"
}

var (
	authFields    = []string{"subject", "token", "claims"}
	contactFields = []string{"name", "email", "phone_number"}
)

// checkNames checks the names behind the source. whole is the placeholder as it stands.
func checkNames(r Ref, whole string) *Fault {
	switch first := r.Path[0]; {
	case r.Source == Env && !ValidKey(first):
		f := Fault{Message: fmt.Sprintf("%q is no name of a secret in placeholder %q: names are A-Z, 0-9 and _, start with a letter and have 64 characters at most", first, whole)}
		if upper := strings.ToUpper(strings.ReplaceAll(first, "-", "_")); ValidKey(upper) {
			f.Hint = fmt.Sprintf(`did you mean "$env.%s"?`, upper)
		}
		return &f
	case r.Source == Auth && first == "claims" && len(r.Path) == 1:
		return &Fault{
			Message: fmt.Sprintf("the placeholder %q does not name a claim", whole),
			Hint:    `write "$auth.claims.email", with the claim's name`,
		}
	case r.Source == Auth && !slices.Contains(authFields, first):
		return unknownField(r, whole, authFields, map[string]string{
			"sub": "subject", "id": "subject", "user": "subject", "user_id": "subject", "jwt": "token", "claim": "claims",
		})
	case r.Source == Contact && !slices.Contains(contactFields, first):
		return unknownField(r, whole, contactFields, map[string]string{
			"phone": "phone_number", "phoneNumber": "phone_number", "tel": "phone_number", "mobile": "phone_number",
			"mail": "email", "email_address": "email", "full_name": "name", "first_name": "name",
		})
	}
	return nil
}

// ValidKey reports whether s can name a secret: ^[A-Z][A-Z0-9_]{0,63}$.
func ValidKey(s string) bool {
	if s == "" || len(s) > 64 || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func unknownField(r Ref, whole string, fields []string, others map[string]string) *Fault {
	f := Fault{Message: fmt.Sprintf("unknown field %q in placeholder %q, wanted %s", r.Path[0], whole, diag.Quoted(fields))}
	near, ok := others[r.Path[0]]
	if !ok {
		near = diag.Nearest(r.Path[0], fields)
	}
	if near != "" {
		better := append([]string{near}, r.Path[1:]...)
		f.Hint = fmt.Sprintf(`did you mean "$%s.%s"?`, r.Source, strings.Join(better, "."))
		if near == "claims" && len(better) == 1 {
			f.Hint = `write "$auth.claims.email", with the claim's name`
		}
	} else if r.Source == Auth {
		f.Hint = fmt.Sprintf(`for a claim of the token write "$auth.claims.%s"`, strings.Join(r.Path, "."))
	}
	return &f
}

// alsoCalled maps words that other products use to ours.
var alsoCalled = map[string]Source{
	"arg": Params, "args": Params, "argument": Params, "arguments": Params, "input": Params, "inputs": Params, "parameter": Params, "parameters": Params,
	"secret": Env, "secrets": Env, "environment": Env, "vars": Env,
	"user": Auth, "principal": Auth, "token": Auth, "jwt": Auth, "claims": Auth,
	"visitor": Contact, "customer": Contact, "profile": Contact,
}

func unknownSource(word string, segments []string, whole string) Fault {
	f := Fault{Message: fmt.Sprintf("unknown source %q in placeholder %q", word, whole)}
	source, ok := alsoCalled[strings.ToLower(word)]
	if !ok {
		source, ok = sourceOf(diag.Nearest(word, sourceNames[Params:]))
	}
	path := strings.Join(segments, ".")
	if strings.EqualFold(word, "claims") {
		path = "claims." + path
	}
	better := Ref{Source: source}
	switch {
	case !ok:
		f.Message += ", wanted " + diag.Quoted(sourceNames[Params:])
		f.Hint = fmt.Sprintf(`write "$%s" for the literal text`, whole)
		return f
	case source == Env:
		path = strings.ToUpper(path)
	}
	better.Path = strings.Split(path, ".")
	f.Hint = fmt.Sprintf(`did you mean "$%s"?`, better)
	return f
}
