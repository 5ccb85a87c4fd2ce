package serve

import (
	_ "embed"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

//go:embed openapi.json
var openAPI []byte

// A route is one operation of the API.
type route struct {
	method, path string
	// handle answers, or returns why not. It has not written anything then.
	handle func(w http.ResponseWriter, r *http.Request) error
}

func (s *Server) table() []route {
	routes := []route{
		{"POST", "/v1/conversations", s.as(anybody, s.createConversation)},
		{"GET", "/v1/conversations/{id}", s.as(anybody, s.getConversation)},
		{"PATCH", "/v1/conversations/{id}", s.as(apps, s.changeConversation)},
		{"POST", "/v1/conversations/{id}/messages", s.as(anybody, s.postMessage)},
		{"GET", "/v1/conversations/{id}/events", s.as(anybody, s.getEvents)},
		{"POST", "/v1/conversations/{id}/human", s.as(apps, s.postHuman)},
		{"POST", "/v1/conversations/{id}/resume", s.as(apps, s.postResume)},
		{"GET", "/v1/conversations/{id}/calls/{call}", s.as(anybody, s.getCall)},
		{"GET", "/healthz", s.healthy},
		{"GET", "/readyz", s.ready},
		{"GET", "/metrics", s.getMetrics},
		{"GET", "/openapi.json", s.describe},
	}
	if !s.Traces {
		routes = slices.DeleteFunc(routes, func(r route) bool { return strings.HasSuffix(r.path, "{call}") })
	}
	return routes
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range s.table() {
		mux.Handle(r.method+" "+r.path, s.watched(r.method, r.path, r.handle))
		methods[r.path] = append(methods[r.path], r.method)
	}
	for path, allowed := range methods {
		if slices.Contains(allowed, "GET") {
			allowed = append(allowed, "HEAD")
		}
		slices.Sort(allowed)
		mux.Handle(path, s.watched("", path, func(_ http.ResponseWriter, r *http.Request) error {
			p := refuse(http.StatusMethodNotAllowed, "method_not_allowed", "%s is not for %s: use %s", path, method(r.Method), strings.Join(allowed, ", "))
			p.allow = strings.Join(allowed, ", ")
			return p
		}))
	}
	nowhere := s.watched("", "", func(_ http.ResponseWriter, r *http.Request) error {
		return refuse(http.StatusNotFound, "not_found", "there is nothing here: /openapi.json says what there is")
	})
	mux.Handle("/v1/", nowhere)
	if s.Page == nil {
		mux.Handle("/", nowhere)
	} else {
		mux.Handle("/", s.watched("", "/", func(w http.ResponseWriter, r *http.Request) error {
			s.Page.ServeHTTP(w, r)
			return nil
		}))
	}
	return mux
}

// watched wraps the handling of a request with what all of them need: the checks
// of a development server, the form of errors, a log line, the metrics.
func (s *Server) watched(method, path string, handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	requests := s.metrics.requests(method, path)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		id := newRequestID()
		w := &answer{ResponseWriter: rw, patience: s.WriteTimeout}
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		note := &note{}
		r = r.WithContext(withNote(r.Context(), note))
		defer func() {
			fault := recover()
			if fault != nil && fault != http.ErrAbortHandler {
				s.Log.Error("a request failed badly", "request", id, "route", method+" "+path, "fault", fault, "stack", string(debug.Stack()))
				if !w.written() {
					p, _ := problemOf(errBroken)
					p.write(w)
				}
			}
			took := time.Since(begin)
			requests.done(w.code(), took)
			s.logRequest(r, note, id, method+" "+path, w, took)
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
		}()
		err := s.checkPlace(r)
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
			err = handle(w, r)
		}
		if err == nil {
			return
		}
		p, unexpected := problemOf(err)
		if unexpected {
			s.metrics.faults.Inc()
			s.Log.Error("a request failed", "request", id, "route", method+" "+path, "error", err.Error())
		}
		if !w.written() {
			p.write(w)
		}
	})
}

// An answer knows what was written to it. With each write it gives the client time
// to read; how long the handler took before is no matter.
type answer struct {
	http.ResponseWriter
	patience time.Duration
	status   int
	bytes    int64
}

func (a *answer) wait() {
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(time.Now().Add(a.patience))
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.wait()
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.wait()
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) written() bool { return a.status != 0 }

func (a *answer) code() int {
	if a.status == 0 {
		return http.StatusOK
	}
	return a.status
}

func (s *Server) describe(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, openAPI)
	return nil
}
