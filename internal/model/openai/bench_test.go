package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote/remotetest"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// toolsForBench are tools as a large workspace has them.
func toolsForBench(n int) []chat.Tool {
	var tools []chat.Tool
	for i := range n {
		tools = append(tools, chat.Tool{
			Name: fmt.Sprint("tool_", i), Description: "Looks for things in the shop, whatever they are.", WhenToUse: "The visitor asks for a thing.",
			Parameters: jsondoc.MustParse(`{"type":"object","properties":{"product":{"type":"string","description":"The product to look for, as the visitor called it"},"count":{"type":"integer","minimum":1,"maximum":100},"when":{"type":"string","format":"date"},"kind":{"type":"string","enum":["new","used"]}},"required":["product"],"additionalProperties":false}`),
		})
	}
	return tools
}

// BenchmarkTurn measures Next with 100 tools beside a bare exchange of the same
// bytes, in turns, and reports the difference of the medians: the time that is
// our own.
func BenchmarkTurn(b *testing.B) {
	var body []byte
	answer := []byte(sse(
		full(`{"role":"assistant","content":"","refusal":null}`, "null"), full(`{"content":"Three "}`, "null"), full(`{"content":"are left."}`, "null"), full(`{}`, "stop"), "[DONE]"))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body == nil {
			body, _ = io.ReadAll(r.Body)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(answer)
	}))
	defer s.Close()
	m := newTestModel(b, Options{Key: testKey, BaseURL: s.URL}, &remotetest.Timeline{})
	r := conversation()
	r.Tools = toolsForBench(100)
	next := func() {
		if reply, err := m.Next(b.Context(), r, func(string) {}); err != nil || reply.Text != "Three are left." {
			b.Fatal(reply, err)
		}
	}
	bare := func() {
		resp, err := http.Post(s.URL+"/v1/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	next()
	var ours, theirs, first []time.Duration
	timed := func(f func()) time.Duration {
		start := time.Now()
		f()
		return time.Since(start)
	}
	for b.Loop() {
		ours = append(ours, timed(next))
		theirs = append(theirs, timed(bare))
		m.tools.Forget() // as for tools that are seen for the first time
		first = append(first, timed(next))
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds())
	}
	b.ReportMetric(float64(len(body)), "request-bytes")
	b.ReportMetric(median(theirs), "µs-bare")
	b.ReportMetric(median(ours)-median(theirs), "µs-own")
	b.ReportMetric(median(first)-median(theirs), "µs-own-new-tools")
}

// BenchmarkStream measures the reading of one chunk of a long answer.
func BenchmarkStream(b *testing.B) {
	const chunks = 1000
	var events []string
	for range chunks {
		events = append(events, full(`{"content":"piece "}`, "null"))
	}
	body := sse(append(events, full("{}", "stop"), "[DONE]")...)
	m := newTestModel(b, Options{BaseURL: "http://test.invalid", Transport: remotetest.Pieces{Body: body}}, &remotetest.Timeline{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Next(b.Context(), hello(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}
