package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/internal/serve/store"
)

// postMessage runs a turn and answers with its events as they come, or with all
// of them at its end. The turn does not end when the client leaves.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request, c caller) error {
	body, err := object(r, "text")
	if err != nil {
		return err
	}
	says, err := said(body)
	if err != nil {
		return err
	}
	stream, err := wants(r, "stream")
	if err != nil {
		return err
	}
	names := r.Header.Values("Idempotency-Key")
	if len(names) > 1 || len(names) == 1 && !usableName(names[0]) {
		return invalid("Idempotency-Key must be one value of 1 to 100 letters, digits and punctuation")
	}
	for {
		if err := s.slot(); err != nil {
			return err
		}
		lt, err := s.begin(r, c, strings.Join(names, ""), says, stream)
		if err == nil {
			return s.answerWith(w, r, lt)
		}
		repeated, ok := errors.AsType[*store.Repeated](err)
		if !ok {
			return err
		}
		f := &follower{Server: s, owner: c.Owner, id: r.PathValue("id"), after: repeated.After, turn: repeated.Turn}
		began, err := f.began(r)
		switch {
		case err != nil:
			return err
		case !began: // its process died before anything was stored
		case prefersJSON(r):
			return f.array(w, r)
		default:
			return f.stream(w, r)
		}
	}
}

func usableName(name string) bool {
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
}

// wants reads a switch of the query.
func wants(r *http.Request, name string) (bool, error) {
	switch v := r.URL.Query().Get(name); v {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, invalid("%s must be true or false", name)
	}
}

// begin begins a turn, for which a slot was taken; where it cannot, it gives the
// slot back. A client that leaves now does not leave half of a turn.
func (s *Server) begin(r *http.Request, c caller, request, says string, stream bool) (*liveTurn, error) {
	ctx := context.WithoutCancel(r.Context())
	begun, release := false, func() {}
	defer func() { // also after a panic
		if !begun {
			release()
			s.leave()
		}
	}()
	d, release, err := s.Source.Acquire()
	if err != nil {
		release = func() {}
		return nil, err
	}
	var lt *liveTurn
	turn, events, err := s.Store.Begin(ctx, c.Owner, r.PathValue("id"), request, func(turn *store.Turn) ([][]byte, error) {
		if strings.TrimSpace(says) == "" && turn.Shared() == "" {
			return nil, invalid("the message is blank: write something to say")
		}
		lt = s.newTurn(turn, d, c.Caller, says, stream)
		return lt.opening(ctx), nil
	})
	if err != nil {
		return nil, err
	}
	begun = true
	lt.begin(turn, events, release)
	return lt, nil
}

// answerWith writes the events of a turn that runs here.
func (s *Server) answerWith(w http.ResponseWriter, r *http.Request, lt *liveTurn) error {
	asArray := prefersJSON(r)
	items, done, changed := lt.since(0)
	for !done && (asArray || len(items) == 0) {
		select {
		case <-r.Context().Done():
			return r.Context().Err()
		case <-changed:
		}
		items, done, changed = lt.since(0)
	}
	// Nothing was promised yet, so that the status may say what is wrong.
	if p := lt.failure(); p != nil && (asArray || len(items) == 0) {
		return p
	}
	if asArray {
		var bodies [][]byte
		var last int64
		for _, it := range items {
			if !it.delta {
				bodies, last = append(bodies, it.body), it.seq
			}
		}
		s.writeEvents(w, bodies, last)
		return nil
	}
	out := s.newStream(w)
	for seen := 0; ; {
		for _, it := range items {
			out.event(it.seq, it.body)
		}
		seen += len(items)
		if done {
			if p := lt.failure(); p != nil {
				out.fail(p)
			}
		}
		if out.flush() != nil || done {
			return nil
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-changed:
		case <-time.After(s.SilentInterval):
			out.silent()
		}
		items, done, changed = lt.since(seen)
	}
}

// writeEvents writes events as an array, with the number of the last in a header.
func (s *Server) writeEvents(w http.ResponseWriter, bodies [][]byte, last int64) {
	w.Header().Set("Last-Event-ID", fmt.Sprint(last))
	b := []byte{'['}
	for i, body := range bodies {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, body...)
	}
	writeJSON(w, http.StatusOK, append(b, ']'))
}
