package executor

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func errorContent(message, key string) string { return ErrorResult(message, key) }

// Servers that do not answer as they should.
func TestHostileServers(t *testing.T) {
	const short = 150 * time.Millisecond
	timeout := errorContent("The service did not answer within 0.15 s.", "timeout")
	unreachable := func(cause string) string {
		return errorContent("The call was sent to HOST, but no answer can be read: "+cause+".", "unreachable")
	}
	broken := func(cause string) string {
		return errorContent("The service at HOST answered HTTP 200, but "+cause+".", "unreachable")
	}
	const cut = "the connection was closed before the whole answer had arrived"
	silent := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	for _, test := range []struct {
		name   string
		serve  func(conn net.Conn)
		want   string
		status int // in the trace
		err    string
	}{
		{"closes at once", func(conn net.Conn) {}, unreachable(cut), 0, cut},
		{"resets", func(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) }, unreachable("connection reset"), 0, "connection reset"},
		{"says nothing", silent, timeout, 0, "the service did not answer within 0.15 s"},
		{"slow head", func(conn net.Conn) {
			for _, c := range "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 100) {
				if _, err := fmt.Fprintf(conn, "%c", c); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, timeout, 0, "the service did not answer within 0.15 s"},
		{"drips", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
			for range 100 {
				if _, err := io.WriteString(conn, "x"); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, timeout, 200, "the service did not answer within 0.15 s"},
		{"chunks without end", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for {
				if _, err := io.WriteString(conn, "3e8\r\n"+strings.Repeat("x", 1000)+"\r\n"); err != nil {
					return
				}
			}
		}, errorContent("The service's answer was too large.", "response_too_large"), 200, "the service's answer was too large"},
		{"cut", func(conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") }, broken(cut), 200, cut},
		{"chunks cut", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc")
		}, broken(cut), 200, cut},
		{"gzip cut by the connection", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 90\r\n\r\n"+gzipped("hello")[:12])
		}, broken(cut), 200, cut},
		{"no HTTP", func(conn net.Conn) { _, _ = io.WriteString(conn, "SSH-2.0-OpenSSH\r\n\r\n") }, unreachable("the answer is not valid HTTP"), 0, "the answer is not valid HTTP"},
		{"two lengths", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
		}, unreachable("the answer is not valid HTTP"), 0, "the answer is not valid HTTP"},
		{"bad chunk", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc")
		}, broken("the rest of the answer is not valid HTTP"), 200, "the answer is not valid HTTP"},
		{"endless head", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(conn, "X: "+strings.Repeat("y", 1000)+"\r\n"); err != nil {
					return
				}
			}
		}, errorContent("The service's answer was too large.", "response_too_large"), 0, "the service's answer was too large"},
		{"redirect is not followed", func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 307 Go\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
		}, errorContent("The service answered HTTP 307.", "http_307"), 307, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := listenFunc(t, func(conn net.Conn, _ string) bool { test.serve(conn); return false })
			limit := 10 * time.Second
			if test.want == timeout {
				limit = short
			}
			within(t, 5*time.Second, func() {
				o := newClient(t).Call(t.Context(), getTool(t, "", "respond: {message: ok}\n"), nil, Scope{Env: env("API", w.url()), Timeout: limit})
				got := strings.ReplaceAll(o.Content, w.Addr().String(), "HOST")
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				if o.Trace == nil || o.Trace.Status != test.status || o.Trace.Err != test.err || !o.IsError {
					t.Errorf("trace: %+v", o.Trace)
				}
			})
			if sent := w.sent(); len(sent) != 1 {
				t.Errorf("%d requests", len(sent))
			}
		})
	}
}

func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	o := newClient(t).Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", "http://"+address)})
	if want := errorContent("Could not reach "+address+": connection refused.", "unreachable"); o.Content != want {
		t.Errorf("%s\nwant %s", o.Content, want)
	}
	if o.Trace == nil || o.Trace.URL != "http://"+address+"/p" || o.Trace.Err != "connection refused" {
		t.Errorf("%+v", o.Trace)
	}
}

func TestUnknownHost(t *testing.T) {
	o := newClient(t).Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", "https://nothing.invalid"), Timeout: 5 * time.Second})
	if !strings.HasPrefix(o.Content, `{"result":"error","message":"Could not reach nothing.invalid:443: `) || o.ErrorKey != "unreachable" {
		t.Errorf("%+v", o)
	}
}

func TestUnknownAuthority(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	defer s.Close()
	o := newClient(t).Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", s.URL)})
	if want := errorContent("Could not reach "+s.Listener.Addr().String()+": TLS: certificate signed by unknown authority.", "unreachable"); o.Content != want {
		t.Errorf("%s\nwant %s", o.Content, want)
	}
}

// What connects in vain is given up when the client is closed: goleak would
// find it.
func TestSilentTLSServer(t *testing.T) {
	w := listenFunc(t, func(conn net.Conn, _ string) bool { _, _ = io.Copy(io.Discard, conn); return false })
	o := newClient(t).Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", "https://"+w.Addr().String()), Timeout: 50 * time.Millisecond})
	if o.ErrorKey != "timeout" {
		t.Error(o.Content)
	}
}

func TestTLSToPlainServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	address := s.Listener.Addr().String()
	o := newClient(t).Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", "https://"+address)})
	if want := errorContent("Could not reach "+address+": TLS: the server does not speak TLS, so the scheme may have to be http.", "unreachable"); o.Content != want {
		t.Errorf("%s\nwant %s", o.Content, want)
	}
}

// The limit is on decoded bytes, to the byte, however they come.
func TestBodyLimit(t *testing.T) {
	at := `{"message":"` + strings.Repeat("m", MaxBody-len(`{"message":""}`)) + `"}`
	over := at + " "
	ok := `{"result":"ok","message":"` + at[len(`{"message":"`):]
	tooLarge := errorContent("The service's answer was too large.", "response_too_large")
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(s), s) }
	for _, test := range []struct{ name, headers, body, want string }{
		{"at, by length", fmt.Sprintf("Content-Length: %d\r\n", len(at)), at, ok},
		{"over, by length", fmt.Sprintf("Content-Length: %d\r\n", len(over)), over, tooLarge},
		{"at, in a chunk", "Transfer-Encoding: chunked\r\n", chunk(at), ok},
		{"over, in a chunk", "Transfer-Encoding: chunked\r\n", chunk(over), tooLarge},
		{"at, until the end", "", at, ok},
		{"over, until the end", "", over, tooLarge},
		{"at, gzip", "Content-Encoding: gzip\r\n", gzipped(at), ok},
		{"over, gzip", "Content-Encoding: gzip\r\n", gzipped(over), tooLarge},
		{"endless nothing", "Content-Encoding: gzip\r\n", strings.Repeat(gzipped(""), maxWire/20), tooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := listenRaw(t, "HTTP/1.1 200 OK\r\n"+test.headers+"\r\n"+test.body)
			o := newClient(t).Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", w.url())})
			if o.Content != test.want {
				t.Errorf("%.80s… (%d bytes)\nwant %.80s… (%d bytes)", o.Content, len(o.Content), test.want, len(test.want))
			}
		})
	}
}

// A gzip bomb of 200 MB takes neither the memory nor the time to unpack it.
func TestGzipBomb(t *testing.T) {
	var bomb bytes.Buffer
	z, _ := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	zeros := make([]byte, 1<<20)
	for range 200 {
		_, _ = z.Write(zeros)
	}
	z.Close()
	w := listenRaw(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+bomb.String())
	probe, c := getTool(t, "", ""), newClient(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := c.Call(t.Context(), probe, nil, Scope{Env: env("API", w.url())})
	runtime.ReadMemStats(&after)
	if o.ErrorKey != "response_too_large" {
		t.Errorf("%.200s", o.Content)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}

// Paths that repeat nested values are bounded too.
func TestMappingBomb(t *testing.T) {
	body := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	w := listenRaw(t, "HTTP/1.1 200 OK\r\n\r\n"+body)
	o := newClient(t).Call(t.Context(), getTool(t, "", "respond:\n  data: {all: \"$..*\"}\n  message: ok\n"), nil, Scope{Env: env("API", w.url())})
	if want := errorContent("What respond.data takes from the service's answer is over 4000000 bytes.", "response_too_large"); o.Content != want {
		t.Errorf("%.200s", o.Content)
	}
}

func TestCancel(t *testing.T) {
	w := listenFunc(t, func(conn net.Conn, _ string) bool { _, _ = io.Copy(io.Discard, conn); return false })
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	within(t, 5*time.Second, func() {
		o := newClient(t).Call(ctx, getTool(t, "", ""), nil, Scope{Env: env("API", w.url())})
		if want := errorContent("The call was cancelled.", "cancelled"); o.Content != want || o.ErrorKey != "cancelled" {
			t.Errorf("%+v", o)
		}
	})
}

// The tool's limit goes before the scope's, and what may have been done is said.
func TestTimeoutOfAPost(t *testing.T) {
	w := listenFunc(t, func(conn net.Conn, _ string) bool { _, _ = io.Copy(io.Discard, conn); return false })
	slow := postTool(t, "", "")
	slow.Timeout = 50 * time.Millisecond
	o := newClient(t).Call(t.Context(), slow, nil, Scope{Env: env("API", w.url()), Timeout: time.Minute})
	if want := errorContent("The service did not answer within 0.05 s; it may have carried out the call all the same.", "timeout"); o.Content != want {
		t.Errorf("%s", o.Content)
	}
	lookup := serviceTool(t, "name = \"lookup\"\ndescription = \"d\"\nservice = \"records\"\npath = \"/x\"\n[parameters]\ntype = \"object\"\n")
	lookup.Timeout = 60 * time.Millisecond
	o = newClient(t).Call(t.Context(), lookup, nil, Scope{Grant: &Grant{URL: w.url()}})
	if want := "lookup: the service did not answer within 0.06 s"; o.Content != want {
		t.Errorf("%s", o.Content)
	}
}

// net/http sends some requests again when a kept-alive connection breaks.
func TestNothingIsSentTwice(t *testing.T) {
	for _, method := range []string{"GET", "DELETE", "POST", "PATCH"} {
		for _, below := range []string{"", "headers: {Idempotency-Key: k, X-Idempotency-Key: k}\n", "body: {a: 1}\nheaders: {Idempotency-Key: k}\n"} {
			if strings.Contains(below, "body") && (method == "GET" || method == "DELETE") {
				continue
			}
			for _, ending := range []string{"close", "reset"} {
				t.Run(method+" "+below+ending, func(t *testing.T) {
					var mu sync.Mutex
					seen := 0
					w := listenFunc(t, func(conn net.Conn, _ string) bool {
						mu.Lock()
						seen++
						second := seen == 2
						mu.Unlock()
						if second {
							if ending == "reset" {
								_ = conn.(*net.TCPConn).SetLinger(0)
							}
							return false
						}
						_, _ = io.WriteString(conn, strings.ReplaceAll(okJSON, "\n", "\r\n"))
						return true
					})
					probe := httpTool(t, "request:\n  method: "+method+"\n  base_url: $env.API\n  path: /p\n"+indent(below))
					c := newClient(t)
					first := c.Call(t.Context(), probe, nil, Scope{Env: env("API", w.url())})
					second := c.Call(t.Context(), probe, nil, Scope{Env: env("API", w.url())})
					if first.IsError || second.ErrorKey != "unreachable" {
						t.Errorf("%s\n%s", first.Content, second.Content)
					}
					if sent := w.sent(); len(sent) != 2 {
						t.Errorf("%d requests were sent by 2 calls", len(sent))
					}
				})
			}
		}
	}
}

// A connection that the server closed while it was idle costs no call.
func TestClosedIdleConnection(t *testing.T) {
	w := listenRaw(t, strings.ReplaceAll(okJSON, "\n", "\r\n"))
	c, probe := newClient(t), getTool(t, "", "")
	transport, noticed := c.open.(*http.Transport), make(chan struct{}, 16)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil {
			counted := conn.(*countedConn)
			counted.Conn = endedConn{counted.Conn, noticed}
		}
		return conn, err
	}
	for range 5 {
		if o := c.Call(t.Context(), probe, nil, Scope{Env: env("API", w.url())}); o.IsError {
			t.Fatal(o.Content)
		}
		<-noticed
		time.Sleep(50 * time.Millisecond) // until the pool has dropped it
	}
}

// An endedConn tells when its end was read.
type endedConn struct {
	net.Conn
	ended chan<- struct{}
}

func (c endedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.ended <- struct{}{}
	}
	return n, err
}

// An attempt that wrote nothing on a kept-alive connection is made again, one
// that wrote is not.
func TestUnsentAttempt(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	go func() { _, _ = io.Copy(io.Discard, there) }()
	conn := &countedConn{Conn: here}
	defer conn.Close()
	_, _ = conn.Write([]byte("earlier"))
	var a attempt
	if a.unsent() {
		t.Error("without a connection")
	}
	a.gotConn(gotConn(tls.Client(conn, &tls.Config{}), true))
	if !a.unsent() {
		t.Error("nothing was written, yet it counts as sent")
	}
	_, _ = conn.Write([]byte("G"))
	if a.unsent() {
		t.Error("a byte was written, yet it counts as unsent")
	}
	a.gotConn(gotConn(conn, false))
	if a.unsent() {
		t.Error("a fresh connection counts as unsent")
	}
}

func TestKeepAlive(t *testing.T) {
	w := listenFunc(t, func(conn net.Conn, _ string) bool {
		_, err := io.WriteString(conn, strings.ReplaceAll(okJSON, "\n", "\r\n"))
		return err == nil
	})
	c, probe := newClient(t), getTool(t, "", "")
	for range 5 {
		if o := c.Call(t.Context(), probe, nil, Scope{Env: env("API", w.url())}); o.IsError {
			t.Fatal(o.Content)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.conns) != 1 {
		t.Errorf("%d connections for 5 calls", len(w.conns))
	}
}
