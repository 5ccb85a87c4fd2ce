package scaffold

import (
	"fmt"
	"strings"

	"github.com/vatio-dev/vatio/internal/toolfile"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A field is one entry of respond.data.
type field struct{ name, path string }

// mostFields is how many values of an object are taken one by one.
const mostFields = 8

// Learn proposes respond.data from what the backend answered to the request: the
// list in the answer, or the values of the object that it is. It reports whether
// there was anything to take.
func (t *Tool) Learn(answer jsondoc.Value) bool {
	t.answer, t.counted = nil, false
	name, path, list := findList("$", t.listName(), answer, 3)
	switch {
	case list:
		t.answer, t.counted = []field{{name, path}}, true
	case answer.Kind() == jsondoc.Object:
		path, object := unwrap("$", answer)
		for key := range object.Members() {
			if len(t.answer) == mostFields {
				t.answer = []field{{t.objectName(), path}}
				break
			}
			t.answer = append(t.answer, field{fieldName(key), path + step(key)})
		}
	}
	return len(t.answer) > 0
}

// Names of envelopes say nothing about what is in them.
func isEnvelope(key string) bool {
	switch strings.ToLower(key) {
	case "data", "items", "results", "result", "records", "list", "rows", "values", "content", "response", "payload", "body", "objects", "entries", "_embedded":
		return true
	}
	return false
}

// findList looks for the first list, in the value itself, then among its members,
// then in what these hold.
func findList(path, name string, v jsondoc.Value, depth int) (string, string, bool) {
	if v.Kind() == jsondoc.Array {
		return name, path, true
	}
	if v.Kind() != jsondoc.Object || depth == 0 {
		return "", "", false
	}
	for key, member := range v.Members() {
		if member.Kind() == jsondoc.Array && (isEnvelope(key) || v.Len() <= 3) {
			return nameOf(key, name), path + step(key), true
		}
	}
	for key, member := range v.Members() {
		if member.Kind() == jsondoc.Object && isEnvelope(key) {
			if n, p, ok := findList(path+step(key), name, member, depth-1); ok {
				return n, p, true
			}
		}
	}
	return "", "", false
}

// unwrap goes into an object that holds only one other.
func unwrap(path string, v jsondoc.Value) (string, jsondoc.Value) {
	for key, member := range v.Members() {
		if member.Kind() == jsondoc.Object && (v.Len() == 1 || isEnvelope(key)) {
			return unwrap(path+step(key), member)
		}
	}
	return path, v
}

func nameOf(key, otherwise string) string {
	if isEnvelope(key) {
		return otherwise
	}
	return fieldName(key)
}

func fieldName(key string) string {
	if id := toolfile.Identifier(key); id != "" {
		return id
	}
	return "value"
}

// step is the member name of a normalised-looking JSONPath (RFC 9535 section
// 2.5.1): .name where the shorthand allows it.
func step(key string) string {
	for i, r := range key {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return quoted(key)
		}
	}
	if key == "" {
		return quoted(key)
	}
	return "." + key
}

// quoted is a name selector in single quotes (RFC 9535 section 2.3.1).
func quoted(key string) string {
	var b strings.Builder
	b.WriteString("['")
	for _, r := range key {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("']")
	return b.String()
}

func (t *Tool) listName() string {
	if t.noun == "" {
		return "items"
	}
	return t.noun
}

func (t *Tool) objectName() string { return singular(t.listName()) }

// Takes says what respond.data takes of the answer, for people.
func (t *Tool) Takes() string {
	var paths []string
	for _, f := range t.answer {
		paths = append(paths, f.path)
	}
	return strings.Join(paths, ", ")
}
