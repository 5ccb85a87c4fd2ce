package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// show writes a tool as text, with everything that was read.
func show(t *tool.Tool) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("key %q private %t scope %q timeout %s", t.Key, t.Private, t.Scope, t.Timeout)
	line("description %q when %q", t.Description, t.WhenToUse)
	if t.Parameters != nil {
		line("parameters %s", t.Parameters.Raw().AppendCompact(nil))
	}
	if s := t.Service; s != nil {
		line("service %q path %q", s.Name, s.Path)
	}
	if h := t.HTTP; h != nil {
		line("%s base %s path %s", h.Method, showText(h.BaseURL), showText(h.Path))
		for _, r := range h.Requires {
			line("requires %s", r.Ref)
		}
		for _, part := range []struct {
			name   string
			fields []tool.Field
		}{{"query", h.Query}, {"headers", h.Headers}} {
			for _, f := range part.fields {
				line("%s %s", part.name, showField(f))
			}
		}
		if h.Body != nil {
			line("body %s", showValue(*h.Body))
		}
		if h.Respond.HasData {
			for _, m := range h.Respond.Data {
				line("data %s: %s", m.Key, m.Path)
			}
		}
		if m := h.Respond.Message; m != nil {
			line("message %q empty %q", m.Default, m.WhenEmpty)
		}
		for field, text := range t.Templates() {
			var refs []string
			for _, ref := range text.Refs() {
				refs = append(refs, fmt.Sprintf("%s at %q", ref, text.Span(ref).Text()))
			}
			line("template in %s: %s", field, strings.Join(refs, ", "))
		}
	}
	return b.String()
}

func showText(t tool.Text) string {
	if t.Template == nil {
		return "none"
	}
	return t.Node.Text
}

func showField(f tool.Field) string { return f.Name + "=" + showValue(f.Value) }

func showValue(v tool.Value) string {
	var parts []string
	switch v.Kind {
	case tool.Literal:
		return string(v.Literal.Raw())
	case tool.Template:
		return "<" + v.Text.Node.Text + ">"
	case tool.Array:
		for _, item := range v.Items {
			parts = append(parts, showValue(item))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case tool.Object:
		for _, f := range v.Fields {
			parts = append(parts, showField(f))
		}
		return "{" + strings.Join(parts, " ") + "}"
	}
	return "invalid"
}

func TestLoadHTTP(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"everything", `description: Send it.
when_to_use: Asked.
parameters: { type: object, properties: { n: { type: number, default: 1.50 } } }
access: private
timeout_seconds: 0x10
request:
  method: PATCH
  base_url: "https://$env.REGION.acme.example"
  path: "/a/$params.n/$$params.x"
  requires: [params.n, auth.claims.plan]
  query: { list: [1, "$params.n"], at: 2024-01-02, none: ~ }
  headers: { X-N: 010, Authorization: "Bearer $auth.token" }
  body:
    n: 12345678901234567890.10
    deep: [{ a: "$params.n || none" }, {}, [], "$$env.X"]
respond:
  data: { z: "$.z", a: $ }
  message: { when_empty: None., default: Done. }
`, `key "send" private true scope "" timeout 16s
description "Send it." when "Asked."
parameters {"type":"object","properties":{"n":{"type":"number","default":1.50}}}
PATCH base https://$env.REGION.acme.example path /a/$params.n/$$params.x
requires params.n
requires auth.claims.plan
query list=[1 <$params.n>]
query at="2024-01-02"
query none=null
headers X-N=8
headers Authorization=<Bearer $auth.token>
body {n=12345678901234567890.10 deep=[{a=<$params.n || none>} {} [] "$env.X"]}
data z: $.z
data a: $
message "Done." empty "None."
template in base_url: env.REGION at "$env.REGION"
template in path: params.n at "$params.n"
template in query: params.n at "$params.n"
template in headers: auth.token at "$auth.token"
template in body: params.n at "$params.n"
`},
		{"least", `description: Get it.
when_to_use: Asked.
request: { method: GET, base_url: "https://acme.example", path: / }
respond: Done
`, `key "send" private false scope "" timeout 0s
description "Get it." when "Asked."
GET base https://acme.example path /
template in base_url: ` + `
template in path: ` + `
`},
		{"a message alone", `respond: { message: "Found it." }`, `key "send" private false scope "" timeout 0s
description "" when ""
 base none path none
message "Found it." empty ""
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, faults := tool.LoadHTTP(diag.NewFile("tools/send.yml", []byte(c.text)))
			if c.name == "everything" && len(faults) > 0 {
				t.Errorf("faults: %v", faults)
			}
			if diff := cmp.Diff(c.want, show(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadService(t *testing.T) {
	got, faults := tool.LoadService(diag.NewFile("tools/any.toml", []byte(`name = "look_up"
description = "Look it up."
service = "records"
path = "/look"
scope = "records:read"
timeout_seconds = 1_5
[parameters]
type = "object"
properties.id.type = "string"
`)))
	if len(faults) > 0 {
		t.Errorf("faults: %v", faults)
	}
	want := `key "look_up" private false scope "records:read" timeout 15s
description "Look it up." when ""
parameters {"type":"object","properties":{"id":{"type":"string"}}}
service "records" path "/look"
`
	if diff := cmp.Diff(want, show(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Timeout != 15*time.Second {
		t.Errorf("timeout %s", got.Timeout)
	}
}

// TestUnreadableFile wants a tool with a key even from a file that is none.
func TestUnreadableFile(t *testing.T) {
	got, faults := tool.LoadHTTP(diag.NewFile("tools/send.yaml", []byte("a: b: c")))
	if got.Key != "send" || got.Root != nil || len(faults) != 1 {
		t.Errorf("key %q, root %v, %d faults", got.Key, got.Root, len(faults))
	}
	got, faults = tool.LoadService(diag.NewFile("tools/send.toml", []byte("a = ")))
	if got.Key != "" || got.Root != nil || len(faults) != 1 {
		t.Errorf("key %q, root %v, %d faults", got.Key, got.Root, len(faults))
	}
}

func TestUnread(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"acces: private\nrespnd: {}\n", []string{"access", "respond"}},
		{"access: secret\nrespond: { dat: {} }\n", []string{"access", "respond", "respond.data"}},
		{"paramters: {}\n", []string{"parameters"}},
		{"parameters: [a]\n", []string{"parameters"}},
		{"parameters: { type: object, propertis: {} }\n", []string{"parameters"}},
		{"parameters: { type: object, required: [a], properties: { b: {} } }\n", []string{"parameters.a"}},
		{"parameters: { type: object, properties: { b: { nullable: true } } }\n", nil},
		{"access: public\naccess: private\n", []string{"access"}},
		{"access: public\nrespond: { data: { a: $ } }\nparameters: { type: object }\n", nil},
	} {
		loaded, _ := tool.LoadHTTP(diag.NewFile("tools/a.yml", []byte(c.text)))
		var got []string
		for _, field := range []string{"access", "parameters", "parameters.a", "respond", "respond.data"} {
			if loaded.Unread(field) {
				got = append(got, field)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 64)
	for name, want := range map[string][2]bool{
		"a": {true, true}, "check_stock": {true, false}, "a-1": {true, true}, "a--": {true, true}, long: {true, true}, long + "a": {false, true},
		"": {}, "1a": {}, "_a": {}, "-a": {}, "A": {}, "aB": {}, "é": {}, "a b": {}, "a.b": {}, "a\n": {},
	} {
		if got := [2]bool{tool.ValidKey(name), tool.ValidServiceName(name)}; got != want {
			t.Errorf("%q: as key and service %v, want %v", name, got, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("description: a\nrequest: { method: GET, base_url: $env.A, path: /$params.x }\n")
	f.Add("name = \"a\"\nservice = \"b\"\npath = \"/\"\n[parameters]\ntype = \"object\"\n")
	f.Add("parameters: &p { type: object, properties: { a: *p } }\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, load := range []func(*diag.File) (*tool.Tool, diag.List){tool.LoadHTTP, tool.LoadService} {
			loaded, faults := load(diag.NewFile("tools/a.yml", []byte(text)))
			if loaded == nil {
				t.Fatal("no tool")
			}
			if loaded.Root == nil && faults.Err() == nil {
				t.Error("no tree, and no error")
			}
			show(loaded)
		}
	})
}
