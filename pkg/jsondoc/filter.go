package jsondoc

import (
	"unicode/utf8"
)

// A condition is a logical expression of a filter.
type condition interface {
	holds(e *evaluator, current int32) bool
}

type (
	anyOf   []condition
	allOf   []condition
	not     struct{ condition }
	exists  struct{ query *query }
	compare struct {
		op          operator
		left, right operand
	}
	matches struct {
		text, pattern operand
		whole         bool        // match, not search
		fixed         *textRegexp // of a literal pattern; nil when it is no regular expression
	}
)

func (c anyOf) holds(e *evaluator, current int32) bool {
	for _, part := range c {
		if part.holds(e, current) {
			return true
		}
	}
	return false
}

func (c allOf) holds(e *evaluator, current int32) bool {
	for _, part := range c {
		if !part.holds(e, current) {
			return false
		}
	}
	return true
}

func (c not) holds(e *evaluator, current int32) bool { return !c.condition.holds(e, current) }

func (c exists) holds(e *evaluator, current int32) bool {
	if !e.spend(1) {
		return false
	}
	if c.query.singular {
		return e.single(c.query, current) != none
	}
	list := e.nodes(c.query, current)
	e.give(list)
	return len(list) > 0
}

func (c *matches) holds(e *evaluator, current int32) bool {
	text := c.text.value(e, current)
	if !e.spend(1) || text.value.Kind() != String {
		return false
	}
	re := c.fixed
	if _, ok := c.pattern.(literal); !ok {
		pattern := c.pattern.value(e, current)
		if pattern.value.Kind() != String || !e.spend(len(pattern.value.Raw())/16) {
			return false
		}
		re = e.regexp.get(e, pattern.value.Text(), c.whole)
	}
	if re == nil || !e.spend(len(text.value.Raw())*re.cost/64) {
		return false
	}
	return re.MatchString(text.value.Text())
}

// An operand is what a comparison or function reads: a literal, a singular
// query or a function of the ValueType.
type operand interface {
	value(e *evaluator, current int32) datum
}

// A datum is a JSON value, a count, or the special result Nothing (the zero datum).
type datum struct {
	value   Value
	count   int
	counted bool
}

type (
	literal  struct{ Value }
	nodeOf   struct{ query *query }
	lengthOf struct{ operand operand }
	countOf  struct{ query *query }
	valueOf  struct{ query *query }
)

func (o literal) value(*evaluator, int32) datum { return datum{value: o.Value} }

func (o nodeOf) value(e *evaluator, current int32) datum {
	at := e.single(o.query, current)
	if at == none {
		return datum{}
	}
	return datum{value: Value{e.doc, at}}
}

func (o lengthOf) value(e *evaluator, current int32) datum {
	v := o.operand.value(e, current).value
	switch v.Kind() {
	case String:
		e.spend(len(v.Raw()) / 16)
		if n := v.node(); n.escaped {
			return datum{count: utf8.RuneCountInString(v.Text()), counted: true}
		}
		return datum{count: utf8.RuneCount(v.Raw()) - len(`""`), counted: true}
	case Array, Object:
		return datum{count: v.Len(), counted: true}
	}
	return datum{}
}

func (o countOf) value(e *evaluator, current int32) datum {
	list := e.nodes(o.query, current)
	e.give(list)
	return datum{count: len(list), counted: true}
}

func (o valueOf) value(e *evaluator, current int32) datum {
	list := e.nodes(o.query, current)
	e.give(list)
	if len(list) != 1 {
		return datum{}
	}
	return datum{value: Value{e.doc, list[0]}}
}
