package serve

import (
	"context"
	"net/http"
	"time"
)

// healthy answers for as long as the process can.
func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
	return nil
}

// ready tells whether a turn could begin here now: there is an agent, the
// database answers, and the server is not stopping.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	if s.stopping() {
		return stoppingProblem()
	}
	_, release, err := s.Source.Acquire()
	if err != nil {
		return err
	}
	release()
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.Store.Ping(ctx); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, []byte(`{"status":"ready"}`))
	return nil
}
