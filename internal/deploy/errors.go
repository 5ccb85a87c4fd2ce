package deploy

import (
	"errors"
	"fmt"
	"strings"
)

// UnknownError says that no environment or deployment has this name.
type UnknownError struct {
	Name  string   // as it was asked for
	Where string   // the store
	Have  []string // the environments there are, sorted
}

func (e *UnknownError) Error() string {
	kind := "deployment"
	if ValidEnvironment(e.Name) {
		kind = "environment"
	}
	msg := fmt.Sprintf("no %s %q in %s", kind, legible(e.Name), e.Where)
	if len(e.Have) == 0 {
		return msg + ": nothing has been pushed there yet"
	}
	const most = 10
	have := e.Have
	more := ""
	if len(have) > most {
		more = fmt.Sprintf(" and %d more", len(have)-most)
		have = have[:most]
	}
	return msg + ": there is " + strings.Join(have, ", ") + more
}

// NothingBeforeError says that a rollback has nowhere to go.
type NothingBeforeError struct {
	Environment string
	Where       string
	Current     Deployment
}

func (e *NothingBeforeError) Error() string {
	return fmt.Sprintf("nothing to roll back to: %s is the first deployment of %q in %s",
		short(e.Current.Digest), e.Environment, e.Where)
}

// AmbiguousError says that a digest's beginning names several deployments.
type AmbiguousError struct {
	Prefix  string
	Matches []string // longer beginnings, sorted
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q may be %s: give more digits", e.Prefix, strings.Join(e.Matches, " or "))
}

// missingError says that a tag or digest names nothing.
type missingError struct{ ref string }

func (e *missingError) Error() string { return fmt.Sprintf("there is no %q", legible(e.ref)) }

func isMissing(err error) bool {
	var m *missingError
	return errors.As(err, &m)
}

// damagedError says that what is stored is not what was stored once.
type damagedError struct {
	text string
	lost bool // it is gone rather than changed: another push sets things right
}

func (e *damagedError) Error() string { return e.text }

// IsDamaged reports whether an error says that what is stored is lost or was
// changed.
func IsDamaged(err error) bool {
	var d *damagedError
	return errors.As(err, &d)
}

func damaged(format string, args ...any) error {
	return &damagedError{text: fmt.Sprintf(format, args...)}
}

func isLost(err error) bool {
	var d *damagedError
	return errors.As(err, &d) && d.lost
}

// short is the part of a digest that people are shown.
func short(digest string) string {
	hex := strings.TrimPrefix(digest, digestPrefix)
	if len(hex) > shortDigest {
		hex = hex[:shortDigest]
	}
	return hex
}

func checkEnvironment(name string) error {
	if !ValidEnvironment(name) {
		return fmt.Errorf("%q cannot name an environment: use lower-case letters and digits, with single - or _ between them, %d at most", legible(name), maxName)
	}
	return nil
}
