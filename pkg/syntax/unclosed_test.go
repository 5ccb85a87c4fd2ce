package syntax

import (
	"testing"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// TestUnclosedAnywhere takes one closing quote or bracket after the other out
// of a file. The error must stand where it opens, however far the parser got.
func TestUnclosedAnywhere(t *testing.T) {
	const file = `name: "Shop"
description: 'Check the stock of a product'
when_to_use: "When the customer's order is late"
parameters:
  properties:
    product: {type: string, description: "The product's name"}
    count:
      enum: [1, 2, 3]
  required: ["product", 'count']
request:
  headers:
    Accept: "application/json"
    X-Note: 'it''s'
  query:
    name: "$params.product"
    tags: [a, b, c]
  body: {a: [1, 2], c: "d"}
respond:
  data:
    items: "$.items[*]"
    more: $.x['y']
  message: |
    Don't [panic.
`
	pairs := make(map[int]int) // closing to opening
	o := newOutline(diag.NewFile("x.yml", []byte(file)))
	for _, q := range o.quotes {
		pairs[q.end-1] = q.start
	}
	for opening, closing := range o.open {
		pairs[closing] = opening
	}
	if want := 17; len(pairs) != want {
		t.Errorf("%d quotes and brackets, want %d", len(pairs), want)
	}
	for closing, opening := range pairs {
		f := diag.NewFile("x.yml", []byte(file[:closing]+file[closing+1:]))
		_, found := ParseYAML(f)
		want := `"` + file[opening:opening+1] + `" is never closed`
		if q := file[opening]; q == '"' || q == '\'' {
			want = "the quote " + string(q) + " is never closed"
		}
		if len(found) != 1 || found[0].Span.Start != opening || found[0].Message != want {
			t.Errorf("%s opens, but: %s", where(diag.Span{File: f, Start: opening, End: opening + 1}), reported(found))
		}
	}
}
