package cli

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/iox"
)

// planted is a value that nothing may ever show.
const planted = `pl4nted "val/ue"+z`

// disguises are the forms in which a value could be shown.
func disguises() map[string]string {
	quoted := fmt.Sprintf("%q", planted)
	return map[string]string{
		"plain":   planted,
		"quoted":  quoted[1 : len(quoted)-1],
		"query":   url.QueryEscape(planted),
		"path":    url.PathEscape(planted),
		"base64":  base64.StdEncoding.EncodeToString([]byte(planted)),
		"hex":     hex.EncodeToString([]byte(planted)),
		"a piece": "pl4nted",
	}
}

// leakPlace is a workspace with planted values, and what its commands have shown.
type leakPlace struct {
	t    *testing.T
	dir  string
	env  map[string]string
	runs int
}

// run runs a command and returns its exit code; what it shows is searched.
func (p *leakPlace) run(input string, args ...string) int {
	p.t.Helper()
	streams, out, errs := iox.Test(p.dir, input, p.env)
	code := Main(context.Background(), args, streams)
	p.runs++
	p.clean("vatio "+strings.Join(args, " "), out.String()+errs.String())
	return code
}

func (p *leakPlace) want(code int, input string, args ...string) {
	p.t.Helper()
	if got := p.run(input, args...); got != code {
		p.t.Errorf("vatio %s: exit code %d, want %d", strings.Join(args, " "), got, code)
	}
}

func (p *leakPlace) clean(where, shown string) {
	p.t.Helper()
	where = strings.ReplaceAll(where, planted, "VALUE")
	for form, text := range disguises() {
		if strings.Contains(shown, text) {
			p.t.Errorf("%s shows the value (%s):\n%s", where, form, shown)
			return
		}
	}
}

func (p *leakPlace) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// newLeakPlace makes a workspace whose backend gives back what it was sent.
func newLeakPlace(t *testing.T) *leakPlace {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		w.WriteHeader(map[string]int{"/fail": 500, "/refuse": 403, "/echo": 200}[r.URL.Path])
		_ = json.NewEncoder(w).Encode(map[string]any{
			"message": r.Header.Get("Authorization") + r.URL.Query().Get("key"),
			"data":    map[string]string{"body": string(body), "uri": r.RequestURI},
		})
	}))
	t.Cleanup(backend.Close)
	dir := t.TempDir()
	p := &leakPlace{t: t, dir: dir, env: map[string]string{
		"VATIO_HOME": filepath.Join(dir, ".home"), "USER": "tester", "BACKEND": backend.URL,
	}}
	p.write("vatio.yml", "workspace: acme\nagent:\n  instructions: Answer.\n  tools: [echo, fail, refuse, unreachable, record]\n")
	for name, host := range map[string]string{"echo": "$env.HOST", "fail": "$env.HOST", "refuse": "$env.HOST", "unreachable": "http://127.0.0.1:1"} {
		p.write("tools/"+name+".yml", fmt.Sprintf(`description: The tool %[1]s.
when_to_use: When asked for %[1]s.
parameters:
  type: object
  properties:
    text: { type: string }
request:
  method: POST
  base_url: %[2]s
  path: /%[1]s
  query: { key: $env.TOKEN }
  headers: { Authorization: Bearer $env.TOKEN }
  body: { text: $params.text, token: $env.TOKEN }
`, name, host))
	}
	p.write("tools/record.toml", "name = \"record\"\ndescription = \"A record.\"\nservice = \"records\"\npath = \"/echo\"\n[parameters]\ntype = \"object\"\n")
	p.write("deployment.toml", "[[agents]]\nid = \"a\"\npackage = \".\"\n[agents.services.records]\nurl = \""+backend.URL+"\"\nheaders = { Authorization = \"env:TOKEN\" }\n")
	return p
}

func TestNothingShowsAValue(t *testing.T) {
	p := newLeakPlace(t)
	p.write(".env.planted", "TOKEN='"+planted+"'\nMULTI=\"one\n"+planted[:7]+"\"\nno assignment "+planted+"\nlower="+planted+"\n")
	p.write("value", planted)

	// Every way a value comes in, and is refused.
	p.want(0, "", "secrets", "set", "HOST", p.env["BACKEND"])
	p.want(0, "", "secrets", "set", "TOKEN", planted)
	p.want(0, planted+"\n", "secrets", "set", "TOKEN", "--env", "live")
	p.want(0, "", "secrets", "set", "TOKEN", "--from-file", "value")
	p.want(1, "", "secrets", "import", ".env.planted")
	p.want(1, "", "secrets", "import", ".env.planted", "--dry-run", "--json")
	p.want(2, "", "secrets", "set", "TOKEN="+planted)
	p.want(2, "", "secrets", "set", "KEY", planted, planted)
	p.want(2, "", "secrets", "set", "KEY", "-"+planted)
	p.want(2, "", "secrets", "set", "KEY", "--"+planted)
	p.want(2, "", "secrets", "set", "KEY", "-----BEGIN PRIVATE KEY-----\n"+planted)
	p.want(2, "", "secrets", "set", "KEY", "--"+planted+"=1", "--env")
	p.want(2, "", "secrets", "recipients", "add", "-----BEGIN OPENSSH PRIVATE KEY-----\n"+planted)
	p.want(2, "", "secrets", "recipients", "rm", "-----BEGIN OPENSSH PRIVATE KEY-----\n"+planted)
	p.want(2, strings.Repeat(planted, 10000), "secrets", "set", "KEY")
	p.want(2, "", "secrets", "recipients", "add", "AGE-SECRET-KEY-1"+planted)

	for _, args := range [][]string{
		{planted}, {"TOKEN=" + planted}, {"--" + planted + "=1"}, {"-" + planted}, {"set", planted, "TOKEN"}, {"rm", planted}, {"rm", "TOKEN", "-" + planted},
		{"list", planted}, {"check", planted}, {"rotate", "--" + planted}, {"recipients", planted}, {"import", "--" + planted + "=1"},
	} {
		p.want(2, "", append([]string{"secrets"}, args...)...)
	}

	// Every command that reads the store, in all its forms.
	for _, args := range [][]string{
		{"secrets", "list"}, {"secrets", "list", "--json"}, {"secrets", "list", "--env", "live"}, {"secrets", "check", "--env", "live"},
		{"secrets", "check", "--json"}, {"secrets", "rotate"}, {"secrets", "trust", "--yes"}, {"secrets", "recipients", "list", "--json"},
		{"secrets", "names", ".vatio/secrets.age"}, {"secrets", "names", "value"}, {"secrets", "diff-driver"}, {"tools", "list", "--json"},
		{"tools", "check", "--strict"}, {"tools", "check", "--format", "json"}, {"secrets", "rm", "NOTHING"},
	} {
		p.run("", args...)
	}
	for _, tool := range []string{"echo", "fail", "refuse", "unreachable", "record"} {
		p.want(0, "", "chat", tool+" {}")
		p.run("", "chat", "--json", "--env", "live", tool+` {"text":"hello"}`)
		p.run(tool+" text=hello\n/trace\n/curl\n/tools\n/env\n", "chat", "--json")
		p.run(tool+" text=hello\n/trace\n/curl\n/tools\n/env\n", "chat")
	}

	// Every command there is, with its help, without arguments, with too many.
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		p.run("", append(path, "--help")...)
		switch name := strings.Join(path, " "); {
		case name == "demo": // a workspace of its own, and a server
		case strings.HasPrefix(name, "secrets"), name == "init", cmd.HasSubCommands():
			p.run("", append(path, "--unknown-flag")...)
		default:
			p.run("", path...)
			p.run("", append(path, "a", "b", "c")...)
		}
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	streams, _, _ := iox.Test(p.dir, "", p.env)
	walk(Command(streams))

	// A store that is damaged, conflicted, of others.
	file := filepath.Join(p.dir, ".vatio", "secrets.age")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{planted, string(good[:len(good)/2]), "<<<<<<< ours\n" + planted, strings.ToLower(string(good)), ""} {
		p.write(".vatio/secrets.age", text)
		for _, args := range [][]string{
			{"secrets", "list"}, {"secrets", "set", "TOKEN", planted}, {"secrets", "check"}, {"secrets", "names", file}, {"secrets", "rotate"},
			{"secrets", "trust", "--yes"}, {"tools", "check"}, {"chat", "echo {}"},
		} {
			p.run("", args...)
		}
	}
	p.write(".vatio/secrets.age", string(good))
	p.env["VATIO_IDENTITY"] = planted
	p.want(1, "", "secrets", "list")
	p.run("", "chat", "echo {}")
	delete(p.env, "VATIO_IDENTITY")
	p.want(0, "", "secrets", "list")
	if p.runs < 100 {
		t.Errorf("only %d commands were run", p.runs)
	}

	// Nothing has written it anywhere either.
	for _, name := range []string{".env.planted", "value"} {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	err = filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		p.clean(path, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
