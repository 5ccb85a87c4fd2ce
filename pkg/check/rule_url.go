package check

import (
	"net"
	"net/netip"
	neturl "net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// url: a base_url that cannot be one, or a path that would change the endpoint.
func url(r *run, t *tool.Tool) {
	if t.Service != nil {
		if p, ok := t.Root.Pair("path"); ok && t.Service.Path != "" {
			path := t.Service.Path
			r.path(path, path, p.Value)
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
			if len(parts) == 0 {
				continue // a fault of the template
			}
			text, whole := literals(parts), joined(parts)
			if r.path(text, whole, path.Node) {
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
		return "", "" // a fault of the template
	}
	const field = `"request.base_url" `
	whole, text := strconv.Quote(joined(parts)), literals(parts)
	switch i := strings.IndexAny(text, "?#"); {
	case i < 0:
	case text[i] == '?':
		return field + "must not have a query: " + whole, "move the query to request.query"
	default:
		return field + "must not have a fragment: " + whole, "remove what follows the #"
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return field + "must not hold line breaks or other control characters: " + whole, "write it on one line, or end a block scalar with |- or >-"
	}
	if parts[0].Ref != nil {
		return "", "" // the value brings scheme and host
	}
	scheme, rest, found := strings.Cut(text, "://")
	const wrongScheme = "must start with http:// or https://, not "
	switch {
	case !found && strings.Contains(text, `\`):
		return field + wrongScheme + whole, `write / in place of \`
	case !found && strings.HasPrefix(text, "//"):
		return field + "has no scheme: " + whole, "write " + strconv.Quote(likelyScheme(text)+":"+joined(parts))
	case !found && !strings.Contains(text, ":/"):
		return field + wrongScheme + whole, "write " + strconv.Quote(likelyScheme(text)+"://"+strings.TrimLeft(joined(parts), "/"))
	case !found:
		return field + wrongScheme + whole, ""
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return field + wrongScheme + strconv.Quote(scheme+"://"), ""
	}
	host, _, _ := strings.Cut(rest, "/")
	if strings.Contains(host, "@") {
		return field + "must not hold a user or a password", "send credentials in request.headers, from a secret"
	}
	u, err := neturl.Parse(scheme + "://" + portless(host))
	switch {
	case err != nil || strings.ContainsAny(host, `\ `):
		return field + "is no URL: " + whole, ""
	case u.Hostname() == "":
		return field + "has no host: " + whole, ""
	case u.Port() != "" && !isPort(u.Port()) && strings.HasSuffix(host, u.Port()):
		return field + "has no port from 1 to 65535: " + whole, ""
	}
	return "", ""
}

// likelyScheme returns the scheme that an address without one was probably meant
// to have: what runs on this computer seldom has a certificate.
func likelyScheme(address string) string {
	host, _, _ := strings.Cut(strings.TrimLeft(address, "/"), "/")
	if bare, _, err := net.SplitHostPort(host); err == nil {
		host = bare
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return "http"
	}
	return "https"
}

// portless writes a digit for the x of a placeholder that may stand for a port.
func portless(host string) string {
	i := strings.LastIndexByte(host, ':')
	if i < 0 {
		return host
	}
	return host[:i] + strings.ReplaceAll(host[i:], "x", "1")
}

func isPort(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && n <= 65535
}

// path reports a faulty path and whether it did.
func (r *run) path(text, whole string, node *syntax.Node) bool {
	fault := func(message, hint string) bool {
		r.add(diag.Errorf(node.Span(), "url", "%s: %q", message, whole).WithHint("%s", hint))
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
	case strings.ContainsFunc(text, unicode.IsControl):
		return fault("a path must not hold line breaks or other control characters", "write it on one line, or end a block scalar with |- or >-")
	}
	for segment := range strings.FieldsFuncSeq(decodeDots(text), func(c rune) bool { return c == '/' || c == '\\' }) {
		if segment == ".." {
			return fault("a path must not hold a .. segment", "write the path that it comes to")
		}
	}
	return false
}

// decodeDots decodes what a server may read as a dot or as the end of a segment.
func decodeDots(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	return strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/").Replace(path)
}
