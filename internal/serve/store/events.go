package store

import (
	"context"
	"time"
)

// An Event is one event of a conversation.
type Event struct {
	Seq  int64 // its number in the conversation, from 1
	Turn int64
	At   time.Time
	Body string // its JSON
}

// Events returns the events of an owner's conversation after a number, limit at
// most, and whether a turn was running before they were read. When none was and
// fewer than limit came, there are no more.
func (s *Store) Events(ctx context.Context, owner, id string, after int64, limit int) (events []Event, running bool, err error) {
	c, err := s.Get(ctx, owner, id)
	if err != nil {
		return nil, false, err
	}
	err = s.patiently(ctx, func() error {
		events = nil
		rows, err := s.query(ctx, `SELECT seq, turn, at, body FROM events WHERE conversation = $1 AND seq > $2 ORDER BY seq LIMIT $3`, id, after, limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var e Event
			var at int64
			if err := rows.Scan(&e.Seq, &e.Turn, &at, &e.Body); err != nil {
				return err
			}
			e.At = time.UnixMilli(at).UTC()
			events = append(events, e)
		}
		return rows.Err()
	})
	return events, c.Running, err
}

// lastOf returns the last event of a turn, or the zero Event.
func (s *Store) lastOf(ctx context.Context, tx *transaction, id string, turn int64) (Event, error) {
	e := Event{Turn: turn}
	var at int64
	err := none(tx.QueryRowContext(ctx, `SELECT seq, at, body FROM events WHERE conversation = $1 AND turn = $2 ORDER BY seq DESC LIMIT 1`, id, turn).
		Scan(&e.Seq, &at, &e.Body))
	if err == ErrNotFound {
		return Event{}, nil
	}
	e.At = time.UnixMilli(at).UTC()
	return e, err
}

// A Message is one message of a transcript.
type Message struct {
	Seq  int64 // its number in the conversation, from 1; 0 in a running turn
	At   time.Time
	Body string // its JSON: role, text, calls, results
}

// Messages returns the messages of an owner's conversation after a number, limit
// at most.
func (s *Store) Messages(ctx context.Context, owner, id string, after int64, limit int) ([]Message, error) {
	var all []Message
	err := s.patiently(ctx, func() error {
		all = nil
		rows, err := s.query(ctx, `SELECT m.seq, m.at, m.body FROM messages m JOIN conversations c ON c.id = m.conversation
			WHERE c.owner = $1 AND m.conversation = $2 AND m.seq > $3 ORDER BY m.seq LIMIT $4`, owner, id, after, limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var m Message
			var at int64
			if err := rows.Scan(&m.Seq, &at, &m.Body); err != nil {
				return err
			}
			m.At = time.UnixMilli(at).UTC()
			all = append(all, m)
		}
		return rows.Err()
	})
	return all, err
}

// RunningMessages returns what has been said in the turn that runs, if one does.
func (s *Store) RunningMessages(ctx context.Context, owner, id string) ([]Message, error) {
	var bodies []string
	var at int64
	err := s.patiently(ctx, func() error {
		bodies = nil
		rows, err := s.query(ctx, `SELECT e.at, e.body FROM events e
			JOIN conversations c ON c.id = e.conversation
			JOIN leases l ON l.conversation = e.conversation AND l.turn = e.turn
			WHERE c.owner = $1 AND c.id = $2 ORDER BY e.seq`, owner, id)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var body string
			if err := rows.Scan(&at, &body); err != nil {
				return err
			}
			bodies = append(bodies, body)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	half, err := read(bodies)
	if err != nil {
		return nil, err
	}
	all := make([]Message, len(half.messages))
	for i, m := range half.messages {
		all[i] = Message{At: time.UnixMilli(at).UTC(), Body: string(encode(m))}
	}
	return all, nil
}

// Trace returns how a call of an owner's conversation went over the wire, or
// ErrNotFound.
func (s *Store) Trace(ctx context.Context, owner, id, call string) (string, error) {
	var body string
	if !IsID(id) || len(call) > 20 {
		return "", ErrNotFound
	}
	err := s.patiently(ctx, func() error {
		return none(s.queryRow(ctx, `SELECT t.body FROM traces t JOIN conversations c ON c.id = t.conversation
			WHERE c.owner = $1 AND c.id = $2 AND t.call = $3`, owner, id, call).Scan(&body))
	})
	return body, err
}
