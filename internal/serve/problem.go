package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A problem is an answer that says why a request was not done.
type problem struct {
	status  int
	code    string // for machines
	message string // for people
	retry   time.Duration
	allow   string // of a 405
}

func (p *problem) Error() string { return p.message }

func refuse(status int, code, format string, args ...any) *problem {
	return &problem{status: status, code: code, message: fmt.Sprintf(format, args...)}
}

func (p *problem) after(d time.Duration) *problem {
	p.retry = d
	return p
}

func invalid(format string, args ...any) *problem {
	return refuse(http.StatusBadRequest, "invalid_request", format, args...)
}

func notFound() *problem {
	return refuse(http.StatusNotFound, "not_found", "there is no such conversation")
}

// problemOf returns the answer for an error, and whether somebody should look
// into it.
func problemOf(err error) (p *problem, unexpected bool) {
	switch {
	case errors.As(err, &p):
		return p, false
	case errors.Is(err, store.ErrNotFound):
		return notFound(), false
	case errors.Is(err, store.ErrBusy):
		return refuse(http.StatusConflict, "turn_running", "a turn of this conversation is running: wait until it has ended").after(time.Second), false
	case errors.Is(err, store.ErrUnavailable):
		return refuse(http.StatusServiceUnavailable, "unavailable", "the database does not answer: try again").after(5 * time.Second), true
	case errors.Is(err, ErrNone):
		return refuse(http.StatusServiceUnavailable, "unavailable", "no agent is deployed yet").after(5 * time.Second), false
	case errors.Is(err, context.Canceled):
		return refuse(499, "cancelled", "the client has gone"), false
	}
	return refuse(http.StatusInternalServerError, "internal", "something went wrong here: the log says what, under the X-Request-Id of this answer"), true
}

func (p *problem) write(w http.ResponseWriter) {
	h := w.Header()
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.retry+time.Second-1)/time.Second)))
	}
	if p.allow != "" {
		h.Set("Allow", p.allow)
	}
	if p.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	body := append([]byte(`{"error":{"code":`), `"`+p.code+`","message":`...)
	body = jsondoc.AppendQuote(body, p.message)
	writeJSON(w, p.status, append(body, "}}"...))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
