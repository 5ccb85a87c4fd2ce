package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// An answer is a status, the value to send as JSON (nil: no body) and where
// what was created can be found ("": nowhere).
type answer struct {
	status   int
	body     any
	location string
}

// failure is the body of every answer that is no success.
type failure struct {
	Message  string `json:"message"`
	ErrorKey string `json:"error_key"`
}

// fail returns the answer to a request that could not be done. The message is
// for the person who is talking to the agent.
func fail(status int, key, format string, args ...any) answer {
	return answer{status: status, body: failure{fmt.Sprintf(format, args...), key}}
}

func (a answer) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if a.location != "" {
		h.Set("Location", a.location)
	}
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a.body); err != nil {
		http.Error(w, `{"message":"The answer could not be written.","error_key":"internal"}`, http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	w.WriteHeader(a.status)
	// A client that is gone needs no answer.
	_, _ = w.Write(buf.Bytes())
}
