package jsonschema

import (
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const (
	// maxSteps bounds the work of one Apply: schemas can refer to each other so
	// that a short instance would be walked exponentially often.
	maxSteps = 2_000_000
	// maxDepth bounds the schemas applied inside one another.
	maxDepth = 10_000
	// maxLevel bounds the nesting of the instance below the schema.
	maxLevel = 512
	// stepBytes is the length of text that costs as much as one step.
	stepBytes = 64
	// rebuiltBytes is the same for text that is parsed again.
	rebuiltBytes = 8
)

// A walker applies schemas to one instance. It is used by one goroutine.
type walker struct {
	quiet     bool // stop at the first fault and write nothing down
	exhausted bool // a limit was reached, the result does not count
	rewrite   bool // an integer with a fraction or exponent was met
	steps     int
	depth     int
	level     int
	path      []segment
	report
}

// A segment is one step of the path from the root of the instance.
type segment struct {
	name  string // "" and no member: an element
	index int    // position in the object or array
	item  bool
}

// spend takes n steps of the budget.
func (w *walker) spend(n int) {
	w.steps += n
	if w.steps > maxSteps {
		w.exhausted = true
	}
}

// check reports whether v satisfies n. Unless the walker is quiet it goes on
// after a fault and writes each one down. What n and its parts evaluate is
// marked in ev, which may be nil.
func (w *walker) check(n *node, v jsondoc.Value, ev *evaluated) bool {
	w.spend(1)
	if w.exhausted || w.depth >= maxDepth {
		w.exhausted = true
		return false
	}
	if n.blank {
		return true
	}
	w.depth++
	ok := w.checkNode(n, v, ev)
	w.depth--
	return ok
}

func (w *walker) checkNode(n *node, v jsondoc.Value, outer *evaluated) bool {
	if n.never {
		return w.fail("is not allowed")
	}
	if n.types != 0 {
		if !n.types.allows(v) {
			if w.quiet {
				return false
			}
			return w.fail(mustBeType(n.types, v)) // what else is wrong follows from it
		}
		if v.Kind() == jsondoc.Number && n.types&(kindInteger|kindNumber) == kindInteger && !plain(v.Raw()) {
			w.rewrite = true
		}
	}
	ev := outer
	if n.unevaluatedItems() != nil || n.unevaluatedProperties() != nil {
		ev = &evaluated{seen: make([]bool, v.Len())}
	}
	ok := w.checkValue(n, v)
	if !ok && w.quiet {
		return false
	}
	switch v.Kind() {
	case jsondoc.Number:
		ok = (n.number == nil || w.checkNumber(n.number, v)) && ok
	case jsondoc.String:
		ok = (n.text == nil || w.checkText(n.text, v)) && ok
	case jsondoc.Array:
		ok = (n.array == nil || w.checkArray(n.array, v, ev)) && ok
	case jsondoc.Object:
		ok = (n.object == nil || w.checkObject(n.object, v, ev)) && ok
	}
	if !ok && w.quiet {
		return false
	}
	ok = w.checkInPlace(n, v, ev) && ok
	if ev != outer && ok {
		ok = w.checkUnevaluated(n, v, ev)
		outer.merge(ev)
	}
	return ok
}

func (w *walker) checkValue(n *node, v jsondoc.Value) bool {
	if n.constant.Exists() && !w.same(v, n.constant) {
		if w.quiet {
			return false
		}
		return w.fail("must be " + show(n.constant))
	}
	if n.enum == nil {
		return true
	}
	for _, allowed := range n.enum {
		if w.same(v, allowed) {
			return true
		}
	}
	if w.quiet {
		return false
	}
	return w.fail(mustBeOneOf(n.enum))
}

func (w *walker) same(a, b jsondoc.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	w.spend(len(a.Raw()) / stepBytes)
	return !w.exhausted && equal(a, b)
}

func (w *walker) checkNumber(r *numberRules, v jsondoc.Value) bool {
	raw, ok := v.Raw(), true
	w.spend(len(raw) / stepBytes)
	if r.minimum != nil && r.minimum.compare(raw) < 0 {
		ok = w.failf("must be at least %s, not %s", r.minimum.exact.text, show(v))
	}
	if r.above != nil && r.above.compare(raw) <= 0 {
		ok = w.failf("must be more than %s, not %s", r.above.exact.text, show(v))
	}
	if r.maximum != nil && r.maximum.compare(raw) > 0 {
		ok = w.failf("must be at most %s, not %s", r.maximum.exact.text, show(v))
	}
	if r.below != nil && r.below.compare(raw) >= 0 {
		ok = w.failf("must be less than %s, not %s", r.below.exact.text, show(v))
	}
	if r.multipleOf != nil && !parseDecimal(string(raw)).multipleOf(*r.multipleOf) {
		ok = w.failf("must be a multiple of %s, not %s", r.multipleOf.text, show(v))
	}
	return ok
}

func (w *walker) checkText(r *textRules, v jsondoc.Value) bool {
	text, ok := v.Text(), true
	w.spend(len(text) / stepBytes)
	if r.minLength != nil || r.maxLength != nil {
		length := int64(utf8.RuneCountInString(text))
		ok = w.checkCount(r.minLength, r.maxLength, length, "character", "characters")
	}
	if r.pattern != nil {
		w.spend(len(text) / stepBytes * (1 + r.patternSize/stepBytes))
	}
	if r.pattern != nil && !w.exhausted && !r.pattern.MatchString(text) {
		ok = w.failf("must match the pattern %s, not be %s", quote(r.patternText), show(v))
	}
	return ok
}

// checkCount compares a number of things with its limits, either may be nil.
func (w *walker) checkCount(least, most *count, n int64, one, many string) bool {
	ok := true
	if least != nil && n < least.n {
		ok = w.failf("must have at least %s, not %d", least.of(one, many), n)
	}
	if most != nil && n > most.n {
		ok = w.failf("must have at most %s, not %d", most.of(one, many), n)
	}
	return ok
}

func (w *walker) checkArray(r *arrayRules, v jsondoc.Value, ev *evaluated) bool {
	ok := w.checkCount(r.minItems, r.maxItems, int64(v.Len()), "item", "items")
	if !ok && w.quiet {
		return false
	}
	if r.prefix != nil || r.items != nil {
		i := -1
		for element := range v.Elements() {
			i++
			sub := r.at(i)
			if sub == nil {
				break
			}
			if !w.child(sub, element, segment{index: i, item: true}) {
				ok = false
				if w.quiet || w.exhausted {
					return false
				}
			}
			ev.mark(i)
		}
	}
	if r.contains != nil {
		ok = w.checkContains(r, v, ev) && ok
	}
	if r.unique {
		ok = w.checkUnique(v) && ok
	}
	return ok
}

// at returns the schema of element i, nil where it is free.
func (r *arrayRules) at(i int) *node {
	if i < len(r.prefix) {
		return r.prefix[i]
	}
	return r.items
}

func (w *walker) checkContains(r *arrayRules, v jsondoc.Value, ev *evaluated) bool {
	var matches int64
	i := -1
	for element := range v.Elements() {
		i++
		if w.quietly(r.contains, element, nil) {
			matches++
			ev.mark(i)
		}
	}
	least := r.minContains
	if least == nil {
		least = &count{1, "1"}
	}
	return w.checkCount(least, r.maxContains, matches,
		`item of the kind that "contains" describes`, `items of the kind that "contains" describes`)
}

func (w *walker) checkUnique(v jsondoc.Value) bool {
	if v.Len() < 2 {
		return true
	}
	w.spend(len(v.Raw()) / stepBytes)
	if w.exhausted {
		return false
	}
	first := make(map[string]int, v.Len())
	i := -1
	for element := range v.Elements() {
		i++
		key := string(appendCanonical(nil, element))
		if earlier, ok := first[key]; ok {
			return w.failf("must not hold the same item twice, items %d and %d are equal", earlier, i)
		}
		first[key] = i
	}
	return true
}

func (w *walker) checkObject(o *objectRules, v jsondoc.Value, ev *evaluated) bool {
	ok := w.checkCount(o.minimum, o.maximum, int64(v.Len()), "property", "properties")
	for _, name := range o.required {
		if !v.Get(name).Exists() {
			ok = w.failAt(name, isRequired)
		}
	}
	if !ok && w.quiet {
		return false
	}
	if o.declaredOnly() && w.quiet && ev == nil && len(o.names) <= 8 {
		for _, name := range o.names {
			if member := v.Get(name); member.Exists() && !w.check(o.properties[name], member, nil) {
				return false
			}
		}
	} else if !w.checkMembers(o, v, ev) {
		ok = false
	}
	for i := range o.dependent {
		d := &o.dependent[i]
		if !v.Get(d.name).Exists() {
			continue
		}
		for _, name := range d.required {
			if !v.Get(name).Exists() {
				ok = w.failAt(name, "is required when "+quote(d.name)+" is given")
			}
		}
	}
	return ok
}

// declaredOnly reports whether only named properties have schemas.
func (o *objectRules) declaredOnly() bool {
	return o.additional == nil && o.patterns == nil && o.nameSchema == nil
}

func (w *walker) checkMembers(o *objectRules, v jsondoc.Value, ev *evaluated) bool {
	if o.declaredOnly() && len(o.names) == 0 {
		return true
	}
	ok := true
	i := -1
	for name, member := range v.Members() {
		i++
		w.spend(1)
		at := segment{name: name, index: i}
		if o.nameSchema != nil {
			ok = w.checkName(o, at) && ok
		}
		found := o.lookup(name, func(sub *node) bool {
			if sub.never && !w.quiet {
				ok = w.notAllowed(o, at)
				return true
			}
			if !w.child(sub, member, at) {
				ok = false
			}
			return ok || !w.quiet
		})
		if found {
			ev.mark(i)
		}
		if !ok && (w.quiet || w.exhausted) {
			return false
		}
	}
	return ok
}

// checkName applies propertyNames to the name of one member.
func (w *walker) checkName(o *objectRules, at segment) bool {
	name := jsondoc.Quote(at.name)
	if w.quiet {
		return w.check(o.nameSchema, name, nil)
	}
	faults := w.collect(func() { w.check(o.nameSchema, name, nil) })
	if len(faults) == 0 {
		return true
	}
	w.path = append(w.path, at)
	w.fail("is not an allowed name: it " + faults[0].Message)
	w.path = w.path[:len(w.path)-1]
	return false
}

// notAllowed reports a member that the schema forbids.
func (w *walker) notAllowed(o *objectRules, at segment) bool {
	message := "is not allowed"
	w.spend(len(o.names))
	if near := nearest(at.name, o.names); near != "" && len(w.found) < maxCollected {
		message += ", did you mean " + quote(near) + "?"
	}
	w.path = append(w.path, at)
	w.fail(message)
	w.path = w.path[:len(w.path)-1]
	return false
}

// child checks an element or member.
func (w *walker) child(n *node, v jsondoc.Value, at segment) bool {
	if w.level >= maxLevel {
		w.exhausted = true
		return false
	}
	w.level++
	var ok bool
	if w.quiet {
		ok = w.check(n, v, nil)
	} else {
		w.path = append(w.path, at)
		ok = w.check(n, v, nil)
		w.path = w.path[:len(w.path)-1]
	}
	w.level--
	return ok
}

// quietly checks without writing faults down.
func (w *walker) quietly(n *node, v jsondoc.Value, ev *evaluated) bool {
	before := w.quiet
	w.quiet = true
	ok := w.check(n, v, ev)
	w.quiet = before
	return ok
}

func (w *walker) checkInPlace(n *node, v jsondoc.Value, ev *evaluated) bool {
	ok := true
	for _, list := range [...][]*node{n.refs, n.allOf} {
		for _, sub := range list {
			if !w.check(sub, v, ev) {
				ok = false
				if w.quiet {
					return false
				}
			}
		}
	}
	if n.object != nil && v.Kind() == jsondoc.Object {
		for i := range n.object.dependent {
			if d := &n.object.dependent[i]; d.schema != nil && v.Get(d.name).Exists() {
				ok = w.check(d.schema, v, ev) && ok
			}
		}
	}
	if n.anyOf != nil {
		ok = w.checkAnyOf(n, v, ev) && ok
	}
	if n.oneOf != nil {
		ok = w.checkOneOf(n, v, ev) && ok
	}
	if n.not != nil && w.quietly(n.not, v, nil) {
		if w.quiet {
			return false
		}
		ok = w.fail(mustNot(n.not))
	}
	if n.when != nil {
		branch := n.others
		condition := ev.fork()
		if w.quietly(n.when, v, condition) {
			ev.merge(condition)
			branch = n.then
		}
		if branch != nil {
			ok = w.check(branch, v, ev) && ok
		}
	}
	return ok
}

func (w *walker) checkAnyOf(n *node, v jsondoc.Value, ev *evaluated) bool {
	matched := false
	for _, sub := range n.anyOf {
		branch := ev.fork()
		if w.quietly(sub, v, branch) {
			ev.merge(branch)
			matched = true
			if ev == nil {
				return true // nobody asks what the others evaluate
			}
		}
	}
	if matched {
		return true
	}
	if w.quiet {
		return false
	}
	w.noBranch(n.anyOf, v)
	return false
}

func (w *walker) checkOneOf(n *node, v jsondoc.Value, ev *evaluated) bool {
	first, second := -1, -1
	for i, sub := range n.oneOf {
		branch := ev.fork()
		if !w.quietly(sub, v, branch) {
			continue
		}
		if first >= 0 {
			second = i
			break
		}
		first = i
		ev.merge(branch)
	}
	switch {
	case first < 0:
		if !w.quiet {
			w.noBranch(n.oneOf, v)
		}
		return false
	case second >= 0:
		return w.failf("must match only one form of \"oneOf\", but matches both number %d and number %d", first+1, second+1)
	}
	return true
}

func (w *walker) checkUnevaluated(n *node, v jsondoc.Value, ev *evaluated) bool {
	ok := true
	i := -1
	if sub := n.unevaluatedItems(); sub != nil {
		for element := range v.Elements() {
			i++
			if !ev.seen[i] {
				ok = w.child(sub, element, segment{index: i, item: true}) && ok
				ev.seen[i] = true
			}
		}
	}
	if sub := n.unevaluatedProperties(); sub != nil {
		for name, member := range v.Members() {
			i++
			if ev.seen[i] {
				continue
			}
			ev.seen[i] = true
			at := segment{name: name, index: i}
			if sub.never && !w.quiet {
				ok = w.notAllowed(n.object, at)
			} else {
				ok = w.child(sub, member, at) && ok
			}
		}
	}
	return ok
}

// evaluated marks the elements or members of one value that some schema has
// looked at, for unevaluatedItems and unevaluatedProperties. A nil *evaluated
// takes no marks.
type evaluated struct{ seen []bool }

func (e *evaluated) mark(i int) {
	if e != nil && i < len(e.seen) {
		e.seen[i] = true
	}
}

// fork returns an empty set for a branch whose marks count only if it matches.
func (e *evaluated) fork() *evaluated {
	if e == nil {
		return nil
	}
	return &evaluated{seen: make([]bool, len(e.seen))}
}

func (e *evaluated) merge(branch *evaluated) {
	if e == nil || branch == nil {
		return
	}
	for i, seen := range branch.seen {
		if seen {
			e.seen[i] = true
		}
	}
}
