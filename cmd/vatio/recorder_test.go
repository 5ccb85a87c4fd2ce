package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// A recorder is a service that keeps the requests it gets, each as it would be
// read on the wire with its header sorted, and answers as its path asks for:
//
//	/answer/STATUS  that status, with the request's body
//	/empty/STATUS   that status and nothing else
//	/echo           the header's X-Internal-Token in an object, and in a header
//	/large          1,000,001 bytes
//	/silent         nothing until the caller has gone
//	/cut            the first bytes of an answer
type recorder struct {
	server *httptest.Server

	mu   sync.Mutex
	seen strings.Builder
}

func newRecorder() *recorder {
	r := &recorder{}
	r.server = httptest.NewServer(r)
	return r
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.keep(req, body)
	var status int
	switch path := req.URL.Path; {
	case scanStatus(path, "/answer/", &status):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	case scanStatus(path, "/empty/", &status):
		w.WriteHeader(status)
	case path == "/echo":
		token := req.Header.Get("X-Internal-Token")
		w.Header().Set("X-Seen", token)
		fmt.Fprintf(w, `{"seen":%q,"n":1.0}`, token)
	case path == "/large":
		_, _ = io.WriteString(w, strings.Repeat("x", 1_000_001))
	case path == "/silent":
		<-req.Context().Done()
	case path == "/cut":
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "{")
	default:
		http.NotFound(w, req)
	}
}

// scanStatus reports whether path is prefix and a status.
func scanStatus(path, prefix string, status *int) bool {
	n, err := fmt.Sscanf(path, prefix+"%d", status)
	return n == 1 && err == nil
}

func (r *recorder) keep(req *http.Request, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.seen, "%s %s\n", req.Method, req.URL.RequestURI())
	var names []string
	for name := range req.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&r.seen, "%s: %s\n", name, strings.Join(req.Header[name], " | "))
	}
	fmt.Fprintf(&r.seen, "\n%s\n", body)
}

// take returns what was seen since it was last asked.
func (r *recorder) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.seen.Reset()
	return r.seen.String()
}

// requests writes to a file what the recorder has seen since the last time.
func requests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests FILE")
	}
	r := ts.Value(recorderKey{}).(*recorder)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(r.take()), 0o644))
}

type recorderKey struct{}
