package executor

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// Whatever two values come to, a request leaves for the host and with the path
// that the tool's author meant, or not at all.
func FuzzTarget(f *testing.F) {
	host, hasHost := compile(f, "https://${params.a}.acme.com/base")
	whole, hasWhole := compile(f, "$params.a")
	path, hasPath := compile(f, "/p/${params.b}/q")
	if !hasHost || !hasWhole || !hasPath {
		f.Fatal("the templates do not compile")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		arguments := append(jsondoc.AppendQuote([]byte(`{"a":`), a), `,"b":`...)
		arguments = append(jsondoc.AppendQuote(arguments, b), '}')
		v := newValues(Scope{})
		v.arguments = jsondoc.MustParse(string(arguments))
		for _, template := range []tool.Text{host, whole} {
			target, failed := resolveBase(template, v)
			if failed != nil {
				continue
			}
			if failed := appendPath(&target.path, path, v); failed != nil {
				continue
			}
			u := target.url()
			raw := u.RequestURI()
			if raw != u.EscapedPath() || raw != string(target.path.raw) {
				t.Fatalf("%q leaves as %q", target.path.raw, raw)
			}
			if template == host && (!strings.HasSuffix(u.Hostname(), ".acme.com") || strings.ContainsAny(u.Host, "/@?#\\")) {
				t.Fatalf("%q made the host %q", a, u.Host)
			}
			if template == host && !strings.HasPrefix(raw, "/base/p/") {
				t.Fatalf("%q made the path %q", b, raw)
			}
			back, err := url.PathUnescape(strings.TrimSuffix(raw[strings.LastIndex(strings.TrimSuffix(raw, "/q"), "/")+1:], "/q"))
			if err != nil || back != v.arguments.Get("b").Text() {
				t.Fatalf("%q came back as %q: %v", b, back, err)
			}
			for segment := range strings.FieldsFuncSeq(back, func(r rune) bool { return r == '/' || r == '\\' }) {
				if segment == "." || segment == ".." {
					t.Fatalf("%q brought %q", b, segment)
				}
			}
			r, err := http.NewRequest("GET", u.String(), nil)
			if err != nil || r.URL.RequestURI() != raw {
				t.Fatalf("%q: %v", u.String(), err)
			}
		}
	})
}

func compile(f *testing.F, s string) (tool.Text, bool) {
	loaded, list := loadHTTP("request:\n  method: GET\n  base_url: https://h\n  path: /p\n  query: {q: '" + s + "'}\n")
	return loaded.HTTP.Query[0].Value.Text, len(list) == 0
}

// A query value comes back as it went in, whatever it is.
func FuzzQuery(f *testing.F) {
	f.Fuzz(func(t *testing.T, name, value string) {
		raw := string(appendQueryEntry(nil, name, value))
		r := httptest.NewRequest("GET", "/?"+raw, nil)
		if got := r.URL.Query()[name]; len(got) != 1 || got[0] != value {
			t.Fatalf("%q=%q left as %q and came back as %q", name, value, raw, got)
		}
		if strings.ContainsAny(raw, "+ &#\"") || !utf8.ValidString(raw) {
			t.Fatalf("%q=%q left as %q", name, value, raw)
		}
	})
}

// Whatever a body and its type are, text comes of it.
func FuzzText(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		if text, _ := toText(body, contentType); !utf8.Valid(text) || len(text) > 4*len(body)+4 {
			t.Fatalf("%q of type %q became %q", body, contentType, text)
		}
	})
}
