package executor

import (
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// appendJSON writes a value as compact JSON, keys in the file's order and
// numbers with their digits. What is missing is left out of the array or object
// around it, which stays. It reports false, and leaves dst as it was, when the
// value itself is missing.
func appendJSON(dst []byte, value *tool.Value, v *values) ([]byte, bool) {
	switch value.Kind {
	case tool.Literal:
		return value.Literal.AppendCompact(dst), true
	case tool.Template:
		typed, ok := value.Text.Value(v)
		return typed.AppendCompact(dst), ok
	case tool.Array:
		dst = append(dst, '[')
		first := len(dst)
		for i := range value.Items {
			dst = appendMember(dst, first, "", &value.Items[i], v)
		}
		return append(dst, ']'), true
	}
	dst = append(dst, '{')
	first := len(dst)
	for i := range value.Fields {
		dst = appendMember(dst, first, value.Fields[i].Name, &value.Fields[i].Value, v)
	}
	return append(dst, '}'), true
}

// appendMember writes an element, or with a name a member, of the array or
// object whose content starts at first. In an array name is "".
func appendMember(dst []byte, first int, name string, value *tool.Value, v *values) []byte {
	before := len(dst)
	if before > first {
		dst = append(dst, ',')
	}
	if dst[first-1] == '{' {
		dst = append(jsondoc.AppendQuote(dst, name), ':')
	}
	dst, ok := appendJSON(dst, value, v)
	if !ok {
		return dst[:before]
	}
	return dst
}

// textOf evaluates a value for a header or a query entry: strings as they are,
// anything else as compact JSON. A null says nothing and counts as missing.
func textOf(value *tool.Value, v *values) (string, bool) {
	switch value.Kind {
	case tool.Literal:
		return value.Literal.Text(), value.Literal.Kind() != jsondoc.Null
	case tool.Template:
		text, ok, _ := value.Text.Append(v.scratch[:0], v, v.write)
		v.scratch = text
		return string(text), ok
	}
	text, ok := appendJSON(nil, value, v)
	return string(text), ok
}
