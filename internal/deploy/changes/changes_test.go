package changes

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/deploy/bundle"
	"github.com/vatio-dev/vatio/internal/iox"
)

func side(config string, files ...string) Side {
	s := Side{Config: []byte(config)}
	for i := 0; i < len(files); i += 2 {
		s.Files = append(s.Files, bundle.File{Path: files[i], Data: []byte(files[i+1])})
	}
	return s
}

const before = `# stock
description: Check stock.
parameters:
  type: object
  properties:
    product: { type: string }
    password: { type: string, default: hunter2 }
timeout_seconds: 10
request:
  method: GET
  base_url: https://u:pw1@api.example/v1
  path: /a
  requires: [params.product, env.A]
  query: { name: "$params.product", api_key: k1 }
  headers: { Authorization: "Bearer $env.OLD", X-Team: team-old, Accept: a/b }
respond:
  data: { a: $.a, b: $.b }
`

const after = `description: Check the stock.
parameters:
  type: object
  properties:
    product: { type: [string, "null"] }
    password: { type: integer, default: hunter3 }
    qty: { type: integer }
request:
  method: GET
  base_url: https://u:pw2@api.example/v2
  path: /b
  requires: [env.A, params.product]
  query: { name: "$params.name", api_key: k2 }
  headers: { Authorization: "Bearer $env.NEW", X-Team: team-new, Accept: c/d, X-Key: "ghp_0123456789abcdefghijABCD" }
respond:
  data: { b: $.b, a: $.a }
`

const vatioBefore = `workspace: acme
agent:
  instructions: |
    Be kind.
    Use check_stock.
    Never say sk_live_abcdefghij012345.
    Bye.
  tools: [check_stock, lookup]
`

const vatioAfter = `workspace: acme
agent:
  instructions: |
    Be kind.
    Use check_stock and cancel_order.
    Never say sk_live_abcdefghij999999.
    Bye.
  tools: [check_stock, cancel_order]
  handoff: { when: Asked. }
`

const oldConfig = `{"grants":{"id":"a","services":{"records":{"url":"http://u:pw@app:8000","headers":{"X-Token":"env:OLD","X-Gone":"literal-gone","X-Lit":"literal-one"}}}}}`
const newConfig = `{"grants":{"id":"a","services":{"records":{"url":"env:URL","headers":{"X-Token":"env:NEW","X-Lit":"literal-two","X-More":"env:MORE"}},"b":{"url":"http://b"}}}}`

func reviewed() *Report {
	return Compare(
		side(oldConfig, "vatio.yml", vatioBefore, "tools/check_stock.yml", before, "tools/lookup.toml", "name = \"lookup\"\n", "knowledge/a.md", "a\nb\nc\n", "gone.md", "x", "same", "x",
			"tools/notes.yml", "a: 1\n", "tools/broken.yml", "a: [\n", "logo.png", "\x00\x01"),
		side(newConfig, "vatio.yml", vatioAfter, "tools/check_stock.yml", after, "tools/lookup.toml", "name = \"find\"\n[parameters]\ntype = \"object\"\n", "knowledge/a.md", "a\nx\ny\nc\n", "same", "x", "new.md", "x",
			"tools/notes.yml", "# now with a comment\na: 1\n", "tools/broken.yml", "a: [\nb\n", "logo.png", "\x00"),
	)
}

func TestText(t *testing.T) {
	want := `M deployment.toml
    services.b.url added: "http://b"
    services.records.url changed from "[redacted]@app:8000" to "env:URL"
    services.records.headers.X-Gone removed: [redacted]
    services.records.headers.X-Lit changed
    services.records.headers.X-More added: "env:MORE"
    services.records.headers.X-Token changed from "env:OLD" to "env:NEW"
D gone.md
M knowledge/a.md
    2 lines added, 1 removed
M logo.png
    1 bytes, were 2
A new.md
M tools/broken.yml
    1 line added
M tools/check_stock.yml
    timeout_seconds removed: 10
    description changed from "Check stock." to "Check the stock."
    parameters.properties.product.type changed from "string" to ["string", "null"]
    parameters.properties.password.type changed from "string" to "integer"
    parameters.properties.password.default changed
    parameters.properties.qty added
    request.base_url changed from "https://[redacted]@api.example/v1" to "https://[redacted]@api.example/v2"
    request.path changed from "/a" to "/b"
    request.requires reordered
    request.query.name changed from "$params.product" to "$params.name"
    request.query.api_key changed
    request.headers.Authorization changed from "Bearer $env.OLD" to "Bearer $env.NEW"
    request.headers.X-Team changed
    request.headers.Accept changed from "a/b" to "c/d"
    request.headers.X-Key added: [redacted]
    respond.data reordered
M tools/lookup.toml
    name changed from "lookup" to "find"
    parameters added
M tools/notes.yml
    comments or layout only
M vatio.yml
    agent.instructions:
      - Use check_stock.
      + Use check_stock and cancel_order.
    agent.tools:
      - lookup
      + cancel_order
    agent.handoff added
`
	var out bytes.Buffer
	streams, _, _ := iox.Test(t.TempDir(), "", nil)
	if err := reviewed().WriteText(&out, streams.Colors()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestShort(t *testing.T) {
	want := `M deployment.toml  services.b.url, services.records.url, services.records.headers.X-Gone, services.records.headers.X-Lit, services.records.headers.X-More, services.records.headers.X-Token
D gone.md
M knowledge/a.md  2 lines added, 1 removed
M logo.png  1 bytes, were 2
A new.md
M tools/broken.yml  1 line added
M tools/check_stock.yml  timeout_seconds, description, parameters.properties.product.type, parameters.properties.password.type, parameters.properties.password.default, parameters.properties.qty, request.base_url, request.path, …
M tools/lookup.toml  name, parameters
M tools/notes.yml  comments or layout only
M vatio.yml  agent.instructions, agent.tools, agent.handoff
`
	var out bytes.Buffer
	streams, _, _ := iox.Test(t.TempDir(), "", nil)
	if err := reviewed().WriteShort(&out, streams.Colors()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("short text (-want +got):\n%s", diff)
	}
}

func TestJSON(t *testing.T) {
	r := Compare(
		side("", "tools/a.yml", "timeout_seconds: 1\nwhen_to_use: <x>\n", "vatio.yml", "agent: { tools: [a] }\n"),
		side("", "tools/a.yml", "timeout_seconds: 2\nwhen_to_use: <y>\n", "vatio.yml", "agent: { tools: [a, b] }\n", "z", ""))
	want := `{
  "files": [
    {
      "status": "M",
      "path": "tools/a.yml",
      "fields": [
        {
          "field": "timeout_seconds",
          "change": "changed",
          "before": "1",
          "after": "2"
        },
        {
          "field": "when_to_use",
          "change": "changed",
          "before": "\"<x>\"",
          "after": "\"<y>\""
        }
      ]
    },
    {
      "status": "M",
      "path": "vatio.yml",
      "fields": [
        {
          "field": "agent.tools",
          "change": "changed",
          "lines": [
            "+ b"
          ]
        }
      ]
    },
    {
      "status": "A",
      "path": "z",
      "fields": []
    }
  ]
}
`
	var out bytes.Buffer
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	out.Reset()
	if err := Compare(Side{}, Side{}).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("{\n  \"files\": []\n}\n", out.String()); diff != "" {
		t.Errorf("JSON of nothing (-want +got):\n%s", diff)
	}
}

// TestNeverSecrets looks for every value of the two deployments that must not be
// in any form of the report.
func TestNeverSecrets(t *testing.T) {
	var out bytes.Buffer
	streams, _, _ := iox.Test(t.TempDir(), "", nil)
	for _, r := range []*Report{reviewed(), Compare(side(newConfig), side(oldConfig)), Compare(Side{}, side(oldConfig, "tools/a.yml", after))} {
		if err := r.WriteText(&out, streams.Colors()); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteShort(&out, streams.Colors()); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
	}
	for _, secret := range []string{"hunter2", "hunter3", "pw1", "pw2", "u:pw", "k1", "k2", "team-old", "team-new", "ghp_", "sk_live", "literal-"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is in the report", secret)
		}
	}
}

func TestGrantsComeAndGo(t *testing.T) {
	config := `{"grants":{"id":"a","services":{"r":{"url":"http://r"}}}}`
	for _, tt := range []struct {
		old, fresh string
		want       []File
	}{
		{"", config, []File{{Status: "A", Path: "deployment.toml", Fields: []Field{{Field: "id", Change: "added", After: `"a"`}, {Field: "services.r.url", Change: "added", After: `"http://r"`}}}}},
		{config, "{}", []File{{Status: "D", Path: "deployment.toml", Fields: []Field{{Field: "id", Change: "removed", Before: `"a"`}, {Field: "services.r.url", Change: "removed", Before: `"http://r"`}}}}},
		{config, config, []File{}},
	} {
		if diff := cmp.Diff(tt.want, Compare(side(tt.old), side(tt.fresh)).Files); diff != "" {
			t.Errorf("from %s to %s (-want +got):\n%s", tt.old, tt.fresh, diff)
		}
	}
}

func TestBounded(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&b, "k%d: %d\n", i, i*n)
		}
		return b.String()
	}
	r := Compare(side("", "tools/a.yml", many(1)), side("", "tools/a.yml", many(2)))
	if got := len(r.Files[0].Fields); got != maxFields || r.Files[0].Note != "and more" {
		t.Errorf("%d fields, note %q", got, r.Files[0].Note)
	}
	text := func(word string) string {
		return "agent:\n  instructions: |\n" + strings.Repeat("    "+word+"\n", 100)
	}
	r = Compare(side("", "vatio.yml", text("a")), side("", "vatio.yml", text("b")))
	if lines := r.Files[0].Fields[0].Lines; len(lines) != maxLines+1 || lines[maxLines] != "… and 160 lines more" {
		t.Errorf("lines: %q", lines)
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte(before), []byte(after), true)
	f.Add([]byte(vatioBefore), []byte(vatioAfter), true)
	f.Add([]byte("a = 1\n[b]\nc = [1, 2]\n"), []byte("a = 2\n[[b]]\n"), false)
	f.Add([]byte("a: &x [*x]\n"), []byte("a: {<<: *y}\n"), true)
	f.Fuzz(func(t *testing.T, a, b []byte, yaml bool) {
		name := "tools/a.toml"
		if yaml {
			name = "tools/a.yml"
		}
		r := Compare(side("", name, string(a)), side("", name, string(b)))
		if same := bytes.Equal(a, b); same != r.Empty() {
			t.Fatalf("the files are the same: %t; the report is empty: %t", same, r.Empty())
		}
		var out bytes.Buffer
		streams, _, _ := iox.Test("", "", nil)
		if err := r.WriteText(&out, streams.Colors()); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\r\x07") {
			t.Errorf("the text moves the cursor: %q", out.String())
		}
	})
}
