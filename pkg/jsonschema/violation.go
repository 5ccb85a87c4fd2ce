package jsonschema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A Violation is one way in which an instance does not satisfy a schema.
type Violation struct {
	Path    string // "items.0.qty"; "" is the root
	Message string // complete without the path: "is required"
}

const (
	maxViolations = 20   // listed by Apply
	maxCollected  = 1000 // kept before they are sorted; any more are only counted
	maxShown      = 60   // characters of a value in a message
	maxListed     = 12   // values of an enum in a message
)

const isRequired = "is required"

// report is the faults a walker has written down.
type report struct {
	found []finding
	more  int
}

type finding struct {
	Violation
	place  []int    // positions of the members and elements on the way
	tokens []string // their names and indexes
}

// fail writes down a fault of the value being checked and returns false.
func (w *walker) fail(message string) bool {
	if !w.quiet {
		w.add(w.path, message)
	}
	return false
}

func (w *walker) failf(format string, args ...any) bool {
	if !w.quiet {
		w.add(w.path, fmt.Sprintf(format, args...))
	}
	return false
}

// failAt is fail for a member that is not there; it stands at its object.
func (w *walker) failAt(name, message string) bool {
	if !w.quiet {
		w.add(append(w.path, segment{name: name, index: -1}), message)
	}
	return false
}

func (w *walker) add(path []segment, message string) {
	if len(w.found) >= maxCollected {
		w.more++
		return
	}
	f := finding{Violation: Violation{Path: pathText(path), Message: message}}
	for _, s := range path {
		if s.index >= 0 {
			f.place = append(f.place, s.index)
			f.tokens = append(f.tokens, s.text())
		}
	}
	w.found = append(w.found, f)
}

// collect runs do and returns what it wrote down instead of keeping it.
func (w *walker) collect(do func()) []finding {
	before := w.report
	w.report = report{}
	do()
	found := w.found
	w.report = before
	return found
}

func (s segment) text() string {
	if s.item {
		return strconv.Itoa(s.index)
	}
	return s.name
}

func pathText(path []segment) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.text())
	}
	return b.String()
}

// violations returns what was found in the order of the document, each once.
func (r *report) violations() []Violation {
	slices.SortStableFunc(r.found, func(a, b finding) int {
		return cmp.Or(slices.Compare(a.place, b.place), strings.Compare(a.Path, b.Path))
	})
	var list []Violation
	seen := make(map[Violation]bool, len(r.found))
	for _, f := range r.found {
		if !seen[f.Violation] {
			seen[f.Violation] = true
			list = append(list, f.Violation)
		}
	}
	if more := len(list) + r.more - maxViolations; more > 0 {
		list = append(list[:maxViolations:maxViolations],
			Violation{Message: (&count{int64(more), strconv.Itoa(more)}).of("more fault is not listed", "more faults are not listed")})
	}
	return list
}

// noBranch reports that v satisfies none of the branches of anyOf or oneOf. It
// says what is wrong with the branch that was most likely meant.
func (w *walker) noBranch(branches []*node, v jsondoc.Value) {
	var types kinds
	var values []jsondoc.Value
	var meant []*node // branches for values of this type
	onlyValues := true
	for _, sub := range branches {
		if sub.never {
			continue
		}
		listed := sub.listed()
		values = append(values, listed...)
		onlyValues = onlyValues && listed != nil
		if allowed := sub.admits(); allowed != 0 && !allowed.allows(v) {
			types |= allowed
			continue
		}
		meant = append(meant, sub)
	}
	switch {
	case onlyValues && len(values) > 0:
		w.fail(mustBeOneOf(values))
		return
	case len(meant) == 0 && types != 0:
		w.fail(mustBeType(types, v))
		return
	case len(meant) == 0:
		w.fail("is not allowed")
		return
	}
	if len(meant) > 1 {
		if w.wrongTag(meant, v) {
			return
		}
		meant = w.discriminate(meant, v)
	}
	var best []finding
	var missing []string
	for _, sub := range meant {
		found := w.collectBranch(sub, v)
		if w.exhausted {
			return
		}
		if best == nil || len(found) < len(best) {
			best = found
		}
		if len(found) == 1 && found[0].Message == isRequired {
			missing = append(missing, quote(w.inner(found[0].Path)))
		}
	}
	if len(meant) == 1 {
		w.found = append(w.found, best...)
		return
	}
	if len(missing) == len(meant) {
		w.fail("must have " + orList(missing))
		return
	}
	message := best[0].Message
	if inner := w.inner(best[0].Path); inner != "" {
		message = quote(inner) + " " + message
	}
	w.failf("fits none of the %d allowed forms, the nearest one fails because: %s", len(branches), message)
}

// inner returns path without the part that leads to the value being checked.
func (w *walker) inner(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, pathText(w.path)), ".")
}

// collectBranch returns what keeps v, read as the branch wants it, from
// satisfying it.
func (w *walker) collectBranch(branch *node, v jsondoc.Value) []finding {
	found := w.collect(func() { w.check(branch, w.coerce(branch, v), nil) })
	if len(found) == 0 {
		return w.collect(func() { w.check(branch, v, nil) })
	}
	return found
}

// wrongTag looks for a property whose const or enum tells the branches apart,
// and reports its value if it is that of no branch.
func (w *walker) wrongTag(branches []*node, v jsondoc.Value) bool {
	i := -1
	for name, member := range v.Members() {
		i++
		var values []jsondoc.Value
		for _, branch := range branches {
			tags := branch.tags(name)
			if tags == nil || slices.ContainsFunc(tags, func(tag jsondoc.Value) bool { return w.same(tag, member) }) {
				values = nil
				break
			}
			values = append(values, tags...)
		}
		if values != nil {
			w.path = append(w.path, segment{name: name, index: i})
			w.fail(mustBeOneOf(values))
			w.path = w.path[:len(w.path)-1]
			return true
		}
	}
	return false
}

// discriminate leaves out the branches that a const or enum property of v
// rules out, as long as one remains.
func (w *walker) discriminate(branches []*node, v jsondoc.Value) []*node {
	var left []*node
	for _, branch := range branches {
		ruledOut := false
		for name, member := range v.Members() {
			tags := branch.tags(name)
			ruledOut = ruledOut || tags != nil &&
				!slices.ContainsFunc(tags, func(tag jsondoc.Value) bool { return w.same(tag, member) })
		}
		if !ruledOut {
			left = append(left, branch)
		}
	}
	if len(left) == 0 {
		return branches
	}
	return left
}

// tags returns the only values that n allows for a property.
func (n *node) tags(name string) []jsondoc.Value {
	for _, sub := range n.chain() {
		if sub.object != nil && sub.object.properties[name] != nil {
			if values := sub.object.properties[name].listed(); values != nil {
				return values
			}
		}
	}
	return nil
}

// chain returns n and the schemas it refers to without condition.
func (n *node) chain() []*node {
	list := []*node{n}
	for i := 0; i < len(list) && len(list) < 64; i++ {
		for _, subs := range [...][]*node{list[i].refs, list[i].allOf} {
			for _, sub := range subs {
				if !slices.Contains(list, sub) {
					list = append(list, sub)
				}
			}
		}
	}
	return list
}

// admits returns the types n and its references demand, 0 for any.
func (n *node) admits() kinds {
	for _, sub := range n.chain() {
		if sub.types != 0 {
			return sub.types
		}
	}
	return 0
}

// listed returns the only values n or its references allow, nil when it names none.
func (n *node) listed() []jsondoc.Value {
	for _, sub := range n.chain() {
		if sub.constant.Exists() {
			return []jsondoc.Value{sub.constant}
		}
		if sub.enum != nil {
			return sub.enum
		}
	}
	return nil
}

func mustBeType(types kinds, v jsondoc.Value) string {
	return "must be " + typesText(types) + ", not " + describe(v)
}

// typesText writes "a string", "an integer or null".
func typesText(types kinds) string {
	if types&kindNumber != 0 {
		types &^= kindInteger
	}
	var words []string
	for _, k := range [...]kinds{kindString, kindInteger, kindNumber, kindBoolean, kindArray, kindObject, kindNull} {
		if types&k != 0 {
			words = append(words, k.article())
		}
	}
	return orList(words)
}

// article writes a single type with its article.
func (k kinds) article() string {
	switch k {
	case kindNull:
		return "null"
	case kindBoolean:
		return "a boolean"
	case kindInteger:
		return "an integer"
	case kindNumber:
		return "a number"
	case kindString:
		return "a string"
	case kindArray:
		return "an array"
	case kindObject:
		return "an object"
	}
	return ""
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func mustBeOneOf(values []jsondoc.Value) string {
	if len(values) == 1 {
		return "must be " + show(values[0])
	}
	return "must be one of " + listValues(values)
}

func listValues(values []jsondoc.Value) string {
	var b strings.Builder
	for i, value := range values {
		if i == maxListed && len(values) > maxListed+1 {
			fmt.Fprintf(&b, " and %d more", len(values)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(show(value))
	}
	return b.String()
}

func mustNot(n *node) string {
	switch values := n.listed(); {
	case len(values) == 1:
		return "must not be " + show(values[0])
	case len(values) > 1:
		return "must not be one of " + listValues(values)
	}
	if n.types != 0 && n.object == nil && n.array == nil && n.text == nil && n.number == nil {
		return "must not be " + typesText(n.types)
	}
	return `has a form that "not" rules out`
}

// describe writes a value with the word for its type.
func describe(v jsondoc.Value) string {
	switch v.Kind() {
	case jsondoc.Null:
		return "null"
	case jsondoc.Bool:
		return "the boolean " + show(v)
	case jsondoc.Number:
		return "the number " + show(v)
	case jsondoc.String:
		return "the string " + show(v)
	case jsondoc.Array:
		return "an array"
	case jsondoc.Object:
		return "an object"
	}
	return "nothing"
}

// show writes a value as JSON, cut when it is long.
func show(v jsondoc.Value) string {
	if v.Kind() == jsondoc.String {
		return quote(v.Text())
	}
	return cut(v.Text())
}

// quote writes text in quotes, cut when it is long.
func quote(text string) string { return string(jsondoc.AppendQuote(nil, cut(text))) }

func cut(text string) string {
	if utf8.RuneCountInString(text) <= maxShown {
		return text
	}
	end, n := 0, 0
	for end = range text {
		if n == maxShown-1 {
			break
		}
		n++
	}
	return text[:end] + "…"
}

// of writes the count with the word it counts.
func (c *count) of(one, many string) string {
	if c.n == 1 {
		return c.text + " " + one
	}
	return c.text + " " + many
}
