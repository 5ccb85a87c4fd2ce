package executor

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// maxAttempts bounds how many dead kept-alive connections are passed over.
const maxAttempts = 16

// send sends r once and returns the answer's head. Without one, sent tells
// whether the service may have got the request, or part of it.
func (c *Client) send(ctx context.Context, r *request) (response *http.Response, sent bool, err error) {
	transport, refuse := c.open, addressRule(refuseAlways)
	if r.strict {
		transport, refuse = c.strict, refuseInternal
	}
	if err := refuse.checkHost(r.url.Hostname()); err != nil {
		return nil, false, err
	}
	for n := 1; ; n++ {
		var a attempt
		response, err := transport.RoundTrip(r.toHTTP(a.watch(ctx), c.identity))
		if err == nil || n == maxAttempts || ctx.Err() != nil || !a.unsent() {
			return response, response != nil || a.sent(), err
		}
	}
}

// toHTTP makes the request such that http.Transport never sends it again by
// itself, which it does with requests that have no body or one it can rewind.
func (r *request) toHTTP(ctx context.Context, identity []string) *http.Request {
	h := &http.Request{
		Method: r.method, URL: &r.url, Host: r.url.Host, Header: r.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	switch {
	case r.hasBody:
		h.Body, h.ContentLength = io.NopCloser(bytes.NewReader(r.body)), int64(len(r.body))
	case r.method == http.MethodPost || r.method == http.MethodPatch:
		// These announce a length of 0, which they do without a body only. They
		// are sent again only if they carry one of these names, spelt so.
		hideIdempotencyKey(r.header, "Idempotency-Key", "idempotency-key")
		hideIdempotencyKey(r.header, "X-Idempotency-Key", "x-idempotency-key")
	default:
		// An empty body of the identity encoding reads the same on the wire as none.
		h.Body, h.TransferEncoding = io.NopCloser(bytes.NewReader(nil)), identity
	}
	return h.WithContext(ctx)
}

func hideIdempotencyKey(h http.Header, name, spelling string) {
	if value, ok := h[name]; ok {
		delete(h, name)
		h[spelling] = value
	}
}
