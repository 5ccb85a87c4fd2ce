package jsonschema

import (
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// types reads the keyword type, a name or an array of names.
func (c *compiler) types(n *node, p place, v jsondoc.Value) {
	if v.Kind() != jsondoc.Array {
		c.typeName(n, p.at("type"), v)
		return
	}
	if v.Len() == 0 {
		c.wrong(p.at("type"), `"type" lists no type, so no value is allowed`, "name a type or remove it")
		return
	}
	i, faulty := 0, false
	for element := range v.Elements() {
		faulty = !c.typeName(n, p.at("type", strconv.Itoa(i)), element) || faulty
		i++
	}
	if faulty {
		n.types, n.typeList = 0, nil
	}
}

func (c *compiler) typeName(n *node, pointer []string, v jsondoc.Value) bool {
	name := v.Text()
	if v.Kind() != jsondoc.String {
		hint := ""
		switch v.Kind() {
		case jsondoc.Null:
			hint = `write "null", in quotes`
		case jsondoc.Object:
			hint = `a property called "type" belongs under "properties"`
		}
		c.wrong(pointer, `"type" must be the name of a type, not `+describe(v), hint)
		return false
	}
	kind := kindNamed(name)
	switch {
	case kind == 0:
		hint := "the types are " + andMore(typeNames[:])
		if meant := typeMeant(name); meant != "" {
			hint = "did you mean " + quote(meant) + "?"
		} else if name == "any" {
			hint = `for any value leave "type" out`
		}
		c.wrong(pointer, quote(name)+" is not a type", hint)
		return false
	case n.types&kind != 0:
		c.wrong(pointer, `"type" lists `+quote(name)+" twice", "")
		return true
	}
	n.types |= kind
	n.typeList = append(n.typeList, kind)
	return true
}

// typeMeant returns the type that a name of another language stands for, or
// the one it is a misspelling of; "" for neither.
func typeMeant(name string) string {
	switch name := strings.ToLower(name); name {
	case "int", "int32", "int64", "long", "uint":
		return "integer"
	case "bool":
		return "boolean"
	case "float", "double", "decimal", "num":
		return "number"
	case "str", "text", "date", "datetime", "date-time", "time", "uuid", "email", "url", "enum":
		return "string"
	case "dict", "map", "hash", "struct", "record":
		return "object"
	case "list", "tuple", "set", "slice", "sequence":
		return "array"
	case "none", "nil", "undefined":
		return "null"
	default:
		if kindNamed(name) != 0 {
			return name
		}
		return nearest(name, typeNames[:])
	}
}
