package syntax

import (
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// AppendJSON appends n as compact JSON and returns the extended buffer. The
// entries of a map keep their order. Decimal numbers keep all of their digits;
// only what JSON does not know is rewritten: signs, underscores, leading
// zeros, missing digits beside the point, and hexadecimal, octal and binary
// integers. Timestamps are strings. JSON has no infinity and no NaN: they
// become null.
func (n *Node) AppendJSON(dst []byte) []byte {
	switch n.Kind {
	case Bool:
		return strconv.AppendBool(dst, n.Text[0]|0x20 == 't')
	case Int:
		return appendInt(dst, n.Text)
	case Float:
		return appendFloat(dst, n.Text)
	case String, Timestamp:
		return jsondoc.AppendQuote(dst, n.Text)
	case Map:
		dst = append(dst, '{')
		for i, p := range n.Pairs {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsondoc.AppendQuote(dst, p.Key.Text)
			dst = append(dst, ':')
			dst = p.Value.AppendJSON(dst)
		}
		return append(dst, '}')
	case Seq:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendJSON(dst)
		}
		return append(dst, ']')
	}
	return append(dst, "null"...)
}

// appendInt writes an integer as yaml.v3 and TOML read it: 0x, 0o, 0b, and a
// leading 0 for octal.
func appendInt(dst []byte, text string) []byte {
	digits := strings.ReplaceAll(text, "_", "")
	if v, err := strconv.ParseInt(digits, 0, 64); err == nil {
		if v == 0 && digits[0] == '-' {
			return append(dst, "-0"...)
		}
		return strconv.AppendInt(dst, v, 10)
	}
	if v, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return strconv.AppendUint(dst, v, 10)
	}
	return appendFloat(dst, text)
}

// appendFloat writes a decimal number with the digits that it has.
func appendFloat(dst []byte, text string) []byte {
	s := strings.ReplaceAll(text, "_", "")
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(s, "+-")
	if v, err := strconv.ParseInt(s, 0, 64); err == nil && s[0] == '0' {
		s = strconv.FormatInt(v, 10) // !!float 0x10
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !isDigits(whole) || !isDigits(fraction) || whole+fraction == "" {
		return append(dst, "null"...)
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if negative {
		dst = append(dst, '-')
	}
	dst = append(dst, whole...)
	if fraction != "" {
		dst = append(dst, '.')
		dst = append(dst, fraction...)
	}
	return append(dst, exponent...)
}

func isDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
