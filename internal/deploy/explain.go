package deploy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// answerError says that a registry's answer makes no sense.
type answerError struct{ text string }

func (e *answerError) Error() string { return e.text }

// isEmptyRepository reports whether the registry says, in the words of the
// protocol, that it does not know the repository: it is made by the first push.
// Any web server answers 404.
func (r *registry) isEmptyRepository(err error) bool {
	var resp *errcode.ErrorResponse
	return errors.As(err, &resp) && resp.StatusCode == http.StatusNotFound && len(resp.Errors) > 0 && resp.Errors[0].Code != ""
}

// explain says what failed in words for people. It keeps nothing of the error it
// is given, which may quote addresses with tokens in them; only a cancellation is
// returned as it is.
func (r *registry) explain(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := func(format string, args ...any) error {
		return fmt.Errorf("cannot %s in %s: %s", what, r.address, fmt.Sprintf(format, args...))
	}
	var (
		login    *loginError
		answer   *answerError
		inClear  *clearError
		stalled  *stalledError
		resp     *errcode.ErrorResponse
		dns      *net.DNSError
		unknown  x509.UnknownAuthorityError
		name     x509.HostnameError
		invalid  x509.CertificateInvalidError
		record   tls.RecordHeaderError
		alert    tls.AlertError
		syntax   *json.SyntaxError
		wrong    *json.UnmarshalTypeError
		redirect *url.Error
	)
	switch {
	case errors.As(err, &login):
		return failed("%s", login)
	case errors.As(err, &answer):
		return failed("%s", answer)
	case errors.As(err, &inClear):
		return failed("%s", inClear)
	case errors.As(err, &stalled):
		return failed("%s does not go on: %s", r.host, stalled)
	case errors.As(err, &resp):
		return failed("%s", r.status(resp))
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return failed("%s", r.wantsLogin())
	case errors.As(err, &dns) && dns.IsNotFound:
		return failed("there is no host %q: check the address and the network", legible(dns.Name))
	case errors.As(err, &dns):
		return failed("the name of the host %q cannot be looked up: check the network", legible(dns.Name))
	case errors.As(err, &unknown):
		return failed("the certificate of %s is signed by an authority that this machine does not trust: add that authority to the system's certificates, or name its file in SSL_CERT_FILE", r.host)
	case errors.As(err, &name):
		return failed("the certificate of %s is for another host", r.host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return failed("the certificate of %s has expired or is not valid yet: check its dates and this machine's clock", r.host)
	case errors.As(err, &invalid):
		return failed("the certificate of %s is not valid for a server", r.host)
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return failed("%s does not speak TLS; plain http is for loopback only", r.host)
	case errors.As(err, &alert):
		return failed("%s refuses the TLS connection", r.host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return failed("nothing listens at %s: is the registry running?", r.host)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return failed("%s cannot be reached from here: check the network", r.host)
	case errors.Is(err, errdef.ErrTooManyPages):
		return failed("%s lists its tags on more than %d pages", r.host, maxTagPages)
	case errors.As(err, &syntax), errors.As(err, &wrong):
		return failed("%s answers with something that is not JSON: is it a registry?", r.host)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return failed("%s cut the connection: try again", r.host)
	case isTimeout(err):
		return failed("%s does not answer: check the address and the network", r.host)
	}
	// What is left are checks of the library on what a registry answers.
	text := err.Error()
	switch {
	case strings.Contains(text, "mismatch"):
		return failed("%s serves other content than was asked for: it is damaged there, or was changed on its way", r.host)
	case strings.Contains(text, "Location"):
		return failed("%s wants the upload to go to another host or in the clear, which is refused", r.host)
	case strings.Contains(text, "invalid next link"):
		return failed("%s continues its list of tags at another host, which is refused", r.host)
	case strings.Contains(text, "realm"):
		return failed("%s wants the login to go to an address that is refused", r.host)
	case errors.As(err, &redirect) && strings.Contains(text, "redirects"):
		return failed("%s redirects in a circle", r.host)
	}
	return failed("%s gives an answer that no registry gives: is the address right?", r.host)
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

func (r *registry) wantsLogin() string {
	return fmt.Sprintf("%s wants a login: run \"docker login %s\"", r.host, r.host)
}

// status explains an answer other than success.
func (r *registry) status(resp *errcode.ErrorResponse) string {
	said := ""
	if len(resp.Errors) > 0 {
		said = legible(resp.Errors[0].Message)
		if said == "" {
			said = legible(strings.ToLower(resp.Errors[0].Code))
		}
	}
	with := func(format string, args ...any) string {
		text := fmt.Sprintf(format, args...)
		if said != "" {
			text += fmt.Sprintf("; it says: %s", said)
		}
		return text
	}
	code := resp.StatusCode
	status := strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
	switch {
	case code == http.StatusUnauthorized && r.logins.has(r.host):
		return with("%s refuses the login (401): run \"docker login %s\" again", r.host, r.host)
	case code == http.StatusUnauthorized:
		return r.wantsLogin()
	case code == http.StatusForbidden:
		return with("the login at %s may not do this (403): ask for access to %s", r.host, r.repo.Reference.Repository)
	case code == http.StatusNotFound && said == "":
		return fmt.Sprintf("%s answers 404 where a registry would answer: is the address right?", r.host)
	case code == http.StatusNotFound:
		return with("%s does not know it (404)", r.host)
	case code == http.StatusMethodNotAllowed:
		return with("%s is read-only (405)", r.host)
	case code == http.StatusRequestEntityTooLarge:
		return with("it is too large for %s (413)", r.host)
	case code == http.StatusTooManyRequests:
		if wait := r.pauses.retryFor.Load(); wait > 0 {
			return with("%s limits how often it is asked (429): try again in %d s", r.host, wait)
		}
		return with("%s limits how often it is asked (429): try again later", r.host)
	case code >= 500:
		return with("%s has failed (%s): try again later, or ask who runs it", r.host, status)
	}
	return with("%s answers %s", r.host, status)
}
