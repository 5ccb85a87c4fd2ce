package jsonschema_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("no loading in tests") }

// compileOracle compiles with the reference implementation, nil if it refuses.
func compileOracle(t testing.TB, schema string) *oracle.Schema {
	t.Helper()
	doc, err := oracle.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatalf("schema is no JSON: %v\n%s", err, schema)
	}
	c := oracle.NewCompiler()
	c.UseLoader(noLoader{})
	c.DefaultDraft(oracle.Draft2020)
	if err := c.AddResource("mem:///schema", doc); err != nil {
		return nil
	}
	compiled, err := c.Compile("mem:///schema")
	if err != nil {
		return nil
	}
	return compiled
}

func oracleAccepts(t testing.TB, s *oracle.Schema, instance string) bool {
	t.Helper()
	v, err := oracle.UnmarshalJSON(strings.NewReader(instance))
	if err != nil {
		t.Fatalf("instance is no JSON: %v\n%s", err, instance)
	}
	return s.Validate(v) == nil
}

// onlyWarnings reports whether the schema can be used.
func onlyWarnings(faults []jsonschema.Fault) bool {
	for _, f := range faults {
		if !f.Warning {
			return false
		}
	}
	return true
}

func hasLoop(faults []jsonschema.Fault) bool {
	return slices.ContainsFunc(faults, func(f jsonschema.Fault) bool { return strings.Contains(f.Message, "without end") })
}

// TestOracle compares accepting and refusing with the reference implementation
// on random schemas and instances.
func TestOracle(t *testing.T) {
	const schemas, instances = 6000, 12
	var compared, accepted int
	for seed := range uint64(schemas) {
		g := newGenerator(seed)
		schema := g.root()
		want := compileOracle(t, schema)
		got, faults := jsonschema.Compile(jsondoc.MustParse(schema))
		if want == nil {
			if onlyWarnings(faults) {
				t.Errorf("seed %d: the reference refuses a schema that has no faults\n%s", seed, schema)
			}
			continue
		}
		if hasLoop(faults) {
			continue // faulty references are left out
		}
		for range instances {
			instance := g.object(3)
			compared++
			valid := oracleAccepts(t, want, instance)
			if valid {
				accepted++
			}
			if got := jsonschema.Accepts(got, jsondoc.MustParse(instance)); got != valid {
				t.Errorf("seed %d: accepts = %v, the reference says %v\nschema   %s\ninstance %s", seed, got, valid, schema, instance)
			}
			applyTwice(t, got, jsondoc.MustParse(instance), true)
			out, violations := got.Apply(jsondoc.MustParse(instance), jsonschema.Options{})
			if valid && len(violations) > 0 {
				t.Errorf("seed %d: violations of a valid instance: %v\nschema   %s\ninstance %s", seed, violations, schema, instance)
			}
			if len(violations) == 0 && !oracleAccepts(t, want, string(out.Raw())) {
				t.Errorf("seed %d: the coerced instance is not valid\nschema   %s\ninstance %s\ncoerced  %s", seed, schema, instance, out.Raw())
			}
			if !valid && len(violations) == 0 && string(out.Raw()) == instance {
				t.Errorf("seed %d: an invalid instance passed unchanged\nschema   %s\ninstance %s", seed, schema, instance)
			}
		}
		if t.Failed() {
			break
		}
	}
	if compared < schemas*instances/2 || accepted < compared/20 {
		t.Errorf("only %d comparisons, %d of valid instances: the generator is too wild", compared, accepted)
	}
	t.Logf("%d comparisons, %d of valid instances", compared, accepted)
}
