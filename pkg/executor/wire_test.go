package executor

import (
	"bufio"
	"io"
	"log"
	"net"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A wire is a server of raw bytes that keeps what it was sent.
type wire struct {
	net.Listener
	answer func(conn net.Conn, request string) (more bool)

	mu       sync.Mutex
	requests []string
	conns    []net.Conn
	running  sync.WaitGroup
}

// listen serves each request with the bytes in answer, in which "\n" stands
// for CRLF.
func listen(t testing.TB, answer string) *wire {
	t.Helper()
	return listenRaw(t, strings.ReplaceAll(answer, "\n", "\r\n"))
}

// listenRaw serves one request per connection with these bytes and closes it.
func listenRaw(t testing.TB, raw string) *wire {
	t.Helper()
	return listenFunc(t, func(conn net.Conn, _ string) bool {
		_, _ = io.WriteString(conn, raw)
		return false
	})
}

func listenFunc(t testing.TB, answer func(conn net.Conn, request string) (more bool)) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, answer: answer}
	w.running.Go(w.accept)
	t.Cleanup(func() {
		l.Close()
		w.mu.Lock()
		for _, conn := range w.conns {
			conn.Close()
		}
		w.mu.Unlock()
		w.running.Wait()
	})
	return w
}

func (w *wire) accept() {
	for {
		conn, err := w.Accept()
		if err != nil {
			return
		}
		w.mu.Lock()
		w.conns = append(w.conns, conn)
		w.mu.Unlock()
		w.running.Go(func() { w.serve(conn) })
	}
}

func (w *wire) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		request, err := readRequest(r)
		if request != "" {
			w.mu.Lock()
			w.requests = append(w.requests, request)
			w.mu.Unlock()
		}
		if err != nil || !w.answer(conn, request) {
			return
		}
	}
}

// readRequest reads one request as it stands on the wire.
func readRequest(r *bufio.Reader) (string, error) {
	var b strings.Builder
	length := 0
	for {
		line, err := r.ReadString('\n')
		b.WriteString(line)
		if err != nil {
			return b.String(), err
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
		if line == "\r\n" {
			break
		}
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	b.Write(body)
	return b.String(), err
}

// sent returns what was sent, with "\n" for CRLF and HOST for the address.
func (w *wire) sent() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var sent []string
	for _, request := range w.requests {
		request = strings.ReplaceAll(request, "\r\n", "\n")
		sent = append(sent, strings.ReplaceAll(request, w.Addr().String(), "HOST"))
	}
	return sent
}

func (w *wire) url() string { return "http://" + w.Addr().String() }

func newClient(t testing.TB) *Client {
	t.Helper()
	c := New(Options{Version: "1.2.3"})
	t.Cleanup(c.Close)
	return c
}

func loadHTTP(text string) (*tool.Tool, diag.List) {
	return tool.LoadHTTP(diag.NewFile("tools/probe.yml", []byte("description: d\nwhen_to_use: w\n"+text)))
}

// httpTool loads an HTTP tool that has no faults.
func httpTool(t testing.TB, text string) *tool.Tool {
	t.Helper()
	loaded, list := loadHTTP(text)
	for _, d := range list {
		t.Fatalf("%s: %s\n%s", d.Code, d.Message, text)
	}
	return loaded
}

// getTool is a public GET of /p with more lines below request.
func getTool(t testing.TB, below, rest string) *tool.Tool {
	t.Helper()
	return httpTool(t, "request:\n  method: GET\n  base_url: $env.API\n  path: /p\n"+indent(below)+rest)
}

func postTool(t testing.TB, below, rest string) *tool.Tool {
	t.Helper()
	return httpTool(t, "request:\n  method: POST\n  base_url: $env.API\n  path: /p\n"+indent(below)+rest)
}

func indent(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString("  " + line)
	}
	return b.String()
}

func serviceTool(t testing.TB, text string) *tool.Tool {
	t.Helper()
	loaded, list := tool.LoadService(diag.NewFile("tools/lookup.toml", []byte(text)))
	for _, d := range list {
		t.Fatalf("%s: %s\n%s", d.Code, d.Message, text)
	}
	return loaded
}

func env(pairs ...string) func(string) (string, bool) {
	return func(key string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

const okJSON = "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 16\n\n" + `{"message":"ok"}`

func respond(status, headers, body string) string {
	return "HTTP/1.1 " + status + "\n" + headers + "Content-Length: " + strconv.Itoa(len(body)) + "\n\n" + body
}

func within(t *testing.T, limit time.Duration, do func()) {
	t.Helper()
	start := time.Now()
	do()
	if took := time.Since(start); took > limit {
		t.Errorf("took %v, over %v", took, limit)
	}
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

func gotConn(conn net.Conn, reused bool) httptrace.GotConnInfo {
	return httptrace.GotConnInfo{Conn: conn, Reused: reused}
}

func claims(text string) jsondoc.Value { return jsondoc.MustParse(text) }
