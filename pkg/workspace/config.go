package workspace

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// maps are the fields of vatio.yml that are maps.
var maps = [...]string{"agent", "agent.handoff", "auth", "model"}

// home names the map that a key of vatio.yml belongs to.
func home(key string) (name string, ok bool) {
	switch key {
	case "workspace", "agent", "auth", "model", "registry":
		return "", true
	case "instructions", "tools", "knowledge", "handoff", "tool_timeout_seconds", "tool_budget":
		return "agent", true
	case "when", "message":
		return "agent.handoff", true
	case "public_key", "algorithm", "issuer":
		return "auth", true
	case "provider", "name", "base_url":
		return "model", true
	}
	return "", false
}

// ValidSlug reports whether s can name a workspace: words of a-z and 0-9 joined
// by single -, 40 characters at most.
func ValidSlug(s string) bool { return s != "" && len(s) <= 40 && Slugify(s) == s }

func (w *Workspace) loadConfig(dir *os.Root) diag.List {
	w.Agent = Agent{ToolTimeout: DefaultToolTimeout, ToolBudget: DefaultToolBudget}
	file, faults := readFile(dir, FileName)
	w.File = file
	if faults != nil {
		return faults
	}
	root, faults := syntax.ParseYAML(file)
	if root == nil {
		return faults
	}
	w.Config = root
	r := &shape.Reader{Faults: faults, Home: home, Maps: maps[:]}
	m := r.Map(root, diag.Span{File: file}, "", "workspace", "agent", "auth", "model", "registry")
	if text, node := m.Text("workspace"); node != nil {
		w.Slug = text
		if !ValidSlug(text) {
			d := diag.Errorf(node.Span(), "value", `"workspace" must be a-z and 0-9 in words joined by -, 40 characters at most, not %q`, text)
			if better := Slugify(text); better != "" {
				d = d.WithHint("write %s", better)
			}
			r.Add(d)
		}
	}
	m.Require("agent")
	w.loadAgent(m)
	w.loadAuth(m)
	w.loadModel(m)
	if text, node := m.String("registry"); node != nil {
		w.Registry = text
		if !validRegistry(text) {
			r.Add(diag.Errorf(node.Span(), "value", `"registry" must be oci://HOST/REPOSITORY%s`, notThis(text)).
				WithHint("as in oci://registry.example/acme/agent"))
		}
	}
	return r.Faults
}

func (w *Workspace) loadModel(root *shape.Map) {
	m := root.Child("model", "provider", "name", "base_url")
	w.Model.Provider, _ = m.OneOf("provider", Providers[:]...)
	w.Model.Name, _ = m.String("name")
	text, node := m.String("base_url")
	w.Model.BaseURL = text
	if text == "" {
		return
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		m.Add(diag.Errorf(node.Span(), "value", `"model.base_url" must start with http:// or https:// and name a host%s`, notThis(text)))
	}
}

// notThis ends a message with the value it is about, unless that may hold a
// password.
func notThis(text string) string {
	if strings.Contains(text, "@") {
		return ", without a user or a password"
	}
	return fmt.Sprintf(", not %q", text)
}

// validRegistry reports whether s is oci://host/repository with a repository
// name as the OCI distribution specification has them.
func validRegistry(s string) bool {
	rest, found := strings.CutPrefix(s, "oci://")
	host, repository, slash := strings.Cut(rest, "/")
	if u, err := url.Parse("https://" + host); !found || !slash || err != nil || u.Hostname() == "" || u.User != nil || u.Host != host {
		return false
	}
	for part := range strings.SplitSeq(repository, "/") {
		if !validPart(part) {
			return false
		}
	}
	return true
}

// validPart reports whether s is words of a-z and 0-9 joined by ., _, __ or any
// number of -.
func validPart(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("._-", r) })
	rest := s
	for i, word := range words {
		at := strings.Index(rest, word)
		if between := rest[:at]; i == 0 && between != "" ||
			i > 0 && between != "." && between != "_" && between != "__" && strings.Trim(between, "-") != "" {
			return false
		}
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
		rest = rest[at+len(word):]
	}
	return len(words) > 0 && rest == ""
}

// Slugify turns a name into a slug, "" when nothing of it is left.
func Slugify(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	s := strings.Join(words, "-")
	return strings.TrimRight(s[:min(len(s), 40)], "-")
}

func (w *Workspace) loadAgent(root *shape.Map) {
	m := root.Child("agent", "instructions", "tools", "knowledge", "handoff", "tool_timeout_seconds", "tool_budget")
	w.Agent.Instructions, _ = m.Text("instructions")
	w.Agent.Tools, w.Known.Tools = listed(m, "tools")
	w.Agent.Knowledge, w.Known.Knowledge = listed(m, "knowledge")
	if m.Get("handoff") != nil {
		h := m.Child("handoff", "when", "message")
		w.Agent.Handoff = &Handoff{}
		w.Agent.Handoff.When, _ = h.Text("when")
		w.Agent.Handoff.Message, _ = h.Text("message")
	}
	seconds := m.Int("tool_timeout_seconds", tool.MinTimeout, tool.MaxTimeout, int(DefaultToolTimeout/time.Second))
	w.Agent.ToolTimeout = time.Duration(seconds) * time.Second
	w.Agent.ToolBudget = m.Int("tool_budget", 1, MaxToolBudget, DefaultToolBudget)
}

// listed reads a list of names, and whether it is all that was meant.
func listed(m *shape.Map, key string) (list []Listed, known bool) {
	nodes := m.Strings(key)
	for _, n := range nodes {
		list = append(list, Listed{Name: n.Text, Node: n})
	}
	value := m.Get(key)
	switch {
	case m.Lost(key) || m.Duplicated(key):
		return list, false
	case value == nil:
		return list, !m.Absent()
	}
	return list, value.Kind == syntax.Seq && len(value.Items) == len(nodes)
}

func (w *Workspace) loadAuth(root *shape.Map) {
	w.Known.Auth = !root.Lost("auth") && !root.Emptied("auth")
	if root.Get("auth") == nil {
		return
	}
	m := root.Child("auth", "public_key", "algorithm", "issuer")
	w.Auth = &Auth{}
	w.Auth.PublicKey, w.Auth.KeyNode = m.Text("public_key")
	if _, node := m.Text("algorithm"); node != nil {
		w.Auth.Algorithm, _ = m.OneOf("algorithm", Algorithms[:]...)
	}
	w.Auth.Issuer, _ = m.String("issuer")
}
