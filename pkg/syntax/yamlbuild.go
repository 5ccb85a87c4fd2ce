package syntax

import (
	"sort"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// yamlBuilder turns the nodes of yaml.v3 into a tree.
type yamlBuilder struct {
	src      *source
	free     []Node // allocated ahead
	made     int    // how many were allocated
	anchors  map[*yaml.Node]*anchored
	expanded int              // nodes that aliases stood for so far
	fatal    *diag.Diagnostic // set once: the file has no tree
	found    diag.List
}

// anchored is a node that aliases may name.
type anchored struct {
	node *Node
	built
	open bool // still being built: an alias inside would make it contain itself
}

// built is how large a node is with all of its aliases followed.
type built struct{ size, height int }

func (b *yamlBuilder) fail(at diag.Span, message, hint string) {
	if b.fatal == nil {
		d := diag.Errorf(at, "syntax", "%s", message)
		d.Hint = hint
		b.fatal = &d
	}
}

func (b *yamlBuilder) node(n *yaml.Node) *Node {
	if len(b.free) == 0 {
		// Tools have a node for every ten bytes or so.
		b.free = make([]Node, min(max(8, len(b.src.file.Data)/10-b.made), 256))
		b.made += len(b.free)
	}
	out := &b.free[0]
	b.free = b.free[1:]
	out.src = b.src
	out.a, out.b = int32(n.Line), int32(n.Column)
	return out
}

// build converts n, which stands depth levels deep. It returns nil after a
// fatal error.
func (b *yamlBuilder) build(n *yaml.Node, depth int) (*Node, built) {
	if n.Kind == yaml.AliasNode {
		return b.alias(n, depth)
	}
	out := b.node(n)
	var a *anchored
	if n.Anchor != "" {
		if b.anchors == nil {
			b.anchors = make(map[*yaml.Node]*anchored)
		}
		a = &anchored{node: out, open: true}
		b.anchors[n] = a
	}
	size := built{size: 1}
	switch n.Kind {
	case yaml.ScalarNode:
		b.scalar(out, n)
	case yaml.MappingNode:
		out.Kind, out.style = Map, blockMap
		if n.Style&yaml.FlowStyle != 0 {
			out.style = flow
		}
		b.collection(out, n, "!!map", depth)
		if b.fatal == nil {
			size = b.pairs(out, n, depth+1)
		}
	case yaml.SequenceNode:
		out.Kind, out.style = Seq, blockSeq
		if n.Style&yaml.FlowStyle != 0 {
			out.style = flow
		}
		b.collection(out, n, "!!seq", depth)
		if b.fatal == nil {
			size = b.items(out, n, depth+1)
		}
	default:
		b.fail(out.at(), "this is not YAML", "")
	}
	if b.fatal != nil {
		return nil, built{}
	}
	if a != nil {
		a.built, a.open = size, false
	}
	return out, size
}

func (b *yamlBuilder) alias(n *yaml.Node, depth int) (*Node, built) {
	a := b.anchors[n.Alias]
	switch {
	case a == nil:
		b.fail(b.aliasNode(n).Span(), "no value before this one is anchored as &"+n.Value, "")
	case a.open:
		b.fail(b.aliasNode(n).Span(), "*"+n.Value+" stands inside the value it names, which would contain itself", "")
	case depth+a.height > maxDepth:
		b.fail(b.aliasNode(n).Span(), tooDeep, "")
	case b.expanded+a.size > maxExpanded:
		b.fail(b.aliasNode(n).Span(), "the aliases of this file stand for more than 100000 values", "write the values out, or use fewer aliases of aliases")
	default:
		b.expanded += a.size
		return a.node, a.built
	}
	return nil, built{}
}

// aliasNode returns a node that stands where the alias n stands.
func (b *yamlBuilder) aliasNode(n *yaml.Node) *Node {
	out := b.node(n)
	out.Text, out.style = n.Value, alias
	return out
}

// collection checks the tag and the depth of a map or list.
func (b *yamlBuilder) collection(out *Node, n *yaml.Node, tag string, depth int) {
	if n.Tag != tag {
		b.fail(b.tagSpan(n), "tag "+quoteTag(n.Tag)+" is not supported for a "+out.Kind.String(), "remove the tag")
	}
	if depth >= maxDepth && b.fatal == nil {
		b.fail(out.at(), tooDeep, "")
	}
}

const tooDeep = "nested too deep: at most 1000 levels are allowed"

func (b *yamlBuilder) items(out *Node, n *yaml.Node, depth int) built {
	size := built{size: 1}
	if len(n.Content) > 0 {
		out.Items = make([]*Node, 0, len(n.Content))
	}
	for _, c := range n.Content {
		item, s := b.build(c, depth)
		if item == nil {
			return size
		}
		out.Items = append(out.Items, item)
		size.size += s.size
		size.height = max(size.height, s.height+1)
	}
	b.setLast(out, n)
	return size
}

// setLast remembers what stands last in the collection n.
func (b *yamlBuilder) setLast(out *Node, n *yaml.Node) {
	if len(n.Content) == 0 {
		return
	}
	last := n.Content[len(n.Content)-1]
	if last.Kind == yaml.AliasNode {
		out.last = b.aliasNode(last)
		return
	}
	if out.Kind == Seq {
		out.last = out.Items[len(out.Items)-1]
	}
}

// pairs builds the entries of a map. Merged entries take the place of their
// merge key; keys that the map sets itself win, then those merged first.
func (b *yamlBuilder) pairs(out *Node, n *yaml.Node, depth int) built {
	size := built{size: 1}
	if len(n.Content) == 0 {
		return size
	}
	pairs := make([]Pair, 0, len(n.Content)/2)
	seen := newKeySet(len(n.Content) / 2)
	merge := -1 // index of the merge key in pairs
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		key, s := b.build(k, depth)
		if key == nil {
			return size
		}
		size.size += s.size
		if key.Kind == Map || key.Kind == Seq {
			b.complexKey(b.place(k, key), key)
			return size
		}
		value, s := b.build(n.Content[i+1], depth)
		if value == nil {
			return size
		}
		size.size += s.size
		size.height = max(size.height, s.height+1)
		out.last = value
		if isMerge(k) {
			if merge >= 0 {
				b.duplicate(b.place(k, key), key.Text, pairs[merge].Key)
				continue
			}
			if !b.mergeable(n.Content[i+1], value) {
				return size
			}
			merge = len(pairs)
			pairs = append(pairs, Pair{key, value})
			continue
		}
		if first := seen.add(key.Text, len(pairs), pairs); first >= 0 {
			b.duplicate(b.place(k, key), key.Text, pairs[first].Key)
			continue
		}
		pairs = append(pairs, Pair{key, value})
	}
	out.Pairs = pairs
	if merge >= 0 {
		out.Pairs = mergePairs(pairs, merge)
	}
	b.setLast(out, n)
	return size
}

// place returns the node that stands where k stands: k can be an alias of key.
func (b *yamlBuilder) place(k *yaml.Node, key *Node) *Node {
	if k.Kind == yaml.AliasNode {
		return b.aliasNode(k)
	}
	return key
}

func isMerge(k *yaml.Node) bool {
	return k.Kind == yaml.ScalarNode && k.Tag == "!!merge"
}

// mergeable checks the value of a merge key, which n stands for in the file.
func (b *yamlBuilder) mergeable(n *yaml.Node, value *Node) bool {
	bad := value
	switch value.Kind {
	case Map:
		return true
	case Seq:
		bad = nil
		for i, item := range value.Items {
			if item.Kind != Map {
				bad = item
				if n.Kind == yaml.SequenceNode {
					bad = b.place(n.Content[i], item)
				}
				break
			}
		}
		if bad == nil {
			return true
		}
	default:
		bad = b.place(n, value)
	}
	b.fail(bad.Span(), `"<<" takes a map or a list of maps`, `name one with an alias ("<<: *base"), or put "<<" in quotes when it is a plain key`)
	return false
}

// mergePairs puts the entries of the maps that pairs[at] merges in its place.
func mergePairs(pairs []Pair, at int) []Pair {
	seen := make(map[string]struct{}, len(pairs))
	for i, p := range pairs {
		if i != at {
			seen[p.Key.Text] = struct{}{}
		}
	}
	out := append(make([]Pair, 0, len(pairs)), pairs[:at]...)
	merge := func(m *Node) {
		for _, p := range m.Pairs {
			if _, ok := seen[p.Key.Text]; !ok {
				seen[p.Key.Text] = struct{}{}
				out = append(out, p)
			}
		}
	}
	if v := pairs[at].Value; v.Kind == Map {
		merge(v)
	} else {
		for _, m := range v.Items {
			merge(m)
		}
	}
	return append(out, pairs[at+1:]...)
}

func (b *yamlBuilder) duplicate(at *Node, key string, first *Node) {
	b.found = append(b.found, duplicateKey(at.Span(), key, first))
}

// duplicateKey returns the error for a key that first has set already.
func duplicateKey(at diag.Span, key string, first *Node) diag.Diagnostic {
	return diag.Errorf(at, "duplicate-key", "key %q is already set in line %d", key, first.line()).
		WithHint("remove one of the two, or rename it")
}

// line returns the line n starts in. Other than diag.File.Position it does
// not count columns, which in one long line with many keys takes too long.
func (n *Node) line() int {
	f := n.src.file
	start, _ := n.bounds()
	return sort.Search(f.Lines(), func(i int) bool { return f.LineStart(i+1) > start })
}

func (b *yamlBuilder) complexKey(at, key *Node) {
	hint := "use text as the key"
	data := b.src.file.Data
	if s := key.Span(); key.style == flow && s.Start > 0 && string(data[s.Start-1:min(s.Start+1, len(data))]) == "{{" {
		s.Start--
		for s.End < len(data) && data[s.End] != '}' && breakLen(data, s.End) == 0 {
			s.End++
		}
		s.End = min(s.End+1, len(data))
		b.fail(s, braceIsMap, hintQuoteValue)
		return
	}
	if key.style == flow {
		hint = `put a value that starts with "{" or "[" in quotes`
	}
	b.fail(at.Span(), "a "+key.Kind.String()+" cannot be a key", hint)
}

// keySet finds keys that were there before in constant time.
type keySet struct{ index map[string]int }

const fewKeys = 8

func newKeySet(size int) keySet {
	if size <= fewKeys {
		return keySet{}
	}
	return keySet{make(map[string]int, size)}
}

// add notes that pairs is about to get key at index i. It returns the index
// key has already, or -1.
func (s keySet) add(key string, i int, pairs []Pair) int {
	if s.index != nil {
		if first, ok := s.index[key]; ok {
			return first
		}
		s.index[key] = i
		return -1
	}
	for k, p := range pairs {
		if p.Key.Text == key && !(p.Key.style == plain && key == "<<") {
			return k
		}
	}
	return -1
}

// scalar fills in a scalar: its kind is what its tag says.
func (b *yamlBuilder) scalar(out *Node, n *yaml.Node) {
	out.Text = n.Value
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		out.style = doubleQuoted
	case n.Style&yaml.SingleQuotedStyle != 0:
		out.style = singleQuoted
	case n.Style&yaml.LiteralStyle != 0:
		out.style = literal
	case n.Style&yaml.FoldedStyle != 0:
		out.style = folded
	default:
		out.style = plain
	}
	out.Kind = kindOfTag(n.Tag)
	if n.Style&yaml.TaggedStyle == 0 && out.Kind != 0 {
		if out.Kind == String && out.style == plain {
			out.Kind = hugeNumber(n.Value)
		}
		return
	}
	if out.Kind == 0 {
		b.fail(b.tagSpan(n), "tag "+quoteTag(n.Tag)+" is not supported", "remove the tag, or put the text in quotes when the ! belongs to it")
		return
	}
	if out.Kind == String {
		return
	}
	resolved := kindOfTag((&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag())
	if resolved != out.Kind && !(resolved == Int && out.Kind == Float) {
		b.fail(b.tagSpan(n), "tag "+quoteTag(n.Tag)+" does not fit its value", "remove the tag")
	}
}

func kindOfTag(tag string) Kind {
	switch tag {
	case "!!str", "!!binary", "!!merge":
		return String
	case "!!int":
		return Int
	case "!!float":
		return Float
	case "!!bool":
		return Bool
	case "!!null":
		return Null
	case "!!timestamp":
		return Timestamp
	}
	return 0
}

// hugeNumber returns the kind of a plain scalar that yaml.v3 calls a string:
// Int or Float for a number of the core schema (YAML 1.2.2 section 10.3.2) that
// no float64 can hold, such as 1e400.
func hugeNumber(s string) Kind {
	digits := strings.TrimLeft(s, "+-")
	if digits == "" || len(s)-len(digits) > 1 || !isDigits(digits[:1]) && digits[0] != '.' {
		return String
	}
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(digits), "e")
	whole, fraction, point := strings.Cut(mantissa, ".")
	power := strings.TrimPrefix(strings.TrimPrefix(exponent, "-"), "+")
	switch {
	case !isDigits(whole) || !isDigits(fraction) || whole+fraction == "":
		return String
	case scientific && (power == "" || !isDigits(power) || len(exponent)-len(power) > 1):
		return String
	case !scientific && !point:
		return Int
	}
	return Float
}

func quoteTag(tag string) string {
	const most = 60
	if len(tag) > most {
		return tag[:most] + "…"
	}
	return tag
}

// tagSpan returns where the tag of n stands.
func (b *yamlBuilder) tagSpan(n *yaml.Node) diag.Span {
	data := b.src.file.Data
	i := b.src.offset(n.Line, n.Column)
	if i < len(data) && data[i] == '&' {
		for i++; i < len(data) && isAnchorChar(data[i]); i++ {
		}
		i = skipSpace(data, i)
	}
	end := i
	for !blankAt(data, end) {
		end++
	}
	return diag.Span{File: b.src.file, Start: i, End: end}
}

// at returns the first character of n, for a collection whose end is not known.
func (n *Node) at() diag.Span {
	start := n.start()
	return diag.Span{File: n.src.file, Start: start, End: min(start+1, len(n.src.file.Data))}
}
