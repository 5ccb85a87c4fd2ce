// Package remote is what the model providers that answer over HTTP share: one
// exchange with its retries and limits, the events of a stream, the texts of
// what can go wrong, and the changes that make a tool acceptable to them. It
// knows no provider's format.
//
// It promises that the key of a provider stands in no error, whole or in part;
// that nothing is asked again once a piece of an answer has arrived; and that
// an answer is bounded in size and in silence.
package remote

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

const (
	// MaxAnswer is how many bytes of text and arguments one answer may have.
	MaxAnswer = 8 << 20
	maxStream = 64 << 20 // bytes of a stream, with all that surrounds the answer
	maxFault  = 64 << 10 // bytes that are read of an error's body

	retries   = 2
	longWait  = 20 * time.Second // a provider that asks for more is not waited for
	silence   = 120 * time.Second
	patience  = 5 * time.Second // for silence after what can be the end of an answer
	aftermath = time.Second     // for all that follows the end of a stream
)

// Options are what a Client needs to know.
type Options struct {
	Provider  string // as people configure it: "openai"
	KeyName   string // the variable, or secret, that holds the key
	Key       string // "" for none
	Model     string
	BaseURL   *url.URL
	Own       bool // BaseURL is the provider's own, not one that was configured
	Version   string
	Transport http.RoundTripper // nil: one of its own
	Clock     Clock
}

// A Clock is the time that retries are measured with. A nil function is the
// real one.
type Clock struct {
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Jitter func() float64 // in [0, 1)
}

// A Client talks to one provider. It is safe for concurrent use.
type Client struct {
	o       Options
	http    *http.Client
	silence time.Duration
}

// New returns a Client. It sends nothing.
func New(o Options) *Client {
	if o.Clock.Now == nil {
		o.Clock.Now = time.Now
	}
	if o.Clock.Sleep == nil {
		o.Clock.Sleep = sleep
	}
	if o.Clock.Jitter == nil {
		o.Clock.Jitter = rand.Float64
	}
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	return &Client{o: o, silence: silence, http: &http.Client{
		Transport: o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

func newTransport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.ResponseHeaderTimeout = silence
	return t
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Ask runs attempt, which makes one exchange, and runs it again where it failed
// in a way that may pass and nothing of an answer had arrived. The error is the
// context's own when ctx is done, otherwise a *Fault.
func (c *Client) Ask(ctx context.Context, attempt func(x *Exchange) error) error {
	for tries := 1; ; tries++ {
		x := &Exchange{client: c}
		err := attempt(x)
		x.close()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := c.faultOf(err)
		if !f.Again || x.got > 0 {
			return f
		}
		wait := f.After
		if !f.timed {
			wait = c.backoff(tries)
		}
		if wait > longWait {
			return f.waiting(wait)
		}
		if tries > retries {
			return f.tried(tries)
		}
		if end, ok := ctx.Deadline(); ok && c.o.Clock.Now().Add(wait).After(end) {
			return f
		}
		if err := c.o.Clock.Sleep(ctx, wait); err != nil {
			return ctx.Err()
		}
	}
}

// backoff is how long to wait after so many tries where the provider does not say.
func (c *Client) backoff(tries int) time.Duration {
	wait := 500 * time.Millisecond << (tries - 1)
	return wait - time.Duration(c.o.Clock.Jitter()*float64(wait)/4)
}

// faultOf returns the Fault in err, or one made of its text.
func (c *Client) faultOf(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return c.fault("%s cannot be asked: %s", c.who(), c.clean(err.Error()))
}
