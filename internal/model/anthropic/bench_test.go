package anthropic

import (
	"fmt"
	"testing"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote/remotetest"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// BenchmarkRequest measures the writing of a request with 100 tools, those of
// the last one and new ones.
func BenchmarkRequest(b *testing.B) {
	r := conversation()
	r.Tools = nil
	for i := range 100 {
		r.Tools = append(r.Tools, chat.Tool{
			Name: fmt.Sprint("tool_", i), Description: "Looks for things in the shop, whatever they are.", WhenToUse: "The visitor asks for a thing.",
			Parameters: jsondoc.MustParse(`{"type":"object","properties":{"product":{"type":"string","description":"The product to look for, as the visitor called it"},"count":{"type":"integer","minimum":1,"maximum":100},"when":{"type":"string","format":"date"},"kind":{"type":"string","enum":["new","used"]}},"required":["product"],"additionalProperties":false}`),
		})
	}
	for _, fresh := range []bool{false, true} {
		b.Run(fmt.Sprint("new-tools=", fresh), func(b *testing.B) {
			m := newTestModel(b, Options{}, &remotetest.Timeline{})
			b.ReportAllocs()
			for b.Loop() {
				if fresh {
					m.tools.Forget()
				}
				m.request(r, m.toolSet(r.Tools))
			}
		})
	}
}

// BenchmarkStream measures the reading of one event of a long answer.
func BenchmarkStream(b *testing.B) {
	const events = 1000
	pieces := make([]string, events)
	for i := range pieces {
		pieces[i] = `"piece "`
	}
	body := words("end_turn", pieces...)
	m := newTestModel(b, Options{BaseURL: "http://test.invalid", Transport: remotetest.Pieces{Body: body}}, &remotetest.Timeline{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Next(b.Context(), hello(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}
