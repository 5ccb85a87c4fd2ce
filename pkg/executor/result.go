package executor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// maxContent bounds, in bytes, what is made of an answer: a path that matches
// nested values repeats them, and indenting deep nesting multiplies it.
const maxContent = 4 * MaxBody

// httpOutcome maps the answer of an HTTP tool to its result.
func httpOutcome(t *tool.Tool, a *answer, secrets *redactor, trace *Trace) Outcome {
	if a.clean {
		secrets = secrets.messagesOnly()
	}
	content, f := "", (*failure)(nil)
	if a.status/100 != 2 {
		message, key := serviceError(a, secrets)
		return Outcome{Content: ErrorResult(message, key), IsError: true, ErrorKey: key, Trace: trace}
	}
	if content, f = okResult(&t.HTTP.Respond, a, secrets); f != nil {
		if f.key != keyResult {
			f.reason += doubt(t.HTTP.Method)
		}
		return refuse(t, f, secrets, trace)
	}
	return Outcome{Content: content, Trace: trace}
}

// serviceError reads the message and the key of an answer that is no success.
func serviceError(a *answer, secrets *redactor) (message, key string) {
	message, key = fmt.Sprintf("The service answered HTTP %d.", a.status), statusKey(a.status)
	body, err := jsondoc.Parse(a.text)
	if err != nil {
		return message, key
	}
	if own := bodyMessage(body); own != "" {
		message = secrets.text(own)
	}
	if v := body.Get("error_key"); v.Kind() == jsondoc.String {
		if own := secrets.text(v.Text()); isErrorKey(own) {
			key = own
		}
	}
	return message, key
}

func statusKey(status int) string { return "http_" + strconv.Itoa(status) }

// isErrorKey matches ^[a-z][a-z0-9_]*$.
func isErrorKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		if ('a' > c || c > 'z') && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

// bodyMessage is the body's own top-level message, "" where there is none.
func bodyMessage(body jsondoc.Value) string {
	if v := body.Get("message"); v.Kind() == jsondoc.String {
		if text := v.Text(); !isBlank(text) {
			return text
		}
	}
	return ""
}

// isBlank reports whether nothing of s can be seen.
func isBlank(s string) bool { return !strings.ContainsFunc(s, isVisible) }

func isVisible(r rune) bool {
	const brailleBlank = 0x2800
	return r != brailleBlank &&
		!unicode.In(r, unicode.White_Space, unicode.C, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// okResult applies respond to the body of a success.
func okResult(respond *tool.Respond, a *answer, secrets *redactor) (string, *failure) {
	var body jsondoc.Value
	if respond.HasData || respond.Message == nil {
		var err error
		if body, err = parseBody(a.text); err != nil && respond.HasData {
			return "", &failure{keyResponse, fmt.Sprintf("the service answered HTTP %d, but its body is no JSON: %s", a.status, a.syntax(err))}
		}
	}
	selected, f := selectData(respond.Data, body)
	if f != nil {
		return "", f
	}
	message := bodyMessage(body)
	if respond.Message != nil {
		message = ownMessage(respond.Message, selected)
	}
	if isBlank(message) {
		return "", &failure{keyResult, fmt.Sprintf("the service answered HTTP %d, but neither the tool nor the answer has a message, so there is no result. The call was carried out and must not simply be repeated", a.status)}
	}
	dst := make([]byte, 0, 128+len(message)+sizeOf(selected))
	dst = append(dst, `{"result":"ok","message":`...)
	dst = jsondoc.AppendQuote(dst, secrets.text(message))
	if respond.HasData {
		dst = append(dst, `,"data":`...)
		start := len(dst)
		dst = append(dst, '{')
		for i := range selected {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsondoc.AppendQuote(dst, respond.Data[i].Key), ':')
			dst = selected[i].append(dst, secrets)
		}
		dst = secrets.acrossValues(append(dst, '}'), start)
	}
	return string(append(dst, '}')), nil
}

// syntax words what is wrong with a body. The first word of a body with secrets
// may be part of one.
func (a *answer) syntax(err error) string {
	if wrong := new(jsondoc.SyntaxError); !a.clean && errors.As(err, &wrong) {
		return "it goes wrong at byte " + strconv.Itoa(wrong.Offset)
	}
	return err.Error()
}

// parseBody parses a body; an empty one is null.
func parseBody(text []byte) (jsondoc.Value, error) {
	if len(text) == 0 {
		return jsondoc.MustParse("null"), nil
	}
	return jsondoc.Parse(text)
}

// A selection is what one entry of respond.data found.
type selection struct {
	nodes  []jsondoc.Value
	single bool // the path can match one node at most: it stands for itself
}

func selectData(mappings []tool.Mapping, body jsondoc.Value) ([]selection, *failure) {
	if len(mappings) == 0 {
		return nil, nil
	}
	selected := make([]selection, len(mappings))
	size := 0
	for i := range mappings {
		nodes, err := mappings[i].Path.Select(body)
		if err != nil {
			return nil, &failure{keyTooLarge, fmt.Sprintf("the path %q of respond.data.%s matches too much of the service's answer", mappings[i].Path, mappings[i].Key)}
		}
		selected[i] = selection{nodes, mappings[i].Path.Singular()}
		for _, node := range nodes {
			if size += len(node.Raw()) + 1; size > maxContent {
				return nil, &failure{keyTooLarge, fmt.Sprintf("what respond.data takes from the service's answer is over %d bytes", maxContent)}
			}
		}
	}
	return selected, nil
}

func sizeOf(selected []selection) int {
	size := 0
	for i := range selected {
		for _, node := range selected[i].nodes {
			size += len(node.Raw()) + 1
		}
	}
	return size
}

func (s *selection) append(dst []byte, secrets *redactor) []byte {
	if s.single {
		if len(s.nodes) == 0 {
			return append(dst, "null"...)
		}
		return secrets.appendJSON(dst, s.nodes[0])
	}
	dst = append(dst, '[')
	for i, node := range s.nodes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = secrets.appendJSON(dst, node)
	}
	return append(dst, ']')
}

// array returns the length of the mapped value when that is an array.
func (s *selection) array() (length int, ok bool) {
	if !s.single {
		return len(s.nodes), true
	}
	if len(s.nodes) > 0 && s.nodes[0].Kind() == jsondoc.Array {
		return s.nodes[0].Len(), true
	}
	return 0, false
}

// ownMessage is the text of respond.message that fits what was selected.
func ownMessage(m *tool.Message, selected []selection) string {
	count := countOf(selected)
	text := m.Default
	if count == 0 && m.WhenEmpty != "" {
		text = m.WhenEmpty
	}
	if !strings.Contains(text, "{{count}}") {
		return text
	}
	return strings.ReplaceAll(text, "{{count}}", strconv.Itoa(count))
}

// countOf is the length of the first mapped value that is an array. Without one
// it is 1, or 0 when all mapped values are empty.
func countOf(selected []selection) int {
	count := 0
	for i := range selected {
		if length, ok := selected[i].array(); ok {
			return length
		}
		if len(selected[i].nodes) > 0 && !selected[i].nodes[0].IsEmpty() {
			count = 1
		}
	}
	return count
}
