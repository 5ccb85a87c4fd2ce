package demo

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	examples "github.com/vatio-dev/vatio/tools-examples"
)

// A toolFile is what this test reads of a tool.
type toolFile struct {
	Description string
	WhenToUse   string `yaml:"when_to_use"`
	Parameters  schema
	Access      string
	Request     struct {
		Method, Path string
		Requires     []string
	}
}

type schema struct {
	Type       string
	Properties map[string]schema
	Required   []string
}

func exampleTools(t *testing.T) (files map[string]toolFile, texts map[string]string) {
	t.Helper()
	names, err := fs.Glob(examples.FS, AcmeStore+"/tools/*")
	if err != nil {
		t.Fatal(err)
	}
	files, texts = map[string]toolFile{}, map[string]string{}
	for _, name := range names {
		data, err := fs.ReadFile(examples.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		var f toolFile
		if err := yaml.Unmarshal(data, &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		key := strings.TrimSuffix(path.Base(name), ".yml")
		files[key], texts[key] = f, string(data)
	}
	return files, texts
}

// Every tool of the example is enabled, and every tool that is enabled exists.
func TestExampleToolsAreListed(t *testing.T) {
	data, err := fs.ReadFile(examples.FS, AcmeStore+"/vatio.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workspace struct {
		Workspace string
		Agent     struct{ Tools, Knowledge []string }
	}
	if err := yaml.Unmarshal(data, &workspace); err != nil {
		t.Fatal(err)
	}
	if workspace.Workspace != AcmeStore {
		t.Errorf("the workspace is called %q", workspace.Workspace)
	}
	files, _ := exampleTools(t)
	want := append(slices.Collect(maps.Keys(files)), "knowledge_lookup", "identify_contact", "request_contact_info")
	slices.Sort(want)
	slices.Sort(workspace.Agent.Tools)
	if diff := cmp.Diff(want, workspace.Agent.Tools); diff != "" {
		t.Errorf("agent.tools (-files +listed):\n%s", diff)
	}
	bases, err := fs.ReadDir(examples.FS, AcmeStore+"/knowledge")
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, b := range bases {
		dirs = append(dirs, b.Name())
	}
	if diff := cmp.Diff(dirs, workspace.Agent.Knowledge); diff != "" {
		t.Errorf("agent.knowledge (-directories +listed):\n%s", diff)
	}
}

// The backend has an endpoint for every tool, and they are all of its endpoints.
func TestExampleToolsAreRouted(t *testing.T) {
	files, _ := exampleTools(t)
	param := regexp.MustCompile(`\$params\.[a-z_]+`)
	got := map[string]string{}
	for key, f := range files {
		target := param.ReplaceAllString(f.Request.Path, "X-1")
		r := send(New(token), f.Request.Method, target, "")
		if r.Status == 405 || strings.Contains(r.Body, `"route_not_found"`) {
			t.Errorf("%s: %s %s is not routed: %d %s", key, f.Request.Method, target, r.Status, r.Body)
		}
		got[f.Request.Method+" "+f.Request.Path] = key
	}
	want := map[string]string{
		"GET /products":                     "check_stock",
		"POST /restock-alerts":              "notify_restock",
		"GET /orders":                       "my_orders",
		"GET /orders/$params.order_id":      "get_order",
		"PATCH /orders/$params.order_id":    "update_order_address",
		"GET /pickup-slots":                 "pickup_slots",
		"POST /reservations":                "reserve_pickup",
		"DELETE /reservations/$params.code": "cancel_reservation",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
}

// Each parameter that a tool uses is declared, each that is declared is used,
// and no secret but the two of the shop is needed.
func TestExamplePlaceholders(t *testing.T) {
	placeholder := regexp.MustCompile(`\$([a-z]+)\.([A-Za-z_]+(?:\.[a-z_]+)*)`)
	files, texts := exampleTools(t)
	for key, f := range files {
		if f.Description == "" || f.WhenToUse == "" {
			t.Errorf("%s says too little about itself", key)
		}
		var declared, used []string
		collect(&declared, "", f.Parameters)
		for _, m := range placeholder.FindAllStringSubmatch(texts[key], -1) {
			switch m[1] {
			case "params":
				used = append(used, m[2])
			case "env":
				if m[2] != "ACME_API" && m[2] != "ACME_TOKEN" {
					t.Errorf("%s needs the secret %s", key, m[2])
				}
			case "auth":
				if f.Access != "private" {
					t.Errorf("%s uses $auth without being private", key)
				}
			}
		}
		slices.Sort(declared)
		slices.Sort(used)
		if diff := cmp.Diff(declared, slices.Compact(used)); diff != "" {
			t.Errorf("%s: parameters (-declared +used):\n%s", key, diff)
		}
	}
}

// collect appends the paths of the schema's leaves.
func collect(paths *[]string, prefix string, s schema) {
	for name, p := range s.Properties {
		if len(p.Properties) > 0 {
			collect(paths, prefix+name+".", p)
			continue
		}
		*paths = append(*paths, prefix+name)
	}
}

// The example's key is a public key for ES256, and nothing private is with it.
func TestExampleKey(t *testing.T) {
	data, err := fs.ReadFile(examples.FS, AcmeStore+"/identity.pub")
	if err != nil {
		t.Fatal(err)
	}
	block, rest := pem.Decode(data)
	if block == nil || len(rest) != 0 {
		t.Fatalf("identity.pub is no single PEM block")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if k, ok := key.(*ecdsa.PublicKey); !ok || k.Curve != elliptic.P256() {
		t.Errorf("identity.pub holds a %T, not a P-256 key", key)
	}
	err = fs.WalkDir(examples.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(examples.FS, name)
		if strings.Contains(string(text), "PRIVATE KEY") || strings.Contains(string(text), "AGE-SECRET-KEY") {
			t.Errorf("%s holds a private key", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The guided conversation is true to the data and to the tools.
func TestScript(t *testing.T) {
	files, _ := exampleTools(t)

	requests := map[string]struct {
		method, target, body string
		status               int
	}{
		"Do you have the Picker in stock?":            {"GET", "/products?name=Picker", "", 200},
		"Is there any Quantum Hoe in stock?":          {"GET", "/products?name=Quantum%20Hoe", "", 200},
		"Reserve a pickup of 2 Picker for 2026-12-04": {"POST", "/reservations", book, 201},
		"What is the status of order A-9999?":         {"GET", "/orders/A-9999", "", 404},
	}
	b := New(token)
	phone := ""
	for _, step := range shopExample().Script {
		if step.Phone != "" {
			phone = step.Phone
		}
		f, ok := files[step.Tool]
		if !ok {
			t.Errorf("%q leads to %q, which is no tool of the example", step.Text, step.Tool)
			continue
		}
		if phone == "" && slices.Contains(f.Request.Requires, "contact.phone_number") {
			if step.ErrorKey != "missing_contact_phone" {
				t.Errorf("%q: error key is %q, but no phone number is known", step.Text, step.ErrorKey)
			}
			continue
		}
		r, ok := requests[step.Text]
		if !ok {
			t.Errorf("%q: no request is known for it", step.Text)
			continue
		}
		got := send(b, r.method, r.target, r.body)
		if got.Status != r.status || (step.ErrorKey != "") != (got.Status >= 300) || !strings.Contains(got.Body, step.ErrorKey) {
			t.Errorf("%q: answer is %d %s, want %d %s", step.Text, got.Status, got.Body, r.status, step.ErrorKey)
		}
	}
	if n := len(shopExample().Suggestions); n != 3 {
		t.Errorf("%d suggestions, want 3", n)
	}
}
