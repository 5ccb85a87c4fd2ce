package executor_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// An HTTP tool, with its secrets taken from a function.
func ExampleClient_Call() {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("the shop gets", r.URL.RequestURI())
		_, _ = io.WriteString(w, `{"data":[{"name":"Lemon Picker","stock":12,"price":49.90}],"seen":"`+r.Header.Get("Authorization")+`"}`)
	}))
	defer shop.Close()

	checkStock, problems := tool.LoadHTTP(diag.NewFile("tools/check_stock.yml", []byte(`
description: Check product stock.
when_to_use: The visitor asks whether a product is available.
parameters:
  type: object
  properties:
    product: { type: string }
  required: [product]
request:
  method: GET
  base_url: "$env.ACME_API"
  path: /products
  query: { name: "$params.product" }
  headers: { Authorization: "Bearer $env.ACME_TOKEN" }
respond:
  data:
    products: "$.data"
    seen: "$.seen"
  message:
    when_empty: No products matched that name.
    default: "Found {{count}} matching products."
`)))
	if len(problems) > 0 {
		fmt.Fprintln(os.Stderr, problems)
		return
	}

	client := executor.New(executor.Options{Version: "1.4.0"})
	defer client.Close()
	secrets := map[string]string{"ACME_API": shop.URL + "/v1", "ACME_TOKEN": "never-to-be-seen"}
	outcome := client.Call(context.Background(), checkStock, []byte(`{"product":"lemon & lime"}`), executor.Scope{
		Env: func(key string) (string, bool) { value, ok := secrets[key]; return value, ok },
	})
	fmt.Println(outcome.Content)

	outcome = client.Call(context.Background(), checkStock, []byte(`{}`), executor.Scope{})
	fmt.Println(outcome.Content)
	// Output:
	// the shop gets /v1/products?name=lemon%20%26%20lime
	// {"result":"ok","message":"Found 1 matching products.","data":{"products":[{"name":"Lemon Picker","stock":12,"price":49.90}],"seen":"Bearer [redacted]"}}
	// {"result":"error","message":"The arguments do not fit: product: is required.","error_key":"invalid_arguments"}
}

// A service tool, whose endpoint and credentials come with a grant.
func ExampleClient_Call_service() {
	records := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println("the service gets", string(body), "from", r.Header.Get("X-Vessel-Owner"))
		_, _ = io.WriteString(w, `{"id":"r-7","title":"A record"}`)
	}))
	defer records.Close()

	lookup, problems := tool.LoadService(diag.NewFile("tools/lookup.toml", []byte(`
name = "lookup"
description = "Look up a record by its id."
service = "records"
path = "/agent-tools/lookup"
[parameters]
type = "object"
required = ["id"]
[parameters.properties.id]
type = "string"
`)))
	if len(problems) > 0 {
		fmt.Fprintln(os.Stderr, problems)
		return
	}

	client := executor.New(executor.Options{})
	defer client.Close()
	outcome := client.Call(context.Background(), lookup, []byte(`{"id":"r-7"}`), executor.Scope{
		Grant: &executor.Grant{
			URL:     records.URL,
			Headers: []executor.Header{{Name: "X-Internal-Token", Value: "never-to-be-seen"}},
		},
		Owner: "web/alice",
		Agent: "records-agent",
	})
	fmt.Println(outcome.Content)
	fmt.Println(outcome.Trace.Method, outcome.Trace.Status)
	// Output:
	// the service gets {"id":"r-7"} from web/alice
	// {
	//   "id": "r-7",
	//   "title": "A record"
	// }
	// POST 200
}

func ExampleErrorResult() {
	fmt.Println(executor.ErrorResult("No more than 8 calls fit in one turn.", "tool_budget_spent"))
	// Output: {"result":"error","message":"No more than 8 calls fit in one turn.","error_key":"tool_budget_spent"}
}

// A program checks its grants when it starts, not when a model first calls.
func ExampleGrant_Check() {
	for _, grant := range []executor.Grant{
		{URL: "http://app:8000", Headers: []executor.Header{{Name: "X-Internal-Token", Value: "never-to-be-seen"}}},
		{URL: "app:8000"},
		{URL: "http://app:8000", Headers: []executor.Header{{Name: "X-Vessel-Owner", Value: "web/alice"}}},
	} {
		fmt.Println(grant.Check())
	}
	// Output:
	// <nil>
	// the granted url cannot be used: it must start with http:// or https://
	// the header "X-Vessel-Owner" cannot be granted
}
