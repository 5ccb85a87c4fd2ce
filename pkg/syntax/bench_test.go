package syntax

import (
	"fmt"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/vatio-dev/vatio/pkg/diag"
)

const benchTool = `description: Check the stock of a product
when_to_use: When the customer asks whether something is available
access: public
parameters:
  type: object
  properties:
    product:
      type: string
      description: "The product's name"
  required: [product]
request:
  method: GET
  base_url: https://api.example.com
  path: /v1/stock
  query:
    name: "$params.product"
respond:
  data:
    items: $.items[*]
  message: |
    Found it.
`

// BenchmarkParseYAML against BenchmarkNodes shows what the positioned tree
// costs over the nodes of the library.
func BenchmarkParseYAML(b *testing.B) {
	for b.Loop() {
		if root, _ := ParseYAML(diag.NewFile("x.yml", []byte(benchTool))); root == nil {
			b.Fatal("no tree")
		}
	}
}

func BenchmarkNodes(b *testing.B) {
	for b.Loop() {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(benchTool), &n); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseTOML(b *testing.B) {
	const text = "description = \"Check the stock\"\nservice = \"shop\"\npath = \"/stock\"\n[parameters]\ntype = \"object\"\n[parameters.properties.product]\ntype = \"string\"\n"
	for b.Loop() {
		if root, _ := ParseTOML(diag.NewFile("x.toml", []byte(text))); root == nil {
			b.Fatal("no tree")
		}
	}
}

func BenchmarkSpanOf(b *testing.B) {
	root, _ := ParseYAML(diag.NewFile("x.yml", []byte(benchTool)))
	n := root.Get("request").Get("query").Get("name")
	for b.Loop() {
		if s := n.SpanOf(0, 7); s.Start == s.End {
			b.Fatal(fmt.Sprint(s))
		}
	}
}
