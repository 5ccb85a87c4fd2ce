package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// knownKeywords is what unknown ones are compared with.
var knownKeywords = [...]string{
	"type", "properties", "required", "description", "items", "enum", "default", "title",
	"additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
	"dependentRequired", "dependentSchemas", "unevaluatedProperties",
	"prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems",
	"minLength", "maxLength", "pattern", "format",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"const", "allOf", "anyOf", "oneOf", "then", "else",
	"examples", "deprecated", "readOnly", "writeOnly",
	"contentEncoding", "contentMediaType", "contentSchema",
	"$ref", "$defs", "$anchor", "$schema", "$comment", "$dynamicRef", "$dynamicAnchor", "$vocabulary",
	"definitions",
}

// Keyword reports whether word is a keyword, of JSON Schema or another dialect.
func Keyword(word string) bool {
	return slices.Contains(knownKeywords[:], word) || slices.Contains(foreignKeywords[:], word) ||
		word == "not" || word == "if" || word == "$id" || word == "nullable" || strings.HasPrefix(word, "x-")
}

// foreignKeywords are of other dialects and near to known ones by accident.
var foreignKeywords = [...]string{"example", "note", "notes", "when", "requires", "value", "values"}

// keyword takes one keyword into n and reports whether it knows it.
func (c *compiler) keyword(n *node, p place, word string, v jsondoc.Value) bool {
	if c.annotation(p, word, v) {
		return true
	}
	switch word {
	case "default":
		n.fallback = v
		return true
	case "$ref", "$dynamicRef":
		c.reference(n, p, word, v)
	case "$anchor", "$dynamicAnchor":
		if c.isString(p, word, v) {
			c.anchors[p.resource+"#"+v.Text()] = n
		}
		return true
	case "$defs", "definitions":
		c.schemas(p, word, v, nil, func(string, *node) {})
		return true
	case "type":
		c.types(n, p, v)
	case "enum":
		if v.Kind() != jsondoc.Array {
			c.wrong(p.at(word), `"enum" must be an array of the allowed values, not `+describe(v), "write enum: ["+v.Text()+"]")
		} else if v.Len() == 0 {
			c.wrong(p.at(word), `"enum" is empty, so no value is allowed`, "list the allowed values or remove it")
		} else {
			n.enum = slices.Collect(v.Elements())
		}
	case "const":
		n.constant = v
	default:
		if !c.scalarKeyword(n, p, word, v) && !c.arrayKeyword(n, p, word, v) && !c.objectKeyword(n, p, word, v) && !c.branchKeyword(n, p, word, v) {
			return false
		}
	}
	n.blank = false
	return true
}

// annotation checks the type of a keyword that asserts nothing, and reports
// whether word is one.
func (c *compiler) annotation(p place, word string, v jsondoc.Value) bool {
	switch word {
	case "title", "description", "$comment", "format", "contentEncoding", "contentMediaType", "$schema", "$id":
		c.isString(p, word, v)
	case "deprecated", "readOnly", "writeOnly":
		c.is(p, word, v, jsondoc.Bool)
	case "examples":
		c.is(p, word, v, jsondoc.Array)
	case "$vocabulary":
		c.is(p, word, v, jsondoc.Object)
	case "contentSchema":
		c.schema(v, p.below(word), nil)
	default:
		return false
	}
	return true
}

func (c *compiler) scalarKeyword(n *node, p place, word string, v jsondoc.Value) bool {
	switch word {
	case "minimum":
		n.numbers().minimum = c.bound(p, word, v)
	case "maximum":
		n.numbers().maximum = c.bound(p, word, v)
	case "exclusiveMinimum":
		n.numbers().above = c.bound(p, word, v)
	case "exclusiveMaximum":
		n.numbers().below = c.bound(p, word, v)
	case "multipleOf":
		if b := c.bound(p, word, v); b != nil {
			if b.exact.zero() || b.exact.negative {
				c.wrong(p.at(word), `"multipleOf" must be more than 0, not `+show(v), "")
			} else {
				n.numbers().multipleOf = &b.exact
			}
		}
	case "minLength":
		n.texts().minLength = c.count(p, word, v)
	case "maxLength":
		n.texts().maxLength = c.count(p, word, v)
	case "pattern":
		if !c.isString(p, word, v) {
			break
		}
		re, size, message := compilePattern(v.Text())
		if message != "" {
			c.wrong(p.at(word), `"pattern" is not a regular expression that can be used: `+message, "the syntax is RE2: https://github.com/google/re2/wiki/Syntax")
			break
		}
		n.texts().pattern, n.text.patternText, n.text.patternSize = re, v.Text(), size
	default:
		return false
	}
	return true
}

func (c *compiler) arrayKeyword(n *node, p place, word string, v jsondoc.Value) bool {
	switch word {
	case "items":
		if v.Kind() == jsondoc.Array {
			c.wrong(p.at(word), `"items" must be one schema for all items, not an array`, `for a schema per position write "prefixItems"`)
			break
		}
		n.arrays().items = c.schema(v, p.below(word), nil)
	case "prefixItems":
		n.arrays().prefix = c.schemaList(p, word, v, nil)
	case "contains":
		n.arrays().contains = c.schema(v, p.below(word), nil)
	case "unevaluatedItems":
		n.arrays().unevaluated = c.schema(v, p.below(word), nil)
	case "minContains":
		n.arrays().minContains = c.count(p, word, v)
	case "maxContains":
		n.arrays().maxContains = c.count(p, word, v)
	case "minItems":
		n.arrays().minItems = c.count(p, word, v)
	case "maxItems":
		n.arrays().maxItems = c.count(p, word, v)
	case "uniqueItems":
		if c.is(p, word, v, jsondoc.Bool) {
			n.arrays().unique = v.Bool()
		}
	default:
		return false
	}
	return true
}

func (c *compiler) objectKeyword(n *node, p place, word string, v jsondoc.Value) bool {
	switch word {
	case "properties":
		if v.Kind() != jsondoc.Object {
			c.schemas(p, word, v, nil, nil) // says so
			break
		}
		o := n.objects()
		o.declared = true
		c.schemas(p, word, v, nil, func(name string, sub *node) {
			o.names = append(o.names, name)
			o.properties[name] = sub
		})
	case "patternProperties":
		c.schemas(p, word, v, nil, func(pattern string, sub *node) {
			re, _, message := compilePattern(pattern)
			if message != "" {
				c.fault(Fault{Pointer: p.at(word, pattern), OnKey: true, Message: quote(pattern) + " is not a regular expression that can be used: " + message})
				return
			}
			n.objects().patterns = append(n.objects().patterns, patternRule{re, sub})
		})
	case "additionalProperties":
		n.objects().additional = c.schema(v, p.below(word), nil)
	case "propertyNames":
		n.objects().nameSchema = c.schema(v, p.below(word), nil)
	case "unevaluatedProperties":
		n.objects().unevaluated = c.schema(v, p.below(word), nil)
	case "minProperties":
		n.objects().minimum = c.count(p, word, v)
	case "maxProperties":
		n.objects().maximum = c.count(p, word, v)
	case "required":
		if v.Kind() == jsondoc.Bool {
			c.requiredFlag(p, v)
			break
		}
		n.objects().required = c.nameList(p.at(word), word, v)
		for i, name := range n.object.required {
			c.required = append(c.required, requirement{n, i, name})
		}
	case "dependentRequired":
		if !c.is(p, word, v, jsondoc.Object) {
			break
		}
		for name, list := range v.Members() {
			names := c.nameList(p.at(word, name), name, list)
			n.objects().dependent = append(n.objects().dependent, dependency{name: name, required: names})
		}
	case "dependentSchemas":
		c.schemas(p, word, v, n, func(name string, sub *node) {
			n.objects().dependent = append(n.objects().dependent, dependency{name: name, schema: sub})
		})
	default:
		return false
	}
	return true
}

func (c *compiler) branchKeyword(n *node, p place, word string, v jsondoc.Value) bool {
	switch word {
	case "allOf":
		n.allOf = c.schemaList(p, word, v, n)
	case "anyOf":
		n.anyOf = c.schemaList(p, word, v, n)
	case "oneOf":
		n.oneOf = c.schemaList(p, word, v, n)
	case "not":
		n.not = c.schema(v, p.below(word), n)
	case "if":
		n.when = c.schema(v, p.below(word), n)
	case "then":
		n.then = c.schema(v, p.below(word), n)
	case "else":
		n.others = c.schema(v, p.below(word), n)
	default:
		return false
	}
	return true
}

// unknown looks at a keyword that means nothing here.
func (c *compiler) unknown(p place, word string, v jsondoc.Value) {
	if word == "nullable" {
		c.fault(Fault{
			Pointer: p.at(word), OnKey: true, Warning: true,
			Message: `"nullable" is of OpenAPI and has no effect`,
			Hint:    `to allow null write type: [string, "null"]`,
		})
		return
	}
	if strings.HasPrefix(word, "x-") || slices.Contains(foreignKeywords[:], word) {
		return
	}
	if near := nearest(word, knownKeywords[:]); near != "" {
		c.fault(Fault{
			Pointer: p.at(word), OnKey: true, Warning: true,
			Message: "unknown keyword " + quote(word) + " has no effect",
			Hint:    "did you mean " + quote(near) + "?",
		})
	}
}

// requiredFlag reports "required": true, which drafts before 4 had.
func (c *compiler) requiredFlag(p place, v jsondoc.Value) {
	hint := `list the names of the required properties: required: [name]`
	if n := len(p.pointer); n >= 2 && p.pointer[n-2] == "properties" {
		name := p.pointer[n-1]
		if v.Bool() {
			hint = "list " + quote(name) + ` in the "required" of the object around it: required: [` + name + "]"
		} else {
			hint = "remove it: a property that is not listed in the \"required\" of the object around it is optional"
		}
	}
	c.fault(Fault{Pointer: p.at("required"), OnKey: true, Message: `"required" must be an array of property names, not ` + describe(v), Hint: hint})
}

func (c *compiler) reference(n *node, p place, word string, v jsondoc.Value) {
	if c.isString(p, word, v) {
		c.refs = append(c.refs, reference{from: n, word: word, text: v.Text(), place: p})
	}
}

// is reports whether v is of kind, and the fault if it is not.
func (c *compiler) is(p place, word string, v jsondoc.Value, kind jsondoc.Kind) bool {
	if v.Kind() == kind {
		return true
	}
	hint := ""
	if v.Kind() == jsondoc.String {
		if inner, err := jsondoc.Parse([]byte(v.Text())); err == nil && inner.Kind() == kind {
			hint = "remove the quotes"
		}
	}
	article := "a "
	if kind == jsondoc.Array || kind == jsondoc.Object {
		article = "an "
	}
	c.wrong(p.at(word), quote(word)+" must be "+article+kind.String()+", not "+describe(v), hint)
	return false
}

func (c *compiler) isString(p place, word string, v jsondoc.Value) bool {
	return c.is(p, word, v, jsondoc.String)
}

func (c *compiler) bound(p place, word string, v jsondoc.Value) *bound {
	if v.Kind() == jsondoc.Bool && strings.HasPrefix(word, "exclusive") {
		inclusive := "minimum"
		if word == "exclusiveMaximum" {
			inclusive = "maximum"
		}
		c.wrong(p.at(word), quote(word)+" must be a number, not "+describe(v), "write the limit itself, in place of "+quote(inclusive))
		return nil
	}
	if !c.is(p, word, v, jsondoc.Number) {
		return nil
	}
	return newBound(v)
}

func (c *compiler) count(p place, word string, v jsondoc.Value) *count {
	if !c.is(p, word, v, jsondoc.Number) {
		return nil
	}
	d := parseDecimal(string(v.Raw()))
	if d.negative || !d.integer() {
		c.wrong(p.at(word), quote(word)+" must be an integer of at least 0, not "+show(v), "")
		return nil
	}
	return &count{d.count(), show(v)}
}

// schemas compiles an object of schemas.
func (c *compiler) schemas(p place, word string, v jsondoc.Value, outer *node, each func(name string, sub *node)) {
	if v.Kind() != jsondoc.Object {
		hint := ""
		if word == "properties" && v.Kind() == jsondoc.Array {
			hint = "write one entry for each property: name: { type: string }"
		}
		c.wrong(p.at(word), quote(word)+" must be an object, not "+describe(v), hint)
		return
	}
	for name, schema := range v.Members() {
		each(name, c.schema(schema, p.below(word, name), outer))
	}
}

// schemaList compiles an array of schemas, which must not be empty.
func (c *compiler) schemaList(p place, word string, v jsondoc.Value, outer *node) []*node {
	if v.Kind() != jsondoc.Array {
		c.wrong(p.at(word), quote(word)+" must be an array of schemas, not "+describe(v), "")
		return nil
	}
	if v.Len() == 0 {
		c.wrong(p.at(word), quote(word)+" must list at least one schema", "")
		return nil
	}
	list := make([]*node, 0, v.Len())
	i := 0
	for schema := range v.Elements() {
		list = append(list, c.schema(schema, p.below(word, strconv.Itoa(i)), outer))
		i++
	}
	return list
}

// nameList reads an array of distinct property names.
func (c *compiler) nameList(pointer []string, word string, v jsondoc.Value) []string {
	if v.Kind() != jsondoc.Array {
		hint := ""
		if v.Kind() == jsondoc.String {
			hint = "write " + word + ": [" + v.Text() + "]"
		}
		c.wrong(pointer, quote(word)+" must be an array of property names, not "+describe(v), hint)
		return nil
	}
	var names []string
	seen := map[string]bool{}
	i := -1
	for element := range v.Elements() {
		i++
		name := element.Text()
		at := append(slices.Clip(pointer), strconv.Itoa(i))
		switch {
		case element.Kind() != jsondoc.String:
			c.wrong(at, quote(word)+" must list names, not "+describe(element), "")
		case seen[name]:
			c.wrong(at, quote(word)+" lists "+quote(name)+" twice", "")
		default:
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
