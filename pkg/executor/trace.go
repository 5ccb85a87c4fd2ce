package executor

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Trace is what went over the wire in one call, without its secrets.
type Trace struct {
	Method          string
	URL             string
	RequestHeaders  []Header // by name; those that net/http adds itself are not listed
	RequestBody     string
	Status          int      // 0: no answer
	ResponseHeaders []Header // by name
	ResponseBody    string   // decoded, UTF-8
	Start           time.Time
	Duration        time.Duration // from before dialling until the last byte was read
	RequestBytes    int64         // of the body
	ResponseBytes   int64         // of the decoded body, as far as it was read
	Err             string        // why there is no whole answer, in plain words; "" when there is
}

func (r *request) trace(start time.Time, secrets *redactor) *Trace {
	return &Trace{
		Method:         r.method,
		URL:            secrets.text(r.url.String()),
		RequestHeaders: listHeaders(r.header, secrets),
		RequestBody:    secrets.text(string(r.body)),
		Start:          start,
		RequestBytes:   int64(len(r.body)),
	}
}

func listHeaders(h http.Header, secrets *redactor) []Header {
	list := make([]Header, 0, len(h))
	var buffer [24]string
	names := slices.AppendSeq(buffer[:0], maps.Keys(h))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(strings.Compare(http.CanonicalHeaderKey(a), http.CanonicalHeaderKey(b)), strings.Compare(a, b))
	})
	for _, name := range names {
		shown := secrets.name(http.CanonicalHeaderKey(name))
		for _, value := range h[name] {
			list = append(list, Header{shown, secrets.text(value)})
		}
	}
	return list
}
