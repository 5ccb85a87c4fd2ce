package executor

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// Plain words for each kind of error, and never the error's own text.
func TestCauses(t *testing.T) {
	dial := func(err error) error {
		return fmt.Errorf("wrapped: %w", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)})
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{dial(syscall.ECONNREFUSED), "connection refused"},
		{dial(syscall.ECONNRESET), "connection reset"},
		{dial(syscall.EPIPE), "connection reset"},
		{dial(syscall.EHOSTUNREACH), "no route to the host"},
		{dial(syscall.ENETUNREACH), "the network is unreachable"},
		{dial(syscall.ETIMEDOUT), "the connection timed out"},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, "the connection timed out"},
		{&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, "no such host"},
		{&net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}, "its name could not be looked up"},
		{&net.OpError{Op: "proxyconnect", Err: syscall.ECONNREFUSED}, "the proxy: connection refused"},
		{io.ErrUnexpectedEOF, "the connection was closed before the whole answer had arrived"},
		{errors.New("http: server closed idle connection"), "the connection was closed before the whole answer had arrived"},
		{errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "secret"`), "the answer is not valid HTTP"},
		{errors.New("anything else: secret"), "the connection failed"},
		{x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}, "TLS: the certificate is not valid for this host"},
		{x509.CertificateInvalidError{Reason: x509.Expired}, "TLS: the certificate has expired or is not yet valid"},
		{x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}, "TLS: the certificate is not valid"},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "TLS: certificate signed by unknown authority"},
		{&tls.CertificateVerificationError{Err: errors.New("secret")}, "TLS: the certificate is not valid"},
		{&net.OpError{Op: "remote error", Err: tls.AlertError(40)}, "TLS: the handshake failed"},
		{errors.New("http: server gave HTTP response to HTTPS client"), "TLS: the server does not speak TLS, so the scheme may have to be http"},
	} {
		if got := causeOf(test.err); got != test.want {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
}
