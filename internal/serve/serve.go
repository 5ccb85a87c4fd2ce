// Package serve is the runtime: it answers conversations over HTTP, for apps that
// speak for their users and for users who bring a token of their own.
//
// It promises:
//
//   - A conversation exists for its owner alone. Everybody else gets the answer
//     that one gets who asks for what never was.
//   - An event reaches a client after it is stored, so that what was seen can be
//     seen again. A tool is called after its call is stored.
//   - A turn goes on when its client leaves, and the events that were missed can
//     be had later.
//   - A turn ends with the agent that it began with, whatever is published
//     meanwhile, and one turn at a time runs in a conversation.
//   - What a client can ask for is bounded: sizes, rates, times, running turns.
//   - Logs hold neither credentials nor what was said.
//
// The HTTP API is described in openapi.json, which is served too.
package serve

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vatio-dev/vatio/internal/serve/store"
)

// Options configure a Server. Store, Source and Log must be set; what is zero
// otherwise takes the default that is named.
type Options struct {
	Store   *store.Store
	Source  Source
	Log     *slog.Logger
	Version string // of the program

	// Dev checks the Host and Origin of every request: they must name the
	// loopback address that the server listens at.
	Dev bool
	// LocalKey is one more app key, of an app called LocalApp, that is valid in
	// this process alone; "" for none.
	LocalKey string
	// Page answers "/" and what no other path takes; nil for none.
	Page http.Handler
	// Traces keeps how each tool call went over the wire, without secrets, and
	// lets its owner see it.
	Traces bool

	Rate           float64       // requests a second of one owner; 10
	Burst          int           // of one owner; 100
	Turns          int           // running at once; 500
	Streams        int           // of events, without a turn of their own; 1000
	TurnTimeout    time.Duration // 5 minutes
	ReadTimeout    time.Duration // for a request to arrive; 30 seconds
	WriteTimeout   time.Duration // for a client that does not read; 30 seconds
	ShutdownGrace  time.Duration // for running turns; 30 seconds
	SweepInterval  time.Duration // of looking for turns of dead processes; 5 seconds
	PollInterval   time.Duration // of looking for events of other processes; 250 milliseconds
	SilentInterval time.Duration // after which a silent stream shows that it lives; 15 seconds
}

// LocalApp is the app of Options.LocalKey.
const LocalApp = "local"

// MaxBody is how many bytes the body of a request may have.
const MaxBody = 64 << 10

// A Server answers the API. Its Handler is safe for concurrent use.
type Server struct {
	Options
	handler http.Handler
	limits  *limits
	metrics *meters

	slots   chan struct{} // one for each turn that may run
	streams atomic.Int64

	base    context.Context // of turns; done when they must end
	stop    context.CancelCauseFunc
	closing chan struct{} // closed when nothing new is accepted
	close   func()

	mu      sync.Mutex
	live    map[string]*liveTurn // by conversation
	running sync.WaitGroup
}

var errShutdown = errors.New("the server is stopping")

// New returns a Server. Without Serve it may be used by its Handler; call Shutdown
// then.
func New(o Options) *Server {
	o.Rate = cmp.Or(o.Rate, 10)
	o.Burst = cmp.Or(o.Burst, 100)
	o.Turns = cmp.Or(o.Turns, 500)
	o.Streams = cmp.Or(o.Streams, 1000)
	o.TurnTimeout = cmp.Or(o.TurnTimeout, 5*time.Minute)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 30*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.ShutdownGrace = cmp.Or(o.ShutdownGrace, 30*time.Second)
	o.SweepInterval = cmp.Or(o.SweepInterval, 5*time.Second)
	o.PollInterval = cmp.Or(o.PollInterval, 250*time.Millisecond)
	o.SilentInterval = cmp.Or(o.SilentInterval, 15*time.Second)
	s := &Server{
		Options: o, limits: newLimits(o.Rate, o.Burst),
		slots: make(chan struct{}, o.Turns), closing: make(chan struct{}), live: map[string]*liveTurn{},
	}
	s.close = sync.OnceFunc(func() { close(s.closing) })
	s.base, s.stop = context.WithCancelCause(context.Background())
	s.metrics = newMeters(s)
	s.handler = s.routes()
	return s
}

// Handler returns what answers requests.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers requests at l, which it closes, until ctx is done. Then it
// accepts nothing more, lets running turns end, for ShutdownGrace at most, and
// returns; turns that are not ready by then are ended as cancelled. The error is
// nil after that.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: min(10*time.Second, s.ReadTimeout),
		ReadTimeout:       s.ReadTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	sweeping, stopSweeping := context.WithCancel(context.Background())
	defer stopSweeping()
	go s.sweep(sweeping)
	select {
	case err := <-failed:
		s.Shutdown(context.Background())
		return err
	case <-ctx.Done():
	}
	s.Log.Info("stopping", "running_turns", len(s.slots))
	s.mu.Lock()
	s.close()
	s.mu.Unlock()
	left := make(chan struct{})
	leaving, giveUp := context.WithCancel(context.Background())
	go func() {
		defer close(left)
		_ = server.Shutdown(leaving) // stops listening at once
	}()
	grace, cancel := context.WithTimeout(context.Background(), s.ShutdownGrace)
	defer cancel()
	s.Shutdown(grace)
	// What is left is clients that read the end of their stream.
	timer := time.AfterFunc(2*time.Second, giveUp)
	<-left
	timer.Stop()
	giveUp()
	_ = server.Close()
	s.Log.Info("stopped")
	return nil
}

// Shutdown accepts nothing more and waits for running turns. When ctx is done they
// are cancelled; it returns when all have ended.
func (s *Server) Shutdown(ctx context.Context) {
	s.mu.Lock() // whoever saw an open server is counted among the running
	s.close()
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		s.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		s.stop(errShutdown)
		<-ended
	}
	s.stop(errShutdown)
}

// stopping reports whether nothing new is accepted.
func (s *Server) stopping() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// sweep closes the turns of processes that died.
func (s *Server) sweep(ctx context.Context) {
	ticker := time.NewTicker(s.SweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		closed, err := s.Store.CloseExpired(ctx, 100)
		for _, id := range closed {
			s.metrics.turns("interrupted").Inc()
			s.Log.Warn("closed a turn whose process died", "conversation", id)
		}
		if err != nil && ctx.Err() == nil {
			s.metrics.storeErrors.Inc()
			s.Log.Error("cannot look for turns of dead processes", "error", err.Error())
		}
	}
}
