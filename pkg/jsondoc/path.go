package jsondoc

import "fmt"

// The bounds of one Select.
const (
	maxMatches = 1_000_000
	maxVisits  = 10_000_000
)

// A Path is a compiled JSONPath query (RFC 9535). It never changes and is safe
// for concurrent use.
type Path struct {
	expr  string
	query *query
}

// A PathError says why an expression is no JSONPath query.
type PathError struct {
	Offset int    // the byte of the expression at fault, from 0; its length when it ends too soon
	Msg    string // what is wrong, without the place
}

func (e *PathError) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Msg, e.Offset) }

// A LimitError says that a Select would have taken too much work.
type LimitError struct {
	Limit int
	What  string // what there was more of: "matches" or "steps"
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the JSONPath takes more than %d %s on this document; make it more specific", e.Limit, e.What)
}

// CompilePath reads a JSONPath query: the whole of RFC 9535 with its five
// functions (length, count, match, search, value) and its rules of types. A
// fault is a *PathError. Filters, parentheses and calls nest at most 100 levels.
func CompilePath(expr string) (*Path, error) {
	q, err := parsePath(expr)
	if err != nil {
		return nil, err
	}
	return &Path{expr: expr, query: q}, nil
}

// String returns the expression p was compiled from.
func (p *Path) String() string { return p.expr }

// Singular reports whether p is a singular query (RFC 9535, section 2.3.5.1):
// one that can match one node at most, by its form.
func (p *Path) Singular() bool { return p.query.singular }

// Select returns the nodes of v that p matches, in the order RFC 9535 gives
// them with members in document order, the same on every run. A node that
// several selectors match is there several times. The root $ is v itself. A
// missing v has no nodes. When there are over 1,000,000 nodes or finding them
// takes over 10,000,000 steps, the error is a *LimitError.
func (p *Path) Select(v Value) ([]Value, error) {
	if !v.Exists() {
		return nil, nil
	}
	e := evaluator{doc: v.doc, root: v.at}
	if p.query.singular {
		at := e.single(p.query, v.at)
		if e.err != nil {
			return nil, e.err
		}
		if at == none {
			return nil, nil
		}
		return []Value{{v.doc, at}}, nil
	}
	nodes := e.nodes(p.query, v.at)
	if e.err != nil {
		return nil, e.err
	}
	values := make([]Value, len(nodes))
	for i, at := range nodes {
		values[i] = Value{v.doc, at}
	}
	return values, nil
}

// A query is a sequence of segments from the root ($) or the current node (@).
type query struct {
	relative bool
	singular bool
	segments []segment
}

type segment struct {
	descendant bool
	selectors  []selector
}

type selectorKind uint8

const (
	selectName selectorKind = iota + 1
	selectWildcard
	selectIndex
	selectSlice
	selectFilter
)

type selector struct {
	kind   selectorKind
	name   string
	index  int64
	slice  slice
	filter condition
}

// A slice is start:end:step; start and end may be absent.
type slice struct {
	start, end       int64
	hasStart, hasEnd bool
	step             int64
}

func isSingular(segments []segment) bool {
	for _, s := range segments {
		if s.descendant || len(s.selectors) != 1 {
			return false
		}
		if k := s.selectors[0].kind; k != selectName && k != selectIndex {
			return false
		}
	}
	return true
}
