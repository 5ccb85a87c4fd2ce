package executor

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// A countedConn counts the bytes written to it, so that an attempt which wrote
// none can be told from a request that was sent.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

func dialCounted(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{Conn: conn}, nil
	}
}

// An attempt watches which connection a request gets.
type attempt struct {
	conn    *countedConn
	reused  bool
	written int64 // on conn, before the attempt
}

func (a *attempt) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: a.gotConn})
}

func (a *attempt) gotConn(info httptrace.GotConnInfo) {
	conn := info.Conn
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	counted, ok := conn.(*countedConn)
	if !ok {
		return
	}
	a.conn, a.reused, a.written = counted, info.Reused, counted.written.Load()
}

// unsent reports whether the attempt got a kept-alive connection and wrote not
// one byte to it: the server had closed it, and another may be tried.
func (a *attempt) unsent() bool {
	return a.conn != nil && a.reused && a.conn.written.Load() == a.written
}

// sent reports whether part of the request was written.
func (a *attempt) sent() bool {
	return a.conn != nil && a.conn.written.Load() > a.written
}
