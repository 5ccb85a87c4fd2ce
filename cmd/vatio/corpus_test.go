package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpusFiles is how many files stand on either side of a comparison; one in
// ten is faulty.
const corpusFiles = 1000

// corpusTools are tools of some twenty lines. NAME is a word of the file's own,
// PARAMETER and METHOD are where the faulty ones go wrong.
var corpusTools = [...]string{`description: Check the stock of NAME
when_to_use: The visitor asks whether NAME is available
parameters:
  type: object
  properties:
    product: { type: string, description: The product's name }
    size: { type: string, enum: [s, m, l, xl] }
  required: [product]
request:
  method: GET
  base_url: "$env.SHOP_API"
  path: /v1/NAME/stock
  query:
    name: "PARAMETER"
    size: "$params.size || m"
  headers:
    Authorization: "Bearer $env.SHOP_TOKEN"
respond:
  data: { products: "$.items[*].name" }
  message: "Found {{count}} products."
`, `description: Book a visit to NAME
when_to_use: The visitor wants to come to NAME at a certain day
parameters:
  type: object
  properties:
    product: { type: string }
    day: { type: string, format: date }
    people: { type: integer, minimum: 1, maximum: 12 }
  required: [product, day]
timeout_seconds: 15
request:
  method: POST
  base_url: https://api.acme.example
  path: /v2/NAME/visits
  requires: [contact.email]
  headers: { X-Api-Key: "$env.SHOP_TOKEN" }
  body:
    day: "$params.day"
    guest: { email: "$contact.email", name: "$contact.name" }
    note: "PARAMETER"
respond:
  message: Your visit is booked.
`, `description: Where an order of NAME is
when_to_use: The visitor asks for an order of NAME that is on its way
parameters:
  type: object
  properties:
    product:
      type: string
      pattern: "^[A-Z]{2}-[0-9]+$"
  required: [product]
request:
  method: GET
  base_url: "https://$env.REGION.acme.example/api"
  path: "/NAME/orders/PARAMETER"
  headers:
    Authorization: "Bearer $env.SHOP_TOKEN"
    Accept: application/json
respond:
  data:
    status: "$.order.status"
    parcels: "$.order.parcels[?@.sent == true].number"
`, `description: Cancel a subscription to NAME
when_to_use: The visitor asks to end a subscription to NAME
parameters:
  type: object
  properties:
    product: { type: string }
    reason: { type: [string, "null"], maxLength: 200 }
  required: [product]
request:
  method: PATCH
  base_url: "$env.SHOP_API"
  path: "/NAME/subscriptions/PARAMETER"
  headers: { Authorization: "Bearer $env.SHOP_TOKEN" }
  body:
    state: cancelled
    reasons: ["$params.reason || none given"]
    notify: true
respond:
  data: { until: "$.paid_until" }
  message: { when_empty: It ends today., default: It ends later. }
`}

// corpusHeads and corpusSteps make workflows of any size. NAME is a word of the
// file's own, CONTEXT and RUNNER are where the faulty ones go wrong.
var corpusHeads = [...]string{`name: build NAME
on:
  push:
    branches: [main]
  pull_request:
jobs:
  build:
    runs-on: RUNNER
    strategy:
      matrix:
        go: ["1.25", "1.26"]
    steps:
      - uses: actions/checkout@v4
      - name: say what is built
        run: echo "${{ CONTEXT }} at ${{ matrix.go }}"
`, `name: nightly NAME
on:
  schedule:
    - cron: "30 4 * * *"
  workflow_dispatch:
permissions: { contents: read }
env: { TARGET: NAME }
jobs:
  test:
    runs-on: RUNNER
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - run: make ${{ CONTEXT }} && ./scripts/report.sh "$TARGET"
`}

var corpusSteps = [...]string{`      - uses: actions/setup-go@v5
        with:
          go-version: stable
          cache: ${{ github.ref == 'refs/heads/main' }}
`, `      - name: test
        if: ${{ always() && github.event_name != 'schedule' }}
        run: go test ./...
`, `      - name: publish NAME
        env:
          TOKEN: ${{ secrets.PUBLISH_TOKEN }}
        run: |
          ./publish.sh NAME
          ./tell.sh "${{ github.sha }}"
`, `      - uses: actions/cache@v4
        with:
          path: ~/.cache/NAME
          key: ${{ runner.os }}-${{ hashFiles('go.sum') }}
`, `      - run: ./wait.sh ${{ github.run_id }}
`}

// writeToolCorpus writes a workspace of corpusFiles tools and returns the size
// of each file.
func writeToolCorpus(tb testing.TB, root string) []int {
	sizes := make([]int, corpusFiles)
	var list strings.Builder
	for i := range sizes {
		parameter := "$params.product"
		if i%10 == 0 {
			parameter = [...]string{"$param.product", "$params.prodcut"}[i/10%2]
		}
		text := strings.NewReplacer("NAME", corpusName(i), "PARAMETER", parameter).Replace(corpusTools[i%len(corpusTools)])
		sizes[i] = len(text)
		key := fmt.Sprintf("tool_%03d", i)
		writeCorpusFile(tb, filepath.Join(root, "tools", key+".yml"), text)
		fmt.Fprintf(&list, "    - %s\n", key)
	}
	writeCorpusFile(tb, filepath.Join(root, "vatio.yml"), "workspace: acme\nagent:\n  instructions: Help.\n  tools:\n"+list.String())
	return sizes
}

// writeWorkflowCorpus writes one GitHub workflow for each size, none of them
// longer, and makes up for what one lacks in the next. It returns their size.
func writeWorkflowCorpus(tb testing.TB, root string, sizes []int) int {
	total, wanted := 0, 0
	for i, size := range sizes {
		wanted += size
		context, runner := "github.repository", "ubuntu-latest"
		if i%10 == 0 {
			switch i / 10 % 2 {
			case 0:
				context = "github.repositry"
			case 1:
				runner = "ubuntu-lastest"
			}
		}
		fill := strings.NewReplacer("NAME", corpusName(i), "CONTEXT", context, "RUNNER", runner)
		text := fill.Replace(corpusHeads[i%len(corpusHeads)])
		for n, skipped := i, 0; skipped < len(corpusSteps); n++ {
			step := fill.Replace(corpusSteps[n%len(corpusSteps)])
			if total+len(text)+len(step) > wanted {
				skipped++
				continue
			}
			text += step
			skipped = 0
		}
		total += len(text)
		writeCorpusFile(tb, filepath.Join(root, ".github", "workflows", fmt.Sprintf("flow_%03d.yml", i)), text)
	}
	return total
}

func corpusName(i int) string {
	return [...]string{"shoes", "garden-chairs", "tea", "bicycles", "lamps", "notebooks", "winter-coats"}[i%7]
}

func writeCorpusFile(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}
