package tool

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// LoadService reads a service tool; its key is its name. The tool is never
// nil, as LoadHTTP says.
func LoadService(f *diag.File) (*Tool, diag.List) {
	t := &Tool{File: f, Service: &Service{}}
	l := loader{Tool: t}
	root, faults := syntax.ParseTOML(f)
	l.Faults = append(l.Faults, faults...)
	if root == nil {
		return t, l.Faults
	}
	t.Root = root
	m := l.Map(root, diag.Span{File: f}, "", "name", "description", "service", "path", "scope", "timeout_seconds", "parameters", "input")
	l.parameters(m)
	if name, node := m.Text("name"); node != nil {
		t.Key = name
		if !ValidKey(name) {
			d := diag.Errorf(node.Span(), "tool-key", "%q is no tool name: names are a-z, 0-9, _ and -, start with a letter and have 64 characters at most", name)
			if better := suggestKey(name); better != "" {
				d = d.WithHint("write %q", better)
			}
			l.Add(d)
		}
	}
	t.Description, _ = m.Text("description")
	if m.Get("service") == nil && !m.Lost("service") {
		l.Add(diag.Errorf(diag.Span{File: f}, "required", `"service" is required: sandboxed tools are not supported, a TOML tool is answered by a service`).
			WithHint(`add service = "NAME", with a name that the deployment grants`))
	} else if name, node := m.Text("service"); node != nil {
		t.Service.Name = name
		if !ValidServiceName(name) {
			d := diag.Errorf(node.Span(), "value", `"service" must be a-z, 0-9 and - and start with a letter, not %q`, name)
			if better := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name)); ValidServiceName(better) {
				d = d.WithHint("write %q", better)
			}
			l.Add(d)
		}
	}
	l.couldRead(m, "service", true)
	t.Service.Path, _ = m.Text("path")
	if scope, node := m.String("scope"); node != nil {
		t.Scope = scope
		if !validScope(scope) {
			l.Add(diag.Errorf(node.Span(), "value", `"scope" must be one scope without white space, not %q`, scope))
		}
	}
	l.timeout(m)
	return t, l.Faults
}
