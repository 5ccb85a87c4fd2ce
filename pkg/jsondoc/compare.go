package jsondoc

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

type operator uint8

const (
	opEqual operator = iota + 1
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
)

// holds follows RFC 9535, section 2.3.5.2.2.
func (c *compare) holds(e *evaluator, current int32) bool {
	a, b := c.left.value(e, current), c.right.value(e, current)
	if !e.spend(1) {
		return false
	}
	switch c.op {
	case opEqual:
		return e.equal(a, b)
	case opNotEqual:
		return !e.equal(a, b)
	case opLess:
		return e.less(a, b)
	case opGreater:
		return e.less(b, a)
	case opLessEqual:
		return e.less(a, b) || e.equal(a, b)
	case opGreaterEqual:
		return e.less(b, a) || e.equal(a, b)
	}
	return false
}

func (d datum) kind() Kind {
	if d.counted {
		return Number
	}
	return d.value.Kind()
}

func (d datum) number() []byte {
	if d.counted {
		return strconv.AppendInt(nil, int64(d.count), 10)
	}
	return d.value.Raw()
}

func (e *evaluator) less(a, b datum) bool {
	if a.kind() != b.kind() {
		return false
	}
	switch a.kind() {
	case Number:
		return e.compareNumbers(a.number(), b.number()) < 0
	case String:
		return e.compareStrings(a.value, b.value) < 0
	}
	return false
}

func (e *evaluator) equal(a, b datum) bool {
	if a.kind() != b.kind() {
		return false
	}
	if a.kind() == Number {
		return e.compareNumbers(a.number(), b.number()) == 0
	}
	return e.equalValues(a.value, b.value)
}

func (e *evaluator) equalValues(a, b Value) bool {
	if a.Kind() != b.Kind() || !e.spend(1) {
		return false
	}
	switch a.Kind() {
	case Bool:
		return a.Bool() == b.Bool()
	case Number:
		return e.compareNumbers(a.Raw(), b.Raw()) == 0
	case String:
		return e.compareStrings(a, b) == 0
	case Array:
		if a.Len() != b.Len() {
			return false
		}
		x, y := a.doc.children(a.at), b.doc.children(b.at)
		for ; x.more(); x.advance() {
			if !e.equalValues(Value{a.doc, x.at()}, Value{b.doc, y.at()}) {
				return false
			}
			y.advance()
		}
	case Object:
		return e.equalObjects(a, b)
	}
	return true
}

func (e *evaluator) equalObjects(a, b Value) bool {
	if a == b {
		return true
	}
	if a.Len() != b.Len() {
		return false
	}
	if a.Len() <= fewMembers {
		for name, x := range a.Members() {
			if !e.spend(len(name) / 16) {
				return false
			}
			if y := b.Get(name); !y.Exists() || !e.equalValues(x, y) {
				return false
			}
		}
		return true
	}
	members := make(map[string]Value, b.Len())
	for name, y := range b.Members() {
		if !e.spend(1 + len(name)/16) {
			return false
		}
		members[name] = y
	}
	for name, x := range a.Members() {
		if y, ok := members[name]; !ok || !e.equalValues(x, y) {
			return false
		}
	}
	return true
}

// compareStrings compares by code points, which is the order of UTF-8.
func (e *evaluator) compareStrings(a, b Value) int {
	x, y := a.Raw(), b.Raw()
	if !a.node().escaped && !b.node().escaped {
		e.spend(min(len(x), len(y)) / 64)
		return bytes.Compare(x[1:len(x)-1], y[1:len(y)-1])
	}
	if !e.spend((len(x) + len(y)) / 16) {
		return 0
	}
	return strings.Compare(a.Text(), b.Text())
}

func (e *evaluator) compareNumbers(a, b []byte) int {
	for _, text := range [...][]byte{a, b} {
		if len(text) <= 64 {
			continue
		}
		exponent := 0
		if i := bytes.LastIndexAny(text, "eE"); i >= 0 {
			exponent = len(text) - i
		}
		// Reading a long exponent may take quadratic time.
		if !e.spend(len(text)/16 + exponent*exponent/64) {
			return 0
		}
	}
	return compareNumbers(a, b)
}

// compareNumbers compares two JSON numbers by their exact mathematical values.
func compareNumbers(a, b []byte) int {
	if x, ok := smallInt(a); ok {
		if y, ok := smallInt(b); ok {
			return cmp.Compare(x, y)
		}
	}
	x, y := readDecimal(a), readDecimal(b)
	if x.sign != y.sign || x.sign == 0 {
		return cmp.Compare(x.sign, y.sign)
	}
	return x.sign * x.compareMagnitude(&y)
}

// smallInt reads an integer that surely fits.
func smallInt(text []byte) (int64, bool) {
	digits := bytes.TrimPrefix(text, []byte{'-'})
	if len(digits) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}
