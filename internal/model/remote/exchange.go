package remote

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// An Exchange is one request and its answer. It is the HTTP client of one call
// of a provider's SDK, and belongs to one goroutine.
type Exchange struct {
	client   *Client
	body     io.ReadCloser
	ctx      context.Context // of the request; cancelled with errSilent by timer
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	last     bool // timer runs until close, it is not wound up again
	got      int
	finished bool
	ended    bool
}

var errSilent = errors.New("silent for too long")

// Do sends the request. It returns a response for an answer that may be one,
// and a *Fault for everything else. The answer is read with Events.
func (x *Exchange) Do(req *http.Request) (*http.Response, error) {
	c := x.client
	x.close()
	x.ctx, x.cancel = context.WithCancelCause(req.Context())
	req = req.WithContext(x.ctx)
	for name := range req.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			req.Header.Del(name)
		}
	}
	req.Header.Set("User-Agent", "vatio/"+c.o.Version)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(err)
	}
	x.body = resp.Body
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode < 200 || resp.StatusCode > 299 || kind == "text/html" {
		x.endIn(aftermath)
		body, _ := io.ReadAll(io.LimitReader(reader{x}, maxFault))
		x.close()
		return nil, c.answered(resp, kind, body)
	}
	return resp, nil
}

// Got counts n bytes of the answer, text or arguments. From here on nothing is
// asked again. The error is a *Fault when the answer is too large.
func (x *Exchange) Got(n int) error {
	x.got += n
	if x.got > MaxAnswer {
		return x.client.fault("the answer of %s is larger than %d MiB and was cut off: ask for less", x.client.who(), MaxAnswer>>20)
	}
	return nil
}

// Finished says that the answer can be whole. What the stream still holds is
// read, but it may end in any way and is not waited for long.
func (x *Exchange) Finished() {
	x.finished = true
}

// End says that the answer is whole and the event at hand the last one that
// counts.
func (x *Exchange) End() {
	x.finished, x.ended = true, true
}

// endIn gives what is left of the exchange so much time.
func (x *Exchange) endIn(d time.Duration) {
	x.wind(d)
	x.last = true
}

func (x *Exchange) wind(d time.Duration) {
	switch cancel := x.cancel; {
	case x.last || cancel == nil:
	case x.timer == nil:
		x.timer = time.AfterFunc(d, func() { cancel(errSilent) })
	default:
		x.timer.Reset(d)
	}
}

// close ends what is left of the exchange.
func (x *Exchange) close() {
	if x.timer != nil {
		x.timer.Stop()
		x.timer = nil
	}
	if x.body != nil {
		_ = x.body.Close()
		x.body = nil
	}
	x.last = false
	if x.cancel != nil {
		x.cancel(nil)
		x.cancel = nil
	}
}

// reader reads the body of an exchange and ends a silence that lasts too long.
type reader struct{ x *Exchange }

func (r reader) Read(p []byte) (int, error) {
	x := r.x
	if x.finished {
		x.wind(min(x.client.silence, patience))
	} else {
		x.wind(x.client.silence)
	}
	n, err := x.body.Read(p)
	if !x.last {
		x.timer.Stop()
	}
	return n, err
}
