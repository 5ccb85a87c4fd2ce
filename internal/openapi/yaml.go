package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/toolfile"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

func (m *maker) yaml(schema *value) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	about := safeText(oneLine(orElse(text(m.op.node.Get("summary")), text(m.op.node.Get("description"))), 300))
	if about == "" {
		about = m.op.Method + " " + oneLine(m.op.Path, 200) + "."
	}
	line("# yaml-language-server: $schema=../.vatio/schema/tool.json")
	if m.op.Deprecated {
		line("# decide: the API calls this operation deprecated.")
	}
	line("description: %s", toolfile.Scalar(about))
	line("# decide: when should the agent use this? Say it in the visitor's words.")
	line("when_to_use: %s", toolfile.Scalar("The visitor's request needs this: "+strings.TrimRight(about, ".")+"."))
	if len(m.params.fields) > 0 {
		b.WriteByte('\n')
		if m.cut {
			line("# decide: parts of the API's schema were too large or too deep and are left open here.")
		}
		line("parameters:")
		writeMap(&b, schema, 1)
	}
	line("\nrequest:")
	for _, d := range m.decide {
		line("  # decide: %s.", d)
	}
	line("  method: %s", m.op.Method)
	from := ""
	if o := m.secrets[0].Example; o != "" {
		from = " # " + safeText(oneLine(o, 200))
	}
	line("  base_url: \"$env.API_URL\"%s", from)
	line("  path: %s", toolfile.Scalar(m.path))
	writeEntries(&b, "query", m.query)
	writeEntries(&b, "headers", m.headers)
	writeEntries(&b, "body", m.bodyFields)
	m.respond(&b)
	return []byte(b.String())
}

func writeEntries(b *strings.Builder, name string, list []entry) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "  %s:\n", name)
	for _, e := range list {
		if e.note != "" {
			fmt.Fprintf(b, "    # %s.\n", e.note)
		}
		fmt.Fprintf(b, "    %s: %s\n", toolfile.Key(e.name), toolfile.Quote(e.value))
	}
}

// writeMap writes a value's fields as YAML, short ones on a line.
func writeMap(b *strings.Builder, v *value, depth int) {
	indent := strings.Repeat("  ", depth)
	for _, f := range v.fields {
		b.WriteString(indent + toolfile.Key(f.name) + ":")
		if short := f.value.flow(); f.value.kind == 0 || len(f.value.fields) == 0 || len(indent)+len(f.name)+len(short) < 100 && f.name != "properties" {
			b.WriteString(" " + short + "\n")
			continue
		}
		b.WriteByte('\n')
		writeMap(b, f.value, depth+1)
	}
}

// flow is the value on one line.
func (v *value) flow() string {
	var parts []string
	switch v.kind {
	case '{':
		if len(v.fields) == 0 {
			return "{}"
		}
		for _, f := range v.fields {
			parts = append(parts, toolfile.Key(f.name)+": "+f.value.flow())
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case '[':
		for _, item := range v.items {
			parts = append(parts, item.flow())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if strings.HasPrefix(v.literal, `"`) {
		if parsed, err := jsondoc.Parse([]byte(v.literal)); err == nil {
			if strings.Contains(parsed.Text(), "?") { // before a comma, parsers take it for the sign of a key
				return v.literal
			}
			return toolfile.Scalar(parsed.Text())
		}
	}
	return v.literal
}

// maxData is how many values of an object's answer a tool hands on.
const maxData = 20

func (m *maker) respond(b *strings.Builder) {
	data, list, left := m.data()
	b.WriteString("\nrespond:\n")
	if len(data) == 0 {
		b.WriteString("  message: Done.\n")
		return
	}
	if left > 0 {
		fmt.Fprintf(b, "  # decide: the answer has %d more fields; name those that the agent needs.\n", left)
	} else {
		b.WriteString("  # decide: keep what the agent needs, by JSONPath.\n")
	}
	b.WriteString("  data:\n")
	for _, e := range data {
		fmt.Fprintf(b, "    %s: %s\n", toolfile.Key(e.name), toolfile.Scalar(e.value))
	}
	b.WriteString("  message:\n    when_empty: Nothing was found.\n")
	if list {
		b.WriteString("    default: \"Found {{count}}.\"\n")
	} else {
		b.WriteString("    default: Done.\n")
	}
}

// data maps the answer: a list as a whole, a list in an envelope with what stands
// beside it, or an object's fields.
func (m *maker) data() (data []entry, list bool, left int) {
	used := map[string]bool{}
	schema, file := m.success(m.op)
	if schema == nil {
		return nil, false, 0
	}
	s := m.flatten(schema, file)
	if s.kind == "array" {
		return []entry{{name: orElse(m.noun(), "items"), value: "$"}}, true, 0
	}
	if len(s.properties) == 0 {
		return []entry{{name: "result", value: "$"}}, false, 0
	}
	for _, p := range s.properties {
		if n, _, err := m.resolve(p.node, p.file); err == nil && isTrue(n.Get("writeOnly")) {
			continue
		}
		if len(data) == maxData {
			left++
			continue
		}
		path := "$." + p.name
		if !isName(p.name) {
			quote := toolfile.Quote(p.name)
			path = "$[" + quote + "]"
		}
		if _, err := jsondoc.CompilePath(path); err != nil {
			continue
		}
		if m.flatten(p.node, p.file).kind == "array" {
			list = true
		}
		name := orElse(toolfile.Identifier(p.name), "field")
		data = append(data, entry{name: unique(used, name[:min(len(name), 56)]), value: path})
	}
	return data, list && m.op.Method == "GET" && !strings.HasSuffix(m.op.Path, "}") && !strings.Contains(m.op.Path, "}."), left
}

// noun is the last fixed part of the path.
func (m *maker) noun() string {
	parts := strings.Split(m.op.Path, "/")
	for _, p := range slices.Backward(parts) {
		if p != "" && !strings.Contains(p, "{") {
			return toolfile.Identifier(p)
		}
	}
	return ""
}
