package remote

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// An Adapted is a tool as it travels to a provider, and how its parameters'
// names lead back. It never changes. The zero value is that of a tool nothing
// is known of.
type Adapted struct {
	Tool    chat.Tool // WhenToUse is part of Description; Parameters is an object's schema
	Changes []string  // sentences for people; nil where the schema is as it was

	theirs map[string]string // our names to the provider's, those that differ
	ours   map[string]string
}

// Adapt changes what providers are known to refuse in a tool's parameters: the
// keywords that may not stand at the top, arrays without items, names of
// parameters, and references that lead elsewhere than into $defs. The tool
// itself goes on checking the arguments against what its file says.
func Adapt(provider string, t chat.Tool) Adapted {
	tool := chat.Tool{Name: t.Name, Description: Description(t), Parameters: t.Parameters}
	if plainTop(t.Parameters) && plain(t.Parameters, true) {
		return Adapted{Tool: tool}
	}
	a := &adapter{provider: provider, root: t.Parameters}
	a.rename()
	text := a.parameters()
	if len(a.moved) > 0 { // $defs may have been written before all of them were found
		text = a.parameters()
	}
	schema, err := jsondoc.Parse(text)
	if err != nil {
		schema = jsondoc.MustParse(`{"type":"object","properties":{}}`)
	}
	tool.Parameters = schema
	return Adapted{Tool: tool, Changes: a.changes, theirs: a.theirs, ours: a.ours}
}

// Description returns what a model is told of a tool: what it does and when to use it.
func Description(t chat.Tool) string {
	if strings.TrimSpace(t.WhenToUse) == "" {
		return t.Description
	}
	return strings.TrimSpace(strings.TrimSpace(t.Description) + "\n\nWhen to use: " + strings.TrimSpace(t.WhenToUse))
}

// plainTop reports whether nothing is to be changed about the top itself.
func plainTop(root jsondoc.Value) bool {
	described := false
	for word, v := range root.Members() {
		switch {
		case refusedAtTop(word), word == "then", word == "else", word == "$ref":
			return false
		case word == "properties":
			described = v.Kind() == jsondoc.Object
		}
	}
	return described && root.Get("type").Text() == "object"
}

// plain reports whether nothing is to be changed in v, a schema or a part of
// one. It may say no where nothing is, and is there to spare the rest.
func plain(v jsondoc.Value, top bool) bool {
	for e := range v.Elements() {
		if !plain(e, false) {
			return false
		}
	}
	if v.Kind() != jsondoc.Object {
		return true
	}
	if !top && holdsAny(v) {
		return false
	}
	for word, value := range v.Members() {
		switch word {
		case "const", "enum", "default", "examples", "description", "required":
			continue
		case "$ref":
			return false
		case "properties", "dependentSchemas", "$defs", "definitions", "patternProperties":
			named := word == "properties" || word == "dependentSchemas"
			for name, schema := range value.Members() {
				if named && !acceptable(name) || !plain(schema, false) {
					return false
				}
			}
			continue
		}
		if !plain(value, false) {
			return false
		}
	}
	return true
}

// An adapter writes one schema anew.
type adapter struct {
	provider string
	root     jsondoc.Value
	changes  []string
	theirs   map[string]string
	ours     map[string]string
	moved    []moved
}

// moved is what a reference leads to, written into $defs.
type moved struct{ pointer, name string }

func (a *adapter) changed(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(a.changes, text) {
		a.changes = append(a.changes, text)
	}
}

// refusedAtTop are the keywords that providers refuse at the top of parameters.
func refusedAtTop(word string) bool {
	switch word {
	case "oneOf", "anyOf", "allOf", "not", "enum", "if":
		return true
	}
	return false
}

// parameters writes the whole schema.
func (a *adapter) parameters() []byte {
	top := a.top()
	dst := []byte{'{'}
	if kind := a.root.Get("type"); kind.Text() != "object" {
		dst = append(dst, `"type":"object"`...)
		if kind.Exists() {
			a.changed(`the type of the parameters is "object": %s takes no other`, a.provider)
		}
	}
	described, required, definitions := false, false, false
	for word, v := range a.root.Members() {
		switch {
		case word == "type" && v.Text() != "object", word == "then", word == "else":
			continue
		case refusedAtTop(word):
			a.changed("%q was taken out at the top of the parameters: %s refuses it", word, a.provider)
			continue
		case word == "$ref" && top.followed:
			a.changed(`"$ref" at the top of the parameters was replaced by the properties it leads to: %s follows none there`, a.provider)
			continue
		case word == "properties":
			described = true
			dst = a.properties(appendName(dst, word), top)
		case word == "required":
			required = true
			dst = a.required(appendName(dst, word), top.required)
		case word == "$defs":
			definitions = true
			dst = appendName(dst, word)
			dst = a.schemas(dst, v, "", true)
			dst = a.defs(dst)
		default:
			dst = a.keyword(dst, word, v, "")
		}
	}
	if !described {
		dst = a.properties(appendName(dst, "properties"), top)
	}
	if !required && len(top.required) > 0 {
		dst = a.required(appendName(dst, "required"), top.required)
	}
	if !definitions && len(a.moved) > 0 {
		dst = a.defs(append(appendName(dst, "$defs"), '{', '}'))
	}
	return append(dst, '}')
}

// top is what the branches at the top say together.
type top struct {
	names    []string
	schemas  map[string][]jsondoc.Value
	required []string
	followed bool // a $ref at the top was replaced
}

func (a *adapter) top() *top {
	t := &top{schemas: map[string][]jsondoc.Value{}}
	for name, schema := range a.root.Get("properties").Members() {
		t.names = append(t.names, name)
		t.schemas[name] = []jsondoc.Value{schema}
	}
	for v := range a.root.Get("required").Elements() {
		t.required = append(t.required, v.Text())
	}
	own := len(t.names)
	seen := map[jsondoc.Value]bool{a.root: true}
	var visit func(v jsondoc.Value, always bool)
	branches := func(v jsondoc.Value, always bool) {
		for _, word := range []string{"allOf", "anyOf", "oneOf"} {
			for branch := range v.Get(word).Elements() {
				visit(branch, always && word == "allOf")
			}
		}
		for _, word := range []string{"if", "then", "else"} {
			visit(v.Get(word), false)
		}
		if target, ok := a.target(v.Get("$ref").Text()); ok && target != a.root {
			t.followed = t.followed || v == a.root
			visit(target, always)
		}
	}
	visit = func(v jsondoc.Value, always bool) {
		if v.Kind() != jsondoc.Object || seen[v] {
			return
		}
		seen[v] = true
		for name, schema := range v.Get("properties").Members() {
			i := slices.Index(t.names, name)
			if i < 0 {
				t.names = append(t.names, name)
			}
			if i < 0 || i >= own {
				t.schemas[name] = append(t.schemas[name], schema)
			}
		}
		for name := range v.Get("required").Elements() {
			if always && !slices.Contains(t.required, name.Text()) {
				t.required = append(t.required, name.Text())
			}
		}
		branches(v, always)
	}
	branches(a.root, true)
	return t
}

func (a *adapter) properties(dst []byte, t *top) []byte {
	dst = append(dst, '{')
	for _, name := range t.names {
		dst = appendName(dst, a.their(name))
		var forms []string
		for _, schema := range t.schemas[name] {
			form := string(a.property(nil, name, schema, ""))
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
		if len(forms) == 1 {
			dst = append(dst, forms[0]...)
			continue
		}
		dst = append(append(append(dst, `{"anyOf":[`...), strings.Join(forms, ",")...), "]}"...)
	}
	return append(dst, '}')
}

func (a *adapter) required(dst []byte, names []string) []byte {
	dst = append(dst, '[')
	for _, name := range names {
		dst = jsondoc.AppendQuote(appendComma(dst), a.their(name))
	}
	return append(dst, ']')
}

// property writes the schema of one property, which says what it is called
// where the provider knows it under another name.
func (a *adapter) property(dst []byte, name string, schema jsondoc.Value, path string) []byte {
	path = strings.TrimPrefix(path+"."+name, ".")
	if a.their(name) == name || schema.Kind() != jsondoc.Object {
		return a.schema(dst, schema, path)
	}
	a.changed("the parameter %q travels as %q: %s refuses its name", name, a.their(name), a.provider)
	return a.object(dst, schema, path, name)
}

// schema writes a schema below the top.
func (a *adapter) schema(dst []byte, v jsondoc.Value, path string) []byte {
	if v.Kind() != jsondoc.Object {
		return v.AppendCompact(dst)
	}
	return a.object(dst, v, path, "")
}

// object writes a schema that is an object; called is a name that its
// description is to tell, "" for none.
func (a *adapter) object(dst []byte, v jsondoc.Value, path, called string) []byte {
	dst = append(dst, '{')
	for word, value := range v.Members() {
		if word == "description" && called != "" {
			dst = jsondoc.AppendQuote(appendName(dst, word), value.Text()+" ("+called+")")
			called = ""
			continue
		}
		dst = a.keyword(dst, word, value, path)
	}
	if called != "" {
		dst = jsondoc.AppendQuote(appendName(dst, "description"), called)
	}
	if holdsAny(v) {
		if path == "" {
			path = "(no name)"
		}
		a.changed("the array %q was given items, of any kind: %s refuses one that does not say what it holds", path, a.provider)
		dst = append(appendName(dst, "items"), '{', '}')
	}
	return append(dst, '}')
}

// holdsAny reports whether v is the schema of an array that says nothing of its
// elements.
func holdsAny(v jsondoc.Value) bool {
	if v.Get("items").Exists() || v.Get("prefixItems").Exists() {
		return false
	}
	kind := v.Get("type")
	if kind.Kind() == jsondoc.Array {
		for k := range kind.Elements() {
			if k.Text() == "array" {
				return true
			}
		}
		return false
	}
	return kind.Text() == "array"
}

// keyword writes one member of a schema.
func (a *adapter) keyword(dst []byte, word string, v jsondoc.Value, path string) []byte {
	dst = appendName(dst, word)
	switch word {
	case "properties", "dependentSchemas":
		return a.schemas(dst, v, path, false)
	case "$defs", "definitions", "patternProperties":
		return a.schemas(dst, v, path, true)
	case "items", "allOf", "anyOf", "oneOf", "prefixItems", "additionalItems", "additionalProperties", "contains", "contentSchema",
		"not", "if", "then", "else", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		if v.Kind() != jsondoc.Array {
			return a.schema(dst, v, path)
		}
		dst = append(dst, '[')
		for e := range v.Elements() {
			dst = a.schema(appendComma(dst), e, path)
		}
		return append(dst, ']')
	case "required":
		return a.names(dst, v)
	case "dependentRequired":
		if v.Kind() != jsondoc.Object {
			break
		}
		dst = append(dst, '{')
		for name, names := range v.Members() {
			dst = a.names(appendName(dst, a.their(name)), names)
		}
		return append(dst, '}')
	case "const", "enum", "default", "examples":
		if len(a.theirs) > 0 {
			return appendRenamed(dst, v, a.theirs)
		}
	case "$ref":
		return jsondoc.AppendQuote(dst, a.reference(v.Text()))
	}
	return v.AppendCompact(dst)
}

// schemas writes an object of schemas, whose names are those of parameters
// unless fixed.
func (a *adapter) schemas(dst []byte, v jsondoc.Value, path string, fixed bool) []byte {
	if v.Kind() != jsondoc.Object {
		return v.AppendCompact(dst)
	}
	dst = append(dst, '{')
	for name, schema := range v.Members() {
		if fixed {
			dst = a.schema(appendName(dst, name), schema, path)
		} else {
			dst = a.property(appendName(dst, a.their(name)), name, schema, path)
		}
	}
	return append(dst, '}')
}

func (a *adapter) names(dst []byte, v jsondoc.Value) []byte {
	if len(a.theirs) == 0 || v.Kind() != jsondoc.Array {
		return v.AppendCompact(dst)
	}
	dst = append(dst, '[')
	for name := range v.Elements() {
		dst = jsondoc.AppendQuote(appendComma(dst), a.their(name.Text()))
	}
	return append(dst, ']')
}

func (a *adapter) their(name string) string {
	if other, ok := a.theirs[name]; ok {
		return other
	}
	return name
}

// reference returns where a $ref leads in the schema that is written: into
// $defs, whatever it led to.
func (a *adapter) reference(ref string) string {
	if !strings.HasPrefix(ref, "#/") {
		return ref
	}
	for _, plain := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, plain); ok && !strings.Contains(name, "/") {
			return ref
		}
	}
	if _, ok := a.target(ref); !ok {
		return ref
	}
	for _, m := range a.moved {
		if m.pointer == ref {
			return "#/$defs/" + m.name
		}
	}
	name := plainName(ref[strings.LastIndex(ref, "/")+1:])
	for n := 2; a.root.Get("$defs").Get(name).Exists() || slices.ContainsFunc(a.moved, func(m moved) bool { return m.name == name }); n++ {
		name = plainName(ref[strings.LastIndex(ref, "/")+1:]) + "_" + strconv.Itoa(n)
	}
	a.moved = append(a.moved, moved{ref, name})
	a.changed("the reference %q leads into $defs: %s follows no other", ref, a.provider)
	return "#/$defs/" + name
}

// defs adds to an object, written whole, what references lead to. Writing one
// may add more.
func (a *adapter) defs(dst []byte) []byte {
	dst = dst[:len(dst)-1]
	for i := 0; i < len(a.moved); i++ {
		target, _ := a.target(a.moved[i].pointer)
		dst = a.schema(appendName(dst, a.moved[i].name), target, a.moved[i].name)
	}
	return append(dst, '}')
}

// target returns the schema that a JSON Pointer (RFC 6901) in a fragment leads to.
func (a *adapter) target(ref string) (jsondoc.Value, bool) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return jsondoc.Value{}, false
	}
	v := a.root
	for token := range strings.SplitSeq(pointer, "/") {
		token = unescapePointer(token)
		if i, err := strconv.Atoi(token); err == nil && v.Kind() == jsondoc.Array && i >= 0 {
			v = v.Index(i)
		} else {
			v = v.Get(token)
		}
	}
	return v, v.Exists()
}
