package jsonschema_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A generator writes random schemas and instances over few names and values,
// so that they meet often.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator {
	return generator{rand.New(rand.NewPCG(seed, 20201200))}
}

func (g generator) one(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g generator) number() string {
	return g.one("0", "1", "2", "3", "5", "-1", "10", "1.0", "0.5", "1.5", "2.50", "1e1", "100e-1", "-0", "12345678901234567890", "0.1", "0.30")
}

func (g generator) text() string {
	return g.one(`""`, `"a"`, `"ab"`, `"abc"`, `"é😀"`, `"5"`, `"x-1"`, `"\u0061"`)
}

func (g generator) value(depth int) string {
	n := 8
	if depth <= 0 {
		n = 5
	}
	switch g.IntN(n) {
	case 0:
		return "null"
	case 1:
		return g.one("true", "false")
	case 2:
		return g.number()
	case 3, 4:
		return g.text()
	case 5:
		return g.array(depth)
	}
	return g.object(depth)
}

func (g generator) array(depth int) string {
	var items []string
	for range g.IntN(4) {
		items = append(items, g.value(depth-1))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (g generator) object(depth int) string {
	var members []string
	for _, name := range []string{"a", "b", "c", "ab", "x"} {
		if g.IntN(2) == 0 {
			members = append(members, strconv.Quote(name)+":"+g.value(depth-1))
		}
	}
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

func (g generator) list(n int, item func() string) string {
	var items []string
	for range n {
		items = append(items, item())
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (g generator) named(n int, item func() string) string {
	var members []string
	for _, name := range []string{"a", "b", "c", "ab", "x"}[:n] {
		members = append(members, strconv.Quote(name)+":"+item())
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g generator) names() string {
	return g.one(`["a"]`, `["b"]`, `["a","b"]`, `["x","c"]`, `[]`)
}

// root writes a schema whose root is an object with some definitions.
func (g generator) root() string {
	words := append(g.keywords(3, 2+g.IntN(4)), `"type":"object"`,
		`"$defs":{"one":`+g.schema(1)+`,"list":{"type":["object","null","string"],"properties":{"a":{"$ref":"#/$defs/list"},"b":{"$ref":"#/$defs/one"}}},"named":{"$anchor":"here","minProperties":1}}`)
	return "{" + strings.Join(words, ",") + "}"
}

func (g generator) schema(depth int) string {
	if g.IntN(8) == 0 {
		return g.one("true", "false", "{}", "true")
	}
	return "{" + strings.Join(g.keywords(depth, 1+g.IntN(3)), ",") + "}"
}

// keywords returns n different keywords with their values.
func (g generator) keywords(depth, n int) []string {
	sub := func() string { return g.schema(depth - 1) }
	small := func() string { return g.one("0", "1", "2", "2.0", "3") }
	writers := []struct {
		word  string
		write func() string
	}{
		{"type", func() string {
			return g.one(`"string"`, `"number"`, `"integer"`, `"object"`, `"array"`, `"boolean"`, `"null"`, `["string","null"]`, `["integer","object"]`, `["array","object"]`)
		}},
		{"enum", func() string { return g.list(1+g.IntN(3), func() string { return g.value(1) }) }},
		{"const", func() string { return g.value(1) }},
		{"minimum", g.number}, {"maximum", g.number}, {"exclusiveMinimum", g.number}, {"exclusiveMaximum", g.number},
		{"multipleOf", func() string { return g.one("1", "2", "0.5", "0.1", "3", "1.50") }},
		{"minLength", small}, {"maxLength", small},
		{"pattern", func() string { return g.one(`"^a"`, `"b$"`, `"^[a-z]+$"`, `"\\d"`) }},
		{"minItems", small}, {"maxItems", small},
		{"uniqueItems", func() string { return g.one("true", "false") }},
		{"required", g.names}, {"minProperties", small}, {"maxProperties", small},
		{"dependentRequired", func() string { return `{"a":` + g.names() + `}` }},
	}
	if depth > 0 {
		writers = append(writers, []struct {
			word  string
			write func() string
		}{
			{"properties", func() string { return g.named(1+g.IntN(4), sub) }},
			{"properties", func() string { return g.named(1+g.IntN(4), sub) }},
			{"patternProperties", func() string { return `{"^a":` + sub() + `,"b":` + sub() + `}` }},
			{"additionalProperties", sub},
			{"propertyNames", func() string { return g.one(`{"maxLength":1}`, `{"pattern":"a"}`, `{"enum":["a","b","c"]}`, "true") }},
			{"items", sub}, {"prefixItems", func() string { return g.list(1+g.IntN(2), sub) }},
			{"contains", sub}, {"minContains", small}, {"maxContains", small},
			{"allOf", func() string { return g.list(1+g.IntN(2), sub) }},
			{"anyOf", func() string { return g.list(1+g.IntN(3), sub) }},
			{"oneOf", func() string { return g.list(1+g.IntN(3), sub) }},
			{"not", sub}, {"if", sub}, {"then", sub}, {"else", sub},
			{"dependentSchemas", func() string { return `{"b":` + sub() + `}` }},
			{"unevaluatedProperties", sub}, {"unevaluatedItems", sub},
			{"unevaluatedProperties", func() string { return "false" }}, {"unevaluatedItems", func() string { return "false" }},
			{"$ref", func() string { return g.one(`"#/$defs/one"`, `"#/$defs/list"`, `"#here"`) }},
		}...)
	}
	var out []string
	used := map[string]bool{"type": depth == 3}
	for len(out) < n {
		w := writers[g.IntN(len(writers))]
		if used[w.word] {
			continue
		}
		used[w.word] = true
		out = append(out, fmt.Sprintf("%q:%s", w.word, w.write()))
	}
	return out
}
