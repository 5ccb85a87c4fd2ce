package serve

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// checkPlace refuses, on a development server, what a page of another site makes
// a browser send: by a name of its own that leads here, or from its own origin.
func (s *Server) checkPlace(r *http.Request) error {
	if !s.Dev {
		return nil
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !loopbackHost(r.Host, local) {
		return refuse(http.StatusForbidden, "forbidden", "a development server answers to a loopback address alone: open it at http://%s", address(local))
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" || u.Host != r.Host || origin != "http://"+r.Host {
			return refuse(http.StatusForbidden, "forbidden", "a development server does not answer to pages of other sites")
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return refuse(http.StatusForbidden, "forbidden", "a development server does not answer to pages of other sites")
	}
	return nil
}

// loopbackHost reports whether host is a loopback name or address with the port
// that was connected to.
func loopbackHost(host string, local net.Addr) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, "80"
	}
	if _, wanted, err := net.SplitHostPort(address(local)); err == nil && port != wanted {
		return false
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}

func address(a net.Addr) string {
	if a == nil {
		return "127.0.0.1"
	}
	return a.String()
}
