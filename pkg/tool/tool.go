// Package tool is the model of a tool, of both kinds, and the loaders that
// read it from tools/*.yml and tools/*.toml. A Tool is data: templates, paths
// and schemas are compiled when it is loaded, and never change afterwards, so
// a Tool is safe for concurrent use.
package tool

import (
	"iter"
	"slices"
	"time"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// A Tool is one tool of a workspace. Exactly one of HTTP and Service is set
// when the file it came from has no error.
type Tool struct {
	Key         string
	Description string
	WhenToUse   string
	Parameters  *jsonschema.Schema // nil: the file names none, any object will do
	Private     bool               // access: private
	Scope       string             // service tools only; "" for none
	Timeout     time.Duration      // 0: the agent's
	HTTP        *HTTP
	Service     *Service

	File *diag.File
	Root *syntax.Node // nil when the file has a syntax error

	unread []string
}

// Unread reports whether a field is there but could not be read, because its
// key is misspelt or its value is at fault: what depends on it is not known. The
// field "" is the whole file, which is something else than a tool.
func (t *Tool) Unread(field string) bool {
	return slices.Contains(t.unread, field) || slices.Contains(t.unread, "")
}

// Templates yields every template of an HTTP tool with the field it stands in:
// "base_url", "path", "query", "headers" or "body".
func (t *Tool) Templates() iter.Seq2[string, Text] {
	return func(yield func(string, Text) bool) {
		h := t.HTTP
		if h == nil {
			return
		}
		for _, single := range []struct {
			field string
			text  Text
		}{{"base_url", h.BaseURL}, {"path", h.Path}} {
			if single.text.Template != nil && !yield(single.field, single.text) {
				return
			}
		}
		if !yieldFields("query", h.Query, yield) || !yieldFields("headers", h.Headers, yield) || h.Body == nil {
			return
		}
		h.Body.templates("body", yield)
	}
}

func yieldFields(field string, fields []Field, yield func(string, Text) bool) bool {
	for i := range fields {
		if !fields[i].Value.templates(field, yield) {
			return false
		}
	}
	return true
}

func (v *Value) templates(field string, yield func(string, Text) bool) bool {
	switch v.Kind {
	case Template:
		return yield(field, v.Text)
	case Array:
		for i := range v.Items {
			if !v.Items[i].templates(field, yield) {
				return false
			}
		}
	case Object:
		return yieldFields(field, v.Fields, yield)
	}
	return true
}

// HTTP is what an HTTP tool sends and how it reads the answer.
type HTTP struct {
	Method   string
	BaseURL  Text
	Path     Text
	Requires []Requirement
	Query    []Field // in the file's order, as are the others
	Headers  []Field
	Body     *Value // nil: no body
	Respond  Respond
}

// Service is where a service tool's call goes; the grant adds the rest.
type Service struct {
	Name string
	Path string
}

// A Text is a template and the node it stands in.
type Text struct {
	*placeholder.Template
	Node *syntax.Node
}

// Span returns where ref stands in the file.
func (t Text) Span(ref placeholder.Ref) diag.Span { return t.Node.SpanOf(ref.Start, ref.End) }

// A Requirement is one entry of request.requires.
type Requirement struct {
	Ref  placeholder.Ref
	Node *syntax.Node
}

// A Field is one entry of query, headers or an object in a body.
type Field struct {
	Name  string
	Key   *syntax.Node
	Value Value
}

// A Value is a JSON value with templates in it. Exactly one of Literal, Text,
// Items and Fields says what it is; Kind tells which.
type Value struct {
	Kind    ValueKind
	Literal jsondoc.Value // Literal: no placeholder inside
	Text    Text          // Template
	Items   []Value       // Array
	Fields  []Field       // Object
	Node    *syntax.Node
}

// ValueKind tells the forms of a Value apart. The zero value is invalid.
type ValueKind uint8

const (
	Literal ValueKind = iota + 1
	Template
	Array
	Object
)

// Respond is how an answer becomes a result.
type Respond struct {
	HasData bool      // respond.data stands in the file
	Data    []Mapping // in the file's order
	Message *Message  // nil: the body's own message
}

// A Mapping is one entry of respond.data.
type Mapping struct {
	Key  string
	Path *jsondoc.Path
	Node *syntax.Node
}

// Message holds the texts of respond.message; a literal string is its Default.
type Message struct {
	Default   string
	WhenEmpty string // "" for none
}
