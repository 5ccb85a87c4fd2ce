package executor

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Header fields come sorted by name, repeated ones in their order.
func TestTraceHeaders(t *testing.T) {
	w := listen(t, "HTTP/1.1 200 OK\nZebra: 1\nset-cookie: b\nAlpha: 2\nSet-Cookie: a\nContent-Length: 0\n\n")
	o := newClient(t).Call(t.Context(), postTool(t, "headers: {Idempotency-Key: k, X-B: b, Accept: a}\n", "respond: {message: ok}\n"), nil, Scope{Env: env("API", w.url())})
	if diff := cmp.Diff([]Header{{"Accept", "a"}, {"Accept-Encoding", "gzip"}, {"Idempotency-Key", "k"}, {"User-Agent", "vatio/1.2.3"}, {"X-B", "b"}}, o.Trace.RequestHeaders); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Header{{"Alpha", "2"}, {"Content-Length", "0"}, {"Set-Cookie", "b"}, {"Set-Cookie", "a"}, {"Zebra", "1"}}, o.Trace.ResponseHeaders); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
