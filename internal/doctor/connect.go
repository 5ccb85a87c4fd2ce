package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	defaultTimeout = 5 * time.Second
	atOnce         = 8
)

// A Prober looks at servers. It is safe for concurrent use.
type Prober struct {
	Timeout time.Duration                                // for each look; 0: 5 seconds
	Roots   *x509.CertPool                               // nil: those of the system
	Proxy   func(u *url.URL) (proxy *url.URL, err error) // nil, or a nil result: none
	Version string                                       // of vatio, for the User-Agent
}

// A Verdict is what a look has come to.
type Verdict struct {
	Status Status
	Text   string // continues the name of what was looked at: "cannot be reached: connection refused"
	Wrong  Wrong  // what to look at first; "" where nothing is wrong, or nothing helps but to wait
}

// Wrong is what is likely wrong.
type Wrong string

// What a Wrong may be.
const (
	WrongAddress Wrong = "address"
	WrongKey     Wrong = "key"
	WrongModel   Wrong = "model"
	WrongProxy   Wrong = "proxy"
)

// Each runs look for every i below n, a few at once.
func Each(n int, look func(i int)) {
	var running errgroup.Group
	running.SetLimit(atOnce)
	for i := range n {
		running.Go(func() error {
			look(i)
			return nil
		})
	}
	_ = running.Wait()
}

func (p *Prober) timeout() time.Duration {
	if p.Timeout > 0 {
		return p.Timeout
	}
	return defaultTimeout
}

// Connect looks up the host, connects and, for https, shakes hands. Where a proxy
// stands in between, the proxy is connected to and nothing is asked of it.
func (p *Prober) Connect(ctx context.Context, a Address) Verdict {
	ctx, cancel := context.WithTimeout(ctx, p.timeout())
	defer cancel()
	through, err := p.proxyOf(a)
	if err != nil {
		return Verdict{Broken, "cannot be reached: the address of the proxy is not valid", WrongProxy}
	}
	target := a
	if through != (Address{}) {
		target = through
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(target.Host, target.Port))
	if err != nil {
		return p.unreachable(ctx, err, through, "no connection")
	}
	defer func() { _ = conn.Close() }()
	if through != (Address{}) {
		return Verdict{OK, fmt.Sprintf("stands behind the proxy %s, which can be reached", through), ""}
	}
	if linkLocal(conn.RemoteAddr()) {
		return Verdict{Broken, "is a link-local address, which is never called", WrongAddress}
	}
	if a.Scheme == "https" {
		shake := tls.Client(conn, &tls.Config{ServerName: a.Host, RootCAs: p.Roots})
		if err := shake.HandshakeContext(ctx); err != nil {
			return p.unreachable(ctx, err, through, "no TLS handshake")
		}
	}
	return Verdict{OK, "can be reached", ""}
}

// proxyOf is the proxy in front of an address, the zero Address for none.
func (p *Prober) proxyOf(a Address) (Address, error) {
	if p.Proxy == nil {
		return Address{}, nil
	}
	u, err := p.Proxy(&url.URL{Scheme: a.Scheme, Host: net.JoinHostPort(a.Host, a.Port)})
	if err != nil || u == nil {
		return Address{}, err
	}
	through := Address{Scheme: u.Scheme, Host: u.Hostname(), Port: u.Port()}
	if through.Port == "" {
		through.Port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
		if through.Port == "" {
			through.Port = "80"
		}
	}
	return through, nil
}

func linkLocal(addr net.Addr) bool {
	at, err := netip.ParseAddrPort(addr.String())
	return err == nil && at.Addr().Unmap().IsLinkLocalUnicast()
}

func (p *Prober) unreachable(ctx context.Context, err error, through Address, missing string) Verdict {
	text, wrong := "cannot be reached: ", WrongAddress
	if through != (Address{}) {
		text += fmt.Sprintf("the proxy %s: ", through)
		wrong = WrongProxy
	}
	return Verdict{Broken, text + p.cause(ctx, err, missing), wrong}
}

// cause puts an error of the network in plain words. It passes nothing on that
// came from a server. missing is what had not come when the time was over.
func (p *Prober) cause(ctx context.Context, err error, missing string) string {
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		timeout   net.Error
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host"
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("%s within %s", missing, p.timeout())
	case ctx.Err() != nil:
		return "interrupted"
	case errors.As(err, &dns):
		return "its name could not be looked up"
	case errors.As(err, &authority):
		return "TLS: the certificate is signed by an unknown authority"
	case errors.As(err, &hostname):
		return "TLS: the certificate is not valid for this host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "TLS: the certificate has expired or is not yet valid"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "TLS: the certificate is not valid"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "TLS: the server does not speak TLS, so the scheme may have to be http"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.EHOSTUNREACH):
		return "no route to the host"
	case errors.Is(err, syscall.ENETUNREACH):
		return "the network is unreachable"
	case strings.Contains(err.Error(), "tls: "):
		return "TLS: the handshake failed"
	case strings.Contains(err.Error(), "malformed HTTP"):
		return "the answer is not HTTP"
	}
	return "the connection was closed"
}
