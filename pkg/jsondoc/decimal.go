package jsondoc

import (
	"bytes"
	"cmp"
	"math/big"
	"strings"
)

// A decimal is a JSON number as ±0.DIGITS × 10^point, where DIGITS, high and
// low together, neither starts nor ends with a zero. It is never expanded, so
// that 1e1000000000 costs no more than 1.
type decimal struct {
	sign      int // 0: the number is zero
	high, low []byte
	shift     int    // added to exponent this is point
	exponent  string // digits, maybe with a sign
}

func readDecimal(text []byte) decimal {
	d := decimal{sign: 1, exponent: "0"}
	if text[0] == '-' {
		d.sign = -1
		text = text[1:]
	}
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		d.exponent = string(text[i+1:])
		text = text[:i]
	}
	d.high, d.low, _ = bytes.Cut(text, []byte{'.'})
	d.high = bytes.TrimLeft(d.high, "0")
	d.shift = len(d.high)
	if len(d.high) == 0 {
		significant := bytes.TrimLeft(d.low, "0")
		d.shift = len(significant) - len(d.low)
		d.low = significant
	}
	d.low = bytes.TrimRight(d.low, "0")
	if len(d.low) == 0 {
		d.high = bytes.TrimRight(d.high, "0")
	}
	if len(d.high)+len(d.low) == 0 {
		d.sign = 0
	}
	return d
}

func (d *decimal) compareMagnitude(o *decimal) int {
	if c := d.comparePoint(o); c != 0 {
		return c
	}
	n := len(d.high) + len(d.low)
	m := len(o.high) + len(o.low)
	for i := range min(n, m) {
		if c := cmp.Compare(d.digit(i), o.digit(i)); c != 0 {
			return c
		}
	}
	return cmp.Compare(n, m)
}

func (d *decimal) comparePoint(o *decimal) int {
	if d.exponent == o.exponent {
		return cmp.Compare(d.shift, o.shift)
	}
	x, fits := smallInt([]byte(strings.TrimPrefix(d.exponent, "+")))
	y, both := smallInt([]byte(strings.TrimPrefix(o.exponent, "+")))
	if fits && both {
		return cmp.Compare(x+int64(d.shift), y+int64(o.shift))
	}
	return d.point().Cmp(o.point())
}

func (d *decimal) point() *big.Int {
	digits, negative := strings.CutPrefix(d.exponent, "-")
	n := new(big.Int)
	n.SetString(strings.TrimPrefix(digits, "+"), 10)
	if negative {
		n.Neg(n)
	}
	return n.Add(n, big.NewInt(int64(d.shift)))
}

func (d *decimal) digit(i int) byte {
	if i < len(d.high) {
		return d.high[i]
	}
	return d.low[i-len(d.high)]
}
