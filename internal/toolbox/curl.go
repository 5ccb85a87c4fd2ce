package toolbox

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// mark stands for a secret while a request is built only to be shown. It
// consists of characters that no encoding of a request changes.
const mark = "VATIO-SECRET--"

// Curl returns a recorded call as a curl command for a POSIX shell, with $KEY
// in place of every secret but those that are part of the address. Nothing is
// sent.
func (t *Toolbox) Curl(ctx context.Context, r Record) (string, error) {
	sent := &capture{}
	client := executor.New(executor.Options{Version: "curl", Transport: sent})
	defer client.Close()
	scope := t.scope(r.Tool)
	address := addressKeys(r.Tool)
	scope.Env = func(key string) (string, bool) {
		value, ok := t.Env(key)
		if ok && !address[key] {
			value = mark + key + "--"
		}
		return value, ok
	}
	if scope.Principal != nil {
		p := *scope.Principal
		p.Token = mark + "TOKEN--"
		scope.Principal = &p
	}
	if scope.Grant != nil {
		g := executor.Grant{URL: scope.Grant.URL}
		keys := t.Grants[r.Tool.Service.Name].Keys
		for i, h := range scope.Grant.Headers {
			name := keys[i]
			if name == "" {
				name = shellName(h.Name)
			}
			g.Headers = append(g.Headers, executor.Header{Name: h.Name, Value: mark + name + "--"})
		}
		scope.Grant = &g
	}
	outcome := client.Call(ctx, r.Tool, []byte(r.Arguments), scope)
	if sent.request == nil {
		return "", fmt.Errorf("the call cannot be built any more: %s", outcome.Content)
	}
	return command(sent), nil
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

func command(c *capture) string {
	words := []string{"curl"}
	if c.request.Method != http.MethodGet {
		words = append(words, "-X", c.request.Method)
	}
	words = append(words, quote(c.request.URL.String()))
	var names []string
	for name := range c.request.Header {
		if name != "User-Agent" && name != "Accept-Encoding" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range c.request.Header[name] {
			words = append(words, "-H", quote(name+": "+value))
		}
	}
	if c.body != "" {
		words = append(words, "--data-binary", quote(c.body))
	}
	return strings.Join(words, " ")
}

// quote writes a word for a POSIX shell: in single quotes, or in double quotes
// with the variables that stand for secrets.
func quote(s string) string {
	if !strings.Contains(s, mark) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s)
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, mark)
		b.WriteString(before)
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "--")
		b.WriteString("${" + name + "}")
		s = after
	}
	return `"` + b.String() + `"`
}
