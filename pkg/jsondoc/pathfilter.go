package jsondoc

// logicalOr reads a logical-expr.
func (p *pathParser) logicalOr() (condition, error) {
	var all anyOf
	for {
		c, err := p.logicalAnd()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if !p.acceptAfterBlank("||") {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

func (p *pathParser) logicalAnd() (condition, error) {
	var all allOf
	for {
		c, err := p.basic()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if !p.acceptAfterBlank("&&") {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

// acceptAfterBlank passes white space only when token follows it.
func (p *pathParser) acceptAfterBlank(token string) bool {
	before := p.pos
	if p.blank(); p.accept(token) {
		return true
	}
	p.pos = before
	return false
}

// basic reads a paren-expr, comparison-expr or test-expr.
func (p *pathParser) basic() (condition, error) {
	p.blank()
	negated := p.accept("!")
	if negated {
		p.blank()
	}
	c, err := p.parenOrTest(negated)
	if err == nil && negated {
		c = not{c}
	}
	return c, err
}

func (p *pathParser) parenOrTest(negated bool) (condition, error) {
	if p.accept("(") {
		c, err := p.nested((*pathParser).logicalOr)
		if err != nil {
			return nil, err
		}
		if p.blank(); !p.accept(")") {
			return nil, p.unexpected("'&&', '||' or ')'")
		}
		return c, nil
	}
	left, err := p.term()
	if err != nil {
		return nil, err
	}
	before := p.pos
	p.blank()
	at := p.pos
	op, err := p.operator()
	if err != nil {
		return nil, err
	}
	if op == 0 {
		p.pos = before
		return p.test(left)
	}
	if negated {
		return nil, p.failAt(at, "! stands before a test or parentheses; write !(… %s …)", p.src[at:p.pos])
	}
	c := &compare{op: op}
	if c.left, err = p.comparable(left); err != nil {
		return nil, err
	}
	p.blank()
	right, err := p.term()
	if err != nil {
		return nil, err
	}
	c.right, err = p.comparable(right)
	return c, err
}

// operator returns 0 when no comparison follows.
func (p *pathParser) operator() (operator, error) {
	for _, o := range [...]struct {
		token string
		op    operator
	}{
		{"==", opEqual}, {"!=", opNotEqual},
		{"<=", opLessEqual}, {">=", opGreaterEqual},
		{"<", opLess}, {">", opGreater},
	} {
		if p.accept(o.token) {
			return o.op, nil
		}
	}
	if p.peek() == '=' {
		return 0, p.fail("unexpected character '='; equality is written ==")
	}
	return 0, nil
}

// A term is what can stand in a comparison, a test or an argument: exactly one
// of the fields is set.
type term struct {
	at      int
	literal Value
	query   *query
	call    *call
}

// A call is a function that was called with arguments of the right types:
// either of the ValueType or of the LogicalType.
type call struct {
	name    string
	value   operand
	logical condition
}

const wantTerm = "@, $, a literal, a function, '!' or '('"

func (p *pathParser) term() (term, error) {
	t := term{at: p.pos}
	var err error
	switch c := p.peek(); {
	case c == '@' || c == '$':
		p.pos++
		t.query = &query{relative: c == '@'}
		err = p.querySegments(t.query)
	case c == '"' || c == '\'':
		var s string
		s, err = p.stringLiteral()
		t.literal = Quote(s)
	case p.atInteger():
		t.literal, err = p.number()
	case isLetter(c):
		name := p.memberName()
		switch {
		case p.peek() == '(':
			t.call, err = p.function(name, t.at)
		case name == "true" || name == "false" || name == "null":
			t.literal = MustParse(name)
		default:
			err = p.failAt(t.at, "unexpected word \"%s\"; a member is written @.%s and a string in quotes", name, name)
		}
	default:
		err = p.unexpected(wantTerm)
	}
	return t, err
}

func (p *pathParser) test(t term) (condition, error) {
	switch {
	case t.query != nil:
		return exists{t.query}, nil
	case t.call == nil:
		return nil, p.failAt(t.at, "a literal alone is no condition; compare it with something")
	case t.call.logical == nil:
		return nil, p.failAt(t.at, "the result of %s() must be compared with something", t.call.name)
	}
	return t.call.logical, nil
}

func (p *pathParser) comparable(t term) (operand, error) {
	o := t.operand()
	if o != nil {
		return o, nil
	}
	if t.query != nil {
		return nil, p.failAt(t.at, "only a path to a single node can be compared, without *, .., slices and filters")
	}
	return nil, p.failAt(t.at, "%s() is true or false itself and cannot be compared", t.call.name)
}

// operand returns t as something of the ValueType, nil when it is not.
func (t term) operand() operand {
	switch {
	case t.query != nil && t.query.singular:
		return nodeOf{t.query}
	case t.query != nil:
		return nil
	case t.call != nil:
		return t.call.value
	}
	return literal{t.literal}
}

const functions = "length, count, match, search, value"

// function reads the arguments of the function called name, from its "(".
func (p *pathParser) function(name string, at int) (*call, error) {
	var want int
	switch name {
	case "length", "count", "value":
		want = 1
	case "match", "search":
		want = 2
	default:
		return nil, p.failAt(at, "unknown function \"%s\", known are %s", name, functions)
	}
	args, err := p.arguments(name)
	if err != nil {
		return nil, err
	}
	if len(args) != want {
		return nil, p.failAt(at, "%s() takes %d argument%s, not %d", name, want, plural(want), len(args))
	}
	if name == "count" || name == "value" {
		q := args[0].query
		if q == nil {
			return nil, p.failAt(args[0].at, "the argument of %s() must be a path", name)
		}
		if name == "count" {
			return &call{name: name, value: countOf{q}}, nil
		}
		return &call{name: name, value: valueOf{q}}, nil
	}
	var operands [2]operand
	for i, a := range args {
		if operands[i] = a.operand(); operands[i] == nil {
			return nil, p.failAt(a.at, "an argument of %s() must be a single value: a literal, a path without *, .., slices and filters, or length(), count() or value()", name)
		}
	}
	if name == "length" {
		return &call{name: name, value: lengthOf{operands[0]}}, nil
	}
	m := &matches{text: operands[0], pattern: operands[1], whole: name == "match"}
	if l, ok := m.pattern.(literal); ok && l.Kind() == String {
		m.fixed = compileRegexp(l.Text(), m.whole)
	}
	return &call{name: name, logical: m}, nil
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// arguments reads "(" S [argument *(S "," S argument)] S ")". No function takes
// a logical expression.
func (p *pathParser) arguments(name string) ([]term, error) {
	if p.nesting++; p.nesting > maxNesting {
		return nil, p.fail("more than %d filters, parentheses and calls inside each other", maxNesting)
	}
	defer func() { p.nesting-- }()
	p.pos++
	if p.acceptAfterBlank(")") {
		return nil, nil
	}
	var args []term
	for {
		p.blank()
		if c := p.peek(); c == '!' || c == '(' {
			return nil, p.fail("an argument of %s() cannot be a condition", name)
		}
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		args = append(args, t)
		p.blank()
		if p.accept(")") {
			return args, nil
		}
		if !p.accept(",") {
			return nil, p.unexpected("',' or ')'")
		}
	}
}
