package remote

import (
	"slices"
	"sync/atomic"

	"github.com/vatio-dev/vatio/internal/chat"
)

// A ToolSet is the tools of a request as they travel. It never changes.
type ToolSet struct {
	of      []chat.Tool
	byName  map[string]Adapted
	encoded []byte
	notes   string
}

// Named returns the tool of that name, or the zero Adapted.
func (s *ToolSet) Named(name string) Adapted { return s.byName[name] }

// Encoded returns the tools as a JSON array, which the caller must not change.
func (s *ToolSet) Encoded() []byte { return s.encoded }

// Notes returns what of the tools has to stand in the instructions.
func (s *ToolSet) Notes() string { return s.notes }

// A ToolMemory keeps the tools of the last request, because those of the next
// one mostly are the same. The zero value is ready for use, also concurrently.
type ToolMemory struct{ last atomic.Pointer[ToolSet] }

// Of returns the tools as they travel. adapt changes a tool; encode appends an
// adapted one to dst as the provider wants it, and returns what has to stand in
// the instructions beside.
func (m *ToolMemory) Of(tools []chat.Tool, adapt func(chat.Tool) Adapted, encode func(dst []byte, t chat.Tool, a Adapted) (encoded []byte, note string)) *ToolSet {
	if last := m.last.Load(); last != nil && slices.Equal(last.of, tools) {
		return last
	}
	s := &ToolSet{of: slices.Clone(tools), byName: make(map[string]Adapted, len(tools))}
	dst := []byte{'['}
	for _, t := range tools {
		a := adapt(t)
		s.byName[t.Name] = a
		var note string
		dst, note = encode(appendComma(dst), t, a)
		s.notes += note
	}
	s.encoded = append(dst, ']')
	if len(tools) > 0 {
		m.last.Store(s)
	}
	return s
}

// Forget forgets the tools of the last request.
func (m *ToolMemory) Forget() { m.last.Store(nil) }
