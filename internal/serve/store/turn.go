package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
)

// A Turn is the right to carry a conversation on. It is for one goroutine at a
// time, but for Renew. It ends with Finish, or when its lease runs out.
type Turn struct {
	Conversation           // as it was when the turn began
	History                *chat.Conversation
	Number                 int64 // of the turn in its conversation, rising
	First                  bool  // nothing has happened in the conversation before
	store                  *Store
	holder                 string
	nextEvent, nextMessage int64
	name                   string // of the visitor, as it is stored
}

// A Repeated error says that a request of this name began a turn before.
type Repeated struct {
	Turn  int64
	After int64 // number of the last event before the turn
}

func (*Repeated) Error() string { return "this request was made before" }

// An Opening gives the events that a turn begins with, as JSON. The turn has no
// History yet. Where it fails no turn begins. It may be called more than once.
type Opening func(*Turn) ([][]byte, error)

// Shared returns the phone number that no turn has told the model yet, or "".
func (t *Turn) Shared() string { return t.shared }

// Begin begins a turn in an owner's conversation and returns it with its first
// events; opening may be nil. It fails with ErrNotFound, with ErrBusy while
// another one runs, and with a *Repeated when request, which may be "", is the
// name of one that was made before.
func (s *Store) Begin(ctx context.Context, owner, id, request string, opening Opening) (*Turn, []Event, error) {
	if !IsID(id) {
		return nil, nil, ErrNotFound
	}
	var t *Turn
	var first []Event
	tried := false // an attempt before may have been committed
	holder := newID()
	err := s.update(ctx, func(tx *transaction) error {
		c, err := s.begun(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		t = &Turn{Conversation: c, Number: c.turns, store: s, holder: holder}
		mine := false
		if tried {
			if mine, err = s.begunBefore(ctx, tx, t); err != nil {
				return err
			}
		}
		tried = true
		if !mine {
			if request != "" {
				if err := s.remember(ctx, tx, id, request, t.Number); err != nil {
					return err
				}
			}
			err = t.lend(ctx, tx)
			if err == ErrBusy {
				if _, err := s.takeOver(ctx, tx, id); err != nil {
					return err
				}
				if t.Conversation, err = s.begun(ctx, tx, owner, id); err != nil { // which has changed
					return err
				}
				err = t.lend(ctx, tx)
			}
			if err != nil {
				return err
			}
		}
		t.Running, t.name = true, t.Contact.Name
		events, messages, err := s.last(ctx, tx, id)
		if err != nil {
			return err
		}
		if mine { // whose opening may be stored
			err := tx.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM events WHERE conversation = $1 AND turn < $2`, id, t.Number).Scan(&events)
			if err != nil {
				return err
			}
		}
		t.nextEvent, t.nextMessage, t.First = events+1, messages+1, events == 0
		if opening == nil {
			return nil
		}
		bodies, err := opening(t)
		if err != nil {
			return err
		}
		first = t.numbered(bodies)
		return s.insertEvents(ctx, tx, id, first)
	})
	if err != nil {
		return nil, nil, err
	}
	t.nextEvent += int64(len(first))
	history, err := s.recent(ctx, id)
	if err == nil {
		t.History, err = t.restore(history)
	}
	if err != nil {
		return nil, nil, errors.Join(err, t.Abandon(ctx))
	}
	return t, first, nil
}

// lend makes the lease of the turn, or fails with ErrBusy where there is one.
func (t *Turn) lend(ctx context.Context, tx *transaction) error {
	result, err := tx.ExecContext(ctx, `INSERT INTO leases (conversation, turn, holder, until) VALUES ($1, $2, $3, `+t.store.now+` + $4)
		ON CONFLICT (conversation) DO NOTHING`, t.ID, t.Number, t.holder, t.store.lease.Milliseconds())
	return one(result, err, ErrBusy)
}

// begunBefore finds the lease that an earlier attempt of Begin has made.
func (s *Store) begunBefore(ctx context.Context, tx *transaction, t *Turn) (bool, error) {
	err := none(tx.QueryRowContext(ctx, `SELECT turn FROM leases WHERE conversation = $1 AND holder = $2`, t.ID, t.holder).Scan(&t.Number))
	if err == ErrNotFound {
		return false, nil
	}
	return err == nil, err
}

// remember notes the name of a request.
func (s *Store) remember(ctx context.Context, tx *transaction, id, request string, turn int64) error {
	result, err := tx.ExecContext(ctx, `INSERT INTO requests (conversation, name, turn) VALUES ($1, $2, $3)
		ON CONFLICT (conversation, name) DO NOTHING`, id, request, turn)
	err = one(result, err, ErrNotFound)
	if err != ErrNotFound {
		return err
	}
	var r Repeated
	err = tx.QueryRowContext(ctx, `SELECT turn, (SELECT coalesce(max(seq), 0) FROM events e WHERE e.conversation = $1 AND e.turn < r.turn)
		FROM requests r WHERE conversation = $1 AND name = $2`, id, request).Scan(&r.Turn, &r.After)
	if err != nil {
		return err
	}
	return &r
}

// A Batch is what happened in a turn since the batch before.
type Batch struct {
	Events [][]byte // their JSON
	Traces []Trace
	Name   string // of the visitor, as it is known now
}

// A Trace is how a tool call went over the wire, as JSON without secrets.
type Trace struct {
	Call string // the id of the call
	Body []byte
}

// Append stores what happened and renews the lease. It returns the events with
// their numbers, and ErrFenced when the turn has been closed by another process.
func (t *Turn) Append(ctx context.Context, b Batch) ([]Event, error) {
	events := t.numbered(b.Events)
	err := t.store.update(ctx, func(tx *transaction) error {
		if err := t.keep(ctx, tx, b.Name); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `UPDATE leases SET until = `+t.store.now+` + $3 WHERE conversation = $1 AND holder = $2`,
			t.ID, t.holder, t.store.lease.Milliseconds())
		if err := one(result, err, ErrFenced); err != nil {
			return err
		}
		return t.insert(ctx, tx, events, b.Traces)
	})
	if err != nil {
		return nil, err
	}
	t.stored(events, b.Name)
	return events, nil
}

// Renew makes the lease last on. It may be called while another method runs.
func (t *Turn) Renew(ctx context.Context) error {
	return t.store.update(ctx, func(tx *transaction) error {
		result, err := tx.ExecContext(ctx, `UPDATE leases SET until = `+t.store.now+` + $3 WHERE conversation = $1 AND holder = $2`,
			t.ID, t.holder, t.store.lease.Milliseconds())
		return one(result, err, ErrFenced)
	})
}

// Finish stores the rest of a turn with its messages, and gives the lease back.
func (t *Turn) Finish(ctx context.Context, b Batch, messages []chat.Message, handedOff bool) ([]Event, error) {
	events := t.numbered(b.Events)
	lastCall := max(t.lastCall, lastCallOf(messages))
	err := t.store.update(ctx, func(tx *transaction) error {
		if err := t.keep(ctx, tx, b.Name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE conversations SET handed_off = $2, last_call = $3, updated = `+t.store.now+` WHERE id = $1`,
			t.ID, number(handedOff), lastCall)
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `DELETE FROM leases WHERE conversation = $1 AND holder = $2`, t.ID, t.holder)
		if err := one(result, err, ErrFenced); err != nil {
			if err == ErrFenced && t.committed(ctx, tx, events) {
				return nil
			}
			return err
		}
		if err := t.insert(ctx, tx, events, b.Traces); err != nil {
			return err
		}
		return t.store.insertMessages(ctx, tx, t.ID, t.Number, t.nextMessage-1, time.Now(), messages)
	})
	if err != nil {
		return nil, err
	}
	t.stored(events, b.Name)
	return events, nil
}

// Abandon closes the turn as one that was interrupted.
func (t *Turn) Abandon(ctx context.Context) error {
	return t.store.update(ctx, func(tx *transaction) error {
		if err := t.store.locked(ctx, tx, t.ID); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `DELETE FROM leases WHERE conversation = $1 AND holder = $2`, t.ID, t.holder)
		if err := one(result, err, ErrFenced); err != nil {
			return err
		}
		return t.store.closeTurn(ctx, tx, t.ID, t.Number)
	})
}

// committed reports whether an earlier attempt of Finish has stored the events.
func (t *Turn) committed(ctx context.Context, tx *transaction, events []Event) bool {
	for _, e := range events {
		var found bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM events WHERE conversation = $1 AND seq = $2 AND turn = $3 AND body = $4)`,
			t.ID, e.Seq, e.Turn, e.Body).Scan(&found)
		if err != nil || !found {
			return false
		}
	}
	return len(events) > 0
}

// keep stores what the turn has learned of the visitor, and that the model was
// told of a shared phone number. The conversation's row is locked before the
// lease's, everywhere.
func (t *Turn) keep(ctx context.Context, tx *transaction, name string) error {
	if name != t.name {
		if _, err := tx.ExecContext(ctx, `UPDATE conversations SET name = $2 WHERE id = $1`, t.ID, name); err != nil {
			return err
		}
	}
	if t.shared != "" {
		_, err := tx.ExecContext(ctx, `UPDATE conversations SET shared = '' WHERE id = $1 AND shared = $2`, t.ID, t.shared)
		return err
	}
	return nil
}

func (t *Turn) stored(events []Event, name string) {
	t.nextEvent += int64(len(events))
	t.name, t.shared = name, ""
}

func (t *Turn) numbered(bodies [][]byte) []Event {
	now := time.Now()
	events := make([]Event, len(bodies))
	for i, body := range bodies {
		events[i] = Event{Seq: t.nextEvent + int64(i), Turn: t.Number, At: now, Body: string(body)}
	}
	return events
}

func (t *Turn) insert(ctx context.Context, tx *transaction, events []Event, traces []Trace) error {
	if err := t.store.insertEvents(ctx, tx, t.ID, events); err != nil {
		return err
	}
	rows := make([][]any, len(traces))
	for i, trace := range traces {
		rows[i] = []any{t.ID, trace.Call, string(trace.Body)}
	}
	return insert(ctx, tx, "traces (conversation, call, body)", "(conversation, call)", rows)
}

// last returns the numbers of the last event and the last message.
func (s *Store) last(ctx context.Context, tx *transaction, id string) (event, message int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(seq), 0) FROM events WHERE conversation = $1),
		(SELECT coalesce(max(seq), 0) FROM messages WHERE conversation = $1)`, id).Scan(&event, &message)
	return event, message, err
}

func (s *Store) insertEvents(ctx context.Context, tx *transaction, id string, events []Event) error {
	rows := make([][]any, len(events))
	for i, e := range events {
		rows[i] = []any{id, e.Seq, e.Turn, e.At.UnixMilli(), e.Body}
	}
	return insert(ctx, tx, "events (conversation, seq, turn, at, body)", "(conversation, seq)", rows)
}

// insertMessages appends messages after number last.
func (s *Store) insertMessages(ctx context.Context, tx *transaction, id string, turn, last int64, at time.Time, messages []chat.Message) error {
	rows := make([][]any, len(messages))
	for i, m := range messages {
		body := encode(m)
		rows[i] = []any{id, last + 1 + int64(i), turn, at.UnixMilli(), len(body), string(body)}
	}
	return insert(ctx, tx, "messages (conversation, seq, turn, at, size, body)", "(conversation, seq)", rows)
}

// insert adds rows, several with one statement. A row that is there already
// stays as it is: only the holder of the lease numbers rows, so it is the same.
func insert(ctx context.Context, tx *transaction, table, key string, rows [][]any) error {
	const most = 16 // few different statements, each prepared once
	for len(rows) > 0 {
		n := min(len(rows), most)
		text := append([]byte("INSERT INTO "+table), " VALUES "...)
		var args []any
		for i, row := range rows[:n] {
			for j, arg := range row {
				switch {
				case j > 0:
					text = append(text, ", $"...)
				case i > 0:
					text = append(text, ", ($"...)
				default:
					text = append(text, "($"...)
				}
				args = append(args, arg)
				text = strconv.AppendInt(text, int64(len(args)), 10)
			}
			text = append(text, ')')
		}
		text = append(text, " ON CONFLICT "+key+" DO NOTHING"...)
		if _, err := tx.ExecContext(ctx, string(text), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
