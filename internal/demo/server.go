package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A Server is a sample application that listens on loopback.
type Server struct {
	url    string
	http   *http.Server
	served chan struct{}
	close  sync.Once
	err    error
}

// listen serves what handler makes for token until Close is called or ctx ends.
func listen(ctx context.Context, address, token string, handler func(token string) http.Handler) (*Server, error) {
	if token == "" {
		return nil, errors.New("the sample backend needs a token")
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil || !target.Addr().IsLoopback() {
		return nil, fmt.Errorf("the sample backend listens on loopback only, such as 127.0.0.1:8099, not on %q", address)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the sample backend cannot listen on %s: %w", address, errors.Unwrap(err))
	}
	s := &Server{
		url: "http://" + l.Addr().String(),
		http: &http.Server{
			Handler:           handler(token),
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       10 * time.Second,
			WriteTimeout:      10 * time.Second,
			IdleTimeout:       time.Minute,
			MaxHeaderBytes:    32 << 10,
			// What a client does wrong is no news for the terminal.
			ErrorLog: log.New(io.Discard, "", 0),
		},
		served: make(chan struct{}),
	}
	go func() {
		defer close(s.served)
		// It always ends with an error, and Close is the only reason.
		_ = s.http.Serve(l)
	}()
	go func() {
		select {
		case <-ctx.Done():
			_ = s.Close()
		case <-s.served:
		}
	}()
	return s, nil
}

// URL returns the address of the application, without a slash at its end.
func (s *Server) URL() string { return s.url }

// Close stops listening and gives requests that are being answered a second to
// end. It may be called more than once, and by several goroutines.
func (s *Server) Close() error {
	s.close.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		s.err = s.http.Shutdown(ctx)
		if s.err != nil {
			s.err = errors.Join(s.err, s.http.Close())
		}
		<-s.served
	})
	return s.err
}
