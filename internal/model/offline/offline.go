// Package offline is the chat.Model that is built in: it needs no network and
// is not a language model, and says so. It matches the words of a message
// against the words of the tools, takes a call's arguments from the text, asks
// for what is missing, and shows what a tool answered.
//
// A tool that changes something is called only where the message asks for that:
// "cancel it", but not "was it cancelled?" or "what if I cancel it". A tool that
// looks something up is called more readily; one is known by its ReadOnly, or
// by what it says of itself.
//
// It promises to be deterministic: the same request and the same clock give
// the same reply. It keeps nothing about a conversation; all it knows is read
// from the messages of the request. What it keeps is the compiled form of the
// tools it saw last.
package offline

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// A Model is safe for concurrent use.
type Model struct {
	now func() time.Time
	lex *lexicon

	seed  maphash.Seed
	mu    sync.Mutex
	known []compiled // newest first, at most keep of them
}

// Options configure New.
type Options struct {
	Now func() time.Time // what "tomorrow" counts from, and whose zone clock times are in; nil: time.Now
}

// New returns the offline model.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Model{now: o.Now, lex: newLexicon(), seed: maphash.MakeSeed()}
}

// Name returns "offline" twice.
func (m *Model) Name() (provider, model string) { return "offline", "offline" }

// Next answers r. The only error is that of a done ctx. delta, when not nil,
// is called once with the whole text.
func (m *Model) Next(ctx context.Context, r chat.Request, delta func(string)) (chat.Reply, error) {
	if err := ctx.Err(); err != nil {
		return chat.Reply{}, err
	}
	d := dialogue{ix: m.index(r.Tools), now: m.now()}
	reply := d.next(r.Messages)
	if delta != nil && reply.Text != "" {
		delta(reply.Text)
	}
	return reply, nil
}

// keep is how many sets of tools stay compiled: those of a few environments or
// callers that take turns.
const keep = 8

type compiled struct {
	sum uint64
	ix  *index
}

func (m *Model) index(tools []chat.Tool) *index {
	var h maphash.Hash
	h.SetSeed(m.seed)
	for _, t := range tools {
		for _, s := range [...]string{t.Name, t.Description, t.WhenToUse} {
			h.WriteString(s)
			h.WriteByte(0)
		}
		maphash.WriteComparable(&h, t.ReadOnly)
		if t.Parameters.Exists() {
			h.Write(t.Parameters.Raw())
		}
		h.WriteByte(0)
	}
	sum := h.Sum64()

	m.mu.Lock()
	defer m.mu.Unlock()
	for i, c := range m.known {
		if c.sum == sum {
			copy(m.known[1:i+1], m.known[:i])
			m.known[0] = c
			return c.ix
		}
	}
	c := compiled{sum: sum, ix: newIndex(m.lex, tools)}
	if len(m.known) < keep {
		m.known = append(m.known, compiled{})
	}
	copy(m.known[1:], m.known)
	m.known[0] = c
	return c.ix
}

func call(tool, arguments string) chat.Reply {
	return chat.Reply{Calls: []chat.Call{{Tool: tool, Arguments: arguments}}}
}

func say(text string) chat.Reply { return chat.Reply{Text: text} }

// object writes the JSON object of the values, which are JSON texts; a path of
// several names nests.
func object(paths [][]string, values []string) string {
	var b []byte
	b = appendObject(b, paths, values, 0)
	return string(b)
}

func appendObject(b []byte, paths [][]string, values []string, depth int) []byte {
	b = append(b, '{')
	first := true
	for i := 0; i < len(paths); {
		j := i + 1
		for j < len(paths) && len(paths[i]) > depth+1 && len(paths[j]) > depth+1 && paths[j][depth] == paths[i][depth] {
			j++
		}
		if strings.Join(values[i:j], "") != "" {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = jsondoc.AppendQuote(b, paths[i][depth])
			b = append(b, ':')
			if len(paths[i]) == depth+1 {
				b = append(b, values[i]...)
			} else {
				b = appendObject(b, paths[i:j], values[i:j], depth+1)
			}
		}
		i = j
	}
	return append(b, '}')
}
