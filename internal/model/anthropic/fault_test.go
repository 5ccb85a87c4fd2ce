package anthropic

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
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

// wrong is the body of an error as the API sends it.
func wrong(kind, message string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`
}

// What each status comes to, how often it is asked for, and after what waits.
func TestStatuses(t *testing.T) {
	type response = remotetest.Response
	ok := response{Body: done}
	fails := func(status int, kind, message string, header ...string) response {
		return remotetest.JSONError(status, wrong(kind, message), header...)
	}
	backoff := remotetest.Backoff()
	tests := []struct {
		name      string
		responses []response
		noKey     bool
		want      string // "": the answer came
		asked     int
		slept     []time.Duration
	}{
		{
			name: "400", responses: []response{fails(400, "invalid_request_error", "tools.0.custom.input_schema.type: Field required")},
			want: "anthropic at HOST refuses the request (HTTP 400: tools.0.custom.input_schema.type: Field required): check --model and --model-url, and the tools with vatio tools check", asked: 1,
		},
		{
			name: "400, a conversation that is too long", responses: []response{fails(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum")},
			want: "anthropic at HOST has no room for the whole conversation (HTTP 400: prompt is too long: 208310 tokens > 200000 maximum): start a new one, or choose a model with a larger context", asked: 1,
		},
		{
			name: "400, no money", responses: []response{fails(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.")},
			want: "anthropic at HOST asks for money (HTTP 400: Your credit balance is too low to access the Anthropic API.): look at the plan and the billing of the key's account", asked: 1,
		},
		{
			name: "401", responses: []response{fails(401, "authentication_error", "invalid x-api-key")},
			want: "anthropic at HOST refuses the key (HTTP 401: invalid x-api-key): run vatio secrets set ANTHROPIC_API_KEY, or export the variable of that name", asked: 1,
		},
		{
			name: "401 without a key", noKey: true, responses: []response{fails(401, "authentication_error", "x-api-key header is required")},
			want: "anthropic at HOST asks for a key (HTTP 401: x-api-key header is required): run vatio secrets set ANTHROPIC_API_KEY, or export the variable of that name", asked: 1,
		},
		{
			name: "402", responses: []response{fails(402, "billing_error", "no payment method")},
			want: "anthropic at HOST asks for money (HTTP 402: no payment method): look at the plan and the billing of the key's account", asked: 1,
		},
		{
			name: "403", responses: []response{fails(403, "permission_error", "no")},
			want: `anthropic at HOST does not let the key use the model "test-1" (HTTP 403: no): choose another with --model, or another key`, asked: 1,
		},
		{
			name: "404", responses: []response{fails(404, "not_found_error", "model: test-1")},
			want: `anthropic at HOST knows no model "test-1" at this address (HTTP 404: model: test-1): check --model and --model-url`, asked: 1,
		},
		{
			name: "413", responses: []response{fails(413, "request_too_large", "Request exceeds the maximum size")},
			want: "anthropic at HOST has no room for the whole conversation (HTTP 413: Request exceeds the maximum size): start a new one, or choose a model with a larger context", asked: 1,
		},
		{name: "429, then an answer", responses: []response{fails(429, "rate_limit_error", "slow"), ok}, asked: 2, slept: backoff[:1]},
		{
			name: "429, for ever", responses: []response{fails(429, "rate_limit_error", "slow")},
			want: "anthropic at HOST was asked too often (HTTP 429: slow): ask again later (asked 3 times)", asked: 3, slept: backoff,
		},
		{
			name:      "Retry-After in seconds, as a date",
			responses: []response{fails(429, "rate_limit_error", "slow", "Retry-After", "7"), fails(529, "overloaded_error", "Overloaded", "Retry-After", "Tue, 01 Dec 2026 12:00:19 GMT"), ok},
			asked:     3, slept: []time.Duration{7 * time.Second, 19 * time.Second},
		},
		{
			name:      "Retry-After-Ms goes first, and what is past is now",
			responses: []response{fails(429, "rate_limit_error", "slow", "Retry-After", "100", "Retry-After-Ms", "1500"), fails(500, "api_error", "x", "Retry-After", "Tue, 01 Dec 2026 11:00:00 GMT"), ok},
			asked:     3, slept: []time.Duration{1500 * time.Millisecond, 0},
		},
		{
			name:      "Retry-After beyond what is waited",
			responses: []response{fails(429, "rate_limit_error", "slow", "Retry-After", "20"), fails(429, "rate_limit_error", "slow", "Retry-After", "21")},
			want:      "anthropic at HOST was asked too often (HTTP 429: slow): ask again later (it asks to wait 21s)", asked: 2, slept: []time.Duration{20 * time.Second},
		},
		{
			name: "X-Should-Retry", responses: []response{fails(500, "api_error", "x", "X-Should-Retry", "false")},
			want: "anthropic at HOST failed (HTTP 500: x): ask again later", asked: 1,
		},
		{name: "408, 409, an answer", responses: []response{fails(408, "timeout_error", "x"), fails(409, "conflict_error", "x"), ok}, asked: 3, slept: backoff},
		{name: "502, 504, an answer", responses: []response{{Status: 502}, fails(504, "timeout_error", "x"), ok}, asked: 3, slept: backoff},
		{
			name: "500, 503, 529", responses: []response{fails(500, "api_error", "x"), fails(503, "api_error", "x"), fails(529, "overloaded_error", "Overloaded")},
			want: "anthropic at HOST is overloaded (HTTP 529: Overloaded): ask again later (asked 3 times)", asked: 3, slept: backoff,
		},
		{
			name: "a redirect", responses: []response{{Status: 308, Header: map[string]string{"Location": "https://elsewhere.example/v1/messages"}}},
			want: "anthropic at HOST redirects to https://elsewhere.example/v1/messages (HTTP 308), which is not followed: check --model-url", asked: 1,
		},
		{
			name: "a page", responses: []response{{Body: "<html>", Header: map[string]string{"Content-Type": "text/html"}}},
			want: "anthropic at HOST answers with a web page: --model-url is not the address of its API", asked: 1,
		},
		{name: "an error in 200", responses: []response{remotetest.JSONError(200, wrong("overloaded_error", "Overloaded")), ok}, asked: 2, slept: backoff[:1]},
		{
			name: "an error before any text, then an answer", responses: []response{{Body: sse(begin, start(0, `{"type":"text","text":""}`), ping, wrong("overloaded_error", "Overloaded"))}, ok},
			asked: 2, slept: backoff[:1],
		},
		{
			name: "an error behind thinking, then an answer", responses: []response{{Body: sse(begin, start(0, `{"type":"thinking","thinking":""}`), `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}`, wrong("api_error", "x"))}, ok},
			asked: 2, slept: backoff[:1],
		},
		{
			name: "an error that asking again does not mend", responses: []response{{Body: sse(begin, wrong("invalid_request_error", "no"))}, ok},
			want: "anthropic at HOST refuses the request (HTTP 400: no): check --model and --model-url, and the tools with vatio tools check", asked: 1,
		},
		{
			name: "an error nobody knows", responses: []response{{Body: sse(wrong("new_error", "boom"))}},
			want: "anthropic at HOST failed (new_error: boom): ask again (asked 3 times)", asked: 3, slept: backoff,
		},
		{
			name: "an error after text is not asked again", responses: []response{{Body: sse(begin, text(0, `"a"`), wrong("overloaded_error", "Overloaded"))}, ok},
			want: "anthropic at HOST is overloaded (HTTP 529: Overloaded): ask again later", asked: 1,
		},
		{
			name: "an error after a call is not asked again", responses: []response{{Body: sse(begin, start(0, `{"type":"tool_use","id":"a","name":"one","input":{}}`), wrong("overloaded_error", "Overloaded"))}, ok},
			want: "anthropic at HOST is overloaded (HTTP 529: Overloaded): ask again later", asked: 1,
		},
		{name: "the connection breaks before an answer", responses: []response{{Cut: true}, ok}, asked: 2, slept: backoff[:1]},
		{
			name: "the connection breaks in an answer", responses: []response{{Body: sse(begin, text(0, `"a"`)), Cut: true}, ok},
			want: "the answer of anthropic at HOST was cut off before its end: ask again", asked: 1,
		},
		{
			name: "the connection breaks before the stop", responses: []response{{Body: sse(begin, text(0, `"a"`), because("end_turn")), Cut: true}, ok},
			want: "the answer of anthropic at HOST was cut off before its end: ask again", asked: 1,
		},
		{name: "the connection breaks behind an answer", responses: []response{{Body: done, Cut: true}}, asked: 1},
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
			if err := strings.ReplaceAll(got.Err, strings.TrimPrefix(s.URL, "http://"), "HOST"); err != test.want {
				t.Errorf("%s\nwant %s", err, test.want)
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
		"as it is":  testKey,
		"in a url":  url.QueryEscape(testKey),
		"base64":    base64.StdEncoding.EncodeToString([]byte(testKey)),
		"its begin": testKey[:16],
		"its end":   testKey[len(testKey)-9:],
		"masked":    testKey[:7] + "****" + testKey[len(testKey)-4:],
	}
	for name, form := range forms {
		for _, r := range []remotetest.Response{
			remotetest.JSONError(401, wrong(form, "bad key "+form)),
			{Status: 500, Body: "plain " + form, Header: map[string]string{"Content-Type": "text/plain"}},
			{Status: 302, Header: map[string]string{"Location": "/x/" + url.PathEscape(form)}},
			{Body: sse(begin, text(0, `"a"`), wrong(form, form))},
			{Body: sse(begin, text(0, `"a"`)) + "event: error\ndata: " + form + "\n\n"},
			{Body: sse(begin, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"explanation":"`+form+`"}}}`, stop)},
		} {
			s := remotetest.Serve(t, r)
			got := ask(t, newTestModel(t, Options{Key: testKey, BaseURL: s.URL}, &remotetest.Timeline{}), hello())
			if got.Err == "" {
				t.Fatalf("%s: no error", name)
			}
			for i := 0; i+8 <= len(form); i++ {
				if part := form[i : i+8]; strings.Contains(got.Err, part) {
					t.Errorf("%s: %q is in %s", name, part, got.Err)
					break
				}
			}
			s.Close()
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Anthropic's own address stands in what cannot be reached, and nowhere else.
func TestOwnAddress(t *testing.T) {
	m := newTestModel(t, Options{Key: testKey, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.String() != "https://api.anthropic.com/v1/messages" {
			t.Error(r.URL)
		}
		return nil, errors.New("proxy says\n" + testKey)
	})}, &remotetest.Timeline{})
	if got, want := ask(t, m, hello()).Err, "anthropic at api.anthropic.com cannot be reached: proxy says [redacted] (asked 3 times)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	m = newTestModel(t, Options{Key: testKey, Transport: remotetest.Pieces{}}, &remotetest.Timeline{})
	if got, want := ask(t, m, hello()).Err, "the answer of anthropic was cut off before its end: ask again"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

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
			_, _ = io.WriteString(w, sse(begin, text(0, `"a"`)))
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
		s := remotetest.Serve(t, remotetest.Response{Status: 529})
		ctx, cancel := context.WithCancel(t.Context())
		clock := (&remotetest.Timeline{}).Clock()
		clock.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
		m, err := newModel(Options{Name: "m", BaseURL: s.URL}, clock)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Next(ctx, hello(), nil); err != context.Canceled || len(s.Requests()) != 1 {
			t.Errorf("%v, %d requests", err, len(s.Requests()))
		}
	})
}

// A server that leaves the connection open behind the end keeps nobody waiting.
func TestOpenEnd(t *testing.T) {
	closing := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, done)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-closing:
		}
	}))
	defer s.Close()
	defer close(closing)
	if got := ask(t, newTestModel(t, Options{BaseURL: s.URL}, &remotetest.Timeline{}), hello()); got.Err != "" || got.Reply.Text != "ok" {
		t.Errorf("%+v", got)
	}
}

// Conversations at once do not disturb one another.
func TestConcurrent(t *testing.T) {
	s := remotetest.Serve(t, remotetest.Response{Body: done})
	m := newTestModel(t, Options{Key: testKey, BaseURL: s.URL}, &remotetest.Timeline{})
	results := make(chan string)
	for i := range 16 {
		go func() {
			r := conversation()
			r.Tools = r.Tools[:i%4]
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
	different := map[string]bool{}
	for _, request := range s.Requests() {
		different[request] = true
	}
	if len(different) != 4 {
		t.Errorf("%d different requests, want 4", len(different))
	}
}

// A connection is used again for the next turn.
func TestConnectionIsKept(t *testing.T) {
	s := remotetest.Serve(t, remotetest.Response{Body: done}, remotetest.Response{Status: 529}, remotetest.Response{Body: done})
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
