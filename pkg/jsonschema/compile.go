package jsonschema

import (
	"slices"
	"strconv"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// maxSchemaDepth bounds schemas in schemas.
const maxSchemaDepth = 64

// maxCompileSteps bounds the checks that follow references.
const maxCompileSteps = 1_000_000

type compiler struct {
	doc     jsondoc.Value
	faults  []Fault
	errors  int // faults that are no warnings
	tooDeep bool
	steps   int

	nodes    []*node
	byPlace  map[string]*node // by JSON Pointer
	anchors  map[string]*node // by resource, # and name
	refs     []reference
	required []requirement
	defaults []*node
}

// A reference is a $ref that waits until all schemas are known.
type reference struct {
	from  *node
	word  string // $ref or $dynamicRef
	text  string
	place place
	to    *node
}

// A requirement is an entry of required that has to name a property.
type requirement struct {
	node  *node
	index int
	name  string
}

// Compile compiles a schema for an object and lists what is wrong with it.
// The root has to be of type object. References have to stay inside the
// document. Schemas may be nested 64 deep.
//
// The Schema is never nil. With faults that are no warnings it leaves out the
// faulty parts: Lookup still answers, but Apply accepts too much.
func Compile(doc jsondoc.Value) (*Schema, []Fault) {
	c := &compiler{doc: doc, byPlace: map[string]*node{}, anchors: map[string]*node{}}
	root := c.schema(doc, place{}, nil)
	c.checkRoot(root)
	c.resolve()
	c.breakLoops()
	c.checkRequired()
	c.checkDefaults()
	return newSchema(doc, root), c.faults
}

// schema compiles the schema v. outer is the one it applies in place for.
func (c *compiler) schema(v jsondoc.Value, p place, outer *node) *node {
	key := pointerText(p.pointer)
	if n := c.byPlace[key]; n != nil {
		return n // a reference was there first
	}
	n := &node{doc: v, pointer: p.pointer, outer: outer}
	c.nodes = append(c.nodes, n)
	c.byPlace[key] = n
	if p.depth > maxSchemaDepth {
		n.broken = true
		if !c.tooDeep {
			c.tooDeep = true
			c.wrong(p.pointer, "schemas are nested more than "+strconv.Itoa(maxSchemaDepth)+" deep", "move parts to \"$defs\" and refer to them")
		}
		return n
	}
	switch v.Kind() {
	case jsondoc.Bool:
		n.never, n.blank = !v.Bool(), v.Bool()
		return n
	case jsondoc.Object:
	default:
		n.broken = true
		c.notSchema(v, p)
		return n
	}
	before := c.errors
	if id := v.Get("$id"); id.Kind() == jsondoc.String && len(p.pointer) > 0 {
		p.resource = pointerText(p.pointer)
	}
	n.blank = true
	for word, value := range v.Members() {
		if !c.keyword(n, p, word, value) {
			c.unknown(p, word, value)
		}
	}
	if n.when == nil {
		n.then, n.others = nil, nil
	}
	c.checkLimits(n, p)
	c.checkValues(n, p)
	n.broken = c.errors > before
	if n.fallback.Exists() && !n.broken {
		c.defaults = append(c.defaults, n)
	}
	return n
}

func (c *compiler) notSchema(v jsondoc.Value, p place) {
	what := "the schema"
	if len(p.pointer) > 0 {
		what += " of " + quote(p.pointer[len(p.pointer)-1])
	}
	hint := ""
	if name := typeMeant(v.Text()); v.Kind() == jsondoc.String && name != "" {
		hint = "write { type: " + name + " }"
	}
	c.wrong(p.pointer, what+" must be an object or a boolean, not "+describe(v), hint)
}

func (c *compiler) checkRoot(root *node) {
	const hint = "arguments are always an object: write type: object"
	listed := root.doc.Get("type")
	switch {
	case root.doc.Kind() == jsondoc.Bool:
		c.wrong(nil, "the schema must be an object with \"type\": \"object\", not "+describe(root.doc), hint)
	case root.doc.Kind() != jsondoc.Object || root.types == kindObject:
	case !listed.Exists():
		for i, f := range c.faults {
			if len(f.Pointer) == 1 && f.OnKey && nearest(f.Pointer[0], []string{"type"}) != "" {
				c.faults[i].Warning = false // the misspelt key is why
				return
			}
		}
		c.wrong(nil, "the schema does not say \"type\": \"object\"", hint)
	case root.types != 0:
		c.wrong([]string{"type"}, "the root of the schema must have type \"object\", not "+listed.Text(), hint)
	}
}

// checkLimits reports pairs of limits that nothing can satisfy.
func (c *compiler) checkLimits(n *node, p place) {
	contradiction := func(least, most string) {
		c.wrong(p.at(least), quote(least)+" "+show(n.doc.Get(least))+" is more than "+quote(most)+" "+show(n.doc.Get(most)), "")
	}
	counts := func(least, most *count, leastWord, mostWord string) {
		if least != nil && most != nil && least.n > most.n {
			contradiction(leastWord, mostWord)
		}
	}
	if r := n.text; r != nil {
		counts(r.minLength, r.maxLength, "minLength", "maxLength")
	}
	if r := n.array; r != nil {
		counts(r.minItems, r.maxItems, "minItems", "maxItems")
		counts(r.minContains, r.maxContains, "minContains", "maxContains")
	}
	if r := n.object; r != nil {
		counts(r.minimum, r.maximum, "minProperties", "maxProperties")
	}
	if r := n.number; r != nil && r.minimum != nil && r.maximum != nil && r.minimum.exact.compare(r.maximum.exact) > 0 {
		contradiction("minimum", "maximum")
	}
}

// checkValues reports members of enum and const that the type rules out.
func (c *compiler) checkValues(n *node, p place) {
	hint := func(v jsondoc.Value) string {
		switch {
		case v.Kind() == jsondoc.Null:
			return "to allow null, add \"null\" to the type"
		case n.types&kindString != 0 && (v.Kind() == jsondoc.Bool || v.Kind() == jsondoc.Number):
			return "put " + show(v) + " in quotes"
		}
		return ""
	}
	if n.types != 0 {
		for i, v := range n.enum {
			if !n.types.allows(v) {
				c.wrong(p.at("enum", strconv.Itoa(i)), "\"enum\" lists "+describe(v)+", which is not "+typesText(n.types), hint(v))
			}
		}
		if n.constant.Exists() && !n.types.allows(n.constant) {
			c.wrong(p.at("const"), "\"const\" is "+describe(n.constant)+", which is not "+typesText(n.types), hint(n.constant))
			return
		}
	}
	if n.constant.Exists() && n.enum != nil && !slices.ContainsFunc(n.enum, func(v jsondoc.Value) bool { return equal(v, n.constant) }) {
		c.wrong(p.at("const"), "\"const\" is "+show(n.constant)+", which \"enum\" does not list", "")
	}
}

// checkRequired reports names in required that are not among the properties.
func (c *compiler) checkRequired() {
	for _, r := range c.required {
		if c.full() || c.steps > maxCompileSteps {
			return
		}
		o := r.node.object
		if !o.declared || o.additional != nil || o.unevaluated != nil || c.names(r.node, r.name) {
			continue
		}
		hint := "it has no properties"
		if near := nearest(r.name, o.names); near != "" {
			hint = "did you mean " + quote(near) + "?"
		} else if len(o.names) == 1 {
			hint = "the only property is " + quote(o.names[0])
		} else if len(o.names) > 1 {
			hint = "the properties are " + andMore(o.names)
		}
		c.wrong(append(slices.Clip(r.node.pointer), "required", strconv.Itoa(r.index)),
			"\"required\" names "+quote(r.name)+", which is not a property", hint)
	}
}

// names reports whether n or what applies together with it has the property.
func (c *compiler) names(n *node, name string) bool {
	for ; n != nil; n = n.outer {
		if n.object != nil && n.object.properties[name] != nil {
			return true
		}
		all := expand(map[*node]bool{n: true})
		c.steps += len(all)
		for sub := range all {
			if sub.object != nil && (sub.object.properties[name] != nil || sub.object.matches(name)) {
				return true
			}
		}
	}
	return false
}

// matches reports whether one of the patternProperties has the name.
func (o *objectRules) matches(name string) bool {
	return slices.ContainsFunc(o.patterns, func(r patternRule) bool { return r.match.MatchString(name) })
}

// checkDefaults reports defaults that their own schema does not accept.
func (c *compiler) checkDefaults() {
	w := walker{}
	for _, n := range c.defaults {
		if c.full() {
			return
		}
		w.report = report{}
		if w.check(n, n.fallback, nil); w.exhausted {
			return
		}
		for _, f := range w.found {
			pointer := append(slices.Clip(n.pointer), "default")
			what := "\"default\""
			if len(f.tokens) > 0 {
				pointer = append(pointer, f.tokens...)
				what += " is not valid: " + quote(f.Path)
			}
			hint := ""
			switch {
			case n.fallback.Kind() == jsondoc.Null:
				hint = "leave the default out, or add \"null\" to the type"
			case len(f.tokens) == 0 && n.types&kindString != 0 && !n.types.allows(n.fallback):
				hint = "put it in quotes"
			case len(f.tokens) == 0 && n.fallback.Kind() == jsondoc.String && !n.types.allows(n.fallback) && w.retype(n, n.fallback) != n.fallback:
				hint = "remove the quotes"
			}
			c.wrong(pointer, what+" "+f.Message, hint)
		}
		if len(w.found) > 0 {
			n.fallback = jsondoc.Value{}
		}
	}
}

// andMore writes names with commas, the first few of many.
func andMore(names []string) string {
	var text string
	for i, name := range names {
		if i == maxListed && len(names) > maxListed+1 {
			return text + " and " + strconv.Itoa(len(names)-i) + " more"
		}
		if i > 0 {
			text += ", "
		}
		text += quote(name)
	}
	return text
}
