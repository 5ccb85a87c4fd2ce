package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// yamlError turns the error of yaml.v3 into a diagnostic at the token at
// fault. yaml.v3 reports no column and often the wrong line, so the file is
// parsed again by a parser that keeps places.
func yamlError(src *source, err error) diag.Diagnostic {
	e := yamlFault{src: src, data: src.file.Data, outline: newOutline(src.file)}
	e.problem, e.at = oldFault(src, err)
	e.context = e.at
	if load := loadError(src); load != nil {
		e.problem = load.Message
		e.about = load.ContextMsg
		e.at = src.offset(load.Mark.Line, load.Mark.Column)
		e.context = e.at
		if load.ContextMark.Line > 0 {
			e.context = src.offset(load.ContextMark.Line, load.ContextMark.Column)
		}
	}
	return e.diagnostic()
}

// loadError returns the error of the parser that keeps places, nil when it
// accepts the file. It refuses the escape \' which yaml.v3 knows, so another
// one of the same length takes its place.
func loadError(src *source) *yaml.LoadError {
	const most = 16
	data := src.file.Data
	for range most {
		var load *yaml.LoadError
		if !errors.As(loadYAML(data), &load) || load.Mark.Line == 0 {
			return nil
		}
		at := src.offset(load.Mark.Line, load.Mark.Column)
		if !strings.Contains(load.Message, "unknown escape") || !bytes.HasPrefix(data[at:], []byte(`\'`)) {
			return load
		}
		data = bytes.Clone(data)
		data[at+1] = '/'
	}
	return nil
}

// loadYAML parses data with the parser whose errors have places.
func loadYAML(data []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errPanic
		}
	}()
	var node yaml.Node
	return yaml.Load(data, &node, yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth), loaderlimits.AliasNone())))
}

// oldFault returns what yaml.v3 says and the first character of the line it
// names. For a tab it may name the line where the text began.
func oldFault(src *source, err error) (problem string, at int) {
	problem = strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(problem); m != nil {
		line, _ = strconv.Atoi(m[1])
		problem = problem[len(m[0]):]
	}
	data := src.file.Data
	at = src.offset(line, 1)
	if strings.Contains(problem, "tab character") {
		for i := at; i < len(data); {
			for i < len(data) && data[i] == ' ' {
				i++
			}
			if i < len(data) && data[i] == '\t' {
				return problem, i
			}
			for i < len(data) && breakLen(data, i) == 0 {
				i++
			}
			if i < len(data) {
				i += breakLen(data, i)
			}
		}
	}
	for at < len(data) && isBlank(data[at]) {
		at++
	}
	return problem, at
}

// yamlFault is a syntax error as a library reports it.
type yamlFault struct {
	src     *source
	data    []byte
	outline *outline
	problem string // the library's words
	about   string // what it was reading
	at      int
	context int // where what it was reading began
}

func (e *yamlFault) report(at int, hint, format string, args ...any) diag.Diagnostic {
	return e.src.fault(at, hint, format, args...)
}

// char returns the character at i as it is to be named in a message.
func (e *yamlFault) char(i int) string {
	if i >= len(e.data) {
		return "the end of the file"
	}
	if breakLen(e.data, i) > 0 {
		return "the end of the line"
	}
	_, n := utf8.DecodeRune(e.data[i:])
	return strconv.Quote(string(e.data[i : i+n]))
}

// byteAt returns the byte at i, 0 at the end of the file.
func (e *yamlFault) byteAt(i int) byte {
	if i < 0 || i >= len(e.data) {
		return 0
	}
	return e.data[i]
}

// before returns the offset of the last character before i in the same line
// that is not blank, or -1.
func (e *yamlFault) before(i int) int {
	for i--; i >= e.src.file.BOM(); i-- {
		if !isBlank(e.data[i]) {
			if c := e.data[i]; c == '\n' || c == '\r' {
				return -1
			}
			return i
		}
	}
	return -1
}

func (e *yamlFault) says(part string) bool { return strings.Contains(e.problem, part) }

const (
	braceIsMap     = `a value that starts with "{{" is read as a map, not as text`
	hintQuoteValue = "put the value in quotes"
	noTab          = "a tab cannot be used for indentation"
	hintSpaces     = "indent with spaces"
)

func (e *yamlFault) diagnostic() diag.Diagnostic {
	switch {
	case e.says("exceeded max depth"):
		return e.report(e.at, "", "%s", tooDeep)
	case e.byteAt(e.at) == '\t' && (e.says("tab character") || e.says("cannot start any token")):
		return e.report(e.at, hintSpaces, noTab)
	case e.says("cannot start any token") && blankAt(e.data, e.at):
		// The place is where the blanks end; the tab among them is at fault.
		tab := e.at
		for i := e.at - 1; i >= e.src.file.BOM() && isBlank(e.data[i]); i-- {
			if e.data[i] == '\t' {
				tab = i
			}
		}
		return e.report(tab, hintSpaces, noTab)
	}
	if at, ok := e.outline.runaway(e.at); ok {
		return e.unclosedQuote(at)
	}
	if e.says("end of stream") || e.says("document indicator") {
		if strings.Contains(e.about, "quoted scalar") {
			return e.unclosedQuote(e.context)
		}
		for _, q := range e.outline.quotes {
			if !q.closed {
				return e.unclosedQuote(q.start)
			}
		}
		if c := e.byteAt(e.at); c == '"' || c == '\'' {
			return e.unclosedQuote(e.at)
		}
	}
	open, isOpen := e.outline.enclosing(e.at)
	isOpen = isOpen && e.outline.open[open] < 0
	if isOpen && e.outline.overrun(open, e.at) {
		return e.unclosedBracket(open)
	}
	if d, ok := e.token(); ok {
		return d
	}
	if isOpen {
		return e.unclosedBracket(open)
	}
	if d, ok := e.structure(); ok {
		return d
	}
	return e.report(e.at, "", "this is not YAML: %s", e.problem)
}

func (e *yamlFault) unclosedQuote(at int) diag.Diagnostic {
	quote := string(e.data[at : at+1])
	hint := "add the closing quote at the end of the text"
	return e.report(at, hint, "the quote %s is never closed", quote)
}

func (e *yamlFault) unclosedBracket(at int) diag.Diagnostic {
	if at > 0 && e.data[at] == '{' && e.data[at-1] == '{' {
		at--
	}
	if bytes.HasPrefix(e.data[at:], []byte("{{")) {
		return e.doubleBrace(at)
	}
	want := "]"
	if e.data[at] == '{' {
		want = "}"
	}
	return e.report(at, fmt.Sprintf("add the %q, or put the value in quotes when it is text", want), "%q is never closed", e.data[at:at+1])
}

func (e *yamlFault) doubleBrace(at int) diag.Diagnostic {
	return e.report(at, hintQuoteValue, braceIsMap)
}

// token covers the faults of single characters and words.
func (e *yamlFault) token() (diag.Diagnostic, bool) {
	switch {
	case e.says("cannot start any token"):
		return e.report(e.at, hintQuoteValue, "a plain value cannot start with %s", e.char(e.at)), true
	case e.says("comment without preceding whitespace"):
		return e.report(e.at, `write " #"`, "a blank is missing before the comment"), true
	case e.says("unknown escape character"):
		at := e.backslash()
		_, n := utf8.DecodeRune(e.data[at+1:])
		return e.report(at, `write the backslash twice, or use single quotes`, `"%s" is no escape sequence`, e.data[at:at+1+n]), true
	case e.says("decimal number"):
		return e.report(e.backslash(), `\x takes 2 hexadecimal digits, \u 4 and \U 8; write a plain backslash twice`, "this escape sequence is not complete"), true
	case e.says("invalid Unicode character escape code"):
		return e.report(e.backslash(), `write the character itself, or the \U escape of it`, "this escape sequence stands for no character"), true
	case e.says("unknown directive name"), e.says("directive") && !e.says("duplicate"), e.says("version number"), e.says("incompatible YAML document"):
		at := e.context
		if e.byteAt(at) == '%' {
			return e.report(at, `a line that starts with "%" is read as a directive: put it in quotes or indent it`, "this is no directive of YAML 1.1 or 1.2"), true
		}
	case e.says("duplicate %"):
		return e.report(e.at, "remove one of the two", "this directive is given twice"), true
	case e.says("expected alphabetic or numeric character"):
		if strings.Contains(e.about, "alias") || e.byteAt(e.context) == '*' {
			return e.report(e.context, hintQuoteValue+` when the "*" belongs to it`, `"*" starts an alias, and no name follows`), true
		}
		return e.report(e.context, hintQuoteValue+` when the "&" belongs to it`, `"&" starts an anchor, and no name follows`), true
	case e.says("unknown anchor"):
		if e.byteAt(e.at) != '*' {
			break
		}
		end := e.at + 1
		for !blankAt(e.data, end) && !isFlowMark(e.data[end]) && end < e.at+60 {
			end++
		}
		name := e.data[e.at:end]
		return e.report(e.at, hintQuoteValue+` when the "*" belongs to it`, "%s is an alias, and nothing above it has the anchor &%s", name, name[1:]), true
	case e.says("undefined tag handle"), strings.Contains(e.about, "tag"), e.says("tag"), e.says("'>'"), e.says("whitespace or line break"):
		at := e.context
		if e.about == "" { // only the line is known
			for at < len(e.data) && e.data[at] != '!' && breakLen(e.data, at) == 0 {
				at++
			}
		}
		if e.byteAt(at) == '!' {
			return e.report(at, hintQuoteValue+` when the "!" belongs to it`, "this tag is not supported"), true
		}
	case e.says("indentation indicator equal to 0"):
		return e.report(e.at, "", "the indentation of a block must be 1 to 9, not 0"), true
	case e.says("expected comment or line break"):
		return e.report(e.at, `start the text on the next line; put the value in quotes when the "|" or ">" belongs to it`,
			"text cannot follow %q in the same line", e.data[e.context:e.context+1]), true
	}
	return diag.Diagnostic{}, false
}

// backslash returns the offset of the last backslash up to the fault.
func (e *yamlFault) backslash() int {
	if i := bytes.LastIndexByte(e.data[:min(e.at+1, len(e.data))], '\\'); i >= 0 {
		return i
	}
	return e.at
}

// structure covers tokens that are fine but stand in the wrong place.
func (e *yamlFault) structure() (diag.Diagnostic, bool) {
	prev := e.before(e.at)
	switch {
	case e.says("mapping values are not allowed"):
		return e.colon(), true
	case e.says("could not find expected ':'"):
		return e.noColon(e.context), true
	case e.says("block sequence entries are not allowed"):
		return e.report(e.at, `start the list on the next line; put the value in quotes when the "-" belongs to it`, `a list cannot start in the line of its key`), true
	case e.says("mapping keys are not allowed"):
		return e.report(e.at, hintQuoteValue+` when the "?" belongs to it`, `"? " starts a key, and none can stand here`), true
	case (e.says("expected ',' or ']'") || e.says("expected ',' or '}'")) && (e.byteAt(e.at) == ']' || e.byteAt(e.at) == '}'):
		return e.report(e.at, "remove it, or add what it should close", "%s closes nothing", e.char(e.at)), true
	case e.says("expected ',' or ']'"), e.says("expected ',' or '}'"):
		if prev >= 0 && e.byteAt(prev) == '"' || e.byteAt(prev) == '\'' || e.byteAt(e.at) != ':' {
			return e.report(e.at, "separate the entries by commas", `a "," is missing before %s`, e.char(e.at)), true
		}
		return e.report(e.at, `separate the entries by commas; put a value with ": " in quotes`, `unexpected ":" in %s`, e.flowName()), true
	case e.says("did not find expected <document start>"):
		return e.report(e.at, "", "the file goes on after its value has ended"), true
	case e.says("did not find expected node content"):
		return e.report(e.at, hintQuoteValue+" when this belongs to a text", "%s stands where a value is expected", e.char(e.at)), true
	}
	if prev >= 0 {
		return e.afterValue(prev)
	}
	switch {
	case e.byteAt(e.at) == ']' || e.byteAt(e.at) == '}':
		return e.report(e.at, "remove it, or add what it should close", "%s closes nothing", e.char(e.at)), true
	case e.says("did not find expected '-' indicator"):
		return e.report(e.at, `start the line with "- ", or indent it like what it belongs to`, `this line stands in a list but is no item of it`), true
	case e.byteAt(e.at) == '-' && blankAt(e.data, e.at+1):
		return e.report(e.at, "indent the list like, or below, the key it belongs to", `a list item stands where a key is expected`), true
	case e.says("did not find expected key"):
		return e.report(e.at, "indent it like the keys it belongs with", "the indentation of this line fits no line above it"), true
	}
	return diag.Diagnostic{}, false
}

func (e *yamlFault) flowName() string {
	if at, ok := e.outline.enclosing(e.at); ok && e.data[at] == '[' {
		return `a list in "[ ]"`
	}
	return `a map in "{ }"`
}

// colon covers a ": " where none can be.
func (e *yamlFault) colon() diag.Diagnostic {
	if p, ok := e.outline.plainAt(e.at); ok && p.multiline {
		if p.startsALine {
			return e.noColon(p.start)
		}
		return e.report(e.at, "indent the key like the one above it, or put the value above in quotes", `a key stands below a value that has begun in a line above`)
	}
	if prev := e.before(e.at); prev >= 0 && strings.IndexByte(`"'}]`, e.data[prev]) >= 0 {
		return e.report(e.at, "put the whole value in quotes", `a second ": " in one line`)
	}
	return e.report(e.at, hintQuoteValue, `a ": " inside a plain value`)
}

// noColon covers a line at at that should be a key and is none.
func (e *yamlFault) noColon(at int) diag.Diagnostic {
	for i := at; i < len(e.data) && breakLen(e.data, i) == 0; i++ {
		if e.data[i] == ':' && !blankAt(e.data, i+1) && i > at {
			return e.report(i, `write ": "`, `a space is missing after ":"`)
		}
		if isBlank(e.data[i]) {
			break
		}
	}
	if e.byteAt(at) == '-' {
		return e.report(at, `write "- "`, `a space is missing after "-"`)
	}
	return e.report(at, `write "key: value"`, `this line should be a key but has no ": "`)
}

// afterValue covers text after a value that is complete; prev is the last
// character of the value.
func (e *yamlFault) afterValue(prev int) (diag.Diagnostic, bool) {
	switch c := e.data[prev]; {
	case c == '\'':
		return e.report(e.at, "write a ' inside single quotes twice", "text after the closing quote"), true
	case c == '"':
		return e.report(e.at, `write a " inside double quotes as \"`, "text after the closing quote"), true
	case c == ']' || c == '}':
		open := prev
		for k := len(e.outline.order) - 1; k >= 0; k-- {
			if from := e.outline.order[k]; e.outline.open[from] == prev {
				open = from
			}
		}
		if bytes.HasPrefix(e.data[open:], []byte("{{")) {
			return e.doubleBrace(open), true
		}
		return e.report(e.at, hintQuoteValue+" when it is text", "%s stands after the end of the value", e.char(e.at)), true
	case e.byteAt(e.at) == '&' || e.byteAt(e.at) == '!':
		return e.report(e.at, hintQuoteValue+" when it is text", "a value has one anchor and one tag at most"), true
	}
	return e.report(e.at, hintQuoteValue, "%s stands after the end of the value", e.char(e.at)), true
}
