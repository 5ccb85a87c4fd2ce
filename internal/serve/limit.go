package serve

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxOwners is how many owners' rates are remembered. The one that was seen
// longest ago is forgotten first.
const maxOwners = 20_000

// limits keeps every owner to a rate. It is safe for concurrent use.
type limits struct {
	rate  rate.Limit
	burst int

	mu     sync.Mutex
	owners map[string]*list.Element
	recent *list.List // of *limited, the latest first
}

type limited struct {
	owner   string
	limiter *rate.Limiter
}

func newLimits(perSecond float64, burst int) *limits {
	return &limits{rate: rate.Limit(perSecond), burst: burst, owners: map[string]*list.Element{}, recent: list.New()}
}

// take counts a request of an owner; it returns 0, or how long to wait with it.
func (l *limits) take(owner string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.owners[owner]
	if ok {
		l.recent.MoveToFront(e)
	} else {
		if l.recent.Len() >= maxOwners {
			oldest := l.recent.Back()
			delete(l.owners, l.recent.Remove(oldest).(*limited).owner)
		}
		e = l.recent.PushFront(&limited{owner, rate.NewLimiter(l.rate, l.burst)})
		l.owners[owner] = e
	}
	now := time.Now()
	r := e.Value.(*limited).limiter.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}
