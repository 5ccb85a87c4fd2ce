package check

import (
	neturl "net/url"
	"regexp"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// url: a base_url that cannot be one, or a path that would change the endpoint.
func url(r *run, t *tool.Tool) {
	if t.Service != nil {
		if p, ok := t.Root.Pair("path"); ok && t.Service.Path != "" {
			path := t.Service.Path
			r.path(path, path, p.Value.Span())
		}
		return
	}
	if base := t.HTTP.BaseURL; base.Template != nil {
		for _, parts := range base.Alternatives() {
			if message, hint := baseURL(parts); message != "" {
				r.add(diag.Errorf(base.Node.Span(), "url", "%s", message).WithHint("%s", hint))
				break
			}
		}
	}
	if path := t.HTTP.Path; path.Template != nil {
		for _, parts := range path.Alternatives() {
			text, whole := literals(parts), joined(parts)
			if r.path(text, whole, path.Node.Span()) {
				break
			}
		}
	}
}

// literals joins the pieces, each placeholder as one character that has no
// meaning in a URL.
func literals(parts []placeholder.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Ref != nil {
			b.WriteByte('x')
			continue
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

func joined(parts []placeholder.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// baseURL says what is wrong with one alternative of a base_url.
func baseURL(parts []placeholder.Part) (message, hint string) {
	if len(parts) == 0 {
		return "", ""
	}
	whole, text := joined(parts), literals(parts)
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		return `"request.base_url" must not have a query or a fragment: "` + whole + `"`, "move the query to request.query"
	}
	if parts[0].Ref != nil {
		return "", "" // the value brings scheme and host
	}
	scheme, rest, found := strings.Cut(text, "://")
	switch {
	case !found && strings.HasPrefix(text, "//"):
		return `"request.base_url" has no scheme: "` + whole + `"`, `write "https:` + whole + `"`
	case !found:
		return `"request.base_url" must start with http:// or https://, not "` + whole + `"`, `write "https://` + strings.TrimLeft(whole, "/") + `"`
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return `"request.base_url" must start with http:// or https://, not "` + scheme + `://"`, ""
	}
	host, _, _ := strings.Cut(rest, "/")
	if host == "" {
		return `"request.base_url" has no host: "` + whole + `"`, ""
	}
	if strings.Contains(host, "@") {
		return `"request.base_url" must not hold a user or a password`, "send credentials in request.headers, from a secret"
	}
	// A placeholder in the host may stand for a port too.
	if _, err := neturl.Parse(strings.ReplaceAll(scheme+"://"+host, ":x", ":1")); err != nil {
		return `"request.base_url" is no URL: "` + whole + `"`, ""
	}
	return "", ""
}

var encodedDot = regexp.MustCompile(`(?i)%2e`)

// path reports a faulty path and whether it did.
func (r *run) path(text, whole string, at diag.Span) bool {
	fault := func(message, hint string) bool {
		r.add(diag.Errorf(at, "url", "%s: %q", message, whole).WithHint("%s", hint))
		return true
	}
	switch {
	case !strings.HasPrefix(text, "/"):
		if strings.Contains(text, "://") {
			return fault("a path is only what follows the host", "move the scheme and the host to request.base_url")
		}
		return fault("a path must start with /", `write "/`+whole+`"`)
	case strings.Contains(text, "?"):
		return fault("a path must not hold a query", "move what follows the ? to request.query")
	case strings.Contains(text, "#"):
		return fault("a path must not hold a fragment", "remove what follows the #")
	}
	decoded := encodedDot.ReplaceAllString(text, ".")
	for _, segment := range strings.FieldsFunc(decoded, func(c rune) bool { return c == '/' || c == '\\' }) {
		if segment == ".." {
			return fault("a path must not hold a .. segment", "")
		}
	}
	return false
}
