package executor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/vatio-dev/vatio/pkg/tool"
)

// An Outcome is what came of a call.
type Outcome struct {
	// Content is what the model gets: the JSON object of an HTTP tool, or the
	// text of a service tool.
	Content string
	IsError bool
	// ErrorKey is the machine's word for the error, "" for none. A service tool
	// has one too, although its content does not show it.
	ErrorKey string
	// Trace is nil when the call was refused before a server was tried. Where
	// none could be reached it is there, with Status 0 and Err.
	Trace *Trace
}

// Call calls t with the arguments a model wrote. It never fails: what goes
// wrong is in the Outcome, in words for the model. When ctx ends before the call
// does, the outcome's key is "cancelled".
func (c *Client) Call(ctx context.Context, t *tool.Tool, arguments []byte, s Scope) Outcome {
	v := newValues(s)
	r, f := c.prepare(t, arguments, v)
	secrets := newRedactor(secretsOf(t, v))
	if f != nil {
		return refuse(t, f, secrets, nil)
	}
	a, trace, f := c.exchange(ctx, r, timeLimit(t, s), secrets)
	switch {
	case f != nil && t.Service != nil:
		return refuse(t, serviceFailure(f), secrets, trace)
	case f != nil:
		return refuse(t, f, secrets, trace)
	case t.Service != nil:
		return serviceOutcome(t, a, a.secrets, trace)
	}
	return httpOutcome(t, a, a.secrets, trace)
}

// prepare does all that comes before sending, in the order of the package
// documentation.
func (c *Client) prepare(t *tool.Tool, text []byte, v *values) (*request, *failure) {
	if t.Private && v.scope.Principal == nil {
		return nil, &failure{keyAuthentication, "this needs a caller who has signed in"}
	}
	arguments, f := readArguments(t, text)
	if f != nil {
		return nil, f
	}
	v.arguments = arguments
	var r *request
	if t.Service != nil {
		r, f = buildService(t, v)
	} else if f = checkRequires(t.HTTP.Requires, v); f == nil {
		r, f = buildHTTP(t.HTTP, v)
	}
	if f != nil {
		return nil, f
	}
	c.finishHeaders(r)
	return r, nil
}

func timeLimit(t *tool.Tool, s Scope) time.Duration {
	switch {
	case t.Timeout > 0:
		return t.Timeout
	case s.Timeout > 0:
		return s.Timeout
	}
	return DefaultTimeout
}

// exchange sends r and reads the answer within the limit. The trace is nil when
// the address was refused.
func (c *Client) exchange(parent context.Context, r *request, limit time.Duration, secrets *redactor) (*answer, *Trace, *failure) {
	ctx, cancel := context.WithTimeout(parent, limit)
	defer cancel()
	start := time.Now()
	response, sent, err := c.send(ctx, r)
	var body []byte
	if err == nil {
		body, err = c.readBody(response)
	}
	duration := time.Since(start)
	f := failureOf(parent, ctx, r, limit, progress{sent, response}, err)
	if f != nil && f.key == keyBlocked {
		return nil, nil, f
	}
	trace := r.trace(start, secrets)
	trace.Duration = duration
	if f != nil {
		trace.Err = secrets.text(errorInWords(f, err))
	}
	if response == nil {
		return nil, trace, f
	}
	text, charset := toText(body, response.Header.Get("Content-Type"))
	secrets = secrets.charset(charset)
	a := &answer{status: response.StatusCode, header: response.Header, text: text, secrets: secrets}
	whole := string(text)
	trace.Status = a.status
	trace.ResponseHeaders = listHeaders(a.header, secrets)
	if err == nil {
		trace.ResponseBody = secrets.text(whole)
	} else {
		trace.ResponseBody = secrets.cutText(whole)
	}
	trace.ResponseBytes = int64(len(body))
	a.clean = trace.ResponseBody == whole
	return a, trace, f
}

// A progress is how far a call came.
type progress struct {
	sent     bool           // the service may have got the request
	response *http.Response // nil: no head of an answer arrived
}

// failureOf says what an error means; nil for none.
func failureOf(parent, ctx context.Context, r *request, limit time.Duration, p progress, err error) *failure {
	if err == nil {
		return nil
	}
	var (
		blocked *blockedError
		coding  *codingError
	)
	switch {
	case parent.Err() != nil:
		return &failure{keyCancelled, "the call was cancelled"}
	case ctx.Err() != nil:
		return &failure{keyTimeout, "the service did not answer within " + seconds(limit) + " s" + r.doubt()}
	case errors.Is(err, errTooLarge), isHeadTooLarge(err):
		return &failure{keyTooLarge, "the service's answer was too large" + r.doubt()}
	case errors.As(err, &coding):
		return &failure{keyResponse, "the service's answer could not be decoded: " + coding.reason + r.doubt()}
	case errors.As(err, &blocked):
		return &failure{keyBlocked, "calls to " + r.hostPort() + " are not allowed: " + blocked.Error()}
	}
	switch {
	case p.response != nil:
		return &failure{keyUnreachable, fmt.Sprintf("the service at %s answered HTTP %d, but %s", r.hostPort(), p.response.StatusCode, interruption(err)) + r.doubt()}
	case p.sent:
		return &failure{keyUnreachable, "the call was sent to " + r.hostPort() + ", but no answer can be read: " + causeOf(err) + r.doubt()}
	}
	return &failure{keyUnreachable, "could not reach " + r.hostPort() + ": " + causeOf(err)}
}

func errorInWords(f *failure, err error) string {
	if f.key == keyUnreachable {
		return causeOf(err)
	}
	return f.reason
}

// serviceFailure words what a service tool says of a service that was not
// reached.
func serviceFailure(f *failure) *failure {
	if f.key == keyUnreachable {
		return &failure{f.key, "the service is unreachable"}
	}
	return f
}

// doubt warns where repeating the call could do a thing twice.
func (r *request) doubt() string {
	if r.service {
		return ""
	}
	return doubt(r.method)
}

func doubt(method string) string {
	if method == http.MethodGet {
		return ""
	}
	return "; it may have carried out the call all the same"
}

func (r *request) hostPort() string {
	if r.url.Port() != "" {
		return r.url.Host
	}
	port := "80"
	if r.url.Scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(r.url.Hostname(), port)
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}
