package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
)

// What a turn begins with is bounded: the newest whole turns that have no more
// than these many messages, and no more than these many bytes but for the last
// turn, which is always there.
const (
	HistoryMessages = 200
	HistoryBytes    = 512 << 10
)

// A message is the stored form of a chat.Message, the same as in a marshalled
// chat.Conversation.
type message struct {
	Role    string   `json:"role"`
	Text    string   `json:"text,omitempty"`
	Calls   []call   `json:"calls,omitempty"`
	Results []result `json:"results,omitempty"`
}

type call struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

type result struct {
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
}

func encode(m chat.Message) []byte {
	stored := message{Role: m.Role.String(), Text: m.Text}
	for _, c := range m.Calls {
		stored.Calls = append(stored.Calls, call(c))
	}
	for _, r := range m.Results {
		stored.Results = append(stored.Results, result(r))
	}
	body, err := json.Marshal(stored)
	if err != nil {
		panic(err) // strings and booleans always have a JSON form
	}
	return body
}

// lastCallOf returns the highest number of a call.
func lastCallOf(messages []chat.Message) int {
	last := 0
	for _, m := range messages {
		for _, c := range m.Calls {
			if n, err := strconv.Atoi(c.ID); err == nil {
				last = max(last, n)
			}
		}
	}
	return last
}

type storedMessage struct {
	turn int64
	body string
}

// recent reads the newest messages, oldest first. They do not change while a turn
// holds the conversation.
func (s *Store) recent(ctx context.Context, id string) ([]storedMessage, error) {
	var all []storedMessage
	err := s.patiently(ctx, func() error {
		var err error
		all, err = s.readRecent(ctx, id)
		return err
	})
	return all, err
}

func (s *Store) readRecent(ctx context.Context, id string) ([]storedMessage, error) {
	rows, err := s.query(ctx, s.history, id, HistoryMessages, HistoryBytes)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []storedMessage
	var oldest int64
	for size := 0; rows.Next(); {
		var seq int64
		var m storedMessage
		if err := rows.Scan(&seq, &m.turn, &m.body); err != nil {
			return nil, err
		}
		if size += len(m.body); size > HistoryBytes && len(all) > 0 && m.turn != all[0].turn {
			break
		}
		all, oldest = append(all, m), seq
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	slices.Reverse(all)
	if oldest > 1 {
		all = wholeTurns(all)
	}
	return all, nil
}

// wholeTurns drops messages at the front until the first is the visitor's and
// begins a turn. The first turn is dropped too, unless it is the only one, for
// nobody knows whether it is whole.
func wholeTurns(all []storedMessage) []storedMessage {
	for i := 1; i < len(all); i++ {
		if all[i].turn != all[i-1].turn && strings.HasPrefix(all[i].body, `{"role":"user"`) {
			return all[i:]
		}
	}
	for i, m := range all {
		if m.turn == all[len(all)-1].turn {
			return all[i:]
		}
	}
	return all
}

// restore makes the conversation that goes on after these messages.
func (c *Conversation) restore(history []storedMessage) (*chat.Conversation, error) {
	var b bytes.Buffer
	b.WriteString(`{"messages":[`)
	for i, m := range history {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m.body)
	}
	fmt.Fprintf(&b, `],"last_id":%d,"handed_off":%t,"shared":`, c.lastCall, c.HandedOff)
	shared, err := json.Marshal(c.shared)
	if err != nil {
		return nil, err
	}
	b.Write(shared)
	b.WriteByte('}')
	restored := &chat.Conversation{}
	return restored, restored.UnmarshalJSON(b.Bytes())
}
