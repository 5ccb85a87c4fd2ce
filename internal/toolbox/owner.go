package toolbox

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/executor"
)

var appFormat = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// ParseOwner checks an app caller <app>/<user>. Two owners never read the same,
// so a user must not have what separates a token's issuer and subject, nor what
// a header does not carry over.
func ParseOwner(text string) (string, error) {
	app, user, ok := strings.Cut(text, "/")
	switch {
	case !ok || app == "" || user == "":
		return "", fmt.Errorf("%q is no caller: write APP/USER, such as web/alice", text)
	case !appFormat.MatchString(app):
		return "", fmt.Errorf("%q is no name of an app: a-z, 0-9 and - are allowed, and it starts with a letter", app)
	case strings.ContainsFunc(user, unicode.IsControl):
		return "", fmt.Errorf("the user of a caller must not hold control characters")
	case strings.Contains(user, "|"):
		return "", fmt.Errorf("the user of a caller must not hold a |: %q", user)
	case !plain(user):
		return "", fmt.Errorf("the user of a caller must be text without white space around it: %q", user)
	}
	return text, nil
}

// TokenOwner returns the owner of a token caller: <issuer>|<subject>, with the
// workspace's slug for a token without an issuer.
func TokenOwner(p *executor.Principal, slug string) (string, error) {
	issuer := p.Issuer
	if issuer == "" {
		issuer = slug
	}
	switch {
	case strings.ContainsFunc(issuer+p.Subject, unicode.IsControl):
		return "", fmt.Errorf("the token's subject or issuer holds control characters")
	case strings.Contains(issuer, "|"):
		return "", fmt.Errorf("the token's issuer must not hold a |: %q", issuer)
	case !plain(issuer) || !plain(p.Subject):
		return "", fmt.Errorf("the token's subject and issuer must be text without white space around it")
	}
	return issuer + "|" + p.Subject, nil
}

// plain reports whether s reads the same wherever it is sent: white space around
// a header's value is lost, and what is no text is replaced.
func plain(s string) bool {
	return strings.TrimSpace(s) == s && utf8.ValidString(s) && !strings.ContainsRune(s, utf8.RuneError)
}
