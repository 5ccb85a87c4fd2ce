package executor

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// An echo answers with a body that a test sets, in pieces that are sent one by
// one, and with a header.
type echo struct {
	mu     sync.Mutex
	status int
	pieces []string
	header string
}

func (e *echo) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	w.Header().Set("X-Echo", e.header)
	w.WriteHeader(e.status)
	for _, piece := range e.pieces {
		_, _ = io.WriteString(w, piece)
		_ = http.NewResponseController(w).Flush()
		if len(e.pieces) > 1 {
			time.Sleep(200 * time.Microsecond) // so that they are read one by one
		}
	}
}

// A random secret that could stand in a header.
func randomSecret(random *rand.Rand) string {
	alphabets := []string{"abcdefghijklmnopqrstuvwxyz0123456789", "AZ09-._~+/=", `"\/<>&%+ '` + "\t", "éñ日😀", "{}[]:,\"0"}
	alphabet := []rune(alphabets[random.IntN(len(alphabets))] + alphabets[0])
	var b strings.Builder
	b.WriteByte("qwxz"[random.IntN(4)])
	for range 7 + random.IntN(40) {
		b.WriteRune(alphabet[random.IntN(len(alphabet))])
	}
	b.WriteByte('j')
	return b.String()
}

// plainForms is how many of the encodings are no base64.
const plainForms = 9

// fragments are the stretches of n characters of a text.
func fragments(text string, n int) []string {
	runes := []rune(text)
	var list []string
	for i := 0; i+n <= len(runes); i++ {
		list = append(list, string(runes[i:i+n]))
	}
	return list
}

// From the network to everything that is handed back: no eight characters of a
// secret are left, in whatever form, place and pieces the server echoes it.
func TestNoSecretLeaks(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 10
	}
	random := rand.New(rand.NewPCG(5, 6))
	e := &echo{}
	s := httptest.NewServer(e)
	defer s.Close()
	c := newClient(t)
	header := getTool(t, "headers: {X-Key: $env.KEY}\n", "respond:\n  data: {all: $}\n")
	elsewhere := postTool(t, "query: {k: $env.KEY}\nbody: {k: [$env.KEY]}\n", "respond:\n  data: {all: $.a}\n")
	path := httpTool(t, "request:\n  method: GET\n  base_url: $env.API\n  path: /p/$env.KEY\nrespond:\n  data: {all: $.a}\n  message: ok\n")
	lookup := serviceTool(t, "name = \"lookup\"\ndescription = \"d\"\nservice = \"records\"\npath = \"/x\"\n[parameters]\ntype = \"object\"\n")
	for range rounds {
		secret := randomSecret(random)
		for i, form := range encodings(secret) {
			body := "<;" + form + ".!"
			switch random.IntN(3) {
			case 0:
				body = string(jsondoc.Quote(body).Raw())
			case 1:
				quoted, _ := json.Marshal(map[string]any{"message": "m " + form, "a": []any{1, form, map[string]any{form: form}}, "error_key": form})
				body = string(quoted)
			}
			at := random.IntN(len(body) + 1)
			e.mu.Lock()
			e.status = []int{200, 201, 404, 422, 500}[random.IntN(5)]
			e.pieces = []string{body[:at], body[at:]}
			if random.IntN(2) == 0 {
				e.pieces = []string{body}
			}
			e.header = url.QueryEscape(form)
			if !strings.ContainsFunc(form, func(r rune) bool { return r < ' ' }) {
				e.header = form
			}
			e.mu.Unlock()
			scope := Scope{Env: env("API", s.URL, "KEY", secret), Grant: &Grant{URL: s.URL, Headers: []Header{{"X-Key", secret}}}}
			used := header
			switch i % 4 {
			case 1:
				used = elsewhere
			case 2:
				used = lookup
			case 3:
				used = path
			}
			o := c.Call(t.Context(), used, nil, scope)
			if o.Trace == nil || o.Trace.Status != e.status {
				t.Fatalf("%q: %+v", secret, o)
			}
			shown := fmt.Sprintf("%s\n%s\n%+v", o.Content, o.ErrorKey, *o.Trace)
			for _, text := range []string{secret, form} {
				for _, f := range fragments(text, minSecret) {
					if strings.Contains(shown, f) && !strings.Contains("http://", f) {
						t.Fatalf("%q of the secret %q, echoed as %q (%d), is left:\n%s", f, secret, form, i, shown)
					}
				}
			}
		}
	}
}

// An answer that breaks off in the middle of a secret shows no eight characters
// of it either, wherever that is.
func TestCutSecretsDoNotLeak(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 30 {
		secret := randomSecret(random)
		r := newRedactor([]string{secret})
		for i, form := range encodings(secret) {
			body := strings.Repeat("<;>.!", random.IntN(2)*1000) + "<" + form
			cut := body[:len(body)-random.IntN(len(form))]
			got := r.cutText(string(replaceInvalid([]byte(cut))))
			unescaped, _ := jsonCoding().decode(got)
			unquoted, _ := percentCoding().decode(got)
			for _, f := range append(fragments(secret, minSecret), fragments(form, 12)...) { // 12 of base64 hold 8 characters
				if strings.Contains(got, f) && len(f) >= 12 && i >= plainForms || strings.Contains(unescaped+"\n\n"+unquoted, f) && strings.Contains(secret, f) {
					t.Fatalf("%q of the secret %q, echoed as %q (%d) up to %q, is left: %.200q", f, secret, form, i, cut[len(cut)-min(len(cut), 60):], got)
				}
			}
		}
	}
}

func TestCutText(t *testing.T) {
	r := newRedactor([]string{"s3cr3t-value", "é0123456789"})
	for _, test := range []struct{ text, want string }{
		{"x s3cr3t-value", "x [redacted]"},
		{"x s3cr3t-valu", "x [redacted]"},
		{"x s3cr3t-v", "x [redacted]"},
		{"x s3cr3t-", "x s3cr3t-"},
		{"x s3cr3t-v y", "x s3cr3t-v y"},
		{`"s3cr3t-v\u00`, `"[redacted]`},
		{`"s3cr3t-v\`, `"[redacted]`},
		{"?s3cr3t%2Dval%7", "?[redacted]"},
		{`"nothing\u00`, `"nothing\u00`},
		{"nothing\uFFFD", "nothing\uFFFD"},
		{`"\u00e901234567\u003`, `"[redacted]`},
		{"%C3%A901234567%", "[redacted]"},
	} {
		if got := r.cutText(test.text); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
	w := listen(t, "HTTP/1.1 200 OK\nContent-Length: 100\n\nit was s3cr3t-val")
	o := newClient(t).Call(t.Context(), getTool(t, "headers: {X-Key: $env.KEY}\n", ""), nil, Scope{Env: env("API", w.url(), "KEY", "s3cr3t-value")})
	if want := "it was [redacted]"; o.Trace.ResponseBody != want {
		t.Errorf("%+v", o.Trace)
	}
	w = listen(t, "HTTP/1.1 200 OK\n\n"+strings.Repeat("x", MaxBody-10)+"s3cr3t-value")
	o = newClient(t).Call(t.Context(), getTool(t, "headers: {X-Key: $env.KEY}\n", ""), nil, Scope{Env: env("API", w.url(), "KEY", "s3cr3t-value")})
	if !strings.HasSuffix(o.Trace.ResponseBody, "xx[redacted]") || o.ErrorKey != "response_too_large" {
		t.Errorf("%s", o.Trace.ResponseBody[max(0, len(o.Trace.ResponseBody)-40):])
	}
}

// The opposite: what holds no secret is handed back as it came, also where it
// nearly holds one.
func TestNothingElseIsRedacted(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	e := &echo{status: 200}
	s := httptest.NewServer(e)
	defer s.Close()
	c := newClient(t)
	lookup := serviceTool(t, "name = \"lookup\"\ndescription = \"d\"\nservice = \"records\"\npath = \"/x\"\n[parameters]\ntype = \"object\"\n")
	for range 200 {
		secret := randomSecret(random)
		runes := []rune(secret)
		near := []string{
			string(runes[1:]), string(runes[:len(runes)-1]), strings.ToUpper(secret), string(runes[:4]) + " " + string(runes[4:]),
			"a [redacted] text", "50% of it \\u00 %zz + \\", url.QueryEscape("ñ / + %"), `{"a":"\u00e9\/"}`,
		}
		text := near[random.IntN(len(near))] + "\n" + near[random.IntN(len(near))]
		packed, _ := squeeze(text, false)
		if slices.ContainsFunc(formsOf(nil, secret), func(form string) bool {
			return strings.Contains(text, form) || slices.ContainsFunc(appendSqueezed(nil, form), func(s string) bool { return strings.Contains(packed, s) })
		}) {
			continue // what follows a scheme word is a secret too, and what has other white space between JSON values
		}
		e.mu.Lock()
		e.pieces, e.header = []string{text}, "x"
		e.mu.Unlock()
		o := c.Call(t.Context(), lookup, nil, Scope{Grant: &Grant{URL: s.URL, Headers: []Header{{"X-Key", secret}}}})
		if diff := cmp.Diff(text, o.Content); diff != "" {
			t.Fatalf("%q (-want +got)\n%s", secret, diff)
		}
		if o.Trace.ResponseBody != text {
			t.Fatalf("%q: trace: %q", secret, o.Trace.ResponseBody)
		}
	}
	// Secrets of seven characters are none.
	e.mu.Lock()
	e.pieces = []string{`{"k":"sevench","l":"sevench"}`}
	e.mu.Unlock()
	o := c.Call(t.Context(), lookup, nil, Scope{Grant: &Grant{URL: s.URL, Headers: []Header{{"X-Key", "sevench"}, {"Authorization", "Bearer seven"}}}})
	if want := "{\n  \"k\": \"sevench\",\n  \"l\": \"sevench\"\n}"; o.Content != want {
		t.Error(o.Content)
	}
}
