package toolbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// marks stand for secrets while a request is built only to be shown. They
// consist of letters and digits, which no encoding of a request changes, and
// nobody who writes a message can guess them.
type marks struct {
	id      string
	secrets []string // what a mark stands for, by the number in it
	names   []string // of the shell's variables, likewise
}

func newMarks() *marks { return &marks{id: rand.Text()} }

// of returns the mark of a secret, for which a variable called name stands. Two
// secrets never share a variable: the later one's has a number.
func (m *marks) of(secret, name string) string {
	i := slices.Index(m.secrets, secret)
	if i < 0 {
		i = len(m.secrets)
		own := name
		for n := 2; slices.Contains(m.names, own); n++ {
			own = fmt.Sprintf("%s_%d", name, n)
		}
		m.secrets, m.names = append(m.secrets, secret), append(m.names, own)
	}
	return m.mark(i)
}

func (m *marks) mark(i int) string { return fmt.Sprintf("V%sN%dE", m.id, i) }

// in lists the variables whose marks stand in s.
func (m *marks) in(s string) []string {
	var found []string
	for i, name := range m.names {
		if strings.Contains(s, m.mark(i)) {
			found = append(found, name)
		}
	}
	return found
}

// Curl returns a recorded call as a curl command for a POSIX shell, with $KEY
// in place of every secret but those that are part of the address. Where a
// variable stands in the address or the body, a comment says how its value has
// to be written there. Nothing is sent.
func (t *Toolbox) Curl(ctx context.Context, r Record) (string, error) {
	sent := &capture{}
	client := executor.New(executor.Options{Version: "curl", Transport: sent})
	defer client.Close()
	scope := t.scope(r.Tool)
	address := addressKeys(r.Tool)
	m := newMarks()
	scope.Env = func(key string) (string, bool) {
		value, ok := t.Env(key)
		if ok && !address[key] {
			value = m.of("env."+key, key)
		}
		return value, ok
	}
	if scope.Principal != nil {
		p := *scope.Principal
		p.Token = m.of("auth.token", "AUTH_TOKEN")
		scope.Principal = &p
	}
	if scope.Grant != nil {
		g := executor.Grant{URL: scope.Grant.URL}
		keys := t.Grants[r.Tool.Service.Name].Keys
		for i, h := range scope.Grant.Headers {
			secret, name := "env."+keys[i], keys[i]
			if name == "" {
				secret, name = "header."+h.Name, shellName(h.Name)
			}
			g.Headers = append(g.Headers, executor.Header{Name: h.Name, Value: m.of(secret, name)})
		}
		scope.Grant = &g
	}
	if key := addressAndMore(r.Tool, address); key != "" {
		return "", fmt.Errorf("the secret %s is the address and stands elsewhere in the request too: no command can say the one without the other", key)
	}
	outcome := client.Call(ctx, r.Tool, []byte(r.Arguments), scope)
	if sent.request == nil {
		return "", fmt.Errorf("the call cannot be built any more: %s", outcome.Content)
	}
	return command(sent, m), nil
}

// addressKeys are the secrets that only base_url uses: an address, which
// traces show.
func addressKeys(t *tool.Tool) map[string]bool {
	keys := map[string]bool{}
	for field, text := range t.Templates() {
		for _, ref := range text.Refs() {
			if ref.Source != placeholder.Env {
				continue
			}
			if seen, ok := keys[ref.Path[0]]; !ok || seen {
				keys[ref.Path[0]] = field == "base_url"
			}
		}
	}
	return keys
}

// addressAndMore returns a secret of base_url that is no mere address.
func addressAndMore(t *tool.Tool, address map[string]bool) string {
	if t.HTTP == nil {
		return ""
	}
	for _, ref := range t.HTTP.BaseURL.Refs() {
		if ref.Source == placeholder.Env && !address[ref.Path[0]] {
			return ref.Path[0]
		}
	}
	return ""
}

func shellName(header string) string {
	return strings.ReplaceAll(strings.ToUpper(header), "-", "_")
}

// capture is a transport that keeps the request and answers nothing.
type capture struct {
	request *http.Request
	body    string
}

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	c.request = r
	if r.Body != nil {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		c.body = string(data)
	}
	return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

func command(c *capture, m *marks) string {
	var comments strings.Builder
	for _, name := range m.in(c.request.URL.String()) {
		fmt.Fprintf(&comments, "# ${%s} stands in the address: its value must be percent-encoded\n", name)
	}
	for _, name := range m.in(c.body) {
		fmt.Fprintf(&comments, "# ${%s} stands in JSON: quotes and backslashes of its value must be escaped\n", name)
	}
	words := []string{"curl"}
	if c.request.Method != http.MethodGet {
		words = append(words, "-X", c.request.Method)
	}
	words = append(words, m.quote(c.request.URL.String()))
	for _, name := range slices.Sorted(maps.Keys(c.request.Header)) {
		if name == "User-Agent" || name == "Accept-Encoding" {
			continue
		}
		for _, value := range c.request.Header[name] {
			words = append(words, "-H", m.quote(name+": "+value))
		}
	}
	if c.body != "" {
		words = append(words, "--data-binary", m.quote(c.body))
	}
	return comments.String() + strings.Join(words, " ")
}

// quote writes a word for a POSIX shell: in single quotes, or in double quotes
// with the variables that stand for secrets.
func (m *marks) quote(s string) string {
	if len(m.in(s)) == 0 {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	special := []string{`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`"}
	for i, name := range m.names {
		special = append(special, m.mark(i), "${"+name+"}")
	}
	return `"` + strings.NewReplacer(special...).Replace(s) + `"`
}
