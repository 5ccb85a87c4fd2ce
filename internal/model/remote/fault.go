package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A Fault says what a provider did not do, and what to do about it.
type Fault struct {
	Status int           // of HTTP, or what a provider's error inside a stream stands for; 0: neither
	Text   string        // for people, without the key
	Again  bool          // asking again may help
	After  time.Duration // how long the provider asks to wait

	timed bool // After is what the provider asks for
}

func (f *Fault) Error() string { return f.Text }

// waiting adds that the provider asks for a longer wait than is waited.
func (f *Fault) waiting(d time.Duration) *Fault {
	g := *f
	g.Text += fmt.Sprintf(" (it asks to wait %s)", d.Round(time.Second))
	return &g
}

// tried adds how often it was asked.
func (f *Fault) tried(n int) *Fault {
	g := *f
	g.Text += fmt.Sprintf(" (asked %d times)", n)
	return &g
}

// fault makes a Fault. What it says of a foreign text has gone through clean.
func (c *Client) fault(format string, args ...any) *Fault {
	text := fmt.Sprintf(format, args...)
	if len(c.o.Key) >= gram { // a short one would be found in our own words
		text = redact(text, c.o.Key)
	}
	return &Fault{Text: text}
}

// who names the provider, and where it is when that was configured.
func (c *Client) who() string {
	if c.o.Own || c.o.BaseURL == nil {
		return c.o.Provider
	}
	return c.o.Provider + " at " + c.o.BaseURL.Host
}

const maxMessage = 300

// clean makes a foreign text fit for one line of a message: no key, no control
// characters, and not too long.
func (c *Client) clean(text string) string {
	text = strings.ToValidUTF8(redact(text, c.o.Key), "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r)
	}), " ")
	if len(text) > maxMessage {
		cut := 0
		for i := range text {
			if i > maxMessage {
				break
			}
			cut = i
		}
		text = text[:cut] + "…"
	}
	return text
}

// unreachable says why a request got no answer.
func (c *Client) unreachable(err error) *Fault {
	where := c.o.Provider
	if c.o.BaseURL != nil {
		where += " at " + c.o.BaseURL.Host
	}
	var (
		dns         *net.DNSError
		timeout     interface{ Timeout() bool }
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		record      tls.RecordHeaderError
		wrapped     *url.Error
		operation   *net.OpError
	)
	var f *Fault
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return c.fault("%s cannot be reached: there is no host %q: check --model-url and the network", where, dns.Name)
	case errors.As(err, &certificate), errors.As(err, &authority):
		return c.fault("%s cannot be reached safely: its certificate is not valid for that host or not trusted here", where)
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return c.fault("%s does not speak HTTPS: check --model-url", where)
	case errors.Is(err, syscall.ECONNREFUSED):
		f = c.fault("%s cannot be reached: the connection was refused: is the server running? Check --model-url", where)
	case errors.As(err, &timeout) && timeout.Timeout() && !errors.Is(err, context.DeadlineExceeded):
		f = c.fault("%s did not answer in time: ask again later", where)
		if !errors.As(err, &operation) || operation.Op != "dial" {
			return f // it was waited for long enough
		}
	default:
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		f = c.fault("%s cannot be reached: %s", where, c.clean(err.Error()))
	}
	f.Again = true
	return f
}

// answered says what an answer means that holds none.
func (c *Client) answered(resp *http.Response, kind string, body []byte) *Fault {
	status := resp.StatusCode
	code, message := errorOf(body)
	switch {
	case status >= 300 && status < 400:
		to := ""
		if at, err := resp.Location(); err == nil {
			to = fmt.Sprintf(" to %s://%s", at.Scheme, c.clean(at.Host+at.Path))
		}
		f := c.fault("%s redirects%s (HTTP %d), which is not followed: check --model-url", c.who(), to, status)
		f.Status = status
		return f
	case status < 300 && kind == "text/html":
		f := c.fault("%s answers with a web page: --model-url is not the address of its API", c.who())
		f.Status = status
		return f
	case message == "" && kind != "text/html" && kind != "application/json":
		message = string(body)
	}
	f := c.refusal(status, code, message)
	if f.Again {
		f.After, f.timed = retryAfter(resp.Header, c.o.Clock.Now())
	}
	switch resp.Header.Get("X-Should-Retry") {
	case "true":
		f.Again = true
	case "false":
		f.Again = false
	}
	return f
}

// errorOf finds the code and the message of a provider's error object.
func errorOf(body []byte) (code, message string) {
	doc, err := jsondoc.Parse(body)
	if err != nil {
		return "", ""
	}
	if doc.Kind() == jsondoc.Array { // what some gateways make of it
		doc = doc.Index(0)
	}
	return ErrorObject(doc)
}

// ErrorObject reads the error that providers send, in its usual forms:
// {"error":{"message","code","type"}}, {"error":"…"}, {"message"}, {"detail"}.
func ErrorObject(doc jsondoc.Value) (code, message string) {
	e := doc.Get("error")
	if e.Kind() == jsondoc.String {
		return text(doc.Get("code")), e.Text()
	}
	if e.Kind() != jsondoc.Object {
		e = doc
	}
	for _, name := range []string{"code", "type"} {
		if c := text(e.Get(name)); c != "" && c != "error" {
			code = c
			break
		}
	}
	for _, name := range []string{"message", "detail", "error_description"} {
		if m := e.Get(name); m.Exists() && m.Kind() != jsondoc.Null {
			return code, m.Text()
		}
	}
	return code, ""
}

func text(v jsondoc.Value) string {
	if v.Kind() == jsondoc.String || v.Kind() == jsondoc.Number {
		return v.Text()
	}
	return ""
}

// refusal is the Fault of a status, with the provider's own words.
func (c *Client) refusal(status int, code, message string) *Fault {
	said := fmt.Sprintf("HTTP %d", status)
	if status == 0 {
		said = c.clean(code)
	}
	if message = c.clean(message); message != "" {
		said = strings.TrimPrefix(said+": "+message, ": ")
	}
	if said != "" {
		said = " (" + said + ")"
	}
	what, hint, again := "", "", false
	switch lower := strings.ToLower(message); {
	case tooLong(code, lower) || status == http.StatusRequestEntityTooLarge:
		what, hint = noRoom, noRoomHint
	case status == http.StatusUnauthorized && c.o.Key == "":
		what, hint = "asks for a key", c.keyHint()
	case status == http.StatusUnauthorized:
		what, hint = "refuses the key", c.keyHint()
	case status == http.StatusPaymentRequired || code == "insufficient_quota" || strings.Contains(lower, "credit balance"):
		what, hint = "asks for money", "look at the plan and the billing of the key's account"
	case status == http.StatusForbidden:
		what, hint = fmt.Sprintf("does not let the key use the model %q", c.o.Model), "choose another with --model, or another key"
	case status == http.StatusNotFound || code == "model_not_found":
		what, hint = fmt.Sprintf("knows no model %q at this address", c.o.Model), "check --model and --model-url"
	case status == http.StatusTooManyRequests:
		what, hint, again = "was asked too often", "ask again later", true
	case status == http.StatusRequestTimeout, status == http.StatusConflict:
		what, hint, again = "did not get to it", "ask again", true
	case status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported:
		what, hint, again = "failed", "ask again later", true
		if status == 529 || status == http.StatusServiceUnavailable {
			what = "is overloaded"
		}
	case status == 0:
		what, hint, again = "failed", "ask again", true
	default:
		what, hint = "refuses the request", "check --model and --model-url, and the tools with vatio tools check"
	}
	f := c.fault("%s %s%s: %s", c.who(), what, said, hint)
	f.Status, f.Again = status, again
	return f
}

const (
	noRoom     = "has no room for the whole conversation"
	noRoomHint = "start a new one, or choose a model with a larger context"
)

func tooLong(code, message string) bool {
	return code == "context_length_exceeded" || code == "request_too_large" || strings.Contains(message, "maximum context length") ||
		strings.Contains(message, "prompt is too long") || strings.Contains(message, "exceeds the available context size")
}

func (c *Client) keyHint() string {
	return fmt.Sprintf("run vatio secrets set %s, or export the variable of that name", c.o.KeyName)
}

// Refused is the Fault of an error that a provider sends inside its answer,
// which may have no status (0) of its own.
func (x *Exchange) Refused(status int, code, message string) *Fault {
	if status == 0 {
		status = statusOf(code)
	}
	return x.client.refusal(status, code, message)
}

// statusOf returns the status that an error's code would have come with.
func statusOf(code string) int {
	switch code {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error", "invalid_api_key":
		return http.StatusUnauthorized
	case "billing_error":
		return http.StatusPaymentRequired
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error", "model_not_found":
		return http.StatusNotFound
	case "request_too_large", "context_length_exceeded":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota":
		return http.StatusTooManyRequests
	case "api_error", "server_error", "internal_server_error":
		return http.StatusInternalServerError
	case "timeout_error":
		return http.StatusGatewayTimeout
	case "overloaded_error":
		return 529
	}
	if len(code) == 3 && code[0] >= '4' && code[0] <= '5' {
		n := 0
		for _, digit := range []byte(code) {
			if digit < '0' || digit > '9' {
				return 0
			}
			n = 10*n + int(digit-'0')
		}
		return n
	}
	return 0
}

// Cut is the Fault of an answer that ended before it was whole.
func (x *Exchange) Cut() *Fault {
	return x.client.fault("the answer of %s was cut off before its end: ask again", x.client.who())
}

// TooLong is the Fault of an answer that the model's length limit stopped.
func (x *Exchange) TooLong() *Fault {
	return x.client.fault("the answer of %s was cut off at the model's length limit: ask for less at a time, start a new conversation, or choose a model with a larger limit", x.client.who())
}

// NoRoom is the Fault of an answer that was stopped because the conversation
// with it is longer than the model can read.
func (x *Exchange) NoRoom() *Fault {
	return x.client.fault("%s %s: %s", x.client.who(), noRoom, noRoomHint)
}

// Declined is the Fault of an answer that the provider withheld, with its
// reason if it gave one.
func (x *Exchange) Declined(message string) *Fault {
	if message = x.client.clean(message); message != "" {
		message = " (" + message + ")"
	}
	return x.client.fault("%s declined to answer%s: say it in other words", x.client.who(), message)
}

// Malformed is the Fault of an answer that does not follow the provider's
// format; what says what stands there instead.
func (x *Exchange) Malformed(what string) *Fault {
	return x.client.fault("%s sent %s: --model-url may not be the address of its API", x.client.who(), x.client.clean(what))
}
