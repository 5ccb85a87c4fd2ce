package remote

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// ParseBaseURL reads the address of a provider's API as people write it. The
// path of the result has no slash at its end.
func ParseBaseURL(text string) (*url.URL, error) {
	bad := func(why string) (*url.URL, error) {
		return nil, fmt.Errorf("the model's address %q %s: write --model-url as in http://localhost:11434/v1", hideUser(text), why)
	}
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return bad("is no URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("begins with neither http:// nor https://")
	case u.Hostname() == "":
		return bad("has no host")
	case u.User != nil:
		return bad("has a user or password in it, which do not belong there")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return bad("has a query or fragment, which do not belong there")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/"), RawPath: strings.TrimRight(u.RawPath, "/")}, nil
}

// hideUser takes what may be a secret out of an address: what stands before an
// @, and after a ? or #.
func hideUser(text string) string {
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		scheme, rest = "", text
	}
	i := strings.LastIndex(rest, "@")
	if i < 0 {
		return text
	}
	if ok {
		scheme += "://"
	}
	return scheme + rest[i+1:]
}

// Local reports whether u leads to this machine.
func Local(u *url.URL) bool {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified())
}
