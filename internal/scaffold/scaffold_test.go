package scaffold

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

func TestToolFromAddress(t *testing.T) {
	for _, test := range []struct {
		name, address, answer, language string
		bearer                          bool
		want, arguments                 string
		secrets                         []Secret
	}{
		{
			name:    "a search with a key",
			address: "https://api.example.com/v1/products?name=picker&max=5&api_key=k-123&inStock=true", bearer: true,
			answer:    `{"data": [{"sku": "A"}], "total": 1}`,
			arguments: `{"name":"picker","max":5,"in_stock":true}`,
			secrets:   []Secret{{"API_KEY", "k-123"}},
			want: `# yaml-language-server: $schema=../.vatio/schema/tool.json
description: Get products.
when_to_use: The visitor asks for products.

parameters:
  type: object
  properties:
    name: { type: string, examples: ["picker"] }
    max: { type: integer, examples: [5] }
    in_stock: { type: boolean, examples: [true] }
  required: [name]

request:
  method: GET
  base_url: "$env.API_URL" # where your backend answers
  path: "/v1/products"
  headers:
    Authorization: "Bearer $env.API_TOKEN" # left out while the secret has no value
  query:
    name: "$params.name"
    max: "$params.max"
    api_key: "$env.API_KEY"
    inStock: "$params.in_stock"

respond:
  # What the model gets, by JSONPath.
  data:
    products: "$.data"
  message:
    when_empty: Nothing was found.
    default: "Found {{count}}."
`,
		},
		{
			name:      "one of many, in Spanish",
			address:   "http://localhost:8080/orders/ORD-1042",
			answer:    `{"order": {"id": "ORD-1042", "total-price": 12.50, "lines": [1, 2]}}`,
			language:  "es",
			arguments: `{"order_id":"ORD-1042"}`,
			want: `# yaml-language-server: $schema=../.vatio/schema/tool.json
description: "Consulta: order."
when_to_use: "El visitante pregunta por: order."

parameters:
  type: object
  properties:
    order_id: { type: string, examples: ["ORD-1042"] }
  required: [order_id]

request:
  method: GET
  base_url: "$env.API_URL" # dónde responde tu backend
  path: "/orders/$params.order_id"

respond:
  # Lo que recibe el modelo, por JSONPath.
  data:
    id: "$.order.id"
    total_price: "$.order['total-price']"
    lines: "$.order.lines"
  message:
    when_empty: No se encontró nada.
    default: Consulta hecha.
`,
		},
		{
			name:    "places without an example, an answer that is no object",
			address: "https://api.example.com/shops/{shopId}/items/:id", answer: `"fine"`,
			arguments: "",
			want: `# yaml-language-server: $schema=../.vatio/schema/tool.json
description: Get one item.
when_to_use: The visitor asks for one item.

parameters:
  type: object
  properties:
    shop_id: { type: string }
    id: { type: string }
  required: [shop_id, id]

request:
  method: GET
  base_url: "$env.API_URL" # where your backend answers
  path: "/shops/$params.shop_id/items/$params.id"

respond:
  message: Here is what was found.
`,
		},
		{
			name: "nothing but a host", address: "https://api.example.com", answer: `[1]`, arguments: "{}",
			want: `# yaml-language-server: $schema=../.vatio/schema/tool.json
description: Get items.
when_to_use: The visitor asks for items.

request:
  method: GET
  base_url: "$env.API_URL" # where your backend answers
  path: "/"

respond:
  # What the model gets, by JSONPath.
  data:
    items: $
  message:
    when_empty: Nothing was found.
    default: "Found {{count}}."
`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			made, err := FromAddress(test.address)
			if err != nil {
				t.Fatal(err)
			}
			made.Bearer = test.bearer
			made.Learn(jsondoc.MustParse(test.answer))
			if test.language == "" {
				test.language = "en"
			}
			if diff := cmp.Diff(strings.Replace(test.want, "items: $\n", "items: \"$\"\n", 1), string(made.YAML(test.language))); diff != "" {
				t.Errorf("the file (-want +got)\n%s", diff)
			}
			arguments, _ := made.Arguments()
			if diff := cmp.Diff(test.arguments, string(arguments)); diff != "" {
				t.Errorf("the arguments (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.secrets, made.Secrets); diff != "" {
				t.Errorf("the secrets (-want +got)\n%s", diff)
			}
		})
	}
}

func TestBadAddress(t *testing.T) {
	const whole = " is no address: write all of it, such as https://api.example.com/products?name=picker"
	for address, want := range map[string]string{
		"api.example.com/products":       `"api.example.com/products"` + whole,
		"ftp://api.example.com":          `"ftp://api.example.com"` + whole,
		"https:///products":              `"https:///products"` + whole,
		"https://me:pw@api.example.com":  "the address holds a user or a password: leave them out, and set them as a secret later",
		"https://api.example.com/?a=%zz": `the query of the address cannot be read at "a=%zz"`,
		"https://h/a?%ff=1":              `the query of the address cannot be read at "%ff=1"`,
		"https://h/a?$env.KEY=1":         `the query of the address has the name "$env.KEY", which reads as a placeholder: leave it out`,
		"https://h/a/%2e%2e/b":           `the path of the address holds "%2e%2e": write where it leads to`,
	} {
		if _, err := FromAddress(address); err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", address, err, want)
		}
	}
}

func TestKeys(t *testing.T) {
	for address, want := range map[string]string{
		"https://x.example/products":                      "get_products",
		"https://x.example/products?q=a":                  "find_products",
		"https://x.example/api/v2/categories/7":           "get_category",
		"https://x.example/a/boxes/12":                    "get_box",
		"https://x.example/addresses/12":                  "get_address",
		"https://x.example/Status":                        "get_status",
		"https://x.example/2024-01/orderItems":            "get_order_items",
		"https://x.example/%C3%B1and%C3%BA":               "get_and",
		"https://x.example/12345":                         "first_tool",
		"https://x.example/" + strings.Repeat("long", 30): "get_" + strings.Repeat("long", 15),
	} {
		made, err := FromAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		if made.Key != want {
			t.Errorf("%s: %q, want %q", address, made.Key, want)
		}
	}
}

func TestTypeOf(t *testing.T) {
	for value, want := range map[string]string{
		"": "string", "5": "integer", "-5": "integer", "007": "string", "1.50": "number", "1.": "string", ".5": "string", "1.2.3": "string",
		"true": "boolean", "True": "string", "56912345678901234567": "string", "2024-01-01": "string", "-": "string", "1e3": "string",
	} {
		if got := typeOf(value); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// Whatever the address and the answer are, the tool's file has no fault.
func FuzzTool(f *testing.F) {
	for _, address := range []string{
		"https://api.example.com/v1/products?name=picker&max=5&api_key=k-123",
		"http://h/orders/$params.x/{a b}/:c?$env.KEY=1&a||b=2&=3&x[0]=4&y.z=true",
		"https://h/a%20b/%24params.x?yes=no&null=~&on=off&-=1",
		"https://h/a.b/ñandú/1,5?q=\u2028&\u00e9=1",
	} {
		f.Add(address, `{"data": {"items": [{"a": 1}]}}`)
		f.Add(address, `{"a'b\\": 1, "": 2, "yes": 3, "a-b": 4, "a_b": 5, "\u0000": 6}`)
	}
	f.Fuzz(func(t *testing.T, address, answer string) {
		made, err := FromAddress(address)
		if err != nil {
			return
		}
		made.Bearer = true
		if v, err := jsondoc.Parse([]byte(answer)); err == nil {
			made.Learn(v)
		}
		for _, language := range Languages {
			text := made.YAML(language)
			if _, faults := tool.LoadHTTP(diag.NewFile("tools/"+made.Key+".yml", text)); len(faults) > 0 {
				t.Fatalf("%s\n%v\n%s", address, faults, text)
			}
		}
		if arguments, ok := made.Arguments(); ok {
			if _, err := jsondoc.Parse(arguments); err != nil {
				t.Fatalf("%s: %v", arguments, err)
			}
		}
	})
}
