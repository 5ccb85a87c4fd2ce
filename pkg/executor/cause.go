package executor

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// causeOf puts an error of the network in plain words. It never passes on the
// error's own text, which may quote what the server sent.
func causeOf(err error) string {
	var blocked *blockedError
	if errors.As(err, &blocked) {
		return blocked.Error()
	}
	var proxy *proxyError
	if errors.As(err, &proxy) {
		return proxy.Error()
	}
	cause := tlsCause(err)
	if cause == "" {
		cause = networkCause(err)
	}
	if operation := new(net.OpError); errors.As(err, &operation) && operation.Op == "proxyconnect" {
		return "the proxy: " + cause
	}
	return cause
}

// A proxyError is a proxy that makes no tunnel.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy refused the connection (HTTP %d)", e.status)
}

func tlsCause(err error) string {
	var (
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
		verify    *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &authority):
		return "TLS: certificate signed by unknown authority"
	case errors.As(err, &hostname):
		return "TLS: the certificate is not valid for this host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "TLS: the certificate has expired or is not yet valid"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "TLS: the certificate is not valid"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "TLS: the server does not speak TLS, so the scheme may have to be http"
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		return "TLS: the handshake failed"
	}
	return ""
}

func networkCause(err error) string {
	var (
		dns     *net.DNSError
		timeout net.Error
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host"
	case errors.As(err, &dns):
		return "its name could not be looked up"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, syscall.EHOSTUNREACH):
		return "no route to the host"
	case errors.Is(err, syscall.ENETUNREACH):
		return "the network is unreachable"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "the connection timed out"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "server closed idle connection"):
		return "the connection was closed before the whole answer had arrived"
	case strings.Contains(err.Error(), "malformed"), strings.Contains(err.Error(), "invalid"), strings.Contains(err.Error(), "http: "):
		return "the answer is not valid HTTP"
	}
	return "the connection failed"
}

// interruption says in a clause why an answer stopped after its head.
func interruption(err error) string {
	switch cause := causeOf(err); {
	case cause == "connection reset":
		return "the connection was reset before the whole answer had arrived"
	case cause == "the connection failed", cause == "the connection timed out":
		return cause + " before the whole answer had arrived"
	case strings.HasPrefix(cause, "the connection "):
		return cause
	case cause == "the answer is not valid HTTP":
		return "the rest of the answer is not valid HTTP"
	}
	return "the connection failed before the whole answer had arrived"
}

// isHeadTooLarge recognises a head over maxHeaderBytes.
func isHeadTooLarge(err error) bool {
	return strings.Contains(err.Error(), "server response headers exceeded")
}
