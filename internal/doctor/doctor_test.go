package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseAddress(t *testing.T) {
	tests := []struct{ text, want, wrong string }{
		{"https://api.example.com", "https://api.example.com:443", ""},
		{"http://api.example.com/v1?key=secret#x", "http://api.example.com:80", ""},
		{"HTTPS://API.example.com:8443/", "https://api.example.com:8443", ""},
		{"http://[::1]:8080/x", "http://[::1]:8080", ""},
		{"http://10.0.0.1", "http://10.0.0.1:80", ""},
		{"https://user:secret@host", "", "it holds a user name or password"},
		{"ftp://host", "", "it does not start with http:// or https://"},
		{"host:80", "", "it does not start with http:// or https://"},
		{"sk-secret", "", "it does not start with http:// or https://"},
		{"https://", "", "it has no valid host"},
		{"https://:443", "", "it has no valid host"},
		{"https://a b", "", "it has no valid host"},
		{"https://host:secret", "", "it has no valid host"},
	}
	for _, test := range tests {
		a, err := ParseAddress(test.text)
		got, wrong := "", ""
		if err != nil {
			wrong = err.Error()
		} else {
			got = a.String()
		}
		if got != test.want || wrong != test.wrong {
			t.Errorf("%q: %q, %q, want %q, %q", test.text, got, wrong, test.want, test.wrong)
		}
	}
}

// wrongWhere is what Connect says of a server without a proxy.
func wrongWhere(s Status) Wrong {
	if s == OK {
		return ""
	}
	return WrongAddress
}

// listen accepts connections and gives each to do.
func listen(t *testing.T, do func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var running sync.WaitGroup
		defer running.Wait()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer func() { _ = conn.Close() }()
				do(conn)
			})
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return l.Addr().String()
}

// closed is an address of this machine at which nothing listens.
func closed(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// hang reads until the other side gives up.
func hang(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func quietTLS(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// TestConnect looks at servers that behave in every way.
func TestConnect(t *testing.T) {
	var asked atomic.Int32
	count := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	plain := httptest.NewServer(count)
	t.Cleanup(plain.Close)
	secure := quietTLS(t, count)
	trusted := x509.NewCertPool()
	trusted.AddCert(secure.Certificate())
	tests := []struct {
		name, url, want string
		roots           *x509.CertPool
		status          Status
	}{
		{"plain", plain.URL, "can be reached", nil, OK},
		{"TLS", secure.URL, "can be reached", trusted, OK},
		{"self-signed", secure.URL, "cannot be reached: TLS: the certificate is signed by an unknown authority", x509.NewCertPool(), Broken},
		{"another name", strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), "cannot be reached: TLS: the certificate is not valid for this host", trusted, Broken},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), "cannot be reached: TLS: the server does not speak TLS, so the scheme may have to be http", nil, Broken},
		{"refused", "http://" + closed(t), "cannot be reached: connection refused", nil, Broken},
		{"no such host", "https://nowhere.invalid", "cannot be reached: no such host", nil, Broken},
		{"accepts and hangs", "https://" + listen(t, hang), "cannot be reached: no TLS handshake within 1s", nil, Broken},
		{"accepts and closes", "https://" + listen(t, func(net.Conn) {}), "cannot be reached: the connection was closed", nil, Broken},
		{"says nonsense", "https://" + listen(t, func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-secret\r\n"); hang(c) }), "cannot be reached: TLS: the server does not speak TLS, so the scheme may have to be http", nil, Broken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, err := ParseAddress(test.url)
			if err != nil {
				t.Fatal(err)
			}
			p := &Prober{Timeout: time.Second, Roots: test.roots}
			got := p.Connect(t.Context(), a)
			if test.name == "no such host" && strings.HasSuffix(got.Text, "its name could not be looked up") {
				t.Skip("there is no DNS here")
			}
			if diff := cmp.Diff(Verdict{test.status, test.want, wrongWhere(test.status)}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestConnectThroughProxy(t *testing.T) {
	var heard atomic.Int64
	proxy := listen(t, func(c net.Conn) {
		n, _ := io.Copy(io.Discard, c)
		heard.Add(n)
	})
	a := Address{Scheme: "https", Host: "nowhere.invalid", Port: "443"}
	through := func(text string) func(*url.URL) (*url.URL, error) {
		return func(u *url.URL) (*url.URL, error) {
			if u.String() != "https://nowhere.invalid:443" {
				t.Errorf("asked for the proxy of %s", u)
			}
			return url.Parse(text)
		}
	}
	tests := []struct {
		name  string
		proxy func(*url.URL) (*url.URL, error)
		want  Verdict
	}{
		{"there", through("http://user:secret@" + proxy), Verdict{OK, "stands behind the proxy http://" + proxy + ", which can be reached", ""}},
		{"gone", through("http://" + closed(t)), Verdict{Broken, "", WrongAddress}},
		{"not valid", func(*url.URL) (*url.URL, error) { return nil, errors.New("secret") }, Verdict{Broken, "cannot be reached: the address of the proxy is not valid", WrongProxy}},
	}
	for _, test := range tests {
		got := (&Prober{Timeout: time.Second, Proxy: test.proxy}).Connect(t.Context(), a)
		if test.name == "gone" {
			if got.Status != Broken || !strings.HasPrefix(got.Text, "cannot be reached: the proxy http://127.0.0.1:") || !strings.HasSuffix(got.Text, ": connection refused") {
				t.Errorf("gone: %+v", got)
			}
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if heard.Load() != 0 {
		t.Errorf("the proxy was told %d bytes", heard.Load())
	}
}

const testKey = "sk-test-0123456789"

func TestAskModels(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+testKey || r.Header.Get("User-Agent") != "vatio/1.2.3" {
				t.Errorf("asked %s %s with %v", r.Method, r.URL, r.Header)
			}
			w.Header().Set("Location", other.URL)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    Verdict
	}{
		{"listed", answer(200, `{"data":[{"id":"a"},{"id":"gpt"}]}`), Verdict{OK, `answers and has the model "gpt"`, ""}},
		{"with a tag", answer(200, `{"data":[{"id":"gpt:latest"}]}`), Verdict{OK, `answers and has the model "gpt"`, ""}},
		{"with a date", answer(200, `{"data":[{"id":"gpt-20250929"}]}`), Verdict{OK, `answers and has the model "gpt"`, ""}},
		{"another one", answer(200, `{"data":[{"id":"gpt-mini"}]}`), Verdict{Warning, `answers, but does not list the model "gpt"`, WrongModel}},
		{"on another page", answer(200, `{"data":[{"id":"a"}],"has_more":true}`), Verdict{OK, "answers", ""}},
		{"none", answer(200, `{"data":[]}`), Verdict{Warning, `answers, but does not list the model "gpt"`, WrongModel}},
		{"no list", answer(200, "<html>"+testKey), Verdict{Warning, "answers, but not with a list of models: it may not be the API of the provider", WrongAddress}},
		{"401", answer(401, `{"error":"`+testKey+`"}`), Verdict{Broken, "refuses the key (HTTP 401)", WrongKey}},
		{"403", answer(403, ""), Verdict{Broken, "refuses the key (HTTP 403)", WrongKey}},
		{"404", answer(404, ""), Verdict{Warning, "answers, but lists no models there (HTTP 404): whether the key and the model are right is not known", WrongAddress}},
		{"a redirect", answer(302, ""), Verdict{Broken, "answers with a redirect (HTTP 302), which is not followed", WrongAddress}},
		{"429", answer(429, ""), Verdict{Warning, "was asked too often (HTTP 429)", ""}},
		{"500", answer(500, testKey), Verdict{Broken, "fails (HTTP 500)", ""}},
		{"418", answer(418, testKey), Verdict{Warning, "answers with HTTP 418: whether the key and the model are right is not known", WrongAddress}},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, Verdict{Broken, "cannot be reached: no answer within 1s", WrongAddress}},
		{"hangs in the middle", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"data":[`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, Verdict{Broken, "does not answer to its end: no end of the answer within 1s", ""}},
		{"breaks off", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Verdict{Broken, "cannot be reached: the connection was closed", WrongAddress}},
		{"never ends", func(w http.ResponseWriter, _ *http.Request) {
			for range 4096 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 4096)); err != nil {
					return
				}
			}
		}, Verdict{Warning, "answers, but not with a list of models: it may not be the API of the provider", WrongAddress}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			u, err := url.Parse(server.URL + "/v1/models")
			if err != nil {
				t.Fatal(err)
			}
			p := &Prober{Timeout: time.Second, Version: "1.2.3"}
			got := p.AskModels(t.Context(), ModelServer{URL: u, Header: http.Header{"Authorization": {"Bearer " + testKey}}, Model: "gpt", Keyed: true})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if strings.Contains(got.Text, testKey) {
				t.Error("the key is shown")
			}
		})
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func TestAskModelsInVain(t *testing.T) {
	secure := quietTLS(t, http.NotFoundHandler())
	garbage := listen(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, "SSH-2.0-"+testKey+"\r\n")
	})
	keyless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(keyless.Close)
	tests := []struct {
		name, url, want string
		wrong           Wrong
	}{
		{"self-signed", secure.URL, "cannot be reached: TLS: the certificate is signed by an unknown authority", WrongAddress},
		{"refused", "http://" + closed(t), "cannot be reached: connection refused", WrongAddress},
		{"no HTTP", "http://" + garbage, "cannot be reached: the answer is not HTTP", WrongAddress},
		{"no key", keyless.URL, "asks for a key (HTTP 401)", WrongKey},
		{"no TLS", strings.Replace(keyless.URL, "http:", "https:", 1), "cannot be reached: TLS: the server does not speak TLS, so the scheme may have to be http", WrongAddress},
	}
	for _, test := range tests {
		u, err := url.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		got := (&Prober{Timeout: 2 * time.Second, Roots: x509.NewCertPool()}).AskModels(t.Context(), ModelServer{URL: u, Model: "gpt"})
		if diff := cmp.Diff(Verdict{Broken, test.want, test.wrong}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := (&Prober{}).Connect(ctx, Address{"https", "127.0.0.1", "1"})
	if want := (Verdict{Broken, "cannot be reached: interrupted", WrongAddress}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestEach runs more looks than are allowed at once.
func TestEach(t *testing.T) {
	var now, most atomic.Int32
	done := make([]bool, 100)
	Each(len(done), func(i int) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(time.Millisecond)
		done[i] = true
		now.Add(-1)
	})
	for i, d := range done {
		if !d {
			t.Errorf("%d was not looked at", i)
		}
	}
	if m := most.Load(); m > atOnce || m < 2 {
		t.Errorf("%d at once, want 2 to %d", m, atOnce)
	}
}

func TestCount(t *testing.T) {
	r := Report{Findings: []Finding{{Status: OK}, {Status: Broken}, {Status: Warning}, {Status: Broken}}}
	broken, warnings := r.Count()
	if got := fmt.Sprint(broken, warnings); got != "2 1" {
		t.Errorf("%s, want 2 1", got)
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"https://api.example.com:8443/v1?x=y", "http://[::1]:80", "https://user:pass@host", "http://a b", "://", "https://%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		again, err := ParseAddress(a.String())
		if err != nil || again != a {
			t.Errorf("%q is %q, which is %q, %v", text, a, again, err)
		}
	})
}
