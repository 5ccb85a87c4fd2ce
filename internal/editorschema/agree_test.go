package editorschema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/vatio-dev/vatio/internal/editorschema"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is loaded in tests") }

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := editorschema.JSON(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("mem:///"+name, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:///" + name)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// judge holds what the checker says about one file against what its schema says.
type judge struct {
	schemas  map[string]*jsonschema.Schema
	dir      string // an empty workspace, for files that are not read alone
	judged   int
	rejected int
}

func newJudge(t *testing.T) *judge {
	t.Helper()
	j := &judge{schemas: map[string]*jsonschema.Schema{}, dir: t.TempDir()}
	for _, name := range editorschema.Names {
		j.schemas[name] = compile(t, name)
	}
	return j
}

// kindOf returns the schema for a file of a workspace, "" for none.
func kindOf(name string) string {
	dir, base := path.Base(path.Dir(name)), path.Base(name)
	switch ext := path.Ext(name); {
	case base == workspace.FileName:
		return "workspace"
	case base == workspace.DeploymentName:
		return "deployment"
	case dir == "tools" && (ext == ".yml" || ext == ".yaml"):
		return "tool"
	case dir == "tools" && ext == ".toml":
		return "service"
	}
	return ""
}

// check returns what is reported of one file's fields, and its tree.
func (j *judge) check(t *testing.T, kind string, data []byte) (diag.List, *syntax.Node) {
	t.Helper()
	switch kind {
	case "tool":
		loaded, faults := tool.LoadHTTP(diag.NewFile("tools/a.yml", data))
		return faults, loaded.Root
	case "service":
		loaded, faults := tool.LoadService(diag.NewFile("tools/a.toml", data))
		return faults, loaded.Root
	}
	name := workspace.FileName
	if kind == "deployment" {
		name = workspace.DeploymentName
	}
	file := filepath.Join(j.dir, name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(file)
	w, all, err := workspace.Load(j.dir)
	if err != nil {
		t.Fatal(err)
	}
	var faults diag.List
	for _, d := range all {
		if d.Span.File.Name == name {
			faults = append(faults, d)
		}
	}
	if kind == "deployment" {
		return faults, w.Deployment.Root
	}
	return faults, w.Config
}

// What a schema has to refuse, and what it may.
var (
	structural = []string{"unknown-key", "type", "required", "value"}
	refusable  = append([]string{"schema", "tool-key", "duplicate-key"}, structural...)
)

func has(faults diag.List, codes []string) bool {
	return slices.ContainsFunc(faults, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && slices.Contains(codes, d.Code)
	})
}

// known leaves out keys that are wrong where they stand, inside parameters: a
// schema there may have any keyword, and only the checker knows which ones
// belong elsewhere in the file.
func known(faults diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(faults), func(d diag.Diagnostic) bool {
		return strings.HasPrefix(d.Message, `unknown key "parameters.`)
	})
}

func (j *judge) file(t *testing.T, what, kind string, data []byte) {
	t.Helper()
	faults, root := j.check(t, kind, data)
	if root == nil {
		return // no syntax, no fields
	}
	text := root.AppendJSON(nil)
	if _, err := jsondoc.Parse(text); err != nil {
		return // .nan and .inf are no JSON
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	j.judged++
	verdict := j.schemas[kind].Validate(instance)
	if verdict != nil {
		j.rejected++
	}
	switch {
	case verdict == nil && has(known(faults), structural) && !beyond(root):
		t.Errorf("%s: the schema accepts what the checker refuses\n%s%s", what, show(faults), data)
	case verdict != nil && !has(faults, refusable):
		t.Errorf("%s: the schema refuses what the checker accepts: %v\n%s%s", what, verdict, show(faults), data)
	}
}

// beyond reports whether a tree holds what JSON Schema cannot tell apart: a
// timestamp, which is a string to it, or a number such as 3.0, which is an
// integer.
func beyond(n *syntax.Node) bool {
	if n.Kind == syntax.Timestamp {
		return true
	}
	if n.Kind == syntax.Float {
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
		return err != nil || f == math.Trunc(f) // .nan and .inf have no JSON
	}
	return slices.ContainsFunc(n.Items, beyond) || slices.ContainsFunc(n.Pairs, func(p syntax.Pair) bool { return beyond(p.Value) })
}

func show(faults diag.List) string {
	var b strings.Builder
	_ = diag.WriteText(&b, faults, diag.Style{})
	return b.String()
}

// TestAgreesOnExamples takes the files of the example workspaces and those that
// the rules are tested with.
func TestAgreesOnExamples(t *testing.T) {
	j := newJudge(t)
	for _, dir := range []string{"../../tools-examples", "../cli/template", "../../pkg/check/testdata"} {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if path.Ext(name) != ".txtar" {
				if kind := kindOf(filepath.ToSlash(name)); kind != "" {
					j.file(t, name, kind, bytes.ReplaceAll(data, []byte("@SLUG@"), []byte("slug")))
				}
				return nil
			}
			for _, f := range txtar.Parse(data).Files {
				if kind := kindOf(f.Name); kind != "" {
					j.file(t, name+": "+f.Name, kind, f.Data)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files, %d of them refused", j.judged, j.rejected)
	if j.judged < 8 {
		t.Errorf("only %d files were looked at", j.judged)
	}
}

// full are files that have every field.
var full = map[string]string{
	"tool": `{"description": "d", "when_to_use": "w",
		"parameters": {"type": "object", "additionalProperties": false, "required": ["a"], "properties": {
			"a": {"type": "string", "description": "x", "enum": ["a", "b"], "default": "a", "minLength": 1, "pattern": "a|b"},
			"b": {"type": ["integer", "null"], "minimum": 1, "multipleOf": 2},
			"c": {"type": "array", "items": {"type": "object", "properties": {"d": {"type": "boolean"}}}, "minItems": 1, "uniqueItems": true},
			"e": {"anyOf": [{"type": "string"}, {"type": "number"}]},
			"f": {"oneOf": [{"type": "string", "const": "c"}], "allOf": [{"$ref": "#/$defs/g"}], "title": "t"},
			"h": {"type": "number", "maximum": 9.5, "exclusiveMinimum": 1, "exclusiveMaximum": 10},
			"i": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 4, "format": "date"}},
			"j": true},
			"$defs": {"g": {"type": "string"}}},
		"access": "public", "timeout_seconds": 10,
		"request": {"method": "POST", "base_url": "https://a.example", "path": "/x", "requires": ["params.a"],
			"query": {"q": "$params.a"}, "headers": {"X-A": "b", "X-B": 1}, "body": {"k": {"l": [1, null]}}},
		"respond": {"data": {"d": "$.d"}, "message": {"default": "m", "when_empty": "e"}}}`,
	"service": `{"name": "lookup", "description": "d", "service": "records", "path": "/x", "scope": "a:b", "timeout_seconds": 5,
		"parameters": {"type": "object", "properties": {"a": {"type": "string"}}}, "input": {"x": 1}}`,
	"workspace": `{"workspace": "acme", "agent": {"instructions": "i", "tools": ["a"], "knowledge": ["b"],
		"handoff": {"when": "w", "message": "m"}, "tool_timeout_seconds": 20, "tool_budget": 8},
		"auth": {"public_key": "k.pub", "algorithm": "ES256", "issuer": "https://i.example"},
		"model": {"provider": "offline", "name": "n", "base_url": "http://b.example"}, "registry": "oci://r.example/a"}`,
	"deployment": `{"agents": [{"id": "a", "package": "x", "services": {"records": {"url": "http://a:1", "headers": {"X-A": "env:B"}}}}]}`,
}

// TestFullFilesAreFull asks the checker which keys it knows in each map of the
// full files: one that they lack would not be tried.
func TestFullFilesAreFull(t *testing.T) {
	for _, kind := range editorschema.Names {
		j := newJudge(t)
		var doc any
		if err := json.Unmarshal([]byte(full[kind]), &doc); err != nil {
			t.Fatal(err)
		}
		closed := 0
		eachMap(doc, func(node map[string]any) {
			node["zz-unknown"] = "x"
			faults, _ := j.check(t, kind, encode(t, kind, doc))
			delete(node, "zz-unknown")
			for _, d := range faults {
				known, ok := strings.CutPrefix(d.Hint, "known keys: ")
				if d.Code != "unknown-key" || !ok {
					continue
				}
				closed++
				keys := strings.Split(known, ", ")
				slices.Sort(keys)
				if diff := cmp.Diff(keys, sortedKeys(node)); diff != "" {
					t.Errorf("%s (-known +tried):\n%s", kind, diff)
				}
			}
		})
		if want := map[string]int{"tool": 4, "service": 1, "workspace": 5, "deployment": 3}[kind]; closed != want {
			t.Errorf("%s: %d maps with known keys, want %d", kind, closed, want)
		}
	}
}

func eachMap(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, key := range sortedKeys(v) {
			eachMap(v[key], visit)
		}
	case []any:
		for _, item := range v {
			eachMap(item, visit)
		}
	}
}

// values are what each place is replaced by.
var values = []string{
	`null`, `true`, `0`, `1`, `-1`, `300`, `301`, `50`, `51`, `1.5`, `99999999999999999999`, `""`, `" "`, `"\n"`, `"text"`, `"PUT"`, `"a b"`, `"A"`, `"a\u0001"`,
	`[]`, `["a"]`, `["a", "a"]`, `[1]`, `[null]`, `[[]]`, `[{}]`, `{}`, `{"a": "b"}`, `{"a": 1}`, `{"A_b": {"url": "http://x"}}`, `{"default": "x"}`, `{"type": "object"}`,
	`{"a": null}`, `{"a": []}`, `{"type": 1}`,
}

// TestAgreesOnMutations takes a file with every field and, at every place in it,
// removes the field, adds an unknown one, and puts other values there.
func TestAgreesOnMutations(t *testing.T) {
	for _, kind := range editorschema.Names {
		t.Run(kind, func(t *testing.T) {
			j := newJudge(t)
			var doc any
			if err := json.Unmarshal([]byte(full[kind]), &doc); err != nil {
				t.Fatal(err)
			}
			j.file(t, "the full file", kind, encode(t, kind, doc))
			if j.rejected > 0 || j.judged != 1 {
				t.Fatal("the full file is not accepted")
			}
			try := func(what string) { j.file(t, what, kind, encode(t, kind, doc)) }
			mutate(t, kind, &doc, "", try)
			t.Logf("%d mutations, %d of them refused", j.judged, j.rejected)
			if j.judged < 100 || j.rejected < j.judged/4 {
				t.Errorf("only %d files were looked at, %d refused", j.judged, j.rejected)
			}
		})
	}
}

// mutate calls try for every changed form of the value at place and all below it.
func mutate(t *testing.T, kind string, place *any, name string, try func(what string)) {
	original := *place
	for _, text := range values {
		var v any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if kind == "service" || kind == "deployment" {
			if v = tomlValue(v); v == nil {
				continue
			}
		}
		*place = v
		try(fmt.Sprintf("%s = %s", name, text))
	}
	*place = original
	switch node := original.(type) {
	case map[string]any:
		node["zz-unknown"] = "x"
		try(name + " with an unknown key")
		delete(node, "zz-unknown")
		for _, key := range sortedKeys(node) {
			value := node[key]
			delete(node, key)
			try(fmt.Sprintf("%s.%s removed", name, key))
			node[key+"x"] = value
			try(fmt.Sprintf("%s.%s misspelt", name, key))
			delete(node, key+"x")
			node[key] = value
			mutate(t, kind, &value, name+"."+key, func(what string) {
				node[key] = value
				try(what)
			})
			node[key] = value
		}
	case []any:
		for i := range node {
			mutate(t, kind, &node[i], fmt.Sprintf("%s.%d", name, i), try)
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// tomlValue returns v with numbers that TOML has, nil where v is or holds a null
// or a number that is too large.
func tomlValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		if f, err := v.Float64(); err == nil && strings.Contains(v.String(), ".") {
			return f
		}
		return nil
	case []any:
		for i := range v {
			if v[i] = tomlValue(v[i]); v[i] == nil {
				return nil
			}
		}
	case map[string]any:
		for k := range v {
			if v[k] = tomlValue(v[k]); v[k] == nil {
				return nil
			}
		}
	}
	return v
}

// encode writes a document as its file would hold it; YAML reads JSON as it is.
func encode(t *testing.T, kind string, doc any) []byte {
	t.Helper()
	if kind == "tool" || kind == "workspace" {
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	table, ok := doc.(map[string]any)
	if !ok {
		table = map[string]any{}
	}
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(whole(table)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// whole turns the float64 that encoding/json makes of integers back.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = whole(v[i])
		}
		return c
	case map[string]any:
		c := make(map[string]any, len(v))
		for k := range v {
			c[k] = whole(v[k])
		}
		return c
	}
	return v
}

// TestWhatSchemasCannotTell keeps the list of exceptions honest.
func TestWhatSchemasCannotTell(t *testing.T) {
	j := newJudge(t)
	for _, c := range []struct{ kind, text string }{
		{"workspace", "workspace: acme\nagent: { instructions: 2026-12-01 }\n"},
		{"workspace", "workspace: acme\nagent: { instructions: x, tool_budget: 3.0 }\n"},
		{"service", "name = \"a\"\ndescription = \"d\"\nservice = \"s\"\npath = \"/\"\ntimeout_seconds = 3.0\n"},
	} {
		faults, root := j.check(t, c.kind, []byte(c.text))
		if !has(known(faults), structural) {
			t.Errorf("the checker accepts\n%s", c.text)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(root.AppendJSON(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := j.schemas[c.kind].Validate(instance); err != nil {
			t.Errorf("the schema refuses: %v\n%s", err, c.text)
		}
	}
}
