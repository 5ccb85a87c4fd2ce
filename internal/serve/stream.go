package serve

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
)

const eventStream = "text/event-stream"

// A stream writes server-sent events (HTML Living Standard, section 9.2).
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	b       []byte
	err     error
}

func (s *Server) newStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("X-Accel-Buffering", "no") // said to proxies that would gather
	out := &stream{w: w, control: http.NewResponseController(w)}
	w.WriteHeader(http.StatusOK)
	out.b = append(out.b, "retry: 1000\n\n"...)
	return out
}

// event adds an event; without a number it cannot be resumed after.
func (o *stream) event(seq int64, body []byte) {
	if seq > 0 {
		o.b = append(o.b, "id: "...)
		o.b = strconv.AppendInt(o.b, seq, 10)
		o.b = append(o.b, '\n')
	}
	o.b = append(o.b, "data: "...)
	o.b = append(o.b, body...)
	o.b = append(o.b, "\n\n"...)
}

// silent adds a comment, which shows that the stream lives.
func (o *stream) silent() { o.b = append(o.b, ": waiting\n\n"...) }

// fail adds an error that is no part of the conversation.
func (o *stream) fail(p *problem) {
	o.event(0, chat.AppendEvent(nil, chat.Event{Type: chat.ErrorEvent, Text: p.message}))
}

// flush sends what was added. A client that does not read for too long is left.
func (o *stream) flush() error {
	if o.err != nil || len(o.b) == 0 {
		return o.err
	}
	_, o.err = o.w.Write(o.b)
	o.b = o.b[:0]
	if o.err == nil {
		o.err = o.control.Flush()
	}
	return o.err
}

// prefersJSON reports whether a client would rather have JSON than server-sent
// events (RFC 9110, section 12.5.1).
func prefersJSON(r *http.Request) bool {
	json, events := quality{}, quality{}
	for _, header := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(header, ",") {
			name, parameters, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			q := 1.0
			for p := range strings.SplitSeq(parameters, ";") {
				key, value, _ := strings.Cut(strings.TrimSpace(p), "=")
				if strings.EqualFold(key, "q") {
					if f, err := strconv.ParseFloat(value, 64); err == nil {
						q = f
					}
				}
			}
			json.consider(name, q, "application/json", "application/*")
			events.consider(name, q, eventStream, "text/*")
		}
	}
	if json.q != events.q {
		return json.q > events.q
	}
	return json.exact > events.exact
}

// A quality is how much a client wants a type, and how exactly it said so.
type quality struct {
	q     float64
	exact int
}

func (k *quality) consider(name string, q float64, full, half string) {
	exact := 0
	switch name {
	case full:
		exact = 3
	case half:
		exact = 2
	case "*/*":
		exact = 1
	}
	if exact > k.exact {
		k.q, k.exact = q, exact
	}
}
