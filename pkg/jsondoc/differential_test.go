package jsondoc

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/theory/jsonpath"
)

// An independent implementation must select the same nodes. Its order over
// objects is random, so nodes are compared sorted; so are the members inside
// them, which it does not keep in order.
func TestSelectAgreesWithOther(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	matched := 0
	for range 8_000 {
		doc, expr := r.value(4), "$"+r.segments(3, 2)
		p, err := CompilePath(expr)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		nodes, err := p.Select(MustParse(doc))
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		var got []string
		for _, n := range nodes {
			got = append(got, canonical(t, n.Raw()))
		}

		other, err := jsonpath.Parse(expr)
		if err != nil {
			t.Fatalf("the other does not read %s: %v", expr, err)
		}
		var decoded any
		if err := json.Unmarshal([]byte(doc), &decoded); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, n := range other.Select(decoded) {
			text, err := json.Marshal(n)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, string(text))
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("nodes of %s in %s (-other +got):\n%s", expr, doc, diff)
		}
		matched += len(got)
	}
	if matched < 8_000 {
		t.Errorf("only %d nodes were compared", matched)
	}
}

func canonical(t *testing.T, text []byte) string {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// random writes random documents and paths that fit each other.
type random struct{ *rand.Rand }

func pick[T any](r random, of ...T) T { return of[r.IntN(len(of))] }

func (r random) name() string { return pick(r, "a", "b", "c", "é") }

func (r random) literal() string {
	return pick(r, "0", "1", "2", "-3", "1.5", "10e-1", `"a"`, `"ab"`, `"é"`, `"\u0061"`, "true", "false", "null")
}

func (r random) value(depth int) string {
	kind := r.IntN(8)
	if depth == 0 || kind < 2 {
		return r.literal()
	}
	var parts []string
	for _, name := range []string{"a", "b", "c", "é"}[:r.IntN(5)] {
		part := r.value(depth - 1)
		if kind%2 == 0 {
			part = fmt.Sprintf("%q: %s", name, part)
		}
		parts = append(parts, part)
	}
	if kind%2 == 0 {
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, " , ") + "}"
	}
	return "[" + strings.Join(parts, " , ") + "]"
}

func (r random) segments(most, depth int) string {
	var b strings.Builder
	for range 1 + r.IntN(most) {
		switch r.IntN(6) {
		case 0:
			b.WriteString("." + r.name())
		case 1:
			b.WriteString(".*")
		case 2:
			b.WriteString(".." + pick(r, "*", r.name()))
		case 3:
			b.WriteString(".." + r.brackets(depth))
		default:
			b.WriteString(r.brackets(depth))
		}
	}
	return b.String()
}

func (r random) brackets(depth int) string {
	var selectors []string
	for range 1 + r.IntN(2) {
		s := ""
		switch kind := r.IntN(6); {
		case kind == 0:
			s = fmt.Sprintf("%q", r.name())
		case kind == 1:
			s = fmt.Sprint(r.IntN(7) - 3)
		case kind == 2:
			s = r.bound() + ":" + r.bound() + pick(r, "", ":"+r.bound())
		case kind == 3 || depth == 0:
			s = "*"
		default:
			s = "?" + r.condition(depth-1)
		}
		selectors = append(selectors, s)
	}
	return "[" + strings.Join(selectors, ", ") + "]"
}

func (r random) bound() string { return pick(r, "", fmt.Sprint(r.IntN(9)-4)) }

func (r random) condition(depth int) string {
	query := pick(r, "@", "@", "$") + r.segments(2, depth)
	switch kind := r.IntN(9); {
	case kind == 0:
		return query
	case kind == 1:
		return "!" + query
	case kind == 2 && depth > 0:
		return "(" + r.condition(depth-1) + ")"
	case kind == 3 && depth > 0:
		return "!(" + r.condition(depth-1) + ")"
	case kind == 4 && depth > 0:
		return r.condition(depth-1) + pick(r, " && ", " || ") + r.condition(depth-1)
	case kind == 5:
		return pick(r, "count", "value") + "(" + query + ")" + r.comparison()
	case kind == 6:
		return "length(" + r.single() + ")" + r.comparison()
	case kind == 7:
		return pick(r, "", "!") + pick(r, "match", "search") + "(" + r.single() + ", " + pick(r, "'a'", "'a.'", "'.*'", "'[^b]'", "'é'", "1") + ")"
	}
	if r.IntN(2) == 0 {
		return r.single() + pick(r, " == ", "!=", "<") + r.single()
	}
	return r.single() + r.comparison()
}

// comparison leaves out what the other does otherwise than the RFC: it takes
// true > false, {} > [] and the like to hold, and <= of two absent nodes not to.
func (r random) comparison() string {
	if r.IntN(2) == 0 {
		return pick(r, "==", "!=") + r.literal()
	}
	return pick(r, "<", ">", ">=", "<=") + pick(r, "0", "1", "1.5", `"a"`, `"b"`)
}

// single is a singular query.
func (r random) single() string {
	var b strings.Builder
	b.WriteString(pick(r, "@", "@", "$"))
	for range r.IntN(3) {
		b.WriteString(pick(r, "."+r.name(), fmt.Sprintf("['%s']", r.name()), fmt.Sprintf("[%d]", r.IntN(5)-2)))
	}
	return b.String()
}
