package store

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// KeyPrefix begins every app key.
const KeyPrefix = "vatio_"

// ErrNoKey says that there is no such key, or that it is revoked.
var ErrNoKey = errors.New("there is no such app key")

// A Key is an app's permission to speak for its users. The key itself is not
// kept, only its SHA-256.
type Key struct {
	ID      string // for people, no secret
	App     string
	Scopes  []string // nil: all
	Created time.Time
	Revoked time.Time // zero: it is valid
}

// CreateKey makes a key for an app and returns it with its secret, which cannot
// be had again. Its 256 random bits need no slow hash.
func (s *Store) CreateKey(ctx context.Context, app string, scopes []string) (secret string, k Key, err error) {
	if ok, err := regexp.MatchString(`^[a-z][a-z0-9-]{0,63}$`, app); err != nil || !ok {
		return "", Key{}, fmt.Errorf("%q is no name of an app: a-z, 0-9 and - are allowed, it starts with a letter and has 64 at most", app)
	}
	for _, scope := range scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return "", Key{}, fmt.Errorf("%q is no scope: letters, digits and punctuation without spaces are allowed", scope)
		}
	}
	secret = NewSecret()
	k = Key{ID: newID()[:12], App: app, Scopes: scopes, Created: time.Now().UTC().Truncate(time.Millisecond)}
	list, err := json.Marshal(scopes)
	if err != nil {
		return "", Key{}, err
	}
	err = s.update(ctx, func(tx *transaction) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO keys (id, app, hash, scopes, created) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			k.ID, app, HashKey(secret), string(list), k.Created.UnixMilli())
		return err
	})
	return secret, k, err
}

// NewSecret returns a new app key: KeyPrefix and 256 random bits.
func NewSecret() string { return KeyPrefix + newID() + newID() }

// HashKey returns the form in which a key is kept.
func HashKey(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Key returns the valid key with this secret, or ErrNoKey. It is looked up by
// its hash: how long that takes tells nothing of the secret.
func (s *Store) Key(ctx context.Context, secret string) (Key, error) {
	var k Key
	var hash, scopes string
	var created, revoked int64
	wanted := HashKey(secret)
	err := s.patiently(ctx, func() error {
		return none(s.queryRow(ctx, `SELECT id, app, hash, scopes, created, revoked FROM keys WHERE hash = $1`, wanted).
			Scan(&k.ID, &k.App, &hash, &scopes, &created, &revoked))
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return Key{}, ErrNoKey
	case err != nil:
		return Key{}, err
	case subtle.ConstantTimeCompare([]byte(hash), []byte(wanted)) != 1 || revoked != 0:
		return Key{}, ErrNoKey
	}
	return k, k.fill(scopes, created, revoked)
}

// Keys lists all keys, the oldest first.
func (s *Store) Keys(ctx context.Context) ([]Key, error) {
	var all []Key
	err := s.patiently(ctx, func() error {
		all = nil
		rows, err := s.query(ctx, `SELECT id, app, scopes, created, revoked FROM keys ORDER BY created, id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var k Key
			var scopes string
			var created, revoked int64
			if err := rows.Scan(&k.ID, &k.App, &scopes, &created, &revoked); err != nil {
				return err
			}
			if err := k.fill(scopes, created, revoked); err != nil {
				return err
			}
			all = append(all, k)
		}
		return rows.Err()
	})
	return all, err
}

// RevokeKey makes a key invalid from now on. It fails with ErrNoKey when there is
// none with this id; one that is revoked already stays so.
func (s *Store) RevokeKey(ctx context.Context, id string) error {
	return s.update(ctx, func(tx *transaction) error {
		result, err := tx.ExecContext(ctx, `UPDATE keys SET revoked = CASE WHEN revoked = 0 THEN `+s.now+` ELSE revoked END WHERE id = $1`, id)
		return one(result, err, ErrNoKey)
	})
}

func (k *Key) fill(scopes string, created, revoked int64) error {
	k.Created = time.UnixMilli(created).UTC()
	if revoked != 0 {
		k.Revoked = time.UnixMilli(revoked).UTC()
	}
	return json.Unmarshal([]byte(scopes), &k.Scopes)
}
