package syntax

import (
	"bytes"
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// maxDepth is how deep maps and lists may be nested.
const maxDepth = 1000

// maxExpanded is how many nodes the aliases of one file may stand for.
const maxExpanded = 100_000

// ParseYAML reads the one YAML document of f. A file that is no YAML gives a
// nil root and one error; duplicate keys are errors beside a usable root, in
// which the first entry stands. An empty document is a Null node.
//
// A scalar has the kind that gopkg.in/yaml.v3 resolves it to: yes, no, on and
// off are strings. Two keys with the same text are the same key.
func ParseYAML(f *diag.File) (*Node, diag.List) {
	src := &source{file: f}
	if d := checkText(f); d != nil {
		return nil, diag.List{*d}
	}
	var doc yaml.Node
	if err := unmarshalYAML(f.Data, &doc); err != nil {
		return nil, diag.List{yamlError(src, err)}
	}
	if len(doc.Content) == 0 {
		return &Node{Kind: Null, style: plain, src: src, a: 1, b: 1}, nil
	}
	b := yamlBuilder{src: src}
	root, _ := b.build(doc.Content[0], 0)
	if b.fatal != nil {
		return nil, diag.List{*b.fatal}
	}
	if mayHaveTail(doc.Content[0], f.Data) {
		if d := checkTail(root); d != nil {
			return nil, diag.List{*d}
		}
	}
	b.found.Sort()
	return root, b.found
}

// unmarshalYAML decodes the first document. The library panics on input it
// did not foresee; that is an error like any other here.
func unmarshalYAML(data []byte, doc *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	return yaml.Unmarshal(data, doc)
}

var errPanic = errors.New("yaml: the parser gave up")

// mayHaveTail reports whether anything can follow the first document. Only a
// marker or a directive ends a map that is not indented before the file does.
func mayHaveTail(root *yaml.Node, data []byte) bool {
	return root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 ||
		root.Column != 1 || len(root.Content) == 0 || root.Content[0].Column != 1 ||
		bytes.Contains(data, []byte("---")) || bytes.Contains(data, []byte("...")) || bytes.IndexByte(data, '%') >= 0
}

// checkTail looks at what follows the first document: yaml.v3 does not.
func checkTail(root *Node) *diag.Diagnostic {
	src := root.src
	data := src.file.Data
	_, i := root.bounds()
	marker, ended := -1, false
	for {
		i = skipSpace(data, i)
		if i >= len(data) {
			return nil
		}
		if !atLineStart(src.file, i) || i+3 > len(data) || !blankAt(data, i+3) {
			break
		}
		if s := string(data[i : i+3]); s == "..." {
			ended = true
		} else if s != "---" {
			break
		} else if marker < 0 {
			marker = i
		}
		i += 3
	}
	if marker < 0 && !ended {
		e := yamlFault{src: src, data: data, outline: newOutline(src.file), at: i, context: i, problem: "did not find expected <document start>"}
		d := e.diagnostic()
		return &d
	}
	if marker < 0 {
		marker = i
	}
	end := marker + 1
	for end < len(data) && !blankAt(data, end) {
		end++
	}
	d := diag.Errorf(diag.Span{File: src.file, Start: marker, End: end}, "syntax", "a second document starts here; a file holds one").
		WithHint(`remove the "---", or move the second document to a file of its own`)
	return &d
}

func atLineStart(f *diag.File, i int) bool {
	if i <= f.BOM() {
		return true
	}
	for n := 1; n <= 3 && i-n >= 0; n++ {
		if breakLen(f.Data, i-n) == n {
			return true
		}
	}
	return false
}
