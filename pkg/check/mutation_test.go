package check_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// A mutation changes one place of one file and says what that must be reported
// as: exactly one diagnostic.
type mutation struct {
	kind  string
	place string // the path of the field
	file  string
	data  string // the whole file, changed
	at    int    // offset in data of the one diagnostic
	code  string
	level diag.Severity
}

// TestMutations breaks the example shop in one place at a time and wants one
// diagnostic, of the right code, at that place: no more, and none elsewhere.
func TestMutations(t *testing.T) {
	const root = "../../tools-examples/acme-store"
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(os.DirFS(root), "tools/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, name := range append(names, "vatio.yml") {
		original, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutations(t, name, string(original)) {
			count[m.kind]++
			checkMutation(t, dir, m)
		}
		write(t, filepath.Join(dir, name), original)
	}
	total := 0
	for kind, n := range count {
		t.Logf("%4d %s", n, kind)
		total += n
	}
	if total < 400 || len(count) < 12 {
		t.Errorf("%d mutations of %d kinds: the generator has lost some", total, len(count))
	}
}

func checkMutation(t *testing.T, dir string, m mutation) {
	t.Helper()
	write(t, filepath.Join(dir, m.file), []byte(m.data))
	p := diag.NewFile(m.file, []byte(m.data)).Position(m.at)
	want := fmt.Sprintf("%s:%d:%d %s %s", m.file, p.Line, p.Column, m.level, m.code)
	var got []string
	list := workspaceDir{root: dir}.run(t)
	for _, d := range list {
		p := d.Span.File.Position(d.Span.Start)
		got = append(got, fmt.Sprintf("%s:%d:%d %s %s", d.Span.File.Name, p.Line, p.Column, d.Severity, d.Code))
	}
	if diff := cmp.Diff([]string{want}, got); diff != "" {
		var b bytes.Buffer
		_ = diag.WriteText(&b, list, diag.Style{})
		t.Errorf("%s of %s in %s (-want +got):\n%s%s", m.kind, m.place, m.file, diff, b.String())
	}
}

// mutations lists the changes of one file.
func mutations(t *testing.T, name, text string) []mutation {
	root, faults := syntax.ParseYAML(diag.NewFile(name, []byte(text)))
	if len(faults) > 0 {
		t.Fatalf("%s: %v", name, faults)
	}
	m := mutator{name: name, text: text}
	m.fields(root, "", 0)
	m.placeholders()
	m.texts(root)
	return m.list
}

type mutator struct {
	name, text string
	list       []mutation
}

func (m *mutator) add(kind, place string, start, end int, with string, at int, code string) {
	level := diag.Error
	if code == "required" && place == "when_to_use" {
		level = diag.Warning
	}
	m.list = append(m.list, mutation{kind, place, m.name, m.text[:start] + with + m.text[end:], at, code, level})
}

// known are the fields with keys of their own that the format fixes.
var known = []string{"", "request", "respond", "respond.message", "agent", "agent.handoff", "auth", "model"}

// neededFields must be there and, where they are texts, not be blank.
var neededFields = []string{
	"description", "when_to_use", "request", "request.method", "request.base_url", "request.path", "respond.message.default",
	"workspace", "agent", "agent.instructions", "agent.handoff.when", "agent.handoff.message", "auth.public_key", "auth.algorithm",
}

// fields changes every key whose name the format fixes, and its value. parent
// is the offset of the key of the map.
func (m *mutator) fields(node *syntax.Node, prefix string, parent int) {
	for _, p := range node.Pairs {
		place := strings.TrimPrefix(prefix+"."+p.Key.Text, ".")
		key, value := p.Key.Span(), p.Value.Span()
		end := len(strings.TrimRight(m.text[:value.End], "\n"))
		m.misspell(place, key)
		m.add("duplicate key", place, end, end, "\n"+m.lines(key.Start, end), end+1+key.Start-m.lineStart(key.Start), "duplicate-key")
		m.wrongType(place, p.Value.Kind, key, end)
		m.null(place, p.Value.Kind, key, end)
		if slices.Contains(neededFields, place) && m.firstInLine(key.Start) {
			m.add("delete key", place, m.lineStart(key.Start), min(end+1, len(m.text)), "", parent, "required")
		}
		if slices.Contains(known, place) && p.Value.Kind == syntax.Map {
			m.fields(p.Value, place, key.Start)
		}
	}
}

// misspell takes out, doubles or changes a letter, or changes the case.
func (m *mutator) misspell(place string, key diag.Span) {
	word := key.Text()
	middle := len(word) / 2
	variants := []string{
		word[:middle] + word[middle+1:],
		word[:middle] + word[middle:middle+1] + word[middle:],
		word[:middle] + "x" + word[middle+1:],
		strings.ToUpper(word),
	}
	for i := range 2 { // the others at the next place
		wrong := variants[(len(m.list)+i)%len(variants)]
		m.add("misspell key", place, key.Start, key.End, wrong, key.Start, "unknown-key")
	}
}

func (m *mutator) wrongType(place string, kind syntax.Kind, key diag.Span, end int) {
	code := "type"
	with := map[syntax.Kind]string{syntax.String: "[a]", syntax.Map: "[a]", syntax.Seq: "7", syntax.Int: "ten"}[kind]
	m.add("wrong type", place, key.End+1, end, " "+with, key.End+2, code)
	if kind == syntax.String {
		m.add("number for text", place, key.End+1, end, " 12", key.End+2, code)
	}
	if kind == syntax.Map && place != "respond.message" { // which may be a text
		m.add("text for map", place, key.End+1, end, " text", key.End+2, code)
	}
}

func (m *mutator) null(place string, kind syntax.Kind, key diag.Span, end int) {
	code := "type"
	if kind == syntax.String && slices.Contains(neededFields, place) && place != "respond.message.default" {
		code = "required"
	}
	m.add("no value", place, key.End+1, end, "", key.Start, code)
	if place != "when_to_use" { // which stands at the key
		m.add("null", place, key.End+1, end, " ~", key.End+2, code)
	}
}

// placeholders changes the source, the field and the path of every one.
func (m *mutator) placeholders() {
	for at := strings.IndexByte(m.text, '$'); at >= 0; {
		rest := m.text[at:]
		word, path, _ := strings.Cut(rest[1:], ".")
		dot := at + 1 + len(word)
		switch {
		case strings.HasPrefix(m.text[m.lineStart(at):], "#") || strings.Contains(m.text[m.lineStart(at):at], "#"):
		case slices.Contains([]string{"params", "env", "auth", "contact"}, word):
			m.add("misspell source", word, dot-1, dot, "x", at, "placeholder")
			m.add("unknown source", word, at+1, dot, "secrets", at, "placeholder")
			switch word {
			case "params":
				m.add("unknown parameter", path[:4], dot+1, dot+1, "zz", at, "unknown-param")
			case "auth", "contact":
				m.add("unknown field", path[:4], dot+1, dot+1, "zz", at, "placeholder")
			}
		}
		next := strings.IndexByte(m.text[at+1:], '$')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// texts changes values that have a form of their own.
func (m *mutator) texts(root *syntax.Node) {
	replace := func(kind string, node *syntax.Node, with, code string) {
		if node != nil {
			at := node.Span()
			m.add(kind, kind, at.Start, at.End, with, at.Start, code)
		}
	}
	request, parameters := root.Get("request"), root.Get("parameters")
	replace("method", request.Get("method"), "PUT", "value")
	replace("method in lower case", request.Get("method"), "post", "value")
	replace("access", root.Get("access"), "secret", "value")
	for _, wrong := range []string{"ftp://acme.example", "acme.example", "https://", "https://a.example?x=1", "https://a.example/#x", "https://me:pass@a.example", `"https://a b"`} {
		replace("base_url", request.Get("base_url"), wrong, "url")
	}
	for _, wrong := range []string{"products", "/a?b=c", `"/a#b"`, "/a/../b", "/a/%2E%2e/b", `/a\..\b`, "/a%2f..%2fb", "https://a.example/b"} {
		replace("path", request.Get("path"), wrong, "url")
	}
	for _, wrong := range []string{"0", "-1", "301", "99999999999999999999"} {
		replace("tool_timeout_seconds", root.Get("agent").Get("tool_timeout_seconds"), wrong, "value")
		replace("tool_budget", root.Get("agent").Get("tool_budget"), wrong, "value")
	}
	for _, wrong := range []string{"Acme", "acme store", "-acme", "acme-", "a--b", strings.Repeat("a", 41)} {
		replace("slug", root.Get("workspace"), wrong, "value")
	}
	replace("algorithm", root.Get("auth").Get("algorithm"), "HS256", "value")
	if auth := root.Get("auth"); auth != nil {
		key, algorithm := auth.Get("public_key").Span(), auth.Get("algorithm").Span()
		m.add("algorithm of another key", "auth.algorithm", algorithm.Start, algorithm.End, "ES384", key.Start, "key-file")
	}
	replace("key that is not there", root.Get("auth").Get("public_key"), "identity.pem", "key-file")
	for _, list := range []struct{ key, code string }{{"tools", "agent-tool"}, {"knowledge", "knowledge"}} {
		if node := root.Get("agent").Get(list.key); node != nil {
			for _, item := range node.Items {
				replace("unknown name in "+list.key, item, item.Text+"z", list.code)
				replace("number in "+list.key, item, "3", "type")
			}
		}
	}
	if requires := request.Get("requires"); requires != nil {
		for _, item := range requires.Items {
			replace("$ in requires", item, `"$`+item.Text+`"`, "requires")
			replace("unknown path in requires", item, item.Text+"z", "requires")
			replace("source in requires", item, "z"+item.Text, "requires")
		}
	}
	if data := root.Get("respond").Get("data"); data != nil {
		for _, p := range data.Pairs {
			at := p.Value.Span()
			m.add("jsonpath", p.Key.Text, at.Start, at.End, `"$.a[b"`, at.Start+len(`"$.a[`), "jsonpath")
			m.add("jsonpath of another type", p.Key.Text, at.Start, at.End, "{}", at.Start, "type")
		}
	}
	m.schema(parameters)
}

func (m *mutator) schema(parameters *syntax.Node) {
	if parameters == nil {
		return
	}
	kind := parameters.Get("type").Span()
	m.add("type of parameters", "parameters.type", kind.Start, kind.End, "array", kind.Start, "schema")
	m.add("misspelt type of parameters", "parameters.type", kind.Start, kind.End, "objet", kind.Start, "schema")
	for _, p := range parameters.Get("properties").Pairs {
		place := "parameters.properties." + p.Key.Text
		if at := p.Value.Get("type"); at != nil {
			m.add("type of a property", place, at.Span().Start, at.Span().End, "strin", at.Span().Start, "schema")
		}
		at := p.Value.Span()
		m.add("property that is no schema", place, p.Key.Span().End+1, at.End, " string", p.Key.Span().End+2, "schema")
	}
	if required := parameters.Get("required"); required != nil {
		for _, item := range required.Items {
			at := item.Span()
			m.add("required names nothing", "parameters.required", at.Start, at.End, item.Text+"z", at.Start, "schema")
		}
	}
}

func (m *mutator) lineStart(at int) int { return strings.LastIndexByte(m.text[:at], '\n') + 1 }

func (m *mutator) firstInLine(at int) bool {
	return strings.TrimSpace(m.text[m.lineStart(at):at]) == ""
}

// lines returns the text from the start of a line to an offset.
func (m *mutator) lines(from, to int) string { return m.text[m.lineStart(from):to] }

// TestServiceMutations does the same to the example with service tools, by hand.
func TestServiceMutations(t *testing.T) {
	const root, tool, grants = "../../tools-examples/records-agent", "tools/search.toml", "../../deployment.toml"
	for _, c := range []struct{ file, old, new, want string }{
		{tool, `name = "search"`, `nane = "search"`, "tools/search.toml:1:1 error unknown-key"},
		{tool, `name = "search"`, ``, "tools/search.toml:1:1 error required"},
		{tool, `name = "search"`, `name = ""`, "tools/search.toml:1:8 error required"},
		{tool, `name = "search"`, `name = 1`, "tools/search.toml:1:8 error type"},
		{tool, `name = "search"`, `name = "Search"`, "tools/search.toml:1:8 error tool-key"},
		{tool, `name = "search"`, `name = "list"`, "tools/search.toml:1:8 error tool-key"},
		{tool, `name = "search"`, `name = "handoff"`, "tools/search.toml:1:8 error tool-key"},
		{tool, `name = "search"`, `name = "search`, "tools/search.toml:1:8 error syntax"},
		{tool, `name = "search"`, "name = \"search\"\nname = \"search\"", "tools/search.toml:2:1 error duplicate-key"},
		{tool, `service = "records"`, `servise = "records"`, "tools/search.toml:3:1 error unknown-key"},
		{tool, `service = "records"`, ``, "tools/search.toml:1:1 error required"},
		{tool, `service = "records"`, `service = ["records"]`, "tools/search.toml:3:11 error type"},
		{tool, `service = "records"`, `service = "Records"`, "tools/search.toml:3:11 error value"},
		{tool, `service = "records"`, `service = "recods"`, "tools/search.toml:3:11 error grant"},
		{tool, `service = "records"`, `service = "billing"`, "tools/search.toml:3:11 error grant"},
		{tool, `path = "/agent`, `path = "agent`, "tools/search.toml:4:8 error url"},
		{tool, `path = "/agent-tools/search"`, `path = "/a/%2e./b"`, "tools/search.toml:4:8 error url"},
		{tool, `path = "/agent-tools/search"`, `path = "/a?b"`, "tools/search.toml:4:8 error url"},
		{tool, `path = "/agent-tools/search"`, `path = 4`, "tools/search.toml:4:8 error type"},
		{tool, `path = "/agent-tools/search"`, ``, "tools/search.toml:1:1 error required"},
		{tool, `scope = "tools:read"`, `scope = "tools read"`, "tools/search.toml:5:9 error value"},
		{tool, `scope = "tools:read"`, `scope = false`, "tools/search.toml:5:9 error type"},
		{tool, `timeout_seconds = 15`, `timeout_seconds = 0`, "tools/search.toml:7:19 error value"},
		{tool, `timeout_seconds = 15`, `timeout_seconds = 15.0`, "tools/search.toml:7:19 error type"},
		{tool, `timeout_seconds = 15`, `input = "x"`, "tools/search.toml:7:1 warning ignored"},
		{tool, "[parameters]\n", "[paramters]\n", "tools/search.toml:9:2 error unknown-key"},
		{tool, "[parameters]\ntype = \"object\"", "[parameters]\ntype = \"objet\"", "tools/search.toml:10:8 error schema"},
		{tool, `required = ["text"]`, `required = ["txt"]`, "tools/search.toml:11:13 error schema"},
		{tool, "scope = \"tools:read\"\n# Searching takes longer than the rest.\ntimeout_seconds = 15\n\n[parameters]\n", "[parameters]\nscope = \"tools:read\"\n", "tools/search.toml:6:1 error unknown-key"},
		{grants, `id = "records-agent"`, ``, "../../deployment.toml:4:3 error required"},
		{grants, `id = "records-agent"`, `id = ""`, "../../deployment.toml:6:6 error required"},
		{grants, `id = "records-agent"`, `idd = "records-agent"`, "../../deployment.toml:6:1 error unknown-key"},
		{grants, `package = "agents/records"`, `pakage = "agents/records"`, "../../deployment.toml:8:1 error unknown-key"},
		{grants, `package = "agents/records"`, ``, "../../deployment.toml:4:3 error required"},
		{grants, `package = "agents/records"`, `package = 7`, "../../deployment.toml:8:11 error type"},
		{grants, `[[agents]]`, `[[agnets]]`, "../../deployment.toml:4:3 error unknown-key"},
		{grants, `[[agents]]`, `[agents]`, "../../deployment.toml:4:1 error type"},
		{grants, `[agents.services.records]`, `[agents.servics.records]`, "../../deployment.toml:12:9 error unknown-key"},
		{grants, `[agents.services.records]`, `[agents.services.Records]`, "../../deployment.toml:12:18 error value"},
		{grants, `url = "env:RECORDS_URL"`, `ulr = "env:RECORDS_URL"`, "../../deployment.toml:17:1 error unknown-key"},
		{grants, `url = "env:RECORDS_URL"`, ``, "../../deployment.toml:12:18 error required"},
		{grants, `url = "env:RECORDS_URL"`, `url = "env:records"`, "../../deployment.toml:17:7 error grant"},
		{grants, `url = "env:RECORDS_URL"`, `url = "app:8000"`, "../../deployment.toml:17:7 error grant"},
		{grants, `url = "env:RECORDS_URL"`, `url = "http://app:8000?x"`, "../../deployment.toml:17:7 error grant"},
		{grants, `"X-Internal-Token" = "env`, `"X-Vessel-Owner" = "env`, "../../deployment.toml:20:13 error grant"},
		{grants, `"X-Internal-Token" = "env`, `"content-type" = "env`, "../../deployment.toml:20:13 error grant"},
		{grants, `"X-Internal-Token" = "env`, `"Host" = "env`, "../../deployment.toml:20:13 error grant"},
		{grants, `"env:RECORDS_TOKEN" }`, `"a\nb" }`, "../../deployment.toml:20:34 error grant"},
		{grants, `"env:RECORDS_TOKEN" }`, `"x", x-internal-token = "y" }`, "../../deployment.toml:20:39 error grant"},
		{grants, `headers = {`, "[agents.services.other]\nurl = \"http://app\"\nheaders = {", "../../deployment.toml:20:1 error grant"},
		{grants, `headers = {`, `headers = {{`, "../../deployment.toml:20:12 error syntax"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
			t.Fatal(err)
		}
		w := workspaceDir{root: filepath.Join(dir, "agents/records")}
		name := filepath.Join(w.root, c.file)
		data, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(data, []byte(c.old)) {
			t.Fatalf("no %q in %s (%v)", c.old, c.file, err)
		}
		write(t, name, bytes.Replace(data, []byte(c.old), []byte(c.new), 1))
		var got []string
		for _, d := range w.run(t) {
			p := d.Span.File.Position(d.Span.Start)
			got = append(got, fmt.Sprintf("%s:%d:%d %s %s", d.Span.File.Name, p.Line, p.Column, d.Severity, d.Code))
		}
		if diff := cmp.Diff([]string{c.want}, got); diff != "" {
			t.Errorf("%q for %q (-want +got):\n%s\n%s", c.new, c.old, diff, text(t, w))
		}
	}
}
