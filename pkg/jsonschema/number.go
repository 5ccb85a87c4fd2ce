package jsonschema

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A decimal is an exact JSON number, ±digits × 10^exp, with no zeros at either
// end of digits; zero has no digits. Nothing is ever multiplied out, so
// 1e1000000000 costs as little as 1.
type decimal struct {
	negative bool
	digits   string
	exp      int64
	text     string // as it stands, for messages
}

// maxExponent is where exponents are cut off. It leaves room to add the length
// of any text without overflow.
const maxExponent = 1 << 60

// parseDecimal reads a JSON number.
func parseDecimal(text string) decimal {
	d := decimal{text: text}
	mantissa := text
	if rest, ok := strings.CutPrefix(mantissa, "-"); ok {
		d.negative, mantissa = true, rest
	}
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		d.exp = parseExponent(mantissa[i+1:])
		mantissa = mantissa[:i]
	}
	if whole, fraction, ok := strings.Cut(mantissa, "."); ok {
		d.exp -= int64(len(fraction))
		mantissa = whole + fraction
	}
	mantissa = strings.TrimLeft(mantissa, "0")
	d.digits = strings.TrimRight(mantissa, "0")
	d.exp += int64(len(mantissa) - len(d.digits))
	if d.digits == "" {
		d.negative, d.exp = false, 0
	}
	return d
}

func parseExponent(text string) int64 {
	// ParseInt gives the nearest limit when the text is out of range.
	n, _ := strconv.ParseInt(text, 10, 64)
	return max(-maxExponent, min(n, maxExponent))
}

func (d decimal) zero() bool    { return d.digits == "" }
func (d decimal) integer() bool { return d.exp >= 0 }

// count returns d as a length to compare with, cut off at the largest int64.
func (d decimal) count() int64 {
	if d.exp+int64(len(d.digits)) > 18 {
		return 1<<63 - 1
	}
	n, _ := strconv.ParseInt("0"+d.digits+strings.Repeat("0", int(d.exp)), 10, 64)
	return n
}

// compare returns -1, 0 or 1 as a is less than, equal to or more than b.
func (a decimal) compare(b decimal) int {
	sign := 1
	switch {
	case a.zero() && b.zero():
		return 0
	case a.zero():
		if b.negative {
			return 1
		}
		return -1
	case b.zero():
		if a.negative {
			return -1
		}
		return 1
	case a.negative != b.negative:
		if a.negative {
			return -1
		}
		return 1
	case a.negative:
		sign = -1
	}
	// Both start with a digit that counts, so the larger power of ten wins and
	// the digits decide between equal powers.
	powerA, powerB := a.exp+int64(len(a.digits)), b.exp+int64(len(b.digits))
	switch {
	case powerA < powerB:
		return -sign
	case powerA > powerB:
		return sign
	}
	return sign * strings.Compare(a.digits, b.digits)
}

// multipleOf reports whether d is an integral multiple of m, which is above 0.
func (d decimal) multipleOf(m decimal) bool {
	if d.zero() {
		return true
	}
	shift := d.exp - m.exp
	if shift < 0 {
		return false // d would need a zero at its end
	}
	value, _ := new(big.Int).SetString(d.digits, 10)
	modulus, _ := new(big.Int).SetString(m.digits, 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), modulus)
	value.Mul(value, power)
	return value.Mod(value, modulus).Sign() == 0
}

// maxZeros is how many zeros integerText appends to write out an exponent.
const maxZeros = 40

// integerText returns d, an integer, without fraction and exponent; false when
// that would be a much longer text.
func (d decimal) integerText() (string, bool) {
	if d.zero() {
		return "0", true
	}
	if d.exp > int64(max(maxZeros, len(d.text))) {
		return "", false
	}
	text := d.digits + strings.Repeat("0", int(d.exp))
	if d.negative {
		text = "-" + text
	}
	return text, true
}

// plain reports whether a JSON number is written without fraction and exponent.
func plain(number []byte) bool {
	for _, c := range number {
		if c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}

// small returns the number when it is written plainly and fits easily.
func small(number []byte) (int64, bool) {
	digits := number
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(number) {
		n = -n
	}
	return n, true
}

// isInteger reports whether v, a number, has no fraction: 1.0 and 1e2 have none.
func isInteger(v jsondoc.Value) bool {
	raw := v.Raw()
	return plain(raw) || parseDecimal(string(raw)).integer()
}

// A bound is one of minimum, maximum and their exclusive forms.
type bound struct {
	exact   decimal
	small   int64
	isSmall bool
}

func newBound(v jsondoc.Value) *bound {
	b := &bound{exact: parseDecimal(string(v.Raw()))}
	b.small, b.isSmall = small(v.Raw())
	return b
}

// compare compares a JSON number with b.
func (b *bound) compare(number []byte) int {
	if n, ok := small(number); ok && b.isSmall {
		switch {
		case n < b.small:
			return -1
		case n > b.small:
			return 1
		}
		return 0
	}
	return parseDecimal(string(number)).compare(b.exact)
}
