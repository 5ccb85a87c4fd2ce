package toolbox

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/executor"
)

var appFormat = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// ParseOwner checks an app caller <app>/<user>. Two owners never read the
// same, so a user must not have what separates a token's issuer and subject.
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
	owner := issuer + "|" + p.Subject
	if strings.ContainsFunc(owner, unicode.IsControl) {
		return "", fmt.Errorf("the token's subject or issuer holds control characters")
	}
	return owner, nil
}
