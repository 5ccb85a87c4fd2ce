package serve

import (
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// maxTraceBody is how much of a body a trace keeps, in bytes.
const maxTraceBody = 64 << 10

// appendTrace appends the JSON of how a call went over the wire. The executor has
// taken the secrets out.
func appendTrace(dst []byte, c chat.Call, t *executor.Trace) []byte {
	text := func(key, value string) {
		dst = append(dst, key...)
		dst = jsondoc.AppendQuote(dst, value)
	}
	headers := func(key string, list []executor.Header) {
		dst = append(dst, key...)
		for i, h := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			text(`{"name":`, h.Name)
			text(`,"value":`, h.Value)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	body := func(key, value string) {
		cut := len(value) > maxTraceBody
		if cut {
			value = strings.ToValidUTF8(value[:maxTraceBody], "")
		}
		text(key, value)
		dst = append(dst, `,"cut":`...)
		dst = strconv.AppendBool(dst, cut)
	}
	text(`{"id":`, c.ID)
	text(`,"tool":`, c.Tool)
	text(`,"request":{"method":`, t.Method)
	text(`,"url":`, t.URL)
	headers(`,"headers":[`, t.RequestHeaders)
	body(`,"body":`, t.RequestBody)
	dst = append(dst, `},"response":{"status":`...)
	dst = strconv.AppendInt(dst, int64(t.Status), 10)
	headers(`,"headers":[`, t.ResponseHeaders)
	body(`,"body":`, t.ResponseBody)
	text(`,"error":`, t.Err)
	dst = append(dst, `},"duration_ms":`...)
	dst = strconv.AppendFloat(dst, float64(t.Duration.Microseconds())/1000, 'f', -1, 64)
	return append(dst, '}')
}
