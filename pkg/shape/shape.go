// Package shape reads the fields of a positioned tree one by one and reports,
// each fault once, what does not fit: keys nobody knows, values of another
// type, required fields that are missing or blank, values outside a set.
package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// A Reader collects the faults of one file. It is not safe for concurrent use.
type Reader struct {
	Faults diag.List
}

// Add records a fault.
func (r *Reader) Add(d diag.Diagnostic) { r.Faults = append(r.Faults, d) }

// A Map is one map of the file, its known keys declared.
type Map struct {
	r        *Reader
	node     *syntax.Node
	at       diag.Span // where a missing field is reported
	prefix   string    // "request." – how messages call its fields
	misspelt []string  // known keys that an unknown one was probably meant to be
	absent   bool
}

// Map reads node as a map with these keys and reports every other key. at is
// where a missing field is reported: the key of the map; name is what messages
// call it, "" for the root. A node that is no map is a fault too; nil is an
// empty map that misses nothing.
func (r *Reader) Map(node *syntax.Node, at diag.Span, name string, keys ...string) *Map {
	m := &Map{r: r, node: node, at: at}
	if name != "" {
		m.prefix = name + "."
	}
	switch {
	case node == nil:
		m.absent = true
	case node.Kind != syntax.Map:
		r.wrongType(node, at, cmpOr(name, "the file"), "a map")
		m.node, m.absent = nil, true
	default:
		m.unknownKeys(keys)
	}
	return m
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return `"` + a + `"`
}

func (m *Map) unknownKeys(keys []string) {
	for _, p := range m.node.Pairs {
		key := p.Key.Text
		if slices.Contains(keys, key) {
			continue
		}
		var free []string // a key that is there already is no candidate
		for _, k := range keys {
			if m.node.Get(k) == nil {
				free = append(free, k)
			}
		}
		d := diag.Errorf(p.Key.Span(), "unknown-key", "unknown key %q", m.prefix+key)
		if near := diag.Nearest(key, free); near != "" {
			m.misspelt = append(m.misspelt, near)
			d = d.WithHint("did you mean %q?", near)
		} else {
			d = d.WithHint("known keys: %s", strings.Join(keys, ", "))
		}
		m.r.Add(d)
	}
}

// Misspelt reports whether key seems to be there under another spelling.
func (m *Map) Misspelt(key string) bool { return slices.Contains(m.misspelt, key) }

// Get returns the value of key, nil when it is absent.
func (m *Map) Get(key string) *syntax.Node { return m.node.Get(key) }

// KeySpan returns where key stands, or the place of the map.
func (m *Map) KeySpan(key string) diag.Span {
	if p, ok := m.node.Pair(key); ok {
		return p.Key.Span()
	}
	return m.at
}

// Name returns what messages call the field.
func (m *Map) Name(key string) string { return m.prefix + key }

// Missing reports that key is required, unless it is misspelt or the map itself is.
func (m *Map) Missing(key string) {
	if !m.absent && !m.Misspelt(key) {
		m.r.Add(diag.Errorf(m.at, "required", "%q is required", m.Name(key)))
	}
}

// Require returns the value of key and reports its absence.
func (m *Map) Require(key string) *syntax.Node {
	n := m.Get(key)
	if n == nil {
		m.Missing(key)
	}
	return n
}

// String returns the text of key; "" and a nil node when it is absent or no
// string. A string node may be blank.
func (m *Map) String(key string) (string, *syntax.Node) {
	n := m.Get(key)
	if n == nil || !m.is(n, key, "a string", syntax.String) {
		return "", nil
	}
	return n.Text, n
}

// Text returns the text of a required key that must not be blank. The node is
// nil when there is no such text.
func (m *Map) Text(key string) (string, *syntax.Node) {
	n := m.Require(key)
	if n == nil {
		return "", nil
	}
	if n.Kind == syntax.Null || n.Kind == syntax.String && strings.TrimSpace(n.Text) == "" {
		m.r.Add(diag.Errorf(m.valueSpan(n, key), "required", "%q must not be blank", m.Name(key)))
		return "", nil
	}
	return m.String(key)
}

// OneOf returns the text of key, which must be one of the allowed ones, and
// whether it is there and is.
func (m *Map) OneOf(key string, allowed ...string) (string, bool) {
	text, n := m.String(key)
	if n == nil || slices.Contains(allowed, text) {
		return text, n != nil
	}
	d := diag.Errorf(n.Span(), "value", "%q must be %s, not %q", m.Name(key), diag.Quoted(allowed), text)
	if near := diag.Nearest(text, allowed); near != "" {
		d = d.WithHint("did you mean %q?", near)
	}
	m.r.Add(d)
	return "", false
}

// Int returns the whole number at key, or otherwise when it is absent or faulty.
func (m *Map) Int(key string, low, high, otherwise int) int {
	n := m.Get(key)
	if n == nil || !m.is(n, key, "a whole number", syntax.Int) {
		return otherwise
	}
	v, err := strconv.ParseInt(strings.ReplaceAll(n.Text, "_", ""), 0, 64)
	if err != nil || v < int64(low) || v > int64(high) {
		m.r.Add(diag.Errorf(n.Span(), "value", "%q must be from %d to %d, not %s", m.Name(key), low, high, n.Text))
		return otherwise
	}
	return int(v)
}

// Child reads the map at key; nil when it is absent.
func (m *Map) Child(key string, keys ...string) *Map {
	return m.r.Map(m.Get(key), m.KeySpan(key), m.Name(key), keys...)
}

// Strings returns the elements of the list at key that are strings.
func (m *Map) Strings(key string) []*syntax.Node {
	n := m.Get(key)
	if n == nil || !m.is(n, key, "a list of strings", syntax.Seq) {
		return nil
	}
	var list []*syntax.Node
	for i, item := range n.Items {
		if item.Kind != syntax.String {
			m.r.wrongType(item, m.KeySpan(key), fmt.Sprintf("%q", fmt.Sprintf("%s.%d", m.Name(key), i)), "a string")
			continue
		}
		list = append(list, item)
	}
	return list
}

// Pairs returns the entries of the map at key, in the file's order.
func (m *Map) Pairs(key string) []syntax.Pair {
	n := m.Get(key)
	if n == nil || !m.is(n, key, "a map", syntax.Map) {
		return nil
	}
	return n.Pairs
}

// Is reports whether the value at key is of that kind, and the fault if not.
func (m *Map) Is(key, wanted string, kind syntax.Kind) bool {
	n := m.Get(key)
	return n != nil && m.is(n, key, wanted, kind)
}

func (m *Map) is(n *syntax.Node, key, wanted string, kind syntax.Kind) bool {
	if n.Kind == kind {
		return true
	}
	m.r.wrongType(n, m.KeySpan(key), fmt.Sprintf("%q", m.Name(key)), wanted)
	return false
}

// WrongType reports a value of another type than wanted.
func (r *Reader) WrongType(n *syntax.Node, key diag.Span, name, wanted string) {
	r.wrongType(n, key, fmt.Sprintf("%q", name), wanted)
}

func (r *Reader) wrongType(n *syntax.Node, key diag.Span, name, wanted string) {
	at := n.Span()
	if at.Start == at.End { // nothing stands there: `key:` alone
		at = key
	}
	d := diag.Errorf(at, "type", "%s must be %s, not %s", name, wanted, article(n.Kind))
	if wanted == "a string" && n.Kind != syntax.Map && n.Kind != syntax.Seq && n.Kind != syntax.Null {
		d = d.WithHint(`put it in quotes: "%s"`, n.Text)
	}
	r.Add(d)
}

func (m *Map) valueSpan(n *syntax.Node, key string) diag.Span {
	if at := n.Span(); at.Start < at.End {
		return at
	}
	return m.KeySpan(key)
}

func article(k syntax.Kind) string {
	switch k {
	case syntax.Null:
		return "null"
	case syntax.Int:
		return "an integer"
	}
	return "a " + k.String()
}
