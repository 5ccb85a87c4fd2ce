package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/vatio-dev/vatio/internal/serve/store"
)

// maxEvents is how many events an array holds.
const maxEvents = 1000

// A follower reads the events of a conversation from the store, wherever they
// come from.
type follower struct {
	*Server
	owner, id string
	after     int64 // number of the last event that was read
	turn      int64 // which turn alone; 0: all of them
	forever   bool
}

// getEvents gives the events after Last-Event-ID: as a stream until no turn runs
// any more, or for as long as the client likes, or as an array of those there
// are.
func (s *Server) getEvents(w http.ResponseWriter, r *http.Request, c caller) error {
	follow, err := wants(r, "follow")
	if err != nil {
		return err
	}
	f := &follower{Server: s, owner: c.Owner, id: r.PathValue("id"), forever: follow}
	after := r.URL.Query().Get("after")
	if last := r.Header.Values("Last-Event-ID"); len(last) > 0 {
		after = last[len(last)-1]
	}
	if after != "" {
		if f.after, err = strconv.ParseInt(after, 10, 64); err != nil || f.after < 0 {
			return invalid("Last-Event-ID must be the id of an event: %q", after)
		}
	}
	if prefersJSON(r) {
		events, _, err := s.Store.Events(r.Context(), c.Owner, f.id, f.after, maxEvents)
		if err != nil {
			return err
		}
		last := f.after
		bodies := make([][]byte, len(events))
		for i, e := range events {
			bodies[i], last = []byte(e.Body), e.Seq
		}
		s.writeEvents(w, bodies, last)
		return nil
	}
	return f.stream(w, r)
}

// next returns events that come next, without waiting, and whether more may come.
func (f *follower) next(r *http.Request) (events []store.Event, more bool, err error) {
	events, running, err := f.Store.Events(r.Context(), f.owner, f.id, f.after, page)
	if err != nil {
		return nil, false, err
	}
	more = running || f.forever || len(events) == page
	for i, e := range events {
		if f.turn != 0 && e.Turn > f.turn {
			return events[:i], false, nil
		}
		f.after = e.Seq
	}
	return events, more, nil
}

// began waits until the turn has events, and reports whether it ever had.
func (f *follower) began(r *http.Request) (bool, error) {
	for {
		ahead := *f
		events, more, err := ahead.next(r)
		if err != nil || len(events) > 0 || !more {
			return len(events) > 0, err
		}
		f.wait(r)
		if r.Context().Err() != nil {
			return false, r.Context().Err()
		}
	}
}

// wait waits until there may be more.
func (f *follower) wait(r *http.Request) {
	interval := time.NewTimer(f.PollInterval)
	defer interval.Stop()
	var changed <-chan struct{}
	if lt := f.liveOf(f.id); lt != nil {
		_, _, changed = lt.since(0)
		if shown := lt.shown(); shown > f.after {
			return
		}
	}
	select {
	case <-r.Context().Done():
	case <-changed:
	case <-interval.C:
	case <-f.closing:
		// The last events of running turns are still waited for.
		select {
		case <-r.Context().Done():
		case <-changed:
		case <-interval.C:
		}
	}
}

// shown returns the number of the last event that may be seen.
func (lt *liveTurn) shown() int64 {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	for i := lt.visible - 1; i >= 0; i-- {
		if lt.items[i].seq > 0 {
			return lt.items[i].seq
		}
	}
	return 0
}

func (f *follower) stream(w http.ResponseWriter, r *http.Request) error {
	if f.streams.Add(1) > int64(f.Streams) {
		f.streams.Add(-1)
		return refuse(503, "too_many_streams", "%d streams are open, which is all that may be: try again", f.Streams).after(time.Second)
	}
	defer f.streams.Add(-1)
	events, more, err := f.next(r)
	if err != nil {
		return err
	}
	out := f.newStream(w)
	heard := time.Now()
	for {
		for _, e := range events {
			out.event(e.Seq, []byte(e.Body))
		}
		if len(events) > 0 {
			heard = time.Now()
		} else if time.Since(heard) >= f.SilentInterval {
			out.silent()
			heard = time.Now()
		}
		if out.flush() != nil || !more || r.Context().Err() != nil {
			return nil
		}
		if len(events) < page {
			f.wait(r)
		}
		if events, more, err = f.next(r); err != nil {
			p, _ := problemOf(err)
			out.fail(p)
			_ = out.flush()
			return nil
		}
		if f.stopping() && f.liveOf(f.id) == nil && len(events) == 0 {
			return nil // resumed elsewhere
		}
	}
}

// array waits for the end of the turn and answers with its events.
func (f *follower) array(w http.ResponseWriter, r *http.Request) error {
	var bodies [][]byte
	for {
		events, more, err := f.next(r)
		if err != nil {
			return err
		}
		for _, e := range events {
			bodies = append(bodies, []byte(e.Body))
		}
		if !more {
			f.writeEvents(w, bodies, f.after)
			return nil
		}
		if len(events) < page {
			f.wait(r)
		}
		if r.Context().Err() != nil {
			return r.Context().Err()
		}
	}
}
