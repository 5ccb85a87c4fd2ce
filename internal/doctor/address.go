package doctor

import (
	"errors"
	"net"
	"net/url"
	"strings"
)

// An Address is a server: what may be shown of a URL. The zero value is none.
type Address struct {
	Scheme string // "http" or "https"
	Host   string // a name or an IP address, without brackets
	Port   string
}

// ParseAddress takes the address out of a URL. The error repeats nothing of the
// text, which may be a secret in the wrong place.
func ParseAddress(text string) (Address, error) {
	scheme, rest, found := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	if !found || scheme != "http" && scheme != "https" {
		return Address{}, errors.New("it does not start with http:// or https://")
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	if strings.Contains(rest, "@") {
		return Address{}, errors.New("it holds a user name or password")
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.Hostname() == "" {
		return Address{}, errors.New("it has no valid host")
	}
	a := Address{Scheme: scheme, Host: strings.ToLower(u.Hostname()), Port: u.Port()}
	if a.Port == "" {
		a.Port = "80"
		if scheme == "https" {
			a.Port = "443"
		}
	}
	return a, nil
}

// String returns scheme://host:port.
func (a Address) String() string {
	return (&url.URL{Scheme: a.Scheme, Host: net.JoinHostPort(a.Host, a.Port)}).String()
}
