package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/executor"
)

// What stands where the end of a turn was lost.
const (
	interruptedNote   = "(This turn was interrupted before it was answered.)"
	interruptedError  = "the turn was interrupted: the process that ran it stopped"
	interruptedResult = "the turn was interrupted before the tool answered; whether it did its work is not known"
)

// takeOver makes way for a new turn: a lease that ran out is taken away and its
// turn closed. It fails with ErrBusy when the lease lasts. The conversation's
// row must be locked.
func (s *Store) takeOver(ctx context.Context, tx *transaction, id string) (closed bool, err error) {
	var turn int64
	err = none(tx.QueryRowContext(ctx, `SELECT turn FROM leases WHERE conversation = $1`, id).Scan(&turn))
	if err == ErrNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	result, err := tx.ExecContext(ctx, `DELETE FROM leases WHERE conversation = $1 AND turn = $2 AND until <= `+s.now, id, turn)
	if err := one(result, err, ErrBusy); err != nil {
		return false, err
	}
	return true, s.closeTurn(ctx, tx, id, turn)
}

// CloseExpired closes the turns whose leases ran out, as many as limit, and
// returns the ids of their conversations.
func (s *Store) CloseExpired(ctx context.Context, limit int) ([]string, error) {
	var expired []string
	err := s.patiently(ctx, func() error {
		expired = nil
		rows, err := s.query(ctx, `SELECT conversation FROM leases WHERE until <= `+s.now+` ORDER BY until LIMIT $1`, limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			expired = append(expired, id)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	var done []string
	for _, id := range expired {
		var closed bool
		err := s.update(ctx, func(tx *transaction) error {
			if err := s.locked(ctx, tx, id); err != nil {
				return err
			}
			var err error
			closed, err = s.takeOver(ctx, tx, id)
			return err
		})
		switch {
		case err == nil && closed:
			done = append(done, id)
		case err != nil && err != ErrBusy: // which another process was quicker to close
			return done, err
		}
	}
	return done, nil
}

func (s *Store) locked(ctx context.Context, tx *transaction, id string) error {
	var one int
	return none(tx.QueryRowContext(ctx, `SELECT 1 FROM conversations WHERE id = $1`+s.forUpdate, id).Scan(&one))
}

// closeTurn completes a turn of which there are events but no messages.
func (s *Store) closeTurn(ctx context.Context, tx *transaction, id string, turn int64) error {
	rows, err := tx.QueryContext(ctx, `SELECT body FROM events WHERE conversation = $1 AND turn = $2 ORDER BY seq`, id, turn)
	if err != nil {
		return err
	}
	defer rows.Close()
	var bodies []string
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			return err
		}
		bodies = append(bodies, body)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(bodies) == 0 { // nobody was told that it began: it may be asked for again
		_, err := tx.ExecContext(ctx, `DELETE FROM requests WHERE conversation = $1 AND turn = $2`, id, turn)
		return err
	}
	half, err := read(bodies)
	if err != nil {
		return err
	}
	missing := half.complete()
	lastEvent, lastMessage, err := s.last(ctx, tx, id)
	if err != nil {
		return err
	}
	now := time.Now()
	events := make([]Event, len(missing))
	for i, e := range missing {
		events[i] = Event{Seq: lastEvent + 1 + int64(i), Turn: turn, At: now, Body: string(chat.AppendEvent(nil, e))}
	}
	if err := s.insertEvents(ctx, tx, id, events); err != nil {
		return err
	}
	if err := s.insertMessages(ctx, tx, id, turn, lastMessage, now, half.messages); err != nil {
		return err
	}
	last := lastCallOf(half.messages)
	_, err = tx.ExecContext(ctx, `UPDATE conversations SET last_call = CASE WHEN last_call < $2 THEN $2 ELSE last_call END,
		handed_off = CASE WHEN $3 = 1 THEN 1 ELSE handed_off END WHERE id = $1`, id, last, number(half.handedOff))
	return err
}

// A half is the messages of a turn as far as its events tell them.
type half struct {
	messages  []chat.Message
	calls     int
	handedOff bool
}

type event struct {
	Type      chat.EventType  `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Content   string          `json:"content"`
	IsError   bool            `json:"is_error"`
}

// read makes messages of events.
func read(bodies []string) (*half, error) {
	h := &half{}
	for _, body := range bodies {
		var e event
		if err := json.Unmarshal([]byte(body), &e); err != nil {
			return nil, err
		}
		h.add(e)
	}
	return h, nil
}

func (h *half) add(e event) {
	last := h.last()
	switch e.Type {
	case chat.UserEvent:
		h.messages = append(h.messages, chat.Message{Role: chat.User, Text: e.Text})
	case chat.AgentEvent:
		h.messages = append(h.messages, chat.Message{Role: chat.Agent, Text: e.Text})
	case chat.HumanEvent:
		h.messages = append(h.messages, chat.Message{Role: chat.Human, Text: e.Text})
	case chat.ToolCallEvent:
		h.calls++
		// A text that comes with calls is told right before them.
		if last == nil || last.Role != chat.Agent {
			h.messages = append(h.messages, chat.Message{Role: chat.Agent})
			last = h.last()
		}
		last.Calls = append(last.Calls, chat.Call{ID: e.ID, Tool: e.Tool, Arguments: string(e.Arguments)})
	case chat.ToolResultEvent:
		if last == nil || last.Role != chat.ToolResults {
			h.messages = append(h.messages, chat.Message{Role: chat.ToolResults})
			last = h.last()
		}
		last.Results = append(last.Results, chat.Result{ID: e.ID, Tool: e.Tool, Content: e.Content, IsError: e.IsError})
		h.handedOff = h.handedOff || e.Tool == chat.HandoffTool && !e.IsError
	case chat.HandoffEvent:
		h.handedOff = true
	}
}

func (h *half) last() *chat.Message {
	if len(h.messages) == 0 {
		return nil
	}
	return &h.messages[len(h.messages)-1]
}

// open returns the calls of the last answer that have no result, in their order.
func (h *half) open() []chat.Call {
	n := len(h.messages)
	if n == 0 {
		return nil
	}
	if last := h.messages[n-1]; last.Role == chat.Agent {
		return last.Calls
	} else if last.Role == chat.ToolResults && n > 1 {
		return h.messages[n-2].Calls[len(last.Results):]
	}
	return nil
}

// complete gives every call a result, says in the history that the turn was
// interrupted, and returns the events that tell it.
func (h *half) complete() []chat.Event {
	var events []chat.Event
	for _, c := range h.open() {
		content := executor.ErrorResult(interruptedResult, "interrupted")
		events = append(events, chat.Event{Type: chat.ToolResultEvent, ID: c.ID, Tool: c.Tool, Content: content, IsError: true})
		if last := h.last(); last.Role != chat.ToolResults {
			h.messages = append(h.messages, chat.Message{Role: chat.ToolResults})
		}
		last := h.last()
		last.Results = append(last.Results, chat.Result{ID: c.ID, Tool: c.Tool, Content: content, IsError: true})
	}
	h.messages = append(h.messages, chat.Message{Role: chat.Agent, Text: interruptedNote})
	return append(events, chat.Event{Type: chat.ErrorEvent, Text: interruptedError}, chat.Event{Type: chat.TurnEndEvent, ToolCalls: h.calls})
}
