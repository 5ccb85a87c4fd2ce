package executor

import (
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// appendQuery writes the query string: entries in the file's order, names and
// values percent-encoded but for the unreserved characters. An array repeats
// the name; in one, as elsewhere, what is missing or null is left out.
func appendQuery(dst []byte, fields []tool.Field, v *values) []byte {
	for i := range fields {
		name, value := fields[i].Name, &fields[i].Value
		switch value.Kind {
		case tool.Literal:
			dst = appendQueryValue(dst, name, value.Literal)
		case tool.Array:
			for j := range value.Items {
				if text, ok := textOf(&value.Items[j], v); ok {
					dst = appendQueryEntry(dst, name, text)
				}
			}
		case tool.Template:
			if array, ok := value.Text.Value(v); ok && array.Kind() == jsondoc.Array {
				dst = appendQueryValue(dst, name, array)
				continue
			}
			fallthrough
		default:
			if text, ok := textOf(value, v); ok {
				dst = appendQueryEntry(dst, name, text)
			}
		}
	}
	return dst
}

func appendQueryValue(dst []byte, name string, value jsondoc.Value) []byte {
	switch value.Kind() {
	case jsondoc.Null:
		return dst
	case jsondoc.Array:
		for element := range value.Elements() {
			if element.Kind() != jsondoc.Null {
				dst = appendQueryEntry(dst, name, element.Text())
			}
		}
		return dst
	}
	return appendQueryEntry(dst, name, value.Text())
}

func appendQueryEntry(dst []byte, name, value string) []byte {
	if len(dst) > 0 {
		dst = append(dst, '&')
	}
	dst = appendEscaped(dst, name)
	dst = append(dst, '=')
	return appendEscaped(dst, value)
}
