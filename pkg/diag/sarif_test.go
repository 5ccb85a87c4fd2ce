package diag_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/vatio-dev/vatio/pkg/diag"
)

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is loaded in tests") }

// sarifSchema compiles the schema that OASIS publishes.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	if err := c.AddResource("mem:///sarif", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("mem:///sarif")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func writeSARIF(t *testing.T, list diag.List, about diag.SARIF) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := diag.WriteSARIF(&b, list, about); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriteSARIF(t *testing.T) {
	f := diag.NewFile("tools/a b%é.yml", []byte("é: <x>\ny: z\n"))
	list := diag.List{
		diag.Warningf(diag.Span{File: f, Start: 4, End: 9}, "value", "no <x>").WithHint("write y"),
		diag.Errorf(diag.Span{File: diag.NewFile("../deployment.toml", nil)}, "new", "more"),
	}
	about := diag.SARIF{Tool: "vatio", Version: "1.2.3", URL: "https://vatio.example", Rules: []diag.Rule{{"type", "One.", "Two."}, {"value", "Three.", "Four."}}}
	want := `{
  "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
  "version": "2.1.0",
  "runs": [
    {
      "tool": {
        "driver": {
          "name": "vatio",
          "version": "1.2.3",
          "informationUri": "https://vatio.example",
          "rules": [
            {
              "id": "type",
              "shortDescription": {
                "text": "One."
              },
              "help": {
                "text": "Two."
              }
            },
            {
              "id": "value",
              "shortDescription": {
                "text": "Three."
              },
              "help": {
                "text": "Four."
              }
            }
          ]
        }
      },
      "originalUriBaseIds": {
        "SRCROOT": {
          "description": {
            "text": "The root of the sources that were checked."
          }
        }
      },
      "columnKind": "unicodeCodePoints",
      "results": [
        {
          "ruleId": "value",
          "ruleIndex": 1,
          "level": "warning",
          "message": {
            "text": "no <x>\nwrite y"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "tools/a%20b%25%C3%A9.yml",
                  "uriBaseId": "SRCROOT"
                },
                "region": {
                  "startLine": 1,
                  "startColumn": 4,
                  "endLine": 2,
                  "endColumn": 2
                }
              }
            }
          ]
        },
        {
          "ruleId": "new",
          "level": "error",
          "message": {
            "text": "more"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "../deployment.toml",
                  "uriBaseId": "SRCROOT"
                },
                "region": {
                  "startLine": 1,
                  "startColumn": 1,
                  "endLine": 1,
                  "endColumn": 1
                }
              }
            }
          ]
        }
      ]
    }
  ]
}
`
	if diff := cmp.Diff(want, string(writeSARIF(t, list, about))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSARIFIsValid holds what is written against the published schema, and the
// schema against logs that it must refuse, so that it is known to look.
func TestSARIFIsValid(t *testing.T) {
	schema := sarifSchema(t)
	f := diag.NewFile("c:x/a.yml", []byte("a: b\n"))
	full := diag.List{
		diag.Errorf(diag.Span{File: f, Start: 3, End: 4}, "value", "bad\x00 \xff").WithHint("h"),
		diag.Warningf(diag.Span{File: diag.NewFile("tools", nil)}, "other", ""),
	}
	about := diag.SARIF{Tool: "vatio", Version: "dev", URL: "https://vatio.example", Rules: []diag.Rule{{"value", "S", "H"}}, Base: "../up"}
	for name, log := range map[string][]byte{
		"full":  writeSARIF(t, full, about),
		"clean": writeSARIF(t, nil, diag.SARIF{Tool: "vatio"}),
	} {
		if err := schema.Validate(decode(t, log)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, log)
		}
	}
	for name, change := range map[string][2]string{
		"level":       {`"warning"`, `"warn"`},
		"line":        {`"startLine": 1`, `"startLine": 0`},
		"unknown key": {`"columnKind"`, `"columnkind"`},
	} {
		log := bytes.Replace(writeSARIF(t, full, about), []byte(change[0]), []byte(change[1]), 1)
		if schema.Validate(decode(t, log)) == nil {
			t.Errorf("%s: the schema accepts a broken log", name)
		}
	}
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
