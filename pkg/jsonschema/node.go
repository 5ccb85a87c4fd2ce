package jsonschema

import (
	"regexp"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// kinds is a set of the seven type names.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindInteger
	kindNumber
	kindString
	kindArray
	kindObject
)

// typeNames has the names in the order of their bits.
var typeNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

func kindNamed(name string) kinds {
	for i, known := range typeNames {
		if name == known {
			return 1 << i
		}
	}
	return 0
}

// kindOf returns the one type of a value, number for every number.
func kindOf(v jsondoc.Value) kinds {
	switch v.Kind() {
	case jsondoc.Null:
		return kindNull
	case jsondoc.Bool:
		return kindBoolean
	case jsondoc.Number:
		return kindNumber
	case jsondoc.String:
		return kindString
	case jsondoc.Array:
		return kindArray
	case jsondoc.Object:
		return kindObject
	}
	return 0
}

// allows reports whether v is of one of the types.
func (k kinds) allows(v jsondoc.Value) bool {
	return k&kindOf(v) != 0 ||
		k&kindInteger != 0 && v.Kind() == jsondoc.Number && isInteger(v)
}

// A node is one compiled schema. It does not change once Compile has returned.
type node struct {
	doc     jsondoc.Value
	pointer []string
	outer   *node // the schema this one applies in place for, nil for children

	never  bool // the schema false
	broken bool // has faults of its own
	blank  bool // says nothing that could fail: true, {} or annotations only

	types    kinds
	typeList []kinds // as listed, the order in which coercions are tried
	enum     []jsondoc.Value
	constant jsondoc.Value

	number *numberRules
	text   *textRules
	array  *arrayRules
	object *objectRules

	refs   []*node
	allOf  []*node
	anyOf  []*node
	oneOf  []*node
	not    *node
	when   *node // if
	then   *node
	others *node // else

	fallback jsondoc.Value // default
}

type numberRules struct {
	minimum, maximum, above, below *bound
	multipleOf                     *decimal
}

type textRules struct {
	minLength, maxLength *count
	pattern              *regexp.Regexp
	patternText          string
	patternSize          int // instructions
}

type arrayRules struct {
	prefix             []*node
	items              *node
	contains           *node
	minContains        *count
	maxContains        *count
	minItems, maxItems *count
	unique             bool
	unevaluated        *node
}

type objectRules struct {
	declared    bool // has "properties"
	names       []string
	properties  map[string]*node
	patterns    []patternRule
	additional  *node
	nameSchema  *node // propertyNames
	required    []string
	dependent   []dependency
	minimum     *count
	maximum     *count
	unevaluated *node
}

type patternRule struct {
	match  *regexp.Regexp
	schema *node
}

// A dependency is what has to hold once the property name is there.
type dependency struct {
	name     string
	required []string // dependentRequired
	schema   *node    // dependentSchemas
}

// A count is a length or number of things in the schema.
type count struct {
	n    int64
	text string
}

func (n *node) numbers() *numberRules {
	if n.number == nil {
		n.number = new(numberRules)
	}
	return n.number
}

func (n *node) texts() *textRules {
	if n.text == nil {
		n.text = new(textRules)
	}
	return n.text
}

func (n *node) arrays() *arrayRules {
	if n.array == nil {
		n.array = new(arrayRules)
	}
	return n.array
}

func (n *node) objects() *objectRules {
	if n.object == nil {
		n.object = &objectRules{properties: map[string]*node{}}
	}
	return n.object
}

// unevaluatedProperties and unevaluatedItems return nil where there are none.
func (n *node) unevaluatedProperties() *node {
	if n.object == nil {
		return nil
	}
	return n.object.unevaluated
}

func (n *node) unevaluatedItems() *node {
	if n.array == nil {
		return nil
	}
	return n.array.unevaluated
}

// inPlace calls each with every schema that applies to the same value as n.
func (n *node) inPlace(each func(*node)) {
	for _, list := range [...][]*node{n.refs, n.allOf, n.anyOf, n.oneOf} {
		for _, sub := range list {
			each(sub)
		}
	}
	for _, sub := range [...]*node{n.not, n.when, n.then, n.others} {
		if sub != nil {
			each(sub)
		}
	}
	if n.object != nil {
		for _, d := range n.object.dependent {
			if d.schema != nil {
				each(d.schema)
			}
		}
	}
}

// lookup returns the schemas a property called name has to satisfy: its own,
// those of patterns, or additionalProperties.
func (o *objectRules) lookup(name string, each func(*node) bool) (found bool) {
	ok := true
	if sub := o.properties[name]; sub != nil {
		found = true
		ok = each(sub)
	}
	for i := range o.patterns {
		if ok && o.patterns[i].match.MatchString(name) {
			found = true
			ok = each(o.patterns[i].schema)
		}
	}
	if !found && o.additional != nil {
		found = true
		each(o.additional)
	}
	return found
}

// pointerText writes tokens as a JSON Pointer.
func pointerText(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		if strings.ContainsAny(token, "~/") {
			token = escapeToken.Replace(token)
		}
		b.WriteString(token)
	}
	return b.String()
}

// escapeToken is safe for concurrent use and never changes.
var escapeToken = strings.NewReplacer("~", "~0", "/", "~1")
