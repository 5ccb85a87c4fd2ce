package deploy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"oras.land/oras-go/v2/registry/remote/retry"
)

const (
	connectTimeout = 15 * time.Second
	stallTimeout   = 60 * time.Second // without a byte in either direction
	attempts       = 4
	maxPause       = 10 * time.Second // what a registry may ask to wait
)

// newTransport is how a registry is reached: bounded in time and in retries, and
// in the clear only from and to loopback.
func newTransport(base http.RoundTripper, clear bool, pauses *pauses) http.RoundTripper {
	guarded := &guard{base: base, clear: clear, stall: stallTimeout}
	return &repeater{
		once:  guarded,
		again: &retry.Transport{Base: guarded, Policy: func() retry.Policy { return pauses }},
	}
}

// repeater tries again what fails, but not the body of an upload: a registry ends
// the upload when that fails, and it has to begin anew.
type repeater struct{ once, again http.RoundTripper }

func (r *repeater) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPut && req.Context().Value(uploadKey{}) != nil {
		return r.once.RoundTrip(req)
	}
	return r.again.RoundTrip(req)
}

func newBaseTransport() *http.Transport {
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connectTimeout}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    connectTimeout,
		MaxIdleConnsPerHost:    requests,
		IdleConnTimeout:        10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
	return t
}

// pauses decides what is tried again, and remembers what a registry that limits
// requests has asked for last.
type pauses struct {
	first    time.Duration // before the second attempt; it doubles
	retryFor atomic.Int64  // seconds, of the last refusal
}

// Retry returns how long to wait before the next attempt, or -1.
func (p *pauses) Retry(attempt int, resp *http.Response, err error) (time.Duration, error) {
	wait := p.first << attempt
	if err != nil {
		if !isCut(err) {
			return -1, nil
		}
	} else if !isPassing(resp.StatusCode) {
		return -1, nil
	} else {
		asked := retryAfter(resp.Header.Get("Retry-After"), time.Now())
		p.retryFor.Store(int64((asked + time.Second - 1) / time.Second))
		if asked > maxPause {
			return -1, nil
		}
		wait = max(wait, asked)
	}
	if attempt+1 >= attempts {
		return -1, nil
	}
	return wait, nil
}

// isPassing reports whether a status is likely to be another one soon.
func isPassing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isCut reports whether a connection was there and ended early.
func isCut(err error) bool {
	var stalled *stalledError
	return errors.As(err, &stalled) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// retryAfter reads the header of RFC 9110, section 10.2.3.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(value), 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// guard refuses requests in the clear and ends those that stand still.
type guard struct {
	base  http.RoundTripper
	clear bool // the registry is on loopback and spoken to in the clear
	stall time.Duration
}

// clearError refuses to send something in the clear.
type clearError struct{ host string }

func (e *clearError) Error() string {
	return fmt.Sprintf("it leads to http://%s, and what is not loopback is reached over https only", legible(e.host))
}

// stalledError ends a request during which nothing was sent or received.
type stalledError struct{ after time.Duration }

func (e *stalledError) Error() string { return fmt.Sprintf("it has been silent for %s", e.after) }

func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" && (!g.clear || !isLoopback(req.URL.Hostname())) {
		return nil, &clearError{req.URL.Host}
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(g.stall, func() { cancel(&stalledError{g.stall}) })
	alive := func() { timer.Reset(g.stall) }
	sent := req.Clone(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		report, _ := ctx.Value(uploadKey{}).(func(int64))
		if req.Method != http.MethodPut {
			report = nil
		}
		sent.Body = &watched{ReadCloser: req.Body, alive: alive, report: report, cause: ctx}
	}
	resp, err := g.base.RoundTrip(sent)
	if err != nil {
		timer.Stop()
		if stalled := context.Cause(ctx); stalled != nil && req.Context().Err() == nil {
			err = stalled
		}
		cancel(nil)
		return nil, err
	}
	alive()
	resp.Body = &watched{ReadCloser: resp.Body, alive: alive, cause: ctx, outer: req.Context(), closed: func() {
		timer.Stop()
		cancel(nil)
	}}
	return resp, nil
}

// uploadKey is where a context keeps a func(int64) that is told how much of an
// upload was sent.
type uploadKey struct{}

// watched is a body whose progress keeps its request alive.
type watched struct {
	io.ReadCloser
	alive  func()
	report func(int64)
	read   int64
	cause  context.Context
	outer  context.Context
	closed func()
}

func (w *watched) Read(p []byte) (int, error) {
	const most = 64 << 10 // so that progress is seen
	if w.report != nil && len(p) > most {
		p = p[:most]
	}
	n, err := w.ReadCloser.Read(p)
	if n > 0 {
		w.alive()
		w.read += int64(n)
		if w.report != nil {
			w.report(w.read)
		}
	}
	if err != nil && err != io.EOF && w.outer != nil && w.outer.Err() == nil {
		if stalled := context.Cause(w.cause); stalled != nil {
			err = stalled
		}
	}
	return n, err
}

func (w *watched) Close() error {
	err := w.ReadCloser.Close()
	if w.closed != nil {
		w.closed()
	}
	return err
}

// isLoopback reports whether a host name or address can only be this machine.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}
