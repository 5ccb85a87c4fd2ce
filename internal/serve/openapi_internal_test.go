package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// openapi.json has the operations that there are, and no others.
func TestTheDescriptionIsThatOfTheHandlers(t *testing.T) {
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	var described, handled []string
	for path, item := range doc.Paths {
		for method, operation := range item {
			if method == "parameters" {
				continue
			}
			described = append(described, strings.ToUpper(method)+" "+path)
			var o struct {
				OperationID string
				Security    *[]map[string][]string
				Responses   map[string]any
			}
			if err := json.Unmarshal(operation, &o); err != nil {
				t.Fatal(err)
			}
			if o.OperationID == "" || o.Security == nil || len(o.Responses) == 0 || len(*o.Security) > 0 != strings.HasPrefix(path, "/v1/") {
				t.Errorf("%s %s lacks something: %s", method, path, operation)
			}
		}
	}
	s := New(Options{Log: slog.New(slog.DiscardHandler), Traces: true})
	for _, r := range s.table() {
		handled = append(handled, r.method+" "+r.path)
	}
	slices.Sort(described)
	slices.Sort(handled)
	if diff := cmp.Diff(handled, described); diff != "" {
		t.Errorf("(-handled +described)\n%s", diff)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Errorf("OpenAPI %s", doc.OpenAPI)
	}
}

// Every schema of the description is one, and what it refers to is there.
func TestTheSchemasAreSchemas(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPI))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("test:///openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	count := 0
	var walk func(pointer string, v any)
	walk = func(pointer string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && !resolves(doc, ref) {
				t.Errorf("%s: there is no %s", pointer, ref)
			}
			for key, member := range v {
				at := pointer + "/" + escape.Replace(key)
				if key == "schema" || strings.HasPrefix(pointer, "/components/schemas") && strings.Count(at, "/") == 3 {
					count++
					if _, err := compiler.Compile("test:///openapi.json#" + at); err != nil {
						t.Error(err)
					}
				}
				walk(at, member)
			}
		case []any:
			for i, member := range v {
				walk(fmt.Sprint(pointer, "/", i), member)
			}
		}
	}
	walk("", doc)
	if count < 20 {
		t.Errorf("%d schemas were looked at", count)
	}
}

func resolves(doc any, ref string) bool {
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		m, ok := doc.(map[string]any)
		if !ok {
			return false
		}
		doc = m[part]
	}
	return doc != nil
}

// Only so many owners are remembered, the latest.
func TestRatesAreForgotten(t *testing.T) {
	l := newLimits(0.0001, 1)
	for n := range maxOwners + 100 {
		if l.take(fmt.Sprint("web/", n)) > 0 {
			t.Fatal("a new owner has to wait")
		}
	}
	if len(l.owners) > maxOwners || l.recent.Len() != len(l.owners) {
		t.Errorf("%d owners are remembered", len(l.owners))
	}
}
