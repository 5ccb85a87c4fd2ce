// Package openapi reads OpenAPI 3 and Swagger 2 documents and makes tool files of
// their operations.
//
// It reads what tool files can hold and skips the rest, so that a document with
// faults elsewhere is of use all the same. What it makes loads as a tool without
// an error. The work is bounded whatever the document holds: cycles of
// references end, schemas are cut at a depth and a size, and neither the network
// nor a file is touched but through the Opener.
package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// MaxSize is how large a document may be, in bytes.
const MaxSize = 32 << 20

const (
	maxOperations = 100_000
	maxFiles      = 200
	maxNesting    = 500
)

// An Opener returns the content of a file that a document refers to, by its path
// with slashes relative to the document's directory. It decides what may be read.
type Opener func(name string) ([]byte, error)

// A Document is one API's description. It is not safe for concurrent use.
type Document struct {
	Title   string
	version string
	root    *syntax.Node
	open    Opener
	files   map[string]*syntax.Node
	refs    map[place]target
	from    string // the address it was read from, "" for a file
	ops     []*Operation
}

type place struct{ file, ref string }

type target struct {
	node *syntax.Node
	file string
	err  error
}

// Parse reads a document in JSON or YAML. name is what messages call it, an
// http(s) address where relative servers are to be resolved. With a nil open
// other files are refused.
func Parse(name string, data []byte, open Opener) (*Document, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, MaxSize>>20)
	}
	root, err := parseTree(name, data)
	if err != nil {
		return nil, err
	}
	d := &Document{root: root, open: open, files: map[string]*syntax.Node{"": root}, refs: map[place]target{}}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		d.from = name
	}
	d.version = text(root.Get("openapi"))
	if d.version == "" {
		d.version = text(root.Get("swagger"))
	}
	if !strings.HasPrefix(d.version, "3.") && !strings.HasPrefix(d.version, "2.") && d.version != "2" && d.version != "3" {
		if d.version != "" {
			return nil, fmt.Errorf("%s is of version %q: OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 can be imported", name, d.version)
		}
		return nil, fmt.Errorf("%s is no OpenAPI document: it has neither \"openapi\" nor \"swagger\" at its top", name)
	}
	d.Title = oneLine(text(root.Get("info").Get("title")), 100)
	if err := d.list(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

func (d *Document) swagger() bool { return strings.HasPrefix(d.version, "2") }

// parseTree reads JSON by its own parser, which is several times as fast as that
// of YAML, and whatever is no JSON as YAML.
func parseTree(name string, data []byte) (*syntax.Node, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		if v, err := jsondoc.Parse(data); err == nil {
			return fromJSON(v, 0)
		}
	}
	root, list := syntax.ParseYAML(diag.NewFile(name, data))
	if root == nil {
		if err := list.Err(); err != nil {
			at := list[0].Span.File.Position(list[0].Span.Start)
			return nil, fmt.Errorf("%s is neither JSON nor YAML: line %d, column %d: %s", name, at.Line, at.Column, list[0].Message)
		}
		return nil, fmt.Errorf("%s is empty", name)
	}
	if root.Kind != syntax.Map {
		return nil, fmt.Errorf("%s is no OpenAPI document: it holds %s, not a map", name, root.Kind)
	}
	return root, nil
}

func fromJSON(v jsondoc.Value, depth int) (*syntax.Node, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("the document nests deeper than %d levels", maxNesting)
	}
	n := &syntax.Node{Text: v.Text()}
	switch v.Kind() {
	case jsondoc.Object:
		n.Kind, n.Text = syntax.Map, ""
		for name, member := range v.Members() {
			value, err := fromJSON(member, depth+1)
			if err != nil {
				return nil, err
			}
			n.Pairs = append(n.Pairs, syntax.Pair{Key: &syntax.Node{Kind: syntax.String, Text: name}, Value: value})
		}
	case jsondoc.Array:
		n.Kind, n.Text = syntax.Seq, ""
		for element := range v.Elements() {
			value, err := fromJSON(element, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, value)
		}
	case jsondoc.String:
		n.Kind = syntax.String
	case jsondoc.Bool:
		n.Kind = syntax.Bool
	case jsondoc.Null:
		n.Kind = syntax.Null
	default:
		n.Kind = syntax.Int
		if strings.ContainsAny(n.Text, ".eE") {
			n.Kind = syntax.Float
		}
	}
	return n, nil
}

// resolve follows the reference that n is, in the file it stands in.
func (d *Document) resolve(n *syntax.Node, file string) (*syntax.Node, string, error) {
	for range 32 {
		ref := n.Get("$ref")
		if ref == nil || ref.Kind != syntax.String {
			return n, file, nil
		}
		at := place{file, ref.Text}
		t, known := d.refs[at]
		if !known {
			t = d.follow(ref.Text, file)
			d.refs[at] = t
		}
		if t.err != nil {
			return nil, file, t.err
		}
		n, file = t.node, t.file
	}
	return nil, file, errors.New("its references go round in a circle")
}

func (d *Document) follow(ref, file string) target {
	name, pointer, _ := strings.Cut(ref, "#")
	if name == "" {
		name = file
	} else {
		if strings.Contains(name, ":") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\`) {
			return target{err: fmt.Errorf("the reference %q leads out of the document: only files beside it are read, so bundle it first", ref)}
		}
		name = path.Join(path.Dir(file), name)
		if name == ".." || strings.HasPrefix(name, "../") {
			return target{err: fmt.Errorf("the reference %q leads out of the document's directory", ref)}
		}
	}
	root, ok := d.files[name]
	if !ok {
		if d.open == nil {
			return target{err: fmt.Errorf("the reference %q leads to another file, which is not fetched: bundle the document first", ref)}
		}
		if len(d.files) >= maxFiles {
			return target{err: fmt.Errorf("the document is spread over more than %d files", maxFiles)}
		}
		data, err := d.open(name)
		if err != nil {
			return target{err: fmt.Errorf("the reference %q leads to a file that cannot be read", ref)}
		}
		if len(data) > MaxSize {
			return target{err: fmt.Errorf("%s is larger than %d MiB", name, MaxSize>>20)}
		}
		if root, err = parseTree(name, data); err != nil {
			return target{err: err}
		}
		d.files[name] = root
	}
	n := root
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" || pointer == "/" {
			break
		}
		n = child(n, unescape(step))
		if n == nil {
			return target{err: fmt.Errorf("the reference %q leads nowhere", ref)}
		}
	}
	return target{node: n, file: name}
}

func child(n *syntax.Node, step string) *syntax.Node {
	if n.Kind == syntax.Seq {
		i := 0
		if _, err := fmt.Sscanf(step, "%d", &i); err != nil || i < 0 || i >= len(n.Items) {
			return nil
		}
		return n.Items[i]
	}
	return n.Get(step)
}

func text(n *syntax.Node) string {
	if n == nil || n.Kind == syntax.Null || n.Kind == syntax.Map || n.Kind == syntax.Seq {
		return ""
	}
	return n.Text
}

func items(n *syntax.Node) []*syntax.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

func pairs(n *syntax.Node) []syntax.Pair {
	if n == nil {
		return nil
	}
	return n.Pairs
}

func isTrue(n *syntax.Node) bool {
	return n != nil && n.Kind == syntax.Bool && strings.EqualFold(n.Text, "true")
}
