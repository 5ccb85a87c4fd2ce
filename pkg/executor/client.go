package executor

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Options configure a Client.
type Options struct {
	// Version is what follows "vatio/" in the User-Agent; "dev" when empty.
	Version string
	// Transport replaces the network, and with it the check of the addresses
	// dialled. It is meant for tests; nil is the guarded network.
	Transport http.RoundTripper
}

// A Client calls tools. It keeps connections alive between calls and is safe
// for concurrent use.
type Client struct {
	userAgent string
	open      http.RoundTripper // whatever the workspace's author wrote down
	strict    http.RoundTripper // for hosts that others take part in
	inflaters sync.Pool         // *gzip.Reader
	identity  []string          // the transfer coding of requests without a body
	close     func()
}

// New returns a Client. Close it when it is no longer needed.
func New(o Options) *Client {
	version := o.Version
	if version == "" {
		version = "dev"
	}
	c := &Client{userAgent: "vatio/" + version, identity: []string{"identity"}, close: func() {}}
	if o.Transport != nil {
		c.open, c.strict = o.Transport, o.Transport
		return c
	}
	open, strict := newTransport(refuseAlways), newTransport(refuseInternal)
	open.Proxy = http.ProxyFromEnvironment
	c.open, c.strict = open, strict
	c.close = func() {
		open.CloseIdleConnections()
		strict.CloseIdleConnections()
	}
	return c
}

// Close drops the idle connections. Calls that run go on, and their
// connections are dropped by a later Close.
func (c *Client) Close() { c.close() }

const (
	idleConnections = 128
	// Nothing is sent again, so a connection that the server is about to close
	// costs a call. Common servers keep theirs for five seconds or more.
	idleTimeout    = 4 * time.Second
	maxHeaderBytes = 256 << 10
	// net/http goes on connecting after the call that wanted the connection has
	// ended, for the next one.
	connectTimeout = 30 * time.Second
)

// refusedByProxy keeps the status with which a proxy answers instead of making a
// tunnel, of which net/http keeps the words alone.
func refusedByProxy(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return &proxyError{answer.StatusCode}
	}
	return nil
}

func dialGuarded(refuse addressRule, names *net.Resolver) func(ctx context.Context, network, address string) (net.Conn, error) {
	return dialCounted(&net.Dialer{ControlContext: refuse.control, Timeout: connectTimeout, Resolver: names})
}

func newTransport(refuse addressRule) *http.Transport {
	return &http.Transport{
		DialContext:            dialGuarded(refuse, net.DefaultResolver),
		TLSHandshakeTimeout:    connectTimeout,
		DisableCompression:     true, // the limit counts decoded bytes: answer.go decodes
		MaxIdleConns:           2 * idleConnections,
		MaxIdleConnsPerHost:    idleConnections,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ForceAttemptHTTP2:      false,
		OnProxyConnectResponse: refusedByProxy,
	}
}
