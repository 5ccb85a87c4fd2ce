package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/executor"
)

// A Conversation is what is known of one, without what was said.
type Conversation struct {
	ID        string // opaque, not to be guessed
	Owner     string
	Channel   string
	Contact   executor.Contact
	HandedOff bool // a person has it
	Running   bool // a turn runs, or was running when its process died
	Created   time.Time

	shared   string // a phone number that no turn has told the model yet
	lastCall int
	turns    int64
}

// newID returns a name with 128 random bits: 26 of a-z and 2-7.
func newID() string { return strings.ToLower(rand.Text()) }

// IsID reports whether s could be the id of a conversation.
func IsID(s string) bool {
	return len(s) == 26 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Create makes a conversation and returns its id.
func (s *Store) Create(ctx context.Context, owner, channel string, contact executor.Contact) (string, error) {
	id := newID()
	err := s.update(ctx, func(tx *transaction) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO conversations (id, owner, channel, name, email, phone, created, updated)
			VALUES ($1, $2, $3, $4, $5, $6, `+s.now+`, `+s.now+`) ON CONFLICT (id) DO NOTHING`,
			id, owner, channel, contact.Name, contact.Email, contact.PhoneNumber)
		return err
	})
	return id, err
}

// Get returns an owner's conversation, or ErrNotFound.
func (s *Store) Get(ctx context.Context, owner, id string) (Conversation, error) {
	c := Conversation{ID: id, Owner: owner}
	if !IsID(id) {
		return c, ErrNotFound
	}
	err := s.patiently(ctx, func() error {
		var created int64
		err := s.queryRow(ctx, `SELECT channel, name, email, phone, handed_off <> 0, created,
			EXISTS (SELECT 1 FROM leases WHERE conversation = $1)
			FROM conversations WHERE id = $1 AND owner = $2`, id, owner).
			Scan(&c.Channel, &c.Contact.Name, &c.Contact.Email, &c.Contact.PhoneNumber, &c.HandedOff, &created, &c.Running)
		c.Created = time.UnixMilli(created).UTC()
		return none(err)
	})
	return c, err
}

// A ContactChange says what to change of a contact: nil leaves a field as it is.
type ContactChange struct{ Name, Email, PhoneNumber *string }

// ChangeContact changes what is known of the visitor. A phone number that was not
// known before is told to the model in the next turn.
func (s *Store) ChangeContact(ctx context.Context, owner, id string, change ContactChange) (Conversation, error) {
	if !IsID(id) {
		return Conversation{}, ErrNotFound
	}
	err := s.update(ctx, func(tx *transaction) error {
		result, err := tx.ExecContext(ctx, `UPDATE conversations SET
			shared = CASE WHEN CAST($5 AS TEXT) <> '' AND $5 <> phone THEN $5 WHEN $5 = '' THEN '' ELSE shared END,
			name = coalesce($3, name), email = coalesce($4, email), phone = coalesce($5, phone), updated = `+s.now+`
			WHERE id = $1 AND owner = $2`, id, owner, change.Name, change.Email, change.PhoneNumber)
		return one(result, err, ErrNotFound)
	})
	if err != nil {
		return Conversation{}, err
	}
	return s.Get(ctx, owner, id)
}

// begun counts a turn of a conversation and returns what it begins with. The row
// stays locked until tx ends.
func (s *Store) begun(ctx context.Context, tx *transaction, owner, id string) (Conversation, error) {
	c := Conversation{ID: id, Owner: owner}
	err := tx.QueryRowContext(ctx, `UPDATE conversations SET turns = turns + 1, updated = `+s.now+` WHERE id = $1 AND owner = $2
		RETURNING channel, name, email, phone, handed_off <> 0, shared, last_call, turns`, id, owner).
		Scan(&c.Channel, &c.Contact.Name, &c.Contact.Email, &c.Contact.PhoneNumber, &c.HandedOff, &c.shared, &c.lastCall, &c.turns)
	return c, none(err)
}

// Act does what needs no turn, such as what a person says: act is given the
// conversation without its history, and the event that it returns is stored with
// the messages that it added. It fails with ErrBusy while a turn runs.
func (s *Store) Act(ctx context.Context, owner, id string, act func(*chat.Conversation) (chat.Event, error)) (Event, error) {
	var stored Event
	if !IsID(id) {
		return stored, ErrNotFound
	}
	var tried int64 // turn of the attempt before, which may have been committed
	err := s.update(ctx, func(tx *transaction) error {
		if tried != 0 {
			found, err := s.lastOf(ctx, tx, id, tried)
			if err != nil {
				return err
			}
			if found.Body != "" && found.Body == stored.Body {
				stored = found
				return nil
			}
		}
		c, err := s.begun(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		closed, err := s.takeOver(ctx, tx, id)
		if err != nil {
			return err
		}
		if closed {
			if c, err = s.begun(ctx, tx, owner, id); err != nil {
				return err
			}
		}
		conversation, err := c.restore(nil)
		if err != nil {
			return err
		}
		event, err := act(conversation)
		if err != nil {
			return err
		}
		events, messages, err := s.last(ctx, tx, id)
		if err != nil {
			return err
		}
		now := time.Now()
		stored = Event{Seq: events + 1, Turn: c.turns, At: now, Body: string(chat.AppendEvent(nil, event))}
		tried = c.turns
		if err := s.insertEvents(ctx, tx, id, []Event{stored}); err != nil {
			return err
		}
		if err := s.insertMessages(ctx, tx, id, c.turns, messages, now, conversation.Messages()); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE conversations SET handed_off = $2 WHERE id = $1`, id, number(conversation.HandedOff()))
		return err
	})
	return stored, err
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// none turns an empty answer into ErrNotFound.
func none(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// one fails with missing when a statement changed nothing.
func one(result sql.Result, err, missing error) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		return missing
	}
	return err
}
