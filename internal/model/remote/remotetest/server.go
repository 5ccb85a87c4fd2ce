// Package remotetest is what the tests of the model providers share: a server
// that answers what a test says and keeps what it was asked, a transport that
// hands out an answer in pieces, and a clock that does not wait.
package remotetest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/model/remote"
)

// A Response is what a Server answers with.
type Response struct {
	Status int // 0: 200
	Header map[string]string
	Body   string
	Cut    bool // the connection breaks behind the body
}

// JSONError is a Response with a JSON body; header holds names and values by turns.
func JSONError(status int, body string, header ...string) Response {
	r := Response{Status: status, Body: body, Header: map[string]string{"Content-Type": "application/json"}}
	for i := 0; i < len(header); i += 2 {
		r.Header[header[i]] = header[i+1]
	}
	return r
}

// A Server answers with its responses in turn, the last one again and again, and
// keeps the requests as they would be read on the wire, with their header sorted.
type Server struct {
	*httptest.Server
	mu        sync.Mutex
	responses []Response
	seen      []string
}

// Serve starts a Server that is closed when the test ends.
func Serve(t testing.TB, responses ...Response) *Server {
	s := &Server{responses: responses}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	var text strings.Builder
	text.WriteString(req.Method + " " + req.RequestURI + "\n")
	var names []string
	for name := range req.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text.WriteString(name + ": " + strings.Join(req.Header[name], ", ") + "\n")
	}
	text.WriteString("\n" + string(body))
	s.mu.Lock()
	s.seen = append(s.seen, text.String())
	r := s.responses[min(len(s.seen), len(s.responses))-1]
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	_, _ = io.WriteString(w, r.Body)
	if r.Cut {
		_ = http.NewResponseController(w).Flush()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}
	}
}

// Requests returns the requests so far.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// A Timeline is a clock that stands still, sleeps at once and keeps how long.
type Timeline struct{ Slept []time.Duration }

// Clock returns the clock of l, at noon of the first of December 2026.
func (l *Timeline) Clock() remote.Clock {
	return remote.Clock{
		Now:    func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) },
		Jitter: func() float64 { return 0.5 },
		Sleep: func(ctx context.Context, d time.Duration) error {
			l.Slept = append(l.Slept, d)
			return ctx.Err()
		},
	}
}

// Backoff returns the waits before the second and the third attempt.
func Backoff() []time.Duration {
	return []time.Duration{437500 * time.Microsecond, 875 * time.Millisecond}
}

// Pieces is a transport that answers every request with the same bytes, handed
// out in pieces that end at the offsets given.
type Pieces struct {
	ContentType string // "": text/event-stream
	Body        string
	Ends        []int
}

func (p Pieces) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	contentType := p.ContentType
	if contentType == "" {
		contentType = "text/event-stream"
	}
	var pieces []io.Reader
	from := 0
	for _, end := range p.Ends {
		pieces = append(pieces, strings.NewReader(p.Body[from:end]))
		from = end
	}
	pieces = append(pieces, strings.NewReader(p.Body[from:]))
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {contentType}},
		Body: io.NopCloser(io.MultiReader(pieces...)), Request: req,
	}, nil
}

// Splits returns ways to hand out a body: whole, in single bytes, and in two
// pieces at every offset, or only at some of them where the race detector makes
// each of them ten times as slow.
func Splits(body string) [][]int {
	single := make([]int, max(len(body)-1, 0))
	for i := range single {
		single[i] = i + 1
	}
	all := [][]int{nil, single}
	for i := stride; i < len(body); i += stride {
		all = append(all, []int{i})
	}
	return all
}
