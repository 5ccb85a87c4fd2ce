package builtin

import (
	"context"
	"sync"

	"github.com/vatio-dev/vatio/pkg/executor"
)

// A Visitor is a Session that keeps the contact in memory. It is safe for
// concurrent use. The zero Visitor is on no channel and unknown.
type Visitor struct {
	// OnRequest is told that the visitor is asked for their phone number, and
	// OnHandOff why a person is called for. Both may be nil, are set before
	// the first use, and may be called by several goroutines at once.
	OnRequest func(ctx context.Context) error
	OnHandOff func(ctx context.Context, reason string) error

	mu      sync.Mutex
	channel string
	contact executor.Contact
}

// Channel returns where the visitor writes.
func (v *Visitor) Channel() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.channel
}

// SetChannel changes where the visitor writes.
func (v *Visitor) SetChannel(channel string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.channel = channel
}

// Contact returns what is known of the visitor.
func (v *Visitor) Contact() executor.Contact {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.contact
}

// Update lets change edit what is known of the visitor.
func (v *Visitor) Update(change func(c *executor.Contact)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(&v.contact)
}

// Identify stores the name.
func (v *Visitor) Identify(_ context.Context, name string) error {
	v.Update(func(c *executor.Contact) { c.Name = name })
	return nil
}

// RequestContactInfo tells OnRequest.
func (v *Visitor) RequestContactInfo(ctx context.Context) error {
	if v.OnRequest == nil {
		return nil
	}
	return v.OnRequest(ctx)
}

// HandOff tells OnHandOff.
func (v *Visitor) HandOff(ctx context.Context, reason string) error {
	if v.OnHandOff == nil {
		return nil
	}
	return v.OnHandOff(ctx, reason)
}
