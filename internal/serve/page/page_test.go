package page_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/serve/page"
)

func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func same(t testing.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// asset reads a file as it is in the sources.
func asset(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("assets", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func assets(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir("assets")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestHeaders(t *testing.T) {
	w := ask(page.Handler(page.Options{}), "GET", "/")
	got := w.Result().Header
	if !regexp.MustCompile(`^"[A-Za-z0-9_-]{16}"$`).MatchString(got.Get("ETag")) {
		t.Errorf("ETag is %s", got.Get("ETag"))
	}
	got.Del("ETag")
	got.Del("Content-Length")
	same(t, http.Header{
		"Accept-Ranges": {"bytes"},
		"Cache-Control": {"no-cache"},
		"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"},
		"Content-Type":                 {"text/html; charset=utf-8"},
		"Cross-Origin-Opener-Policy":   {"same-origin"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
		"Referrer-Policy":              {"no-referrer"},
		"Vary":                         {"Accept-Encoding"},
		"X-Content-Type-Options":       {"nosniff"},
		"X-Frame-Options":              {"DENY"},
	}, got)
	same(t, asset(t, "index.html"), w.Body.String())
}

func TestEveryFileInBothForms(t *testing.T) {
	h := page.Handler(page.Options{})
	kinds := map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
	for _, name := range assets(t) {
		path := "/" + name
		if name == "index.html" {
			path = "/"
		}
		plain, small := ask(h, "GET", path), ask(h, "GET", path, "Accept-Encoding", "br, gzip")
		z, err := gzip.NewReader(small.Body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		unpacked, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		want := asset(t, name)
		for form, got := range map[string]string{"plain": plain.Body.String(), "gzip": string(unpacked)} {
			if got != want {
				t.Errorf("%s %s is another text", form, name)
			}
		}
		kind := kinds[filepath.Ext(name)]
		same(t, []string{kind, kind, "", "gzip"}, []string{
			plain.Header().Get("Content-Type"), small.Header().Get("Content-Type"), plain.Header().Get("Content-Encoding"), small.Header().Get("Content-Encoding"),
		})
		if plain.Header().Get("ETag") == small.Header().Get("ETag") {
			t.Errorf("%s: both forms have the ETag %s", name, plain.Header().Get("ETag"))
		}
		for _, w := range []*httptest.ResponseRecorder{plain, small} {
			again := ask(h, "GET", path, "If-None-Match", w.Header().Get("ETag"), "Accept-Encoding", w.Header().Get("Content-Encoding"))
			if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
				t.Errorf("%s: asked whether it is the same, %d with %d bytes", name, again.Code, again.Body.Len())
			}
		}
		head := ask(h, "HEAD", path)
		if head.Code != http.StatusOK || head.Body.Len() != 0 {
			t.Errorf("HEAD %s: %d with %d bytes", path, head.Code, head.Body.Len())
		}
	}
}

func TestAcceptEncoding(t *testing.T) {
	h := page.Handler(page.Options{})
	for _, c := range []struct {
		accept []string
		want   string
	}{
		{nil, ""}, {[]string{""}, ""}, {[]string{"gzip"}, "gzip"}, {[]string{"GZIP ; Q=0.5"}, "gzip"}, {[]string{"gzip;q=0"}, ""}, {[]string{"gzip;q=0.000"}, ""},
		{[]string{"br"}, ""}, {[]string{"*"}, "gzip"}, {[]string{"*;q=0"}, ""}, {[]string{"*, gzip;q=0"}, ""}, {[]string{"gzip, *;q=0"}, "gzip"},
		{[]string{"identity;q=1, x-gzip"}, "gzip"}, {[]string{"br", "gzip"}, "gzip"}, {[]string{"gzip;q=many"}, "gzip"},
	} {
		var headers []string
		for _, a := range c.accept {
			headers = append(headers, "Accept-Encoding", a)
		}
		if got := ask(h, "GET", "/app.js", headers...).Header().Get("Content-Encoding"); got != c.want {
			t.Errorf("%q: %q, want %q", c.accept, got, c.want)
		}
	}
}

func TestOtherPaths(t *testing.T) {
	h := page.Handler(page.Options{})
	const nothing = `{"error":{"code":"not_found","message":"there is nothing here: /openapi.json says what there is"}}` + "\n"
	for _, path := range []string{"/index.html", "/nothing", "/assets/app.js", "/assets", "//app.js", "/app.js/", "/../page.go", "/page.go", "/App.js", "/%00"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path = path
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		same(t, []any{path, http.StatusNotFound, nothing, "application/json"}, []any{path, w.Code, w.Body.String(), w.Header().Get("Content-Type")})
	}
	w := ask(h, "POST", "/")
	same(t, []any{http.StatusMethodNotAllowed, "GET, HEAD", `{"error":{"code":"method_not_allowed","message":"/ is to be read: use GET, HEAD"}}` + "\n"},
		[]any{w.Code, w.Header().Get("Allow"), w.Body.String()})
}

func TestDevIsSaid(t *testing.T) {
	web, dev := ask(page.Handler(page.Options{}), "GET", "/"), ask(page.Handler(page.Options{Dev: true}), "GET", "/")
	same(t, strings.Replace(web.Body.String(), `<html lang="en" data-dev="false">`, `<html lang="en" data-dev="true">`, 1), dev.Body.String())
	if web.Header().Get("ETag") == dev.Header().Get("ETag") {
		t.Error("both have the same ETag")
	}
}

// What would turn text into HTML or code, or that the policy would refuse.
func TestNoFileCanRunText(t *testing.T) {
	forbidden := map[string]*regexp.Regexp{
		".js": regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTML|parseFromString|srcdoc|document\.write|\beval\b|\bFunction\s*\(|\bimport\s*\(|` +
			`setTimeout\(\s*['"` + "`" + `]|setAttribute\(\s*['"]on|javascript:|localStorage|document\.cookie|https?://(?:[^\s'"]*\.)?[a-z]+\.(?:com|net|org|io|dev)(?:/[^2]|')`),
		".html": regexp.MustCompile(`(?i)\son[a-z]+\s*=|\sstyle\s*=|<style|<base|<iframe|<script(?:>|\s[^>]*>[^<])|javascript:|https?://(?:[^w]|w[^w])|srcdoc`),
		".css":  regexp.MustCompile(`(?i)@import|url\(|expression\(`),
	}
	for _, name := range assets(t) {
		expression := forbidden[filepath.Ext(name)]
		if expression == nil {
			t.Errorf("nobody said what %s must not hold", name)
			continue
		}
		if found := expression.FindString(asset(t, name)); found != "" {
			t.Errorf("%s holds %q", name, found)
		}
	}
	for kind, bad := range map[string]string{
		".js": "node.innerHTML = text", ".html": `<p onclick="x()">`, ".css": `@import "x"`,
	} {
		if !forbidden[kind].MatchString(bad) {
			t.Errorf("%s: %s is not seen", kind, bad)
		}
	}
}

// Every fixed text of the page has its Spanish, and every text that is asked for
// is there.
func TestTexts(t *testing.T) {
	dictionary := asset(t, "text.js")
	english, spanish, ok := strings.Cut(dictionary, "const spanish")
	if !ok {
		t.Fatal("text.js has another form")
	}
	has := func(texts, name string) bool { return regexp.MustCompile(`[{,\s]` + name + `: `).MatchString(texts) }
	for _, m := range regexp.MustCompile(`data-t="([A-Za-z]+)"`).FindAllStringSubmatch(asset(t, "index.html"), -1) {
		if !has(spanish, m[1]) {
			t.Errorf("index.html: %q has no Spanish", m[1])
		}
	}
	asked := 0
	for _, name := range assets(t) {
		for _, m := range regexp.MustCompile(`\bt\('([A-Za-z]+)'`).FindAllStringSubmatch(asset(t, name), -1) {
			asked++
			if !has(english, m[1]) || !has(spanish, m[1]) {
				t.Errorf("%s: %q is not in both languages", name, m[1])
			}
		}
	}
	if asked < 20 {
		t.Errorf("only %d texts are asked for", asked)
	}
}

func TestSize(t *testing.T) {
	h := page.Handler(page.Options{})
	total := 0
	for _, name := range assets(t) {
		total += ask(h, "GET", strings.TrimSuffix("/"+name, "index.html"), "Accept-Encoding", "gzip").Body.Len()
	}
	t.Logf("%d bytes are sent", total)
	if total > 32<<10 {
		t.Errorf("the page has become large: %d bytes", total)
	}
}

// Whatever a browser would load is a file that there is.
func TestReferences(t *testing.T) {
	h := page.Handler(page.Options{})
	index := asset(t, "index.html")
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"#]+)"`).FindAllStringSubmatch(index, -1) {
		if strings.HasPrefix(m[1], "data:") {
			continue
		}
		if w := ask(h, "GET", "/"+m[1]); w.Code != http.StatusOK {
			t.Errorf("index.html: %s answers %d", m[1], w.Code)
		}
	}
	for _, name := range assets(t) {
		for _, m := range regexp.MustCompile(`from '\./([^']+)'`).FindAllStringSubmatch(asset(t, name), -1) {
			if !bytes.Contains([]byte(index), []byte(`modulepreload" href="`+m[1]+`"`)) {
				t.Errorf("%s: %s is not preloaded", name, m[1])
			}
		}
	}
}
