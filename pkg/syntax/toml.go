package syntax

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// ParseTOML reads the TOML document f. A file that is no TOML gives a nil root
// and one error; keys and tables that are defined twice are errors beside a
// usable root, in which the first definition stands. An empty document is an
// empty map.
func ParseTOML(f *diag.File) (*Node, diag.List) {
	if d := checkText(f); d != nil {
		return nil, diag.List{*d}
	}
	src := &source{file: f}
	base := f.BOM()
	b := tomlBuilder{src: src, base: base}
	root := b.table(nil, base, len(f.Data))
	b.root, b.current = root, root
	var p unstable.Parser
	p.Reset(f.Data[base:])
	for b.fatal == nil && p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			b.header(b.keys(e.Key()), false)
		case unstable.ArrayTable:
			b.header(b.keys(e.Key()), true)
		case unstable.KeyValue:
			b.keyValue(b.current, e)
		}
	}
	if b.fatal != nil {
		return nil, diag.List{*b.fatal}
	}
	if err := p.Error(); err != nil {
		return nil, diag.List{tomlError(src, &p, err)}
	}
	b.found.Sort()
	return root.node, b.found
}

// tomlBuilder builds the tree and keeps the rules about what may be defined
// where, which the parser does not know.
type tomlBuilder struct {
	src     *source
	base    int // offset of the first byte the parser sees
	root    *tomlTable
	current *tomlTable // of the last header
	fatal   *diag.Diagnostic
	found   diag.List
}

// tomlTable is a table while it is built.
type tomlTable struct {
	node    *Node
	depth   int
	origin  tomlOrigin
	again   bool // the header is a duplicate that was reported: no word about its keys
	entries map[string]*tomlEntry
}

// tomlOrigin is how a table came to be. The zero value is invalid.
type tomlOrigin uint8

const (
	fromHeader tomlOrigin = iota + 1
	fromLongerHeader
	fromDottedKey
	fromValue // an inline table: complete where it stands
)

// tomlEntry is what a key of a table stands for.
type tomlEntry struct {
	key   *Node
	table *tomlTable // nil for a value; of a list of tables the last one
	list  *Node      // of a list of tables
}

func (b *tomlBuilder) table(parent *tomlTable, start, end int) *tomlTable {
	t := &tomlTable{node: b.node(Map, start, end), entries: make(map[string]*tomlEntry)}
	if parent != nil {
		t.depth = parent.depth + 1
	}
	return t
}

func (b *tomlBuilder) node(k Kind, start, end int) *Node {
	return &Node{Kind: k, style: tomlOther, a: int32(start), b: int32(end), src: b.src}
}

func (b *tomlBuilder) span(start, end int) diag.Span {
	return diag.Span{File: b.src.file, Start: start, End: end}
}

func (b *tomlBuilder) fail(at diag.Span, hint, format string, args ...any) {
	if b.fatal == nil {
		d := diag.Errorf(at, "syntax", format, args...)
		d.Hint = hint
		b.fatal = &d
	}
}

// keys returns the parts of a dotted key.
func (b *tomlBuilder) keys(it unstable.Iterator) []*Node {
	var keys []*Node
	for it.Next() {
		k := it.Node()
		start := b.base + int(k.Raw.Offset)
		n := b.node(String, start, start+int(k.Raw.Length))
		n.Text = string(k.Data)
		n.style = tomlString
		if int(k.Raw.Length) == len(k.Data) {
			n.style = tomlOther // a bare key
		}
		keys = append(keys, n)
	}
	return keys
}

// tooDeep reports whether depth is more than is allowed.
func (b *tomlBuilder) tooDeep(depth int, at diag.Span) bool {
	if depth > maxDepth {
		b.fail(at, "", "%s", tooDeep)
		return true
	}
	return false
}

// put adds an entry to t.
func (t *tomlTable) put(key, value *Node, e *tomlEntry) {
	e.key = key
	t.entries[key.Text] = e
	t.node.Pairs = append(t.node.Pairs, Pair{key, value})
}

// header opens the table of a [header] or, as a list item, of a [[header]].
func (b *tomlBuilder) header(keys []*Node, item bool) {
	start, end := b.headerBounds(keys, item)
	t := b.root
	for _, key := range keys[:len(keys)-1] {
		if b.tooDeep(t.depth+2, key.Span()) {
			return
		}
		e := t.entries[key.Text]
		switch {
		case e == nil:
			next := b.table(t, int(key.a), int(key.b))
			next.origin = fromLongerHeader
			t.put(key, next.node, &tomlEntry{table: next})
			t = next
		case e.table == nil:
			b.notATable(key, e)
			b.current = b.detached(t, start, end)
			return
		default:
			t = e.table
		}
	}
	key := keys[len(keys)-1]
	if b.tooDeep(t.depth+2, key.Span()) {
		return
	}
	e := t.entries[key.Text]
	next := b.table(t, start, end)
	next.origin = fromHeader
	b.current = next
	switch {
	case e == nil && item:
		list := b.node(Seq, start, end)
		list.Items = []*Node{next.node}
		next.depth++
		t.put(key, list, &tomlEntry{table: next, list: list})
	case e == nil:
		t.put(key, next.node, &tomlEntry{table: next})
	case item && e.list != nil:
		next.depth++
		e.list.Items = append(e.list.Items, next.node)
		e.table = next
	case e.table == nil:
		b.notATable(key, e)
		b.current = b.detached(t, start, end)
	case item:
		b.report(key, "table %q is already defined in line %d, and not as a list", key.Text, e.key)
		b.current = b.detached(t, start, end)
	case e.list != nil:
		b.report(key, "%q is already a list of tables, from line %d on", key.Text, e.key)
		b.current = b.detached(t, start, end)
	case e.table.origin == fromLongerHeader:
		e.table.origin, e.key = fromHeader, key
		e.table.node.a, e.table.node.b = int32(start), int32(end)
		b.current = e.table
	default:
		b.report(key, "table %q is already defined in line %d", key.Text, e.key)
		e.table.again = true
		b.current = e.table
	}
}

// detached returns a table for what stands under a header that was reported.
func (b *tomlBuilder) detached(parent *tomlTable, start, end int) *tomlTable {
	t := b.table(parent, start, end)
	t.origin = fromHeader
	return t
}

// headerBounds returns where a header starts and ends, brackets included.
func (b *tomlBuilder) headerBounds(keys []*Node, item bool) (start, end int) {
	data := b.src.file.Data
	start, end = int(keys[0].a), int(keys[len(keys)-1].b)
	for start > b.base && data[start] != '[' || start > b.base && item && data[start-1] == '[' {
		start--
	}
	for end < len(data) && data[end] != ']' {
		end++
	}
	end++
	if item {
		end++
	}
	return start, min(end, len(data))
}

func (b *tomlBuilder) report(key *Node, format, text string, first *Node) {
	b.found = append(b.found, diag.Errorf(key.Span(), "duplicate-key", format, text, first.line()).
		WithHint("remove one of the two, or rename it"))
}

func (b *tomlBuilder) notATable(key *Node, e *tomlEntry) {
	b.report(key, "%q is already a value, set in line %d, and cannot be a table too", key.Text, e.key)
}

// keyValue adds a key, which may be dotted, and its value to t. It returns
// where the value ends.
func (b *tomlBuilder) keyValue(t *tomlTable, e *unstable.Node) int {
	keys := b.keys(e.Key())
	quiet := t.again
	detached := false
	for _, key := range keys[:len(keys)-1] {
		if b.tooDeep(t.depth+2, key.Span()) {
			return 0
		}
		old := t.entries[key.Text]
		switch {
		case old == nil || detached:
			next := b.table(t, int(key.a), int(key.b))
			next.origin = fromDottedKey
			if !detached {
				t.put(key, next.node, &tomlEntry{table: next})
			}
			t = next
		case old.table != nil && old.list == nil && (old.table.origin == fromDottedKey || quiet):
			t = old.table
		default:
			if !quiet {
				if old.table == nil {
					b.notATable(key, old)
				} else {
					b.report(key, "table %q is already defined in line %d; a dotted key cannot add to it", key.Text, old.key)
				}
			}
			t, detached = b.detached(t, int(key.a), int(key.b)), true
		}
	}
	key := keys[len(keys)-1]
	if b.tooDeep(t.depth+1, key.Span()) {
		return 0
	}
	old := t.entries[key.Text]
	if old != nil && !quiet {
		b.found = append(b.found, duplicateKey(key.Span(), key.Text, old.key))
	}
	data := b.src.file.Data
	at := skipSpace(data, int(key.b))
	if at < len(data) && data[at] == '=' {
		at = skipSpace(data, at+1)
	}
	value, end := b.value(t, e.Value(), at, t.depth+1)
	if value != nil && old == nil {
		t.put(key, value, &tomlEntry{})
	}
	return end
}

// value builds the value that starts at at, depth levels deep, and returns
// where it ends. It returns nil after a fatal error.
func (b *tomlBuilder) value(t *tomlTable, v *unstable.Node, at, depth int) (*Node, int) {
	data := b.src.file.Data
	switch v.Kind {
	case unstable.Array:
		n := b.node(Seq, at, at)
		if b.tooDeep(depth, b.span(at, at+1)) {
			return nil, at
		}
		end := at + 1
		for it := v.Children(); it.Next(); {
			item, next := b.value(t, it.Node(), skipSeparators(data, end), depth+1)
			if item == nil {
				return nil, next
			}
			n.Items = append(n.Items, item)
			end = next
		}
		end = min(skipSeparators(data, end)+1, len(data))
		n.b = int32(end)
		return n, end
	case unstable.InlineTable:
		if b.tooDeep(depth, b.span(at, at+1)) {
			return nil, at
		}
		inline := b.table(t, at, at)
		inline.origin, inline.depth = fromValue, depth
		end := at + 1
		for it := v.Children(); it.Next(); {
			end = b.keyValue(inline, it.Node())
			if b.fatal != nil {
				return nil, end
			}
		}
		end = min(skipSeparators(data, end)+1, len(data))
		inline.node.b = int32(end)
		return inline.node, end
	}
	start := b.base + int(v.Raw.Offset)
	end := start + int(v.Raw.Length)
	n := b.node(String, start, end)
	n.Text = string(v.Data)
	switch v.Kind {
	case unstable.String:
		n.style = tomlString
	case unstable.Bool:
		n.Kind = Bool
	case unstable.Integer:
		n.Kind = Int
		if _, err := strconv.ParseInt(strings.ReplaceAll(n.Text, "_", ""), 0, 64); err != nil {
			b.fail(n.Span(), "put the value in quotes when it is text", "the integer does not fit into 64 bits")
			return nil, end
		}
	case unstable.Float:
		n.Kind = Float
		if _, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64); errors.Is(err, strconv.ErrRange) {
			b.fail(n.Span(), "put the value in quotes when it is text", "the number does not fit into 64 bits")
			return nil, end
		}
	default:
		n.Kind = Timestamp
		if toml.Unmarshal(fmt.Appendf(nil, "a = %s", n.Text), &map[string]any{}) != nil {
			b.fail(n.Span(), "put the value in quotes when it is text", "this is no valid date or time")
			return nil, end
		}
	}
	return n, end
}

// skipSeparators returns the offset of the next value or closing bracket.
func skipSeparators(data []byte, i int) int {
	for i = skipSpace(data, i); i < len(data) && data[i] == ','; {
		i = skipSpace(data, i+1)
	}
	return i
}
