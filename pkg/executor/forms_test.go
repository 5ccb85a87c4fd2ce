package executor

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A secret that is JSON is found whatever white space a server writes in it.
func TestStructuredSecrets(t *testing.T) {
	for _, test := range []struct{ name, secret, data, want string }{
		{"pretty", `{"k":"v12345","z":[1,2]}`, "{\n  \"k\": \"v12345\",\n  \"z\": [ 1, 2 ]\n}", `"[redacted]"`},
		{"compact of a pretty one", "{\n \"k\": \"v12345\", \"z\": [1, 2] }", `{"k":"v12345","z":[1,2]}`, `"[redacted]"`},
		{"nested in an array", `["abc",12,"def"]`, `[0, [ "abc" , 12 , "def" ], true]`, `[0,"[redacted]",true]`},
		{"across strings", `abcd","efgh`, `[ "abcd" , "efgh", "z" ]`, `["[redacted]","[redacted]","z"]`},
		{"JSON in JSON", `{"k":"v12345"}`, `"{ \"k\" :\n \"v12345\" }"`, ``},
		{"numbers", `1,2,3,4,5`, `[1, 2, 3, 4, 5]`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := listenRaw(t, "HTTP/1.1 200 OK\r\n\r\n"+`{"message":"m","data":`+test.data+`}`)
			o := newClient(t).Call(t.Context(), getTool(t, "headers: {X-Key: $params.k}\nquery: {k: $env.TOK}\n", "respond:\n  data: {d: $.data}\n"), []byte(`{"k":"x"}`), Scope{Env: env("API", w.url(), "TOK", test.secret)})
			if want := `{"result":"ok","message":"m","data":{"d":` + test.want + `}}`; test.want != "" && o.Content != want {
				t.Errorf("%s\nwant %s", o.Content, want)
			}
			packed, _ := squeeze(test.secret, false)
			for _, shown := range []string{o.Content, o.Trace.ResponseBody, o.Trace.URL} {
				if got, _ := squeeze(shown, false); strings.Contains(got, packed) {
					t.Error(shown)
				}
			}
			if _, err := jsondoc.Parse([]byte(o.Content)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSelectionsMakeASecret(t *testing.T) {
	w := listenRaw(t, "HTTP/1.1 200 OK\r\n\r\n"+`{"message":"m","a":[{"x":"abcd","y":1},{"x":"efgh"}]}`)
	o := newClient(t).Call(t.Context(), getTool(t, "query: {k: $env.TOK}\n", "respond:\n  data: {d: '$.a[*].x'}\n"), nil, Scope{Env: env("API", w.url(), "TOK", `abcd","efgh`)})
	if strings.Contains(o.Content, `abcd","efgh`) {
		t.Error(o.Content)
	}
}

func TestHeaderNames(t *testing.T) {
	for _, test := range []struct{ line, secret string }{
		{"1234567890123: 2", "1234567890123"}, {"abcdefgh1-2: x", "abcdefgh1-2"}, {"abcdefgh1-2: x", "aBCDefgh1-2"}, {"aBcd%65fgh-1: x", "abcdefgh-1"},
	} {
		w := listen(t, "HTTP/1.1 200 OK\n"+test.line+"\n\n"+`{"message":"m"}`)
		o := newClient(t).Call(t.Context(), getTool(t, "headers: {X-Key: $env.TOK}\n", ""), nil, Scope{Env: env("API", w.url(), "TOK", test.secret)})
		found := false
		for _, h := range o.Trace.ResponseHeaders {
			found = found || h.Name == "[redacted]"
		}
		if !found {
			t.Errorf("%s: %+v", test.line, o.Trace.ResponseHeaders)
		}
	}
}

func TestMojibake(t *testing.T) {
	latin := func(s string) string {
		var b []byte
		for _, r := range s {
			b = append(b, byte(r))
		}
		return string(b)
	}
	for _, secret := range []string{"dé-secret-1", "clé€à-ñ-12345", "日本語のひみつです"} {
		for _, cs := range []string{"iso-8859-1", "windows-1252", "iso-8859-2", "windows-1251", "utf-8", "koi8-r", "shift_jis"} {
			w := listenRaw(t, "HTTP/1.1 200 OK\r\nX-Echo: "+secret+"\r\nContent-Type: application/json; charset="+cs+"\r\n\r\n"+`{"message":"<`+secret+`>"}`)
			o := newClient(t).Call(t.Context(), getTool(t, "headers: {X-Key: $env.TOK}\n", ""), nil, Scope{Env: env("API", w.url(), "TOK", secret)})
			if o.Content != `{"result":"ok","message":"<[redacted]>"}` {
				t.Errorf("%s %s: %s", secret, cs, o.Content)
			}
			for _, h := range o.Trace.ResponseHeaders {
				if h.Name == "X-Echo" && h.Value != "[redacted]" {
					t.Errorf("%q", h)
				}
			}
		}
	}
	w := listenRaw(t, "HTTP/1.1 200 OK\r\nX-Echo: "+latin("dé-secret-1")+"\r\n\r\n"+`{"message":"<`+latin("dé-secret-1")+`>"}`)
	o := newClient(t).Call(t.Context(), getTool(t, "headers: {X-Key: $env.TOK}\n", ""), nil, Scope{Env: env("API", w.url(), "TOK", "dé-secret-1")})
	if o.Content != `{"result":"ok","message":"<[redacted]>"}` {
		t.Error(o.Content)
	}
	for _, h := range o.Trace.ResponseHeaders {
		if h.Name == "X-Echo" && h.Value != "[redacted]" {
			t.Errorf("%q", h)
		}
	}
}

func TestDeep(t *testing.T) {
	const secret = `k3y"w/o\dd c%25é`
	r := newRedactor([]string{secret})
	enc := []func(string) string{
		func(s string) string { q, _ := json.Marshal(s); return string(q[1 : len(q)-1]) },
		url.PathEscape, func(s string) string { return string(appendEscaped(nil, s)) },
	}
	var walk func(s string, n int, tag string)
	walk = func(s string, n int, tag string) {
		if got := r.text("<" + s + ">"); !strings.Contains(got, redactedMark) {
			t.Errorf("%s: %s", tag, got)
		}
		if n == 0 {
			return
		}
		for i, e := range enc[:2] {
			walk(e(s), n-1, fmt.Sprint(tag, i))
		}
	}
	walk(secret, 5, "")
	s := secret
	for range 8 {
		s = enc[2](s)
	}
	if got := r.text(s); got != redactedMark {
		t.Error("percent 8: ", got[:min(200, len(got))])
	}
	s = secret
	for range 8 {
		s = enc[0](s)
	}
	if got := r.text(s); got != redactedMark {
		t.Error("json 8")
	}
	for _, unit := range []string{`\`, "%25", "%5C", "%5Cu005c", "+%2b", `\u0025`, strings.Repeat("x", 200) + "%2525252525252525"} {
		long := strings.Repeat(unit, 1_000_000/len(unit))
		start := time.Now()
		r.text(long)
		t.Logf("%.20q %v", unit, time.Since(start))
	}
	// sparse long text
	for n := 2; n <= 8; n++ {
		s = secret
		for range n {
			s = enc[2](s)
		}
		if got := r.text(strings.Repeat("x", 990_000) + s); strings.HasSuffix(got, redactedMark) == false {
			t.Logf("long text, %d percent layers: not found", n)
		}
	}
}

func TestBlank(t *testing.T) {
	for _, m := range []string{"\u200b", "\ufeff", "\u3000", "\u2060\u00ad", "\u2800", "\u3164", " \t", "\u0000", "\ufe0f", "\u034f", "\U000e0020"} {
		w := listen(t, "HTTP/1.1 200 OK\n\n{\"message\":"+string(jsondoc.Quote(m).Raw())+"}")
		o := newClient(t).Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", w.url())})
		if o.ErrorKey != "invalid_result" {
			t.Errorf("%q: %s", m, o.Content)
		}
	}
	for _, m := range []string{".", "é", "日", "👍\ufe0f"} {
		if isBlank(m) {
			t.Errorf("%q", m)
		}
	}
}

func TestDelivered(t *testing.T) {
	for _, raw := range []string{"", "SSH-2\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "HTTP/1.1 201 OK\r\nContent-Encoding: gzip\r\n\r\nnope", "HTTP/1.1 200 OK\r\n\r\nnojson", "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nnope"} {
		for _, m := range []string{"GET", "POST", "PATCH", "DELETE"} {
			w := listenFunc(t, func(c net.Conn, _ string) bool { _, _ = io.WriteString(c, raw); return false })
			o := newClient(t).Call(t.Context(), httpTool(t, "request: {method: "+m+", base_url: $env.API, path: /p}\nrespond: {data: {d: $}, message: ok}\n"), nil, Scope{Env: env("API", w.url())})
			warned := strings.Contains(o.Content, "; it may have carried out the call all the same.")
			if warned != (m != "GET") || strings.Contains(o.Content, "ould not reach") {
				t.Errorf("%s %q: %s", m, raw, o.Content)
			}
			if m == "POST" {
				t.Log(o.Content)
			}
		}
	}
	_ = http.MethodGet
}
