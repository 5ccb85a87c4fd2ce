package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/vatio-dev/vatio/internal/chat"
)

// meters are the metrics of one Server, in a set of their own.
type meters struct {
	set         *metrics.Set
	turnSeconds *metrics.PrometheusHistogram
	storeErrors *metrics.Counter
	faults      *metrics.Counter
	limited     *metrics.Counter
	full        *metrics.Counter
}

func newMeters(s *Server) *meters {
	set := metrics.NewSet()
	set.NewGauge("vatio_turns_running", func() float64 { return float64(len(s.slots)) })
	set.NewGauge("vatio_streams_open", func() float64 { return float64(s.streams.Load()) })
	set.NewGauge(fmt.Sprintf("vatio_build_info{version=%q}", s.Version), func() float64 { return 1 })
	m := &meters{
		set:         set,
		turnSeconds: set.NewPrometheusHistogramExt("vatio_turn_seconds", slow()),
		storeErrors: set.NewCounter("vatio_store_errors_total"),
		faults:      set.NewCounter("vatio_request_faults_total"),
		limited:     set.NewCounter("vatio_rate_limited_total"),
		full:        set.NewCounter("vatio_turns_refused_total"),
	}
	for _, outcome := range []string{"answered", "handed_off", "failed", "cancelled", "interrupted", "lost"} {
		m.turns(outcome)
	}
	return m
}

// slow are the bounds of what waits for models and services, in seconds.
func slow() []float64 {
	return []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160}
}

// quick are the bounds of what mostly does not.
func quick() []float64 {
	return []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}
}

func (m *meters) turns(outcome string) *metrics.Counter {
	return m.set.GetOrCreateCounter(`vatio_turns_total{outcome="` + outcome + `"}`)
}

// called counts a tool call. Only tools that are offered are called, so that their
// names are few.
func (m *meters) called(tool string, o chat.Outcome, took time.Duration) {
	outcome := "ok"
	switch {
	case o.IsError && o.HTTP != nil && o.HTTP.Status == 0:
		outcome = "no_answer"
	case o.IsError && o.HTTP == nil:
		outcome = "not_sent"
	case o.IsError:
		outcome = "error"
	}
	m.set.GetOrCreateCounter(fmt.Sprintf("vatio_tool_calls_total{tool=%q,outcome=%q}", tool, outcome)).Inc()
	m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("vatio_tool_call_seconds{tool=%q}", tool), slow()).Update(took.Seconds())
}

// asked counts a request to a model.
func (m *meters) asked(provider string, took time.Duration, failed bool) {
	if failed {
		m.set.GetOrCreateCounter(fmt.Sprintf("vatio_model_errors_total{provider=%q}", provider)).Inc()
	}
	m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("vatio_model_request_seconds{provider=%q}", provider), slow()).Update(took.Seconds())
}

// A requestMeter counts the requests of one operation.
type requestMeter struct {
	m             *meters
	method, route string
	seconds       *metrics.PrometheusHistogram
}

func (m *meters) requests(method, route string) *requestMeter {
	if method == "" {
		method = "other"
	}
	if route == "" {
		route = "none"
	}
	labels := fmt.Sprintf("method=%q,route=%q", method, route)
	return &requestMeter{m, method, route, m.set.GetOrCreatePrometheusHistogramExt("vatio_http_request_seconds{"+labels+"}", quick())}
}

func (r *requestMeter) done(status int, took time.Duration) {
	r.m.set.GetOrCreateCounter(fmt.Sprintf("vatio_http_requests_total{method=%q,route=%q,status=%q}", r.method, r.route, strconv.Itoa(status))).Inc()
	r.seconds.Update(took.Seconds())
}

func (s *Server) getMetrics(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	s.metrics.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
	return nil
}
