package executor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// names answers look-ups of A records over TCP with what answer says; nil leaves
// the question open. The function it returns makes a client ask it.
func names(t *testing.T, answer func(name string) []netip.Addr) (askedBy func(*Client) *Client) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	ended, end := context.WithCancel(context.Background())
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(ended, func() { conn.Close() })
			running.Go(func() { serveName(conn, answer) })
		}
	})
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", l.Addr().String())
	}}
	t.Cleanup(func() {
		l.Close()
		end()
		running.Wait()
	})
	return func(c *Client) *Client {
		c.open.(*http.Transport).DialContext = dialGuarded(refuseAlways, resolver)
		c.strict.(*http.Transport).DialContext = dialGuarded(refuseInternal, resolver)
		return c
	}
}

func serveName(conn net.Conn, answer func(name string) []netip.Addr) {
	defer conn.Close()
	var length [2]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return
	}
	question := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(conn, question); err != nil {
		return
	}
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
		return
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	addresses := answer(strings.TrimSuffix(q.Name.String(), "."))
	if addresses == nil {
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	for _, a := range addresses {
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: a.As4()},
			})
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return
	}
	_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
}

// A name is judged by the address that is dialled, each time it is dialled.
func TestNamesThatChange(t *testing.T) {
	w := listen(t, respond("200 OK", "Connection: close\n", `{"message":"ok"}`))
	_, port, _ := strings.Cut(w.Addr().String(), ":")
	var mu sync.Mutex
	now := netip.MustParseAddr("127.0.0.1")
	askedBy := names(t, func(string) []netip.Addr {
		mu.Lock()
		defer mu.Unlock()
		return []netip.Addr{now}
	})
	const ok = `{"result":"ok","message":"ok"}`
	blocked := func(address, why string) string {
		return ErrorResult("Calls to app.acme.test:"+port+" are not allowed: "+address+" is "+why+".", "blocked_address")
	}
	open := getTool(t, "", "")
	strict := httpTool(t, "request: {method: GET, base_url: \"http://${params.h}.acme.test:"+port+"\", path: /p}\n")
	scope := Scope{Env: env("API", "http://app.acme.test:"+port)}
	for _, step := range []struct{ address, open, strict string }{
		{"127.0.0.1", ok, blocked("127.0.0.1", "a loopback address")},
		{"169.254.169.254", blocked("169.254.169.254", "a link-local address"), blocked("169.254.169.254", "a link-local address")},
		{"127.0.0.1", ok, blocked("127.0.0.1", "a loopback address")},
		{"100.100.100.200", blocked("100.100.100.200", "a cloud-metadata address"), blocked("100.100.100.200", "a cloud-metadata address")},
	} {
		mu.Lock()
		now = netip.MustParseAddr(step.address)
		mu.Unlock()
		c := askedBy(newClient(t))
		if o := c.Call(t.Context(), open, nil, scope); o.Content != step.open {
			t.Errorf("%s: %s\nwant %s", step.address, o.Content, step.open)
		}
		if o := c.Call(t.Context(), strict, []byte(`{"h":"app"}`), scope); o.Content != step.strict {
			t.Errorf("%s: %s\nwant %s", step.address, o.Content, step.strict)
		}
	}
	if sent := w.sent(); len(sent) != 2 {
		t.Errorf("%d requests arrived", len(sent))
	}
}

func TestIPv6Literal(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6")
	}
	host := make(chan string, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host <- r.Host
		_, _ = io.WriteString(w, `{"message":"ok"}`)
	}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	address := l.Addr().String()
	c, probe := newClient(t), getTool(t, "", "")
	o := c.Call(t.Context(), probe, nil, Scope{Env: env("API", "http://"+address)})
	if o.IsError || o.Trace.URL != "http://"+address+"/p" {
		t.Fatalf("%+v", o)
	}
	if got := <-host; got != address {
		t.Errorf("Host: %s, want %s", got, address)
	}
	s.Close()
	c.Close()
	o = c.Call(t.Context(), probe, nil, Scope{Env: env("API", "http://"+address)})
	if want := ErrorResult("Could not reach "+address+": connection refused.", "unreachable"); o.Content != want {
		t.Errorf("%s\nwant %s", o.Content, want)
	}
	o = c.Call(t.Context(), probe, nil, Scope{Env: env("API", "https://[fe80::1%25lo]")})
	if want := ErrorResult("Calls to [fe80::1%lo]:443 are not allowed: fe80::1 is a link-local address.", "blocked_address"); o.Content != want {
		t.Errorf("%s\nwant %s", o.Content, want)
	}
}

// A server that speaks HTTP/2 as well is asked in HTTP/1.1.
func TestHTTP2Server(t *testing.T) {
	proto := make(chan string, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto <- r.Proto
		_, _ = io.WriteString(w, `{"message":"ok"}`)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	c := newClient(t)
	c.open.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	if o := c.Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", s.URL)}); o.IsError {
		t.Fatal(o.Content)
	}
	if got := <-proto; got != "HTTP/1.1" {
		t.Error(got)
	}
	// One that speaks nothing else.
	w := listenRaw(t, "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64")
	o := c.Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", w.url())})
	if want := ErrorResult("The call was sent to "+w.Addr().String()+", but no answer can be read: the answer is not valid HTTP.", "unreachable"); o.Content != want {
		t.Errorf("%s\nwant %s", o.Content, want)
	}
}

// What comes before the answer, or after it.
func TestMoreThanAnAnswer(t *testing.T) {
	log.SetOutput(io.Discard) // net/http reports bytes that nobody asked for
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	const ok = `{"result":"ok","message":"ok"}`
	elsewhere := listen(t, okJSON)
	for _, test := range []struct{ name, answer, want string }{
		{"hints", "HTTP/1.1 103 Early Hints\nLink: </x>\n\nHTTP/1.1 100 Continue\n\n" + okJSON, ok},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\nUpgrade: x\nConnection: Upgrade\n\nabc", ErrorResult("The service answered HTTP 101.", "http_101")},
		{"hints without end", strings.Repeat("HTTP/1.1 103 Early Hints\nLink: </"+strings.Repeat("x", 1000)+">\n\n", 600), ErrorResult("The service's answer was too large.", "response_too_large")},
		{"no content, with a body", "HTTP/1.1 204 No Content\nContent-Length: 5\n\nhello", `{"result":"ok","message":"fine"}`},
		{"a body longer than it says", "HTTP/1.1 200 OK\nContent-Length: 16\n\n" + `{"message":"ok"}, and more`, ok},
		{"a negative length", "HTTP/1.1 200 OK\nContent-Length: -1\n\nx", ErrorResult("The call was sent to HOST, but no answer can be read: the answer is not valid HTTP.", "unreachable")},
		{"two answers", okJSON + okJSON, ok},
		{"a redirect to itself", "HTTP/1.1 301 Moved\nLocation: /p\nContent-Length: 0\n\n", ErrorResult("The service answered HTTP 301.", "http_301")},
		{"a redirect to another host", "HTTP/1.1 302 Found\nLocation: " + elsewhere.url() + "/p\nContent-Length: 0\n\n", ErrorResult("The service answered HTTP 302.", "http_302")},
		{"a redirect to a blocked host", "HTTP/1.1 308 Go\nLocation: http://169.254.169.254/\nContent-Length: 0\n\n", ErrorResult("The service answered HTTP 308.", "http_308")},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := listen(t, test.answer)
			rest := ""
			if strings.Contains(test.answer, "204") {
				rest = "respond: {message: fine}\n"
			}
			o := newClient(t).Call(t.Context(), getTool(t, "", rest), nil, Scope{Env: env("API", w.url()), Timeout: 5 * time.Second})
			if got := strings.ReplaceAll(o.Content, w.Addr().String(), "HOST"); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
			if sent := w.sent(); len(sent) != 1 {
				t.Errorf("%d requests", len(sent))
			}
		})
	}
	if sent := elsewhere.sent(); sent != nil {
		t.Errorf("the other host got %q", sent)
	}
}

// Whatever a call waits for, ending its context ends it at once. What is left of
// the attempt goes with the client: goleak would find it.
func TestCancelInEachPhase(t *testing.T) {
	askedBy := names(t, func(string) []netip.Addr { return nil })
	reached := make(chan struct{}, 16)
	stall := func(after string) func(conn net.Conn, _ string) bool {
		return func(conn net.Conn, _ string) bool {
			_, _ = io.WriteString(conn, after)
			reached <- struct{}{}
			_, _ = io.Copy(io.Discard, conn)
			return false
		}
	}
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
	silent := listenFunc(t, stall(""))
	deaf := listenDeaf(t, reached)
	for _, test := range []struct {
		name, url string
		wait      bool
		status    int
	}{
		{"looking up the name", "http://app.acme.test", false, 0},
		{"TLS", "https://" + deaf, true, 0},
		{"sending", "http://" + deaf, true, 0},
		{"waiting for the head", silent.url(), true, 0},
		{"in the head", listenFunc(t, stall("HTTP/1.1 200 OK\r\nX-A: ")).url(), true, 0},
		{"waiting for the body", listenFunc(t, stall(head)).url(), true, 200},
		{"in the body", listenFunc(t, stall(head+"{")).url(), true, 200},
		{"in a compressed body", listenFunc(t, stall("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+gzipped("hello")[:12])).url(), true, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			probe := postTool(t, "body: {big: $params.big}\n", "")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				if test.wait {
					<-reached
				}
				time.Sleep(20 * time.Millisecond)
				cancel()
			}()
			big := "x"
			if test.name == "sending" {
				big = strings.Repeat("x", 16<<20)
			}
			within(t, 3*time.Second, func() {
				o := askedBy(newClient(t)).Call(ctx, probe, []byte(`{"big":"`+big+`"}`), Scope{Env: env("API", test.url)})
				if want := ErrorResult("The call was cancelled.", "cancelled"); o.Content != want || o.ErrorKey != "cancelled" || !o.IsError {
					t.Errorf("%+v", o)
				}
				if o.Trace == nil || o.Trace.Err != "the call was cancelled" || o.Trace.Status != test.status {
					t.Errorf("trace: %.200v", o.Trace)
				}
			})
		})
	}
}

// listenDeaf accepts connections and reads nothing.
func listenDeaf(t *testing.T, accepted chan<- struct{}) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
			accepted <- struct{}{}
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for _, conn := range conns {
			conn.Close()
		}
	})
	return l.Addr().String()
}
