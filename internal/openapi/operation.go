package openapi

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/toolfile"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// An Operation is one call that the API offers.
type Operation struct {
	Key         string // of the tool that it would become
	ID          string // operationId, "" for none
	Method      string // in capitals
	Path        string // as the document writes it
	Summary     string // one line
	Tags        []string
	Deprecated  bool
	Unsupported string // why no tool can be made of it, "" where one can

	node, item *syntax.Node
	file       string
}

var methods = [...]string{"get", "post", "patch", "delete", "put", "head", "options", "trace", "query"}

// Operations lists the operations in the document's order.
func (d *Document) Operations() []*Operation { return d.ops }

func (d *Document) list() error {
	used := map[string]bool{"handoff": true, "knowledge_lookup": true, "identify_contact": true, "request_contact_info": true}
	for _, p := range pairs(d.root.Get("paths")) {
		if !strings.HasPrefix(p.Key.Text, "/") {
			continue
		}
		item, file, err := d.resolve(p.Value, "")
		if err != nil {
			return fmt.Errorf("%s: %w", p.Key.Text, err)
		}
		for _, m := range methods {
			n := item.Get(m)
			if n == nil || n.Kind != syntax.Map {
				continue
			}
			if len(d.ops) == maxOperations {
				return fmt.Errorf("it has more than %d operations", maxOperations)
			}
			op := &Operation{ID: text(n.Get("operationId")), Method: strings.ToUpper(m), Path: p.Key.Text, node: n, item: item, file: file,
				Deprecated: isTrue(n.Get("deprecated")), Tags: []string{},
				Summary: oneLine(cmp.Or(text(n.Get("summary")), text(item.Get("summary")), text(n.Get("description"))), 120)}
			for _, t := range items(n.Get("tags")) {
				op.Tags = append(op.Tags, text(t))
			}
			op.Key = uniqueKey(used, cmp.Or(toolfile.Identifier(op.ID), toolfile.Identifier(m+" "+op.Path)))
			op.Unsupported = d.unsupported(op)
			d.ops = append(d.ops, op)
		}
	}
	return nil
}

// uniqueKey makes a valid key that is not used yet.
func uniqueKey(used map[string]bool, name string) string {
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "call_" + name
	}
	name = strings.TrimRight(name[:min(len(name), 60)], "_")
	return unique(used, name)
}

// unique returns name, with the first number behind it that nobody has where it
// is taken, and takes it. Numbers are counted on per name, so that many equal
// names take no longer than many others.
func unique(used map[string]bool, name string) string {
	if !used[name] {
		used[name] = true
		return name
	}
	for step, i := 1, 2; ; i += step {
		next := fmt.Sprintf("%s_%d", name[:min(len(name), 57)], i)
		if !used[next] {
			used[next] = true
			return next
		}
		if i > 64 {
			step = i / 8
		}
	}
}

func (d *Document) unsupported(op *Operation) string {
	if !slices.Contains(tool.Methods[:], op.Method) {
		return fmt.Sprintf("tools send %s, not %s", strings.Join(tool.Methods[:], ", "), op.Method)
	}
	full := d.basePath(op) + op.Path
	if strings.ContainsAny(full, "?#$|\\ \t") || slices.Contains(strings.Split(full, "/"), "..") {
		return "its path holds characters that a tool's path cannot"
	}
	if op.Method == "POST" || op.Method == "PATCH" {
		_, _, reason := d.body(op)
		return reason
	}
	return ""
}

// server is the address the operation is found at, "" where the document names none.
func (d *Document) server(op *Operation) string {
	if d.swagger() {
		host := text(d.root.Get("host"))
		base := "/" + strings.Trim(text(d.root.Get("basePath")), "/")
		if host == "" {
			return d.absolute(base)
		}
		scheme := "https"
		if list := items(d.root.Get("schemes")); len(list) > 0 && !slices.ContainsFunc(list, func(n *syntax.Node) bool { return n.Text == "https" }) && list[0].Text == "http" {
			scheme = "http"
		}
		return scheme + "://" + host + base
	}
	for _, n := range []*syntax.Node{op.node, op.item, d.root} {
		list := items(n.Get("servers"))
		if len(list) == 0 {
			continue
		}
		address := text(list[0].Get("url"))
		for _, v := range pairs(list[0].Get("variables")) {
			if value := text(v.Value.Get("default")); value != "" {
				address = strings.ReplaceAll(address, "{"+v.Key.Text+"}", value)
			}
		}
		return d.absolute(address)
	}
	return d.absolute("/")
}

func (d *Document) absolute(address string) string {
	base, err := url.Parse(d.from)
	if err != nil || d.from == "" {
		return address
	}
	rel, err := base.Parse(address)
	if err != nil {
		return address
	}
	return rel.String()
}

func (d *Document) basePath(op *Operation) string {
	u, err := url.Parse(d.server(op))
	if err != nil || strings.ContainsAny(u.Path, "{}") {
		return ""
	}
	base := strings.Trim(u.Path, "/")
	if base == "" {
		return ""
	}
	return "/" + base
}

// origin is the server without its path, for people.
func (d *Document) origin(op *Operation) string {
	address := d.server(op)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// body is the schema of the JSON body, and why the operation's body cannot be
// sent.
func (d *Document) body(op *Operation) (schema *syntax.Node, file, reason string) {
	if d.swagger() {
		for _, p := range d.parameters(op) {
			switch text(p.node.Get("in")) {
			case "formData":
				return nil, "", "it sends a form: tools send JSON"
			case "body":
				schema, file = p.node.Get("schema"), p.file
			}
		}
	} else if n := op.node.Get("requestBody"); n != nil {
		b, at, err := d.resolve(n, op.file)
		if err != nil {
			return nil, "", err.Error()
		}
		types := pairs(b.Get("content"))
		i := slices.IndexFunc(types, func(p syntax.Pair) bool { return isJSON(p.Key.Text) })
		switch {
		case i >= 0:
			schema, file = types[i].Value.Get("schema"), at
		case len(types) > 0 && isTrue(b.Get("required")):
			return nil, "", fmt.Sprintf("its body is %s: tools send JSON", oneLine(types[0].Key.Text, 60))
		}
	}
	if schema == nil {
		return nil, "", ""
	}
	s := d.flatten(schema, file)
	if s.err != nil {
		return nil, "", s.err.Error()
	}
	if s.kind != "" && s.kind != "object" {
		return nil, "", "its body is no object: a tool's body is a map"
	}
	if len(s.properties) == 0 && (s.open || s.kind == "" && s.bare) {
		return nil, "", "its body is an object of any keys: a tool names the keys that it sends"
	}
	return schema, file, ""
}

func isJSON(mediaType string) bool {
	t, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	t = strings.TrimSpace(t)
	return t == "application/json" || t == "*/*" || t == "text/json" || strings.HasSuffix(t, "+json")
}

type parameter struct {
	node *syntax.Node
	file string
}

// parameters are those of the path and the operation, which has the last word.
func (d *Document) parameters(op *Operation) []parameter {
	var list []parameter
	for _, owner := range []*syntax.Node{op.item, op.node} {
		for _, raw := range items(owner.Get("parameters")) {
			n, file, err := d.resolve(raw, op.file)
			if err != nil || n.Kind != syntax.Map || text(n.Get("name")) == "" {
				continue
			}
			p := parameter{n, file}
			i := slices.IndexFunc(list, func(o parameter) bool {
				return text(o.node.Get("name")) == text(n.Get("name")) && text(o.node.Get("in")) == text(n.Get("in"))
			})
			if i >= 0 {
				list[i] = p
			} else if len(list) < 500 {
				list = append(list, p)
			}
		}
	}
	return list
}
