package jsonschema

import (
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// coerce returns v as n wants it, as far as v can be read that way; the same v
// where there is nothing to change. It does not say whether the outcome
// satisfies n.
func (w *walker) coerce(n *node, v jsondoc.Value) jsondoc.Value {
	w.spend(1)
	if w.exhausted || w.depth >= maxDepth {
		w.exhausted = true
		return v
	}
	if n.blank || n.never {
		return v
	}
	w.depth++
	defer func() { w.depth-- }()

	for _, sub := range n.refs {
		v = w.coerce(sub, v)
	}
	v = w.retype(n, v)
	for _, sub := range n.allOf {
		v = w.coerce(sub, v)
	}
	switch v.Kind() {
	case jsondoc.Array:
		if n.array != nil {
			v = w.coerceElements(v, func(i int) *node { return n.array.at(i) })
		}
	case jsondoc.Object:
		if n.object != nil {
			v = w.coerceMembers(v, func(_ int, name string, each func(*node) bool) { n.object.lookup(name, each) })
		}
	}
	v = w.coerceBranch(n.anyOf, v)
	v = w.coerceBranch(n.oneOf, v)
	if n.when != nil {
		branch := n.others
		if w.quietly(n.when, v, nil) {
			branch = n.then
		}
		if branch != nil {
			v = w.coerce(branch, v)
		}
	}
	if n.object != nil {
		for i := range n.object.dependent {
			if d := &n.object.dependent[i]; d.schema != nil && v.Get(d.name).Exists() {
				v = w.coerce(d.schema, v)
			}
		}
	}
	return w.coerceUnevaluated(n, v)
}

// coerceBranch goes by the first branch that accepts v as it stands, else by
// the first that accepts what it makes of v.
func (w *walker) coerceBranch(branches []*node, v jsondoc.Value) jsondoc.Value {
	for _, sub := range branches {
		if w.quietly(sub, v, nil) {
			return w.coerce(sub, v)
		}
	}
	for _, sub := range branches {
		if changed := w.coerce(sub, v); changed != v && w.quietly(sub, changed, nil) {
			return changed
		}
	}
	return v
}

func (w *walker) coerceUnevaluated(n *node, v jsondoc.Value) jsondoc.Value {
	items, properties := n.unevaluatedItems(), n.unevaluatedProperties()
	if (items == nil || v.Kind() != jsondoc.Array) && (properties == nil || v.Kind() != jsondoc.Object) {
		return v
	}
	rest := *n
	if n.array != nil {
		array := *n.array
		array.unevaluated, rest.array = nil, &array
	}
	if n.object != nil {
		object := *n.object
		object.unevaluated, rest.object = nil, &object
	}
	ev := &evaluated{seen: make([]bool, v.Len())}
	before := w.quiet
	w.quiet = false // go on after a fault: everything evaluated has to be marked
	w.collect(func() { w.check(&rest, v, ev) })
	w.quiet = before
	if v.Kind() == jsondoc.Array {
		return w.coerceElements(v, func(i int) *node {
			if ev.seen[i] {
				return nil
			}
			return items
		})
	}
	return w.coerceMembers(v, func(i int, _ string, each func(*node) bool) {
		if !ev.seen[i] {
			each(properties)
		}
	})
}

// retype turns a value of a type that n does not allow into one that it does.
func (w *walker) retype(n *node, v jsondoc.Value) jsondoc.Value {
	if n.types == 0 {
		return v
	}
	if n.types.allows(v) {
		if v.Kind() == jsondoc.Number && n.types&(kindInteger|kindNumber) == kindInteger {
			return w.wholeNumber(v)
		}
		return v
	}
	switch v.Kind() {
	case jsondoc.Number:
		if n.types&kindString != 0 {
			return jsondoc.Quote(string(v.Raw()))
		}
	case jsondoc.String:
		w.spend(len(v.Raw()) / stepBytes)
		for _, want := range n.typeList {
			if changed, ok := w.read(v.Text(), want); ok {
				return changed
			}
		}
	}
	return v
}

// read reads text as a value of the type want.
func (w *walker) read(text string, want kinds) (jsondoc.Value, bool) {
	if want&(kindBoolean|kindInteger|kindNumber|kindArray|kindObject) == 0 || text == "" {
		return jsondoc.Value{}, false
	}
	v, err := jsondoc.Parse([]byte(text))
	if err != nil || !want.allows(v) {
		return jsondoc.Value{}, false
	}
	if want&(kindArray|kindObject) == 0 && len(v.Raw()) != len(text) {
		return jsondoc.Value{}, false // white space around a scalar is part of the text
	}
	if want == kindInteger {
		v = w.wholeNumber(v)
	}
	return v, true
}

// wholeNumber rewrites 3.0 and 1e2, integers to JSON Schema, as 3 and 100: few
// services take the former for an integer.
func (w *walker) wholeNumber(v jsondoc.Value) jsondoc.Value {
	if plain(v.Raw()) {
		return v
	}
	w.spend(len(v.Raw()) / stepBytes)
	text, ok := parseDecimal(string(v.Raw())).integerText()
	if !ok {
		return v
	}
	whole, err := jsondoc.Parse([]byte(text))
	if err != nil {
		return v
	}
	return whole
}

// coerceElements rebuilds an array if one of its elements changes. schema
// returns what applies to an element, nil for nothing.
func (w *walker) coerceElements(v jsondoc.Value, schema func(i int) *node) jsondoc.Value {
	if !w.descend() {
		return v
	}
	defer w.ascend()
	var elements []jsondoc.Value
	i, changed := -1, false
	for element := range v.Elements() {
		i++
		out := element
		if sub := schema(i); sub != nil {
			out = w.coerce(sub, element)
		}
		changed = changed || out != element
		elements = append(elements, out)
	}
	if !changed {
		return v
	}
	text := []byte{'['}
	for i, element := range elements {
		if i > 0 {
			text = append(text, ',')
		}
		text = element.AppendCompact(text)
	}
	return w.rebuilt(v, append(text, ']'))
}

// coerceMembers rebuilds an object if one of its members changes or goes.
// schemas calls each with the schemas of a member.
func (w *walker) coerceMembers(v jsondoc.Value, schemas func(i int, name string, each func(*node) bool)) jsondoc.Value {
	if !w.descend() {
		return v
	}
	defer w.ascend()
	type member struct {
		name  string
		value jsondoc.Value
	}
	var members []member
	i, changed := -1, false
	for name, value := range v.Members() {
		i++
		w.spend(1)
		out, absent := value, false
		schemas(i, name, func(sub *node) bool {
			// A null that the property does not allow is how models say that they
			// leave it out. A property that nothing may have stays a fault.
			if out.Kind() == jsondoc.Null && !sub.never && !w.quietly(sub, out, nil) {
				absent = true
				return false
			}
			out = w.coerce(sub, out)
			return true
		})
		if absent {
			changed = true
			continue
		}
		changed = changed || out != value
		members = append(members, member{name, out})
	}
	if !changed {
		return v
	}
	text := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendMember(text, m.name, m.value)
	}
	return w.rebuilt(v, append(text, '}'))
}

func appendMember(dst []byte, name string, value jsondoc.Value) []byte {
	dst = append(jsondoc.AppendQuote(dst, name), ':')
	return value.AppendCompact(dst)
}

// rebuilt returns text as a value, or old where it would be nested too deeply.
func (w *walker) rebuilt(old jsondoc.Value, text []byte) jsondoc.Value {
	w.spend(len(text) / rebuiltBytes) // every level around a change is rebuilt
	if w.exhausted {
		return old
	}
	v, err := jsondoc.Parse(text)
	if err != nil {
		return old
	}
	return v
}

func (w *walker) descend() bool {
	if w.level >= maxLevel {
		w.exhausted = true
		return false
	}
	w.level++
	return true
}

func (w *walker) ascend() { w.level-- }
