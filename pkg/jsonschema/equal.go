package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// equal reports whether two values are the same to JSON Schema: numbers by
// value, objects whatever their order.
func equal(a, b jsondoc.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case jsondoc.Null:
		return true
	case jsondoc.Bool:
		return a.Bool() == b.Bool()
	case jsondoc.String:
		return a.Text() == b.Text()
	case jsondoc.Array, jsondoc.Object:
		if a.Len() != b.Len() {
			return false
		}
	}
	return string(appendCanonical(nil, a)) == string(appendCanonical(nil, b))
}

// appendCanonical appends a text that two values share exactly when they are equal.
func appendCanonical(dst []byte, v jsondoc.Value) []byte {
	switch v.Kind() {
	case jsondoc.Number:
		d := parseDecimal(string(v.Raw()))
		if d.negative {
			dst = append(dst, '-')
		}
		dst = append(dst, d.digits...)
		dst = append(dst, 'e')
		return strconv.AppendInt(dst, d.exp, 10)
	case jsondoc.String:
		return jsondoc.AppendQuote(dst, v.Text())
	case jsondoc.Array:
		dst = append(dst, '[')
		for element := range v.Elements() {
			dst = append(appendCanonical(dst, element), ',')
		}
		return append(dst, ']')
	case jsondoc.Object:
		type member struct {
			name  string
			value jsondoc.Value
		}
		members := make([]member, 0, v.Len())
		for name, value := range v.Members() {
			members = append(members, member{name, value})
		}
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(jsondoc.AppendQuote(dst, m.name), ':')
			dst = append(appendCanonical(dst, m.value), ',')
		}
		return append(dst, '}')
	}
	return append(dst, v.Raw()...)
}
