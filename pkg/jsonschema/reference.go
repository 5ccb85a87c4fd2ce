package jsonschema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// resolve finds the target of every reference. Targets outside the places that
// hold schemas are compiled here, and may bring further references.
func (c *compiler) resolve() {
	for i := 0; i < len(c.refs); i++ {
		r := c.refs[i]
		pointer := append(slices.Clip(r.place.pointer), r.word)
		fragment, local := strings.CutPrefix(r.text, "#")
		if !local {
			hint := "copy the schema to \"$defs\" and write \"#/$defs/<name>\""
			if c.doc.Get("$defs").Get(r.text).Exists() {
				hint = "did you mean " + quote("#/$defs/"+r.text) + "?"
			}
			c.wrong(pointer, quote(r.word)+" "+quote(r.text)+" points outside the document", hint)
			continue
		}
		target, near := c.target(r.place, fragment)
		if target == nil {
			hint := ""
			if near != "" {
				hint = "did you mean " + quote("#"+near) + "?"
			}
			c.wrong(pointer, quote(r.word)+" points at "+quote(r.text)+", which does not exist", hint)
			continue
		}
		c.refs[i].to = target
		r.from.refs = append(r.from.refs, target)
	}
}

// target returns the schema that a fragment names, or else the text of a
// fragment that was probably meant.
func (c *compiler) target(p place, fragment string) (n *node, near string) {
	decoded, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, ""
	}
	if decoded != "" && !strings.HasPrefix(decoded, "/") {
		if n := c.anchors[p.resource+"#"+decoded]; n != nil {
			return n, ""
		}
		if c.doc.Get("$defs").Get(decoded).Exists() {
			return nil, "/$defs/" + decoded
		}
		return nil, ""
	}
	full := p.resource + decoded
	if n := c.byPlace[full]; n != nil {
		return n, ""
	}
	v := c.doc
	var pointer []string
	if full != "" {
		pointer = strings.Split(full[1:], "/")
	}
	for i, token := range pointer {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		pointer[i] = token
		next := v.Get(token)
		if v.Kind() == jsondoc.Array {
			if index, err := strconv.Atoi(token); err == nil && strconv.Itoa(index) == token {
				next = v.Index(index)
			}
		}
		if !next.Exists() {
			return nil, misspelt(v, pointer[:i], token, pointer[i+1:])
		}
		v = next
	}
	if n := c.byPlace[pointerText(pointer)]; n != nil {
		return n, ""
	}
	return c.schema(v, place{pointer: pointer, resource: p.resource}, nil), ""
}

// misspelt returns the pointer with token replaced by the nearest member of v.
func misspelt(v jsondoc.Value, before []string, token string, after []string) string {
	var names []string
	for name := range v.Members() {
		names = append(names, name)
	}
	near := nearest(token, names)
	if near == "" {
		return ""
	}
	return pointerText(slices.Concat(before, []string{near}, after))
}

// breakLoops reports and drops the references by which a schema comes back to
// itself for the same value.
func (c *compiler) breakLoops() {
	const (
		entered = iota + 1
		left
	)
	state := make(map[*node]uint8, len(c.nodes))
	var stack []*node
	looping := map[*node]bool{} // schemas whose references close a loop
	var visit func(n *node)
	visit = func(n *node) {
		state[n] = entered
		stack = append(stack, n)
		n.inPlace(func(sub *node) {
			switch state[sub] {
			case 0:
				visit(sub)
			case entered:
				loop := stack[slices.Index(stack, sub):]
				for i := len(loop) - 1; i >= 0; i-- {
					following := sub
					if i+1 < len(loop) {
						following = loop[i+1]
					}
					if slices.Contains(loop[i].refs, following) {
						looping[loop[i]] = true
						break
					}
				}
			}
		})
		stack = stack[:len(stack)-1]
		state[n] = left
	}
	for _, n := range c.nodes {
		if state[n] == 0 {
			visit(n)
		}
	}
	for _, r := range c.refs {
		if r.to != nil && looping[r.from] {
			looping[r.from] = false
			r.from.refs = nil
			r.from.broken = true
			c.wrong(append(slices.Clip(r.from.pointer), r.word),
				quote(r.word)+" "+quote(r.text)+" leads back to itself without end",
				"refer to it from inside \"properties\" or \"items\"")
		}
	}
}
