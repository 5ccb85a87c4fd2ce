package changes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/internal/deploy/credential"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// What a report holds of one file, and how many nodes are looked at for it:
// aliases can make a small file a very large tree.
const (
	maxFields = 200
	maxNodes  = 200_000
)

// parse returns the tree of a file whose fields are compared; nil for any other
// file, and for one with a syntax error.
func parse(name string, data []byte) *syntax.Node {
	var root *syntax.Node
	var faults diag.List
	file := diag.NewFile(name, data)
	switch yaml, toml := read(name); {
	case yaml:
		root, faults = syntax.ParseYAML(file)
	case toml:
		root, faults = syntax.ParseTOML(file)
	}
	if faults.Err() != nil {
		return nil
	}
	return root
}

type comparison struct {
	fields []Field
	nodes  int
}

func (c *comparison) cut() bool { return len(c.fields) > maxFields || c.nodes > maxNodes }

func (c *comparison) list() []Field {
	if c.fields == nil {
		return []Field{}
	}
	return c.fields[:min(len(c.fields), maxFields)]
}

func (c *comparison) add(at []string, f Field) {
	names := make([]string, len(at))
	for i, name := range at {
		names[i] = key(name)
	}
	f.Field = strings.Join(names, ".")
	c.fields = append(c.fields, f)
}

func (c *comparison) compare(at []string, old, fresh *syntax.Node) {
	if c.nodes++; c.cut() {
		return
	}
	switch {
	case old.Kind == syntax.Map && fresh.Kind == syntax.Map:
		c.maps(at, old, fresh)
	case old.Kind == syntax.Seq && fresh.Kind == syntax.Seq:
		c.lists(at, old, fresh)
	case old.Kind == syntax.String && fresh.Kind == syntax.String && old.Text != fresh.Text && (strings.Contains(old.Text, "\n") || strings.Contains(fresh.Text, "\n")):
		c.add(at, Field{Change: "changed", Lines: lineChanges(hideText(at, old.Text), hideText(at, fresh.Text))})
	case old.Kind != fresh.Kind || old.Text != fresh.Text:
		c.add(at, Field{Change: "changed", Before: shown(at, old), After: shown(at, fresh)})
	}
}

func (c *comparison) maps(at []string, old, fresh *syntax.Node) {
	was := make(map[string]*syntax.Node, len(old.Pairs))
	for _, p := range old.Pairs {
		was[p.Key.Text] = p.Value
	}
	is := make(map[string]bool, len(fresh.Pairs))
	for _, p := range fresh.Pairs {
		is[p.Key.Text] = true
	}
	before := len(c.fields)
	for _, p := range old.Pairs {
		if !is[p.Key.Text] {
			c.add(child(at, p.Key.Text), Field{Change: "removed", Before: shown(child(at, p.Key.Text), p.Value)})
		}
	}
	for _, p := range fresh.Pairs {
		if value, both := was[p.Key.Text]; both {
			c.compare(child(at, p.Key.Text), value, p.Value)
		} else {
			c.add(child(at, p.Key.Text), Field{Change: "added", After: shown(child(at, p.Key.Text), p.Value)})
		}
	}
	// The order of most maps means nothing; these are sent or answered in it.
	if len(c.fields) == before && ordered(at) && !slices.EqualFunc(old.Pairs, fresh.Pairs, func(a, b syntax.Pair) bool { return a.Key.Text == b.Key.Text }) {
		c.add(at, Field{Change: "reordered"})
	}
}

func ordered(at []string) bool {
	if len(at) < 2 {
		return false
	}
	return at[0] == "request" && (at[1] == "body" || at[1] == "query") || at[0] == "respond" && at[1] == "data"
}

// lists compares lists of scalars by what they hold and others place by place.
func (c *comparison) lists(at []string, old, fresh *syntax.Node) {
	scalar := func(n *syntax.Node) bool { return n.Kind != syntax.Map && n.Kind != syntax.Seq }
	if slices.ContainsFunc(old.Items, func(n *syntax.Node) bool { return !scalar(n) }) || slices.ContainsFunc(fresh.Items, func(n *syntax.Node) bool { return !scalar(n) }) {
		for i := range max(len(old.Items), len(fresh.Items)) {
			place := child(at, strconv.Itoa(i))
			switch {
			case i >= len(fresh.Items):
				c.add(place, Field{Change: "removed", Before: shown(place, old.Items[i])})
			case i >= len(old.Items):
				c.add(place, Field{Change: "added", After: shown(place, fresh.Items[i])})
			default:
				c.compare(place, old.Items[i], fresh.Items[i])
			}
		}
		return
	}
	type item struct {
		kind syntax.Kind
		text string
	}
	count := make(map[item]int)
	for _, n := range old.Items {
		count[item{n.Kind, n.Text}]++
	}
	var added []string
	for _, n := range fresh.Items {
		if k := (item{n.Kind, n.Text}); count[k] > 0 {
			count[k]--
		} else {
			added = append(added, "+ "+bare(at, n))
		}
	}
	var lines []string
	for i := len(old.Items) - 1; i >= 0; i-- { // of equal ones the last are gone
		n := old.Items[i]
		if k := (item{n.Kind, n.Text}); count[k] > 0 {
			count[k]--
			lines = append(lines, "- "+bare(at, n))
		}
	}
	slices.Reverse(lines)
	lines = append(lines, added...)
	switch {
	case len(lines) > 0:
		if len(lines) > maxLines {
			lines = append(lines[:maxLines:maxLines], more(len(lines)-maxLines))
		}
		c.add(at, Field{Change: "changed", Lines: lines})
	case !slices.EqualFunc(old.Items, fresh.Items, func(a, b *syntax.Node) bool { return a.Kind == b.Kind && a.Text == b.Text }):
		c.add(at, Field{Change: "reordered"})
	}
}

func child(at []string, name string) []string { return append(slices.Clip(at), name) }

// bare is a scalar of a list, without quotes.
func bare(at []string, n *syntax.Node) string { return line(hideText(at, n.Text)) }

// shown is a value as JSON writes it. Maps and lists of them are left out: their
// name says what they are.
func shown(at []string, n *syntax.Node) string {
	switch n.Kind {
	case syntax.Map:
		return ""
	case syntax.Seq:
		const most = 5
		var items []string
		for i, item := range n.Items {
			if item.Kind == syntax.Map || item.Kind == syntax.Seq {
				return ""
			}
			if i == most {
				items = append(items, "…")
				break
			}
			items = append(items, shown(at, item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case syntax.String, syntax.Timestamp:
		return quoted(hideText(at, n.Text))
	case syntax.Null:
		return "null"
	}
	if sensitive(at) {
		return credential.Redacted
	}
	return line(n.Text)
}

// hideText hides what may be a credential in a text that stands in this field.
func hideText(at []string, text string) string {
	if sensitive(at) && text != "" && !onlyPlaceholders(text) {
		return credential.Redacted
	}
	return credential.Redact(text)
}

// sensitive reports whether a literal in this field may be a credential: any
// header, and what is named like one. In a schema only what is a value counts.
func sensitive(at []string) bool {
	if len(at) > 0 && at[0] == "parameters" {
		inValue := slices.ContainsFunc(at, func(name string) bool {
			return name == "default" || name == "const" || name == "enum" || name == "example" || name == "examples"
		})
		return inValue && slices.ContainsFunc(at, credential.Named)
	}
	if len(at) > 2 && at[0] == "request" && at[1] == "headers" {
		switch strings.ToLower(at[2]) {
		case "accept", "accept-language", "content-type":
			return false
		}
		return true
	}
	return len(at) > 2 && at[0] == "request" && slices.ContainsFunc(at[2:], credential.Named)
}

// onlyPlaceholders reports whether nothing but placeholders and the name of a
// scheme stands in a text.
func onlyPlaceholders(text string) bool {
	placeholders := 0
	for word := range strings.FieldsSeq(text) {
		name, found := strings.CutPrefix(strings.TrimSuffix(strings.Replace(word, "${", "$", 1), "}"), "$")
		source, _, dot := strings.Cut(name, ".")
		switch {
		case found && dot && !strings.ContainsAny(name, "/:=$") && slices.Contains([]string{"env", "params", "auth", "contact"}, source):
			placeholders++
		case word == "||" || word == "Bearer" || word == "Basic" || word == "Token" || word == "ApiKey":
		default:
			return false
		}
	}
	return placeholders > 0
}

// longest is how much of a value is shown, in code points.
const longest = 120

// line is a text on one line, fit for a terminal, shortened.
func line(s string) string {
	s = strings.NewReplacer("\r", "", "\n", "⏎", "\t", " ").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	s = diag.Printable(s)
	n := 0
	for i := range s {
		if n == longest {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

func key(s string) string { return line(credential.Redact(s)) }

func quoted(s string) string {
	if s == credential.Redacted {
		return s
	}
	return string(jsondoc.AppendQuote(nil, line(credential.Redact(s))))
}
