// Package shape reads the fields of a positioned tree one by one and reports,
// each fault once, what does not fit: keys nobody knows, values of another
// type, required fields that are missing or blank, values outside a set.
package shape

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// A Reader collects the faults of one file. It is not safe for concurrent use.
type Reader struct {
	// Faults starts with those of the syntax.
	Faults diag.List
	// Home optionally names, for a key that may be written in the wrong map, the
	// map it belongs to, "" for the root: an unknown key is told where to go,
	// and is not also missing there.
	Home func(key string) (name string, ok bool)
	// Other optionally says what a key that other products have is called here,
	// as a hint, and the full names of the fields that it stands for, which are
	// not missing as well.
	Other func(in string, entry syntax.Pair) (hint string, fields []string)
	// Maps optionally lists the full names of the fields that are maps: what
	// stands at the indent of an empty one and is unknown there was meant to
	// be in it.
	Maps []string

	displaced  []string        // full names of known keys that stand in another map
	duplicated map[string]bool // names of keys that stand twice; nil until asked
}

// maxSuggestions bounds the unknown keys of one map that are compared with the
// known ones: nobody reads as many.
const maxSuggestions = 200

// Add records a fault.
func (r *Reader) Add(d diag.Diagnostic) { r.Faults = append(r.Faults, d) }

// A Map is one map of the file, its known keys declared.
type Map struct {
	r        *Reader
	node     *syntax.Node
	at       func() diag.Span // where a missing field is reported
	name     string           // "request" – what messages call it, "" for the root
	prefix   string           // "request." – how messages call its fields
	misspelt []string         // known keys that an unknown one was probably meant to be
	known    []string
	free     []string // known keys that are not there
	tables   []string // known keys that are, and hold a map or maps
	compared int
	absent   bool
}

// Map reads node as a map with these keys and reports every other key. at is
// where a missing field is reported: the key of the map; name is what messages
// call it, "" for the root. A node that is no map is a fault too; nil is an
// empty map that misses nothing.
func (r *Reader) Map(node *syntax.Node, at diag.Span, name string, keys ...string) *Map {
	return r.read(node, func() diag.Span { return at }, name, keys)
}

// read is Map with a place that is found when it is needed.
func (r *Reader) read(node *syntax.Node, at func() diag.Span, name string, keys []string) *Map {
	m := &Map{r: r, node: node, at: at, name: name, known: keys}
	if name != "" {
		m.prefix = name + "."
	}
	switch {
	case node == nil:
		m.absent = true
	case node.Kind != syntax.Map:
		if node.Kind != syntax.Null || !r.emptied(m.prefix) {
			r.wrongType(node, at(), called(name), "a map")
		}
		m.node, m.absent = nil, true
	default:
		m.unknownKeys()
	}
	return m
}

func called(name string) string {
	if name == "" {
		return "the file"
	}
	return `"` + name + `"`
}

// emptied reports whether the fields of a map were found outside of it, as
// happens when their indent is missing.
func (r *Reader) emptied(prefix string) bool {
	return slices.ContainsFunc(r.displaced, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

func (m *Map) unknownKeys() {
	for _, k := range m.known {
		switch there := m.node.Get(k); {
		case there == nil:
			m.free = append(m.free, k)
		case isTable(there):
			m.tables = append(m.tables, k)
		}
	}
	m.free = slices.Clip(m.free)
	empty := "" // the field without a value that stands directly above
	for _, p := range m.node.Pairs {
		key := p.Key.Text
		switch {
		case !m.Known(key):
			m.r.Add(m.unknownKey(p, empty))
		case p.Value.Kind == syntax.Null && slices.Contains(m.r.Maps, m.Name(key)):
			empty = m.Name(key)
		default:
			empty = ""
		}
	}
}

func (m *Map) unknownKey(entry syntax.Pair, empty string) diag.Diagnostic {
	node, key := entry.Key, entry.Key.Text
	d := diag.Errorf(node.Span(), "unknown-key", "unknown key %q", m.prefix+key)
	if m.r.Other != nil {
		if hint, fields := m.r.Other(m.name, entry); hint != "" {
			m.r.displaced = append(m.r.displaced, fields...)
			return d.WithHint("%s", hint)
		}
	}
	if home, ok := m.r.home(key); ok && home != m.name {
		if home == "" {
			m.r.Displace(key)
			return d.WithHint("it belongs at the top level of the file")
		}
		m.r.Displace(home + "." + key)
		return d.WithHint("it belongs inside %q", home)
	}
	if m.compared++; m.compared > maxSuggestions {
		return d
	}
	// A key that is there already is no candidate, but one table can stand under
	// two headers, of which one is misspelt.
	free := m.free
	for _, k := range m.tables {
		if isTable(m.node.Get(key)) {
			free = append(free, k)
		}
	}
	if near := Nearest(key, free); near != "" {
		m.misspelt = append(m.misspelt, near)
		d = d.WithHint("did you mean %q?", near)
		if onlyNeighbour(key, near, free) {
			d = d.WithRewrite(node.SpanOf(0, len(key)), key, near)
		}
		return d
	}
	if empty != "" {
		m.r.Displace(empty + "." + key)
		return d.WithHint("indent it to put it inside %q", empty)
	}
	return d.WithHint("known keys: %s", strings.Join(m.known, ", "))
}

// onlyNeighbour reports whether near, and no other key, is one letter away.
func onlyNeighbour(key, near string, keys []string) bool {
	for _, k := range keys {
		if (diag.Distance(key, k) == 1) != (k == near) {
			return false
		}
	}
	return true
}

func (r *Reader) home(key string) (name string, ok bool) {
	if r.Home == nil {
		return "", false
	}
	return r.Home(key)
}

func isTable(n *syntax.Node) bool {
	return n.Kind == syntax.Map || n.Kind == syntax.Seq && len(n.Items) > 0 && n.Items[0].Kind == syntax.Map
}

// Nearest is diag.Nearest for keys: it sees through cut-off and joined words too,
// as desc, params, timeout and baseURL are.
func Nearest(key string, keys []string) string {
	if near := diag.Nearest(key, keys); near != "" {
		return near
	}
	word := plain(key)
	for _, k := range keys {
		if plain(k) == word {
			return k
		}
	}
	word = strings.TrimSuffix(word, "s")
	found := ""
	for _, k := range keys {
		if other := plain(k); len(word) >= 3 && (strings.HasPrefix(other, word) || strings.HasSuffix(other, word)) {
			if found != "" {
				return "" // it could be either
			}
			found = k
		}
	}
	return found
}

func plain(key string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == ' ' {
			return -1
		}
		return unicode.ToLower(c)
	}, key)
}

// Duplicated reports whether a key of that name stands twice in some map of
// the file, so that only part of what was written could be read.
func (r *Reader) Duplicated(key string) bool {
	if r.duplicated == nil {
		r.duplicated = map[string]bool{}
		for _, d := range r.Faults {
			if d.Code == "duplicate-key" {
				r.duplicated[strings.Trim(d.Span.Text(), `"'`)] = true
			}
		}
	}
	return r.duplicated[key]
}

// Displace notes that the known key with that full name stands elsewhere, which
// somebody reports.
func (r *Reader) Displace(name string) { r.displaced = append(r.displaced, name) }

// Add records a fault of the map.
func (m *Map) Add(d diag.Diagnostic) { m.r.Add(d) }

// Absent reports whether there is no such map, or none that could be read.
func (m *Map) Absent() bool { return m.absent }

// Emptied reports whether fields of the map at key stand elsewhere.
func (m *Map) Emptied(key string) bool { return m.r.emptied(m.Name(key) + ".") }

// Duplicated is Reader.Duplicated.
func (m *Map) Duplicated(key string) bool { return m.r.Duplicated(key) }

// Known reports whether key is one of the map's.
func (m *Map) Known(key string) bool { return slices.Contains(m.known, key) }

// Misspelt reports whether key seems to be there under another spelling.
func (m *Map) Misspelt(key string) bool { return slices.Contains(m.misspelt, key) }

// Get returns the value of key, nil when it is absent.
func (m *Map) Get(key string) *syntax.Node { return m.node.Get(key) }

// KeySpan returns where key stands, or the place of the map.
func (m *Map) KeySpan(key string) diag.Span {
	if p, ok := m.node.Pair(key); ok {
		return p.Key.Span()
	}
	return m.at()
}

// Name returns what messages call the field.
func (m *Map) Name(key string) string { return m.prefix + key }

// Lost reports whether the absence of key has another cause that is reported:
// it is misspelt, stands elsewhere or in a second map of the same name, or
// the map could not be read.
func (m *Map) Lost(key string) bool {
	return m.absent || m.Misspelt(key) || slices.Contains(m.r.displaced, m.Name(key)) ||
		m.name != "" && m.r.Duplicated(m.name[strings.LastIndexByte(m.name, '.')+1:])
}

// Missing reports that key is required, unless it is lost.
func (m *Map) Missing(key string) {
	if !m.Lost(key) {
		m.r.Add(diag.Errorf(m.at(), "required", "%q is required", m.Name(key)))
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
	if n == nil {
		return otherwise
	}
	// An integer of more than 64 bits is read as a float.
	huge := n.Kind == syntax.Float && strings.Trim(n.Text, "+-0123456789_") == ""
	if !huge && !m.is(n, key, "a whole number", syntax.Int) {
		return otherwise
	}
	v, err := strconv.Atoi(string(n.AppendJSON(nil))) // fails beyond 64 bits
	if err != nil || v < low || v > high {
		m.r.Add(diag.Errorf(n.Span(), "value", "%q must be from %d to %d, not %s", m.Name(key), low, high, n.Text))
		return otherwise
	}
	return v
}

// Child reads the map at key; nil when it is absent.
func (m *Map) Child(key string, keys ...string) *Map {
	return m.r.read(m.Get(key), func() diag.Span { return m.KeySpan(key) }, m.Name(key), keys)
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
	if n.Kind == syntax.Null && m.Emptied(key) {
		return false
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
	is := article(n.Kind)
	if n.Kind == syntax.Float && wanted == "a whole number" {
		is = n.Text
	}
	d := diag.Errorf(at, "type", "%s must be %s, not %s", name, wanted, is)
	if wanted == "a whole number" {
		if whole, zeros, ok := strings.Cut(n.Text, "."); n.Kind == syntax.Float && ok && strings.Trim(zeros, "0") == "" {
			d = d.WithHint("write %s", whole)
		} else if _, err := strconv.Atoi(n.Text); n.Kind == syntax.String && err == nil {
			d = d.WithHint("remove the quotes")
		}
	}
	if name == called("") {
		switch {
		case n.Kind == syntax.Null:
			d.Message = "the file is empty"
		case isTable(n):
			d = d.WithHint(`a file holds one: remove the "- " before its keys, and give every further item a file of its own`)
		}
	}
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
