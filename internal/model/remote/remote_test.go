package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// The waits between tries, as the clock has them and jitter makes them.
func TestBackoff(t *testing.T) {
	for jitter, want := range map[float64][2]time.Duration{0: {500 * time.Millisecond, time.Second}, 1: {375 * time.Millisecond, 750 * time.Millisecond}} {
		c := New(Options{Clock: Clock{Jitter: func() float64 { return jitter }}})
		if got := [2]time.Duration{c.backoff(1), c.backoff(2)}; got != want {
			t.Errorf("jitter %v: %v, want %v", jitter, got, want)
		}
	}
}

// With the real clock a wait is a wait, and a context ends it.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Provider: "acme"})
		start, tries := time.Now(), 0
		err := c.Ask(t.Context(), func(*Exchange) error { tries++; return &Fault{Text: "no", Again: true} })
		if took := time.Since(start); err == nil || err.Error() != "no (asked 3 times)" || tries != 3 || took < 1125*time.Millisecond || took > 1500*time.Millisecond {
			t.Errorf("%v, %d tries, %s", err, tries, took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		start = time.Now()
		if err := c.Ask(ctx, func(*Exchange) error { return &Fault{Text: "no", Again: true} }); err != context.Canceled || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

// Whatever an attempt returns, people get a text without the key.
func TestErrorsOfAnAttempt(t *testing.T) {
	c := New(Options{Provider: "acme", Key: "sk-0123456789"})
	tests := []struct {
		err  error
		want string
	}{
		{errors.New("boom\nsk-0123456789"), "acme cannot be asked: boom [redacted]"},
		{fmt.Errorf("wrapped: %w", &Fault{Text: "a fault"}), "a fault"},
		{context.Canceled, "acme cannot be asked: context canceled"},
	}
	for _, test := range tests {
		err := c.Ask(t.Context(), func(*Exchange) error { return test.err })
		if _, ok := errors.AsType[*Fault](err); !ok || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

func TestFaultsInsideAStream(t *testing.T) {
	x := &Exchange{client: New(Options{Provider: "acme", Model: "m", KeyName: "ACME_KEY", Key: "none"})}
	tests := []struct {
		status        int
		code, message string
		want          string
		again         bool
	}{
		{0, "overloaded_error", "Overloaded", "acme is overloaded (HTTP 529: Overloaded): ask again later", true},
		{0, "rate_limit_error", "", "acme was asked too often (HTTP 429): ask again later", true},
		{0, "api_error", "Internal", "acme failed (HTTP 500: Internal): ask again later", true},
		{0, "authentication_error", "bad", "acme refuses the key (HTTP 401: bad): run vatio secrets set ACME_KEY, or export the variable of that name", false},
		{0, "permission_error", "", `acme does not let the key use the model "m" (HTTP 403): choose another with --model, or another key`, false},
		{0, "not_found_error", "", `acme knows no model "m" at this address (HTTP 404): check --model and --model-url`, false},
		{0, "request_too_large", "", "acme has no room for the whole conversation (HTTP 413): start a new one, or choose a model with a larger context", false},
		{0, "billing_error", "pay", "acme asks for money (HTTP 402: pay): look at the plan and the billing of the key's account", false},
		{400, "invalid_request_error", "Your credit balance is too low", "acme asks for money (HTTP 400: Your credit balance is too low): look at the plan and the billing of the key's account", false},
		{400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum", "acme has no room for the whole conversation (HTTP 400: prompt is too long: 300000 tokens > 200000 maximum): start a new one, or choose a model with a larger context", false},
		{0, "503", "", "acme is overloaded (HTTP 503): ask again later", true},
		{0, "4x3", "odd", "acme failed (4x3: odd): ask again", true},
		{0, "", "", "acme failed: ask again", true},
	}
	for _, test := range tests {
		f := x.Refused(test.status, test.code, test.message)
		if f.Text != test.want || f.Again != test.again {
			t.Errorf("%s: %s, again %v\nwant %s, %v", test.code, f.Text, f.Again, test.want, test.again)
		}
	}
	if got := x.Declined("").Text; got != "acme declined to answer: say it in other words" {
		t.Error(got)
	}
}

func TestErrorObject(t *testing.T) {
	for _, test := range []struct{ doc, code, message string }{
		{`{"error":{"message":"m","type":"t","code":"c"}}`, "c", "m"},
		{`{"error":{"message":"m","type":"t","code":null}}`, "t", "m"},
		{`{"error":{"message":"m","code":429}}`, "429", "m"},
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`, "overloaded_error", "Overloaded"},
		{`{"error":"m","code":5}`, "5", "m"},
		{`{"object":"error","message":"m","type":"t"}`, "t", "m"},
		{`{"detail":"m"}`, "", "m"},
		{`{"error":null,"message":"m"}`, "", "m"},
		{`{"error":{}}`, "", ""},
		{`[]`, "", ""},
	} {
		if code, message := ErrorObject(jsondoc.MustParse(test.doc)); code != test.code || message != test.message {
			t.Errorf("%s: %q, %q", test.doc, code, message)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		seconds, ms string
		want        time.Duration
		ok          bool
	}{
		{"", "", 0, false}, {"3", "", 3 * time.Second, true}, {"0.5", "", 500 * time.Millisecond, true}, {"-1", "", 0, true},
		{"Tue, 01 Dec 2026 12:00:05 GMT", "", 5 * time.Second, true}, {"Tuesday, 01-Dec-26 12:00:05 GMT", "", 5 * time.Second, true},
		{"3", "20", 20 * time.Millisecond, true}, {"3", "x", 3 * time.Second, true}, {"Inf", "", 365 * 24 * time.Hour, true}, {"NaN", "", 0, false}, {"later", "", 0, false},
	} {
		h := http.Header{"Retry-After": {test.seconds}, "Retry-After-Ms": {test.ms}}
		if got, ok := retryAfter(h, now); got != test.want || ok != test.ok {
			t.Errorf("%q, %q: %s, %v", test.seconds, test.ms, got, ok)
		}
	}
}

func TestLocal(t *testing.T) {
	for text, want := range map[string]bool{
		"http://localhost:1": true, "http://LOCALHOST.": true, "http://a.localhost": true, "http://127.0.0.1": true, "http://127.9.9.9:1": true, "http://[::1]:1": true, "http://[::ffff:127.0.0.1]": true, "http://0.0.0.0:1": true,
		"http://localhost.example": false, "http://10.0.0.1": false, "http://127.0.0.1.example": false, "http://example": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Local(u); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
