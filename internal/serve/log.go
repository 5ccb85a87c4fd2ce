package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

var errBroken = errors.New("a fault of the program")

// A note is what a request's log line tells of it, found on the way.
type note struct{ owner string }

type noteKey struct{}

func withNote(ctx context.Context, n *note) context.Context {
	return context.WithValue(ctx, noteKey{}, n)
}

func noteOf(ctx context.Context) *note {
	n, _ := ctx.Value(noteKey{}).(*note)
	if n == nil {
		n = &note{}
	}
	return n
}

func newRequestID() string { return strings.ToLower(rand.Text()[:16]) }

// logRequest writes the line of a request: its route and not its path or query,
// who asked and not how they proved it.
func (s *Server) logRequest(r *http.Request, n *note, id, route string, w *answer, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case w.code() >= 500:
		level = slog.LevelError
	case !strings.Contains(route, "/v1/"):
		level = slog.LevelDebug
	}
	if !s.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request", id), slog.String("method", method(r.Method)), slog.String("route", strings.TrimSpace(route)),
		slog.Int("status", w.code()), slog.Int64("bytes", w.bytes), slog.Float64("ms", float64(took.Microseconds())/1000),
	}
	if n.owner != "" {
		attrs = append(attrs, slog.String("owner", n.owner))
	}
	if conversation := r.PathValue("id"); conversation != "" && len(conversation) <= 64 {
		attrs = append(attrs, slog.String("conversation", conversation))
	}
	s.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// method keeps what a client may write there out of logs and metrics.
func method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return name
	}
	return "other"
}
