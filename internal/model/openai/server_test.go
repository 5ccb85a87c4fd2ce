package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote"
)

const testKey = "sk-proj-Zx81qPwL0aB7/+c=dEfG"

// A response is what the test server answers with.
type response struct {
	status int // 0: 200
	header map[string]string
	body   string
	cut    bool // the connection breaks behind the body
}

// A server answers with its responses in turn, the last one again and again, and
// keeps the requests as they would be read on the wire, with their header sorted.
type server struct {
	*httptest.Server
	mu        sync.Mutex
	responses []response
	seen      []string
}

func serve(t testing.TB, responses ...response) *server {
	s := &server{responses: responses}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
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
	for name, value := range r.header {
		w.Header().Set(name, value)
	}
	if r.status != 0 {
		w.WriteHeader(r.status)
	}
	_, _ = io.WriteString(w, r.body)
	if r.cut {
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

func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// A timeline is a clock that sleeps at once and keeps how long.
type timeline struct{ slept []time.Duration }

func (l *timeline) clock() remote.Clock {
	return remote.Clock{
		Now:    func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) },
		Jitter: func() float64 { return 0.5 },
		Sleep: func(ctx context.Context, d time.Duration) error {
			l.slept = append(l.slept, d)
			return ctx.Err()
		},
	}
}

func newTestModel(t testing.TB, o Options, l *timeline) *Model {
	t.Helper()
	if o.Name == "" {
		o.Name = "test-1"
	}
	o.Version = "1.2.3"
	m, err := newModel(o, l.clock())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// said is an answer and how it came.
type said struct {
	Reply  chat.Reply
	Deltas []string
	Err    string
}

func ask(t testing.TB, m *Model, r chat.Request) said {
	t.Helper()
	var got said
	reply, err := m.Next(t.Context(), r, func(text string) { got.Deltas = append(got.Deltas, text) })
	got.Reply = reply
	if err != nil {
		got.Err = err.Error()
		if _, ok := errors.AsType[*remote.Fault](err); !ok {
			t.Errorf("%T is no *remote.Fault: %v", err, err)
		}
	}
	return got
}

// hello is the shortest request there is.
func hello() chat.Request {
	return chat.Request{Messages: []chat.Message{{Role: chat.User, Text: "hi"}}}
}

// bytesTransport answers every request with the same bytes, handed out in pieces
// that end at the offsets given.
type bytesTransport struct {
	contentType string
	body        string
	ends        []int
}

func (b bytesTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		_ = req.Body.Close()
	}
	contentType := b.contentType
	if contentType == "" {
		contentType = "text/event-stream"
	}
	var pieces []io.Reader
	from := 0
	for _, end := range b.ends {
		pieces = append(pieces, strings.NewReader(b.body[from:end]))
		from = end
	}
	pieces = append(pieces, strings.NewReader(b.body[from:]))
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {contentType}},
		Body: io.NopCloser(io.MultiReader(pieces...)), Request: req,
	}, nil
}
