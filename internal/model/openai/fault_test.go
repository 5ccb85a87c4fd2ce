package openai

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/model/remote/remotetest"
)

// What each status comes to, how often it is asked for, and after what waits.
func TestStatuses(t *testing.T) {
	ok := remotetest.Response{Body: done}
	backoff := remotetest.Backoff()
	tests := []struct {
		name      string
		responses []remotetest.Response
		noKey     bool
		want      string // "": the answer came
		asked     int
		slept     []time.Duration
	}{
		{
			name:      "401",
			responses: []remotetest.Response{remotetest.JSONError(401, `{"error":{"message":"Incorrect API key provided: sk-pr***EfG. You can find it at https://x.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`)},
			want:      `openai at HOST refuses the key (HTTP 401: Incorrect API key provided: [redacted] You can find it at https://x.): run vatio secrets set OPENAI_API_KEY, or export the variable of that name`,
			asked:     1,
		},
		{
			name: "401 without a key", noKey: true,
			responses: []remotetest.Response{remotetest.JSONError(401, `{"error":"You didn't provide an API key"}`)},
			want:      `openai at HOST asks for a key (HTTP 401: You didn't provide an API key): run vatio secrets set OPENAI_API_KEY, or export the variable of that name`,
			asked:     1,
		},
		{
			name:      "402",
			responses: []remotetest.Response{remotetest.JSONError(402, `{"error":{"code":402,"message":"Insufficient credits"}}`)},
			want:      `openai at HOST asks for money (HTTP 402: Insufficient credits): look at the plan and the billing of the key's account`,
			asked:     1,
		},
		{
			name:      "403",
			responses: []remotetest.Response{remotetest.JSONError(403, `{"error":{"message":"Project does not have access to model","code":"model_not_found"}}`)},
			want:      `openai at HOST does not let the key use the model "test-1" (HTTP 403: Project does not have access to model): choose another with --model, or another key`,
			asked:     1,
		},
		{
			name:      "404, Ollama",
			responses: []remotetest.Response{remotetest.JSONError(404, `{"error":{"message":"model \"test-1\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`)},
			want:      `openai at HOST knows no model "test-1" at this address (HTTP 404: model "test-1" not found, try pulling it first): check --model and --model-url`,
			asked:     1,
		},
		{
			name:      "404, a text",
			responses: []remotetest.Response{{Status: 404, Body: "404 page not found\n", Header: map[string]string{"Content-Type": "text/plain"}}},
			want:      `openai at HOST knows no model "test-1" at this address (HTTP 404: 404 page not found): check --model and --model-url`,
			asked:     1,
		},
		{
			name:      "404, a page",
			responses: []remotetest.Response{{Status: 404, Body: "<html><h1>Not found", Header: map[string]string{"Content-Type": "text/html; charset=utf-8"}}},
			want:      `openai at HOST knows no model "test-1" at this address (HTTP 404): check --model and --model-url`,
			asked:     1,
		},
		{
			name:      "400",
			responses: []remotetest.Response{remotetest.JSONError(400, `{"error":{"message":"Invalid schema for function 'a':\n\u001b[31mIn context=(), object schema missing properties.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`)},
			want:      `openai at HOST refuses the request (HTTP 400: Invalid schema for function 'a': [31mIn context=(), object schema missing properties.): check --model and --model-url, and the tools with vatio tools check`,
			asked:     1,
		},
		{
			name:      "400, too long",
			responses: []remotetest.Response{remotetest.JSONError(400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`)},
			want:      `openai at HOST has no room for the whole conversation (HTTP 400: This model's maximum context length is 8192 tokens.): start a new one, or choose a model with a larger context`,
			asked:     1,
		},
		{
			name:      "413",
			responses: []remotetest.Response{{Status: 413, Header: map[string]string{"Content-Type": "text/html"}}},
			want:      `openai at HOST has no room for the whole conversation (HTTP 413): start a new one, or choose a model with a larger context`,
			asked:     1,
		},
		{
			name:      "422, FastAPI",
			responses: []remotetest.Response{remotetest.JSONError(422, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`)},
			want:      `openai at HOST refuses the request (HTTP 422: [{"loc":["body","messages"],"msg":"field required"}]): check --model and --model-url, and the tools with vatio tools check`,
			asked:     1,
		},
		{
			name:      "a long message is cut",
			responses: []remotetest.Response{remotetest.JSONError(400, `{"message":"`+strings.Repeat("ñ", 200)+`"}`)},
			want:      `openai at HOST refuses the request (HTTP 400: ` + strings.Repeat("ñ", 150) + `…): check --model and --model-url, and the tools with vatio tools check`,
			asked:     1,
		},
		{
			name:      "429, then an answer",
			responses: []remotetest.Response{remotetest.JSONError(429, `{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`), ok},
			asked:     2, slept: backoff[:1],
		},
		{
			name:      "429, for ever",
			responses: []remotetest.Response{remotetest.JSONError(429, `{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`)},
			want:      `openai at HOST was asked too often (HTTP 429: Rate limit reached): ask again later (asked 3 times)`,
			asked:     3, slept: backoff,
		},
		{
			name:      "429, no money",
			responses: []remotetest.Response{remotetest.JSONError(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`)},
			want:      `openai at HOST asks for money (HTTP 429: You exceeded your current quota): look at the plan and the billing of the key's account`,
			asked:     1,
		},
		{
			name:      "Retry-After in seconds, as a date, in milliseconds",
			responses: []remotetest.Response{remotetest.JSONError(429, "{}", "Retry-After", "7"), remotetest.JSONError(503, "{}", "Retry-After", "Tue, 01 Dec 2026 12:00:19 GMT"), ok},
			asked:     3, slept: []time.Duration{7 * time.Second, 19 * time.Second},
		},
		{
			name:      "Retry-After-Ms goes first, and what is past is now",
			responses: []remotetest.Response{remotetest.JSONError(429, "{}", "Retry-After", "100", "Retry-After-Ms", "1500.5"), remotetest.JSONError(503, "{}", "Retry-After", "Tue, 01 Dec 2026 11:00:00 GMT"), ok},
			asked:     3, slept: []time.Duration{1500500 * time.Microsecond, 0},
		},
		{
			name:      "Retry-After that is none",
			responses: []remotetest.Response{remotetest.JSONError(429, "{}", "Retry-After", "soon"), remotetest.JSONError(429, "{}", "Retry-After", "NaN"), ok},
			asked:     3, slept: backoff,
		},
		{
			name:      "Retry-After at the limit, then beyond it",
			responses: []remotetest.Response{remotetest.JSONError(429, "{}", "Retry-After", "20"), remotetest.JSONError(429, "{}", "Retry-After", "21")},
			want:      `openai at HOST was asked too often (HTTP 429): ask again later (it asks to wait 21s)`,
			asked:     2, slept: []time.Duration{20 * time.Second},
		},
		{
			name:      "Retry-After in a year",
			responses: []remotetest.Response{remotetest.JSONError(429, "{}", "Retry-After", "1e300")},
			want:      `openai at HOST was asked too often (HTTP 429): ask again later (it asks to wait 8760h0m0s)`,
			asked:     1,
		},
		{
			name:      "X-Should-Retry",
			responses: []remotetest.Response{remotetest.JSONError(400, "{}", "X-Should-Retry", "true"), remotetest.JSONError(500, "{}", "X-Should-Retry", "false")},
			want:      `openai at HOST failed (HTTP 500): ask again later`,
			asked:     2, slept: backoff[:1],
		},
		{name: "408, 409, an answer", responses: []remotetest.Response{remotetest.JSONError(408, "{}"), remotetest.JSONError(409, "{}"), ok}, asked: 3, slept: backoff},
		{name: "502, 504, an answer", responses: []remotetest.Response{remotetest.JSONError(502, "{}"), remotetest.JSONError(504, "{}"), ok}, asked: 3, slept: backoff},
		{
			name: "500, 529, 503", responses: []remotetest.Response{remotetest.JSONError(500, "{}"), remotetest.JSONError(529, "{}"), {Status: 503, Body: "Loading model", Header: map[string]string{"Content-Type": "text/plain"}}},
			want:  `openai at HOST is overloaded (HTTP 503: Loading model): ask again later (asked 3 times)`,
			asked: 3, slept: backoff,
		},
		{name: "501", responses: []remotetest.Response{remotetest.JSONError(501, `[{"error":{"message":"no"}}]`)}, want: `openai at HOST refuses the request (HTTP 501: no): check --model and --model-url, and the tools with vatio tools check`, asked: 1},
		{
			name: "a redirect", responses: []remotetest.Response{{Status: 307, Header: map[string]string{"Location": "https://elsewhere.example/v1?token=1"}}},
			want:  `openai at HOST redirects to https://elsewhere.example/v1 (HTTP 307), which is not followed: check --model-url`,
			asked: 1,
		},
		{
			name: "a page", responses: []remotetest.Response{{Body: "<html>", Header: map[string]string{"Content-Type": "text/html"}}},
			want:  `openai at HOST answers with a web page: --model-url is not the address of its API`,
			asked: 1,
		},
		{
			name: "an error in 200", responses: []remotetest.Response{remotetest.JSONError(200, `{"error":{"code":429,"message":"slow down"}}`), ok},
			asked: 2, slept: backoff[:1],
		},
		{
			name: "an error before any text, then an answer", responses: []remotetest.Response{{Body: ": wait\n\n" + sse(chunk(`{"role":"assistant","content":""}`, "null"), `{"error":{"message":"overloaded","code":503}}`)}, ok},
			asked: 2, slept: backoff[:1],
		},
		{
			name: "an error nobody knows, before any text", responses: []remotetest.Response{{Body: sse(`{"error":{"message":"boom"}}`)}},
			want:  `openai at HOST failed (boom): ask again (asked 3 times)`,
			asked: 3, slept: backoff,
		},
		{
			name: "an error after text is not asked again", responses: []remotetest.Response{{Body: sse(chunk(`{"content":"a"}`, "null"), `{"error":{"message":"overloaded","code":503}}`)}, ok},
			want:  `openai at HOST is overloaded (HTTP 503: overloaded): ask again later`,
			asked: 1,
		},
		{
			name: "an error after a call is not asked again", responses: []remotetest.Response{{Body: sse(chunk(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a"}}]}`, "null"), `{"error":{"message":"overloaded","code":503}}`)}, ok},
			want:  `openai at HOST is overloaded (HTTP 503: overloaded): ask again later`,
			asked: 1,
		},
		{name: "the connection breaks before an answer", responses: []remotetest.Response{{Cut: true}, ok}, asked: 2, slept: backoff[:1]},
		{
			name: "the connection breaks in an answer", responses: []remotetest.Response{{Body: sse(chunk(`{"content":"a"}`, "null")), Cut: true}, ok},
			want:  `the answer of openai at HOST was cut off before its end: ask again`,
			asked: 1,
		},
		{name: "the connection breaks behind an answer", responses: []remotetest.Response{{Body: sse(chunk(`{"content":"ok"}`, "stop")), Cut: true}}, asked: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := remotetest.Serve(t, test.responses...)
			l := &remotetest.Timeline{}
			o := Options{Key: testKey, BaseURL: s.URL}
			if test.noKey {
				o.Key = ""
			}
			got := ask(t, newTestModel(t, o, l), hello())
			host := strings.TrimPrefix(s.URL, "http://")
			if wrong := strings.ReplaceAll(got.Err, host, "HOST"); wrong != test.want {
				t.Errorf("%s\nwant %s", wrong, test.want)
			}
			if test.want == "" && got.Reply.Text != "ok" {
				t.Errorf("%+v", got)
			}
			if n := len(s.Requests()); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
			for _, request := range s.Requests() {
				if request != s.Requests()[0] {
					t.Errorf("another request:\n%s", request)
				}
			}
			if diff := cmp.Diff(test.slept, l.Slept); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A server that gives the key back, in whatever form, does not bring it on the
// screen.
func TestKeyInErrors(t *testing.T) {
	forms := map[string]string{
		"as it is":       testKey,
		"in a url":       url.QueryEscape(testKey),
		"in a path":      url.PathEscape(testKey),
		"base64":         base64.StdEncoding.EncodeToString([]byte(testKey)),
		"base64url":      base64.RawURLEncoding.EncodeToString([]byte(testKey)),
		"basic":          base64.StdEncoding.EncodeToString([]byte("user:" + testKey)),
		"its begin":      testKey[:12],
		"its end":        testKey[len(testKey)-9:],
		"masked":         testKey[:7] + "****" + testKey[len(testKey)-4:],
		"masked, dots":   testKey[:5] + "..." + testKey[len(testKey)-4:],
		"masked, dot":    testKey[:5] + "…" + testKey[len(testKey)-4:],
		"across the cut": strings.Repeat("x", 290) + testKey,
	}
	for name, form := range forms {
		for _, body := range []string{
			`{"error":{"message":"bad key ` + form + ` given","code":"` + form + `"}}`,
			"plain " + form,
		} {
			for _, r := range []remotetest.Response{
				remotetest.JSONError(401, body),
				{Status: 500, Body: body, Header: map[string]string{"Content-Type": "text/plain"}},
				{Status: 302, Header: map[string]string{"Location": "/x/" + url.PathEscape(form)}},
				{Body: sse(chunk(`{"content":"a"}`, "null"), body)},
				{Body: sse(chunk(`{"refusal":"`+form+`"}`, "stop"))},
			} {
				s := remotetest.Serve(t, r)
				got := ask(t, newTestModel(t, Options{Key: testKey, BaseURL: s.URL}, &remotetest.Timeline{}), hello())
				if got.Err == "" {
					t.Fatalf("%s: no error", name)
				}
				for i := 0; i+8 <= len(form); i++ {
					if part := form[i : i+8]; strings.Contains(got.Err, part) && strings.Trim(part, "x") != "" {
						t.Errorf("%s: %q is in %s", name, part, got.Err)
						break
					}
				}
				s.Close()
			}
		}
	}
}

// What can go wrong before there is an answer at all.
func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	secure.StartTLS()
	defer secure.Close()
	failing := func(err error) http.RoundTripper {
		return roundTripper(func(*http.Request) (*http.Response, error) { return nil, err })
	}
	tests := []struct {
		name      string
		base      string
		transport http.RoundTripper
		want      string
		waits     int
	}{
		{"refused", "http://" + closed, nil, "openai at " + closed + " cannot be reached: the connection was refused: is the server running? Check --model-url (asked 3 times)", 2},
		{"plain instead of TLS", strings.Replace(plain.URL, "http:", "https:", 1), nil, "openai at " + strings.TrimPrefix(plain.URL, "http://") + " does not speak HTTPS: check --model-url", 0},
		{"a certificate nobody trusts", secure.URL, nil, "openai at " + strings.TrimPrefix(secure.URL, "https://") + " cannot be reached safely: its certificate is not valid for that host or not trusted here", 0},
		{"no such host", "https://api.invalid", failing(&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api.invalid", IsNotFound: true}}), `openai at api.invalid cannot be reached: there is no host "api.invalid": check --model-url and the network`, 0},
		{"OpenAI itself, with the key in the error", "", failing(errors.New("proxy says\n" + testKey)), "openai at api.openai.com cannot be reached: proxy says [redacted] (asked 3 times)", 2},
		{"too slow", "http://host", failing(timeout{}), "openai at host did not answer in time: ask again later", 0},
		{"too slow to dial", "http://host", failing(&net.OpError{Op: "dial", Err: timeout{}}), "openai at host did not answer in time: ask again later (asked 3 times)", 2},
	}
	for _, test := range tests {
		l := &remotetest.Timeline{}
		got := ask(t, newTestModel(t, Options{Key: testKey, BaseURL: test.base, Transport: test.transport}, l), hello())
		if got.Err != test.want || len(l.Slept) != test.waits {
			t.Errorf("%s: %s (%d waits)\nwant %s (%d)", test.name, got.Err, len(l.Slept), test.want, test.waits)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type timeout struct{}

func (timeout) Error() string { return "net/http: timeout awaiting response headers" }
func (timeout) Timeout() bool { return true }

// A context that is done ends everything, with its own error.
func TestCancel(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		s := remotetest.Serve(t, remotetest.Response{Body: done})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := newTestModel(t, Options{BaseURL: s.URL}, &remotetest.Timeline{}).Next(ctx, hello(), nil); err != context.Canceled || len(s.Requests()) != 0 {
			t.Errorf("%v, %d requests", err, len(s.Requests()))
		}
	})
	t.Run("in an answer", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, sse(chunk(`{"content":"a"}`, "null")))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			close(gone)
		}))
		defer s.Close()
		reply, err := newTestModel(t, Options{BaseURL: s.URL}, &remotetest.Timeline{}).Next(ctx, hello(), func(string) { cancel() })
		if err != context.Canceled || reply.Text != "" {
			t.Errorf("%v %+v", err, reply)
		}
		<-gone
	})
	t.Run("while waiting", func(t *testing.T) {
		s := remotetest.Serve(t, remotetest.Response{Status: 503})
		ctx, cancel := context.WithCancel(t.Context())
		l := &remotetest.Timeline{}
		clock := l.Clock()
		clock.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
		m, err := newModel(Options{Name: "m", BaseURL: s.URL}, clock)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Next(ctx, hello(), nil); err != context.Canceled || len(s.Requests()) != 1 {
			t.Errorf("%v, %d requests", err, len(s.Requests()))
		}
	})
	t.Run("a deadline before the wait is over", func(t *testing.T) {
		s := remotetest.Serve(t, remotetest.Response{Status: 503, Header: map[string]string{"Retry-After": "15"}})
		l := &remotetest.Timeline{}
		clock := l.Clock()
		clock.Now = time.Now
		m, err := newModel(Options{Name: "m", BaseURL: s.URL}, clock)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err = m.Next(ctx, hello(), nil)
		if err == nil || !strings.Contains(err.Error(), "is overloaded (HTTP 503)") || l.Slept != nil {
			t.Errorf("%v, slept %v", err, l.Slept)
		}
	})
}

// Conversations at once do not disturb one another.
func TestConcurrent(t *testing.T) {
	s := remotetest.Serve(t, remotetest.Response{Body: done})
	m := newTestModel(t, Options{Key: testKey, BaseURL: s.URL}, &remotetest.Timeline{})
	results := make(chan string)
	for i := range 16 {
		go func() {
			r := conversation()
			r.Tools = r.Tools[:1+i%3]
			reply, err := m.Next(context.Background(), r, func(string) {})
			if err != nil {
				results <- err.Error()
				return
			}
			results <- reply.Text
		}()
	}
	for range 16 {
		if got := <-results; got != "ok" {
			t.Error(got)
		}
	}
	want := map[string]int{}
	for _, request := range s.Requests() {
		want[request]++
	}
	if len(want) != 3 {
		t.Errorf("%d different requests, want 3", len(want))
	}
}

// A connection is used again for the next turn.
func TestConnectionIsKept(t *testing.T) {
	s := remotetest.Serve(t, remotetest.Response{Body: done}, remotetest.Response{Body: sse(chunk(`{"content":"ok"}`, "stop"))}, remotetest.Response{Status: 503}, remotetest.Response{Body: done})
	m := newTestModel(t, Options{BaseURL: s.URL}, &remotetest.Timeline{})
	opened := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if !info.Reused {
			opened++
		}
	}})
	for range 3 {
		if _, err := m.Next(ctx, hello(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if opened != 1 {
		t.Errorf("%d connections, want 1", opened)
	}
}
