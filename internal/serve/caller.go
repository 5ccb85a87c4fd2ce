package serve

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/internal/toolbox"
)

// UserHeader names the user that an app speaks for.
const UserHeader = "X-Vatio-User"

// maxUser is the longest name of a user, in bytes.
const maxUser = 256

// Who may use an operation.
type audience bool

const (
	anybody audience = false // apps, and users with a token
	apps    audience = true
)

// A caller is who makes a request.
type caller struct {
	toolbox.Caller
	app bool
}

// as finds out who calls, lets them do as much as their rate allows, and calls
// handle for them.
func (s *Server) as(who audience, handle func(http.ResponseWriter, *http.Request, caller) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		c, err := s.caller(r)
		if err != nil {
			return err
		}
		noteOf(r.Context()).owner = c.Owner
		if wait := s.limits.take(c.Owner); wait > 0 {
			s.metrics.limited.Inc()
			return refuse(http.StatusTooManyRequests, "rate_limited", "too many requests of %s: %g a second are allowed, and %d at once", c.Owner, s.Rate, s.Burst).after(wait)
		}
		if who == apps && !c.app {
			return refuse(http.StatusForbidden, "forbidden", "this is for apps: a token cannot do it, an app key can")
		}
		return handle(w, r, c)
	}
}

// caller reads the credentials of a request. Each header counts once: two of them
// might be read differently by whoever stands between.
func (s *Server) caller(r *http.Request) (caller, error) {
	credentials := r.Header.Values("Authorization")
	switch {
	case len(credentials) == 0:
		return caller{}, unauthorized("say who you are: Authorization: Bearer, with an app key or a token")
	case len(credentials) > 1:
		return caller{}, unauthorized("there is more than one Authorization header")
	}
	scheme, secret, _ := strings.Cut(credentials[0], " ")
	secret = strings.TrimSpace(secret)
	if !strings.EqualFold(scheme, "Bearer") || secret == "" || strings.ContainsAny(secret, " \t,") {
		return caller{}, unauthorized("the Authorization header must be: Bearer, and an app key or a token")
	}
	if strings.HasPrefix(secret, store.KeyPrefix) {
		return s.appCaller(r, secret)
	}
	return s.tokenCaller(r, secret)
}

func unauthorized(format string, args ...any) *problem {
	return refuse(http.StatusUnauthorized, "unauthorized", format, args...)
}

func (s *Server) appCaller(r *http.Request, secret string) (caller, error) {
	key, err := s.key(r, secret)
	switch {
	case errors.Is(err, store.ErrNoKey):
		return caller{}, unauthorized("the app key is not valid: it may have been revoked")
	case err != nil:
		return caller{}, err
	}
	users := r.Header.Values(UserHeader)
	switch {
	case len(users) == 0 || len(users) == 1 && users[0] == "":
		return caller{}, refuse(http.StatusBadRequest, "user_required", "say for whom the app speaks: %s: NAME", UserHeader)
	case len(users) > 1:
		return caller{}, invalid("there is more than one %s header", UserHeader)
	case len(users[0]) > maxUser:
		return caller{}, invalid("%s is longer than %d bytes", UserHeader, maxUser)
	}
	owner, err := toolbox.ParseOwner(key.App + "/" + users[0])
	if err != nil {
		return caller{}, invalid("%s: %s", UserHeader, err)
	}
	return caller{toolbox.Caller{Owner: owner, Scopes: key.Scopes}, true}, nil
}

func (s *Server) key(r *http.Request, secret string) (store.Key, error) {
	if s.LocalKey != "" && subtle.ConstantTimeCompare([]byte(store.HashKey(secret)), []byte(store.HashKey(s.LocalKey))) == 1 {
		return store.Key{App: LocalApp}, nil
	}
	return s.Store.Key(r.Context(), secret)
}

func (s *Server) tokenCaller(r *http.Request, token string) (caller, error) {
	d, release, err := s.Source.Acquire()
	if err != nil {
		return caller{}, err
	}
	defer release()
	c, err := d.Caller(token)
	if err != nil {
		return caller{}, unauthorized("the token is not accepted: %s", err)
	}
	// What stands in front of us might let it through from anybody.
	if len(r.Header.Values(UserHeader)) > 0 {
		return caller{}, refuse(http.StatusForbidden, "forbidden", "%s is for app keys: a token says itself who its user is", UserHeader)
	}
	return caller{c, false}, nil
}
