package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/serve"
)

// A listener reads a stream event by event.
type listener struct {
	t      testing.TB
	body   io.ReadCloser
	lines  *bufio.Reader
	cancel context.CancelFunc
}

func (r *runtime) listen(method, path, body string, headers ...string) *listener {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	response, err := http.DefaultClient.Do(r.request(ctx, method, path, body, headers...))
	if err != nil {
		r.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(response.Body)
		r.t.Fatalf("%d %s", response.StatusCode, data)
	}
	l := &listener{r.t, response.Body, bufio.NewReader(response.Body), cancel}
	r.t.Cleanup(l.leave)
	return l
}

func (l *listener) leave() {
	l.cancel()
	l.body.Close()
}

// next returns the next event as "id data", or "end".
func (l *listener) next() string {
	l.t.Helper()
	id, data := "", ""
	for {
		line, err := l.lines.ReadString('\n')
		if err == io.EOF {
			return "end"
		}
		if err != nil {
			l.t.Fatal(err)
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "data: "):
			data = line[6:]
		case line == "" && data != "":
			return strings.TrimSpace(id + " " + steady(data))
		}
	}
}

func (l *listener) expect(want ...string) {
	l.t.Helper()
	for _, w := range want {
		same(l.t, w, l.next())
	}
}

func TestTheClientLeaves(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	r.say("alice", id, "first")
	path := "/v1/conversations/" + id
	l := r.listen("POST", path+"/messages", `{"text":"wait here"}`, r.as("alice")...)
	l.expect(`5 {"type":"user","text":"wait here"}`)
	<-r.model.waiting
	l.leave()

	r.refused(r.do("POST", path+"/messages", `{"text":"too soon"}`, r.as("alice")...), 409, "turn_running", "a turn of this conversation is running: wait until it has ended")
	transcript := r.do("GET", path, "", r.as("alice")...).body
	if !strings.Contains(transcript, `"running":true`) || !strings.HasSuffix(steady(transcript), `{"role":"user","text":"wait here","at":"time"}]}`+"\n") {
		t.Error(transcript)
	}
	resumed := r.listen("GET", path+"/events", "", append(r.as("alice"), "Last-Event-ID", "4")...)
	resumed.expect(`5 {"type":"user","text":"wait here"}`)
	late := r.listen("GET", path+"/events?after=1", "", append(r.as("alice"), "Last-Event-ID", "5")...) // the header goes first
	close(r.model.release)
	for _, l := range []*listener{resumed, late} {
		l.expect(`6 {"type":"agent","text":"You said: wait here"}`, `7 {"type":"turn_end","tool_calls":0}`, "end")
	}
	transcript = r.do("GET", path, "", r.as("alice")...).body
	if !strings.Contains(transcript, `"running":false`) || !strings.Contains(transcript, `"text":"You said: wait here"`) {
		t.Error(transcript)
	}
	// Where nothing runs the stream ends with what there is.
	r.listen("GET", path+"/events", "", append(r.as("alice"), "Last-Event-ID", "6")...).expect(`7 {"type":"turn_end","tool_calls":0}`, "end")
	r.listen("GET", path+"/events", "", append(r.as("alice"), "Last-Event-ID", "7000")...).expect("end")
	array := r.do("GET", path+"/events", "", append(r.as("alice"), "Accept", "application/json", "Last-Event-ID", "7")...)
	same(t, "[]\n", array.body)
	same(t, "7", array.header.Get("Last-Event-ID"))
}

func TestFollowing(t *testing.T) {
	r := start(t, func(o *serve.Options) { o.SilentInterval = 30 * time.Millisecond })
	id := r.create("alice")
	path := "/v1/conversations/" + id
	l := r.listen("GET", path+"/events?follow=true", "", r.as("alice")...)
	time.Sleep(100 * time.Millisecond) // with a comment or two
	r.say("alice", id, "handoff")
	for range 6 {
		l.next()
	}
	l.expect(`7 {"type":"turn_end","tool_calls":1}`)
	r.do("POST", path+"/human", `{"text":"I am Eva."}`, r.as("alice")...)
	l.expect(`8 {"type":"human","text":"I am Eva."}`)
	r.do("POST", path+"/resume", "", r.as("alice")...)
	l.expect(`9 {"type":"resume"}`)
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	l.expect("end")
}

// A tool call can be seen while the tool works.
func TestEventsComeAsTheyHappen(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	r.say("alice", id, "first")
	l := r.listen("POST", "/v1/conversations/"+id+"/messages", `{"text":"stock slow"}`, r.as("alice")...)
	l.expect(`5 {"type":"user","text":"stock slow"}`, `6 {"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"slow"}}`)
	<-r.shop.asked
	other := r.listen("GET", "/v1/conversations/"+id+"/events", "", append(r.as("alice"), "Last-Event-ID", "4")...)
	other.expect(`5 {"type":"user","text":"stock slow"}`, `6 {"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"slow"}}`)
	close(r.shop.hold)
	for _, l := range []*listener{l, other} {
		l.expect(`7 {"type":"tool_result","id":"1","tool":"check_stock","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Found 1.\",\"data\":{\"products\":[\"slow\"]}}","http":{"method":"GET","url":"http://host/products?name=slow","status":200,"duration_ms":0}}`,
			`8 {"type":"agent","text":"1 results."}`, `9 {"type":"turn_end","tool_calls":1}`, "end")
	}
}

// A client that does not read holds nothing up, and is left after a while.
func TestASlowReader(t *testing.T) {
	r := start(t, func(o *serve.Options) { o.WriteTimeout = 200 * time.Millisecond })
	id := r.create("alice")
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	body := `{"text":"big"}`
	fmt.Fprintf(conn, "POST /v1/conversations/%s/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Vatio-User: alice\r\nContent-Length: %d\r\n\r\n%s", id, r.key, len(body), body)
	deadline := time.Now().Add(30 * time.Second)
	for { // the turn ends whether or not its answer is read
		c, err := r.store.Get(t.Context(), "web/alice", id)
		if err != nil {
			t.Fatal(err)
		}
		messages, err := r.store.Messages(t.Context(), "web/alice", id, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Running && len(messages) == 2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the turn does not end")
		}
		time.Sleep(5 * time.Millisecond)
	}
	line := regexp.MustCompile(`"route":"POST /v1/conversations/\{id\}/messages","status":200,"bytes":([0-9]+)`)
	for line.FindString(r.log.String()) == "" {
		if time.Now().After(deadline) {
			t.Fatal("the client is waited for")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if sent, err := strconv.Atoi(line.FindStringSubmatch(r.log.String())[1]); err != nil || sent >= bigAnswer {
		t.Errorf("%d bytes were sent to a client that did not read", sent)
	}
	r.say("alice", id, "after")
}

func TestAccept(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	r.say("alice", id, "first")
	for accept, want := range map[string]string{
		"":                                      "text/event-stream",
		"*/*":                                   "text/event-stream",
		"text/event-stream":                     "text/event-stream",
		"text/*":                                "text/event-stream",
		"text/html":                             "text/event-stream",
		"application/json":                      "application/json",
		"application/json; charset=utf-8":       "application/json",
		"APPLICATION/JSON":                      "application/json",
		"application/*":                         "application/json",
		"application/json, text/plain, */*":     "application/json",
		"application/json, text/event-stream":   "text/event-stream",
		"application/json;q=0.5, */*":           "text/event-stream",
		"text/event-stream;q=0.5, */*":          "application/json",
		"application/json;q=0, */*;q=0.1":       "text/event-stream",
		"text/event-stream, application/json;q": "text/event-stream",
	} {
		headers := r.as("alice")
		if accept != "" {
			headers = append(headers, "Accept", accept)
		}
		got := r.do("GET", "/v1/conversations/"+id+"/events", "", headers...)
		if got.header.Get("Content-Type") != want {
			t.Errorf("%q: %s", accept, got.header.Get("Content-Type"))
		}
	}
}

func TestLimits(t *testing.T) {
	t.Run("body", func(t *testing.T) {
		r := start(t, nil)
		id := r.create("alice")
		fits := `{"text":"` + strings.Repeat("a", 64<<10-11) + `"}`
		same(t, 64<<10, len(fits))
		same(t, 200, r.do("POST", "/v1/conversations/"+id+"/messages", fits, r.as("alice")...).status)
		for _, path := range []string{"/messages", "/human", "/resume"} {
			r.refused(r.do("POST", "/v1/conversations/"+id+path, fits+" ", r.as("alice")...), 413, "body_too_large", "the body is too large: 65536 bytes are allowed")
		}
	})
	t.Run("rate", func(t *testing.T) {
		r := start(t, func(o *serve.Options) { o.Rate, o.Burst = 0.001, 3 })
		id := r.create("alice")
		for range 2 {
			same(t, 200, r.do("GET", "/v1/conversations/"+id, "", r.as("alice")...).status)
		}
		for range 3 {
			got := r.do("GET", "/v1/conversations/"+id, "", r.as("alice")...)
			r.refused(got, 429, "rate_limited", "too many requests of web/alice: 0.001 a second are allowed, and 3 at once")
			if len(got.header.Get("Retry-After")) < 3 {
				t.Errorf("Retry-After: %q", got.header.Get("Retry-After"))
			}
		}
		same(t, 404, r.do("GET", "/v1/conversations/"+id, "", r.as("bob")...).status)
	})
	t.Run("turns", func(t *testing.T) {
		r := start(t, func(o *serve.Options) { o.Turns = 2 })
		var group sync.WaitGroup
		for range 2 {
			id := r.create("alice")
			group.Go(func() { r.say("alice", id, "wait") })
			<-r.model.waiting
		}
		id := r.create("alice")
		got := r.do("POST", "/v1/conversations/"+id+"/messages", `{"text":"hi"}`, r.as("alice")...)
		r.refused(got, 503, "too_many_turns", "2 turns are running, which is all that may: try again")
		same(t, "1", got.header.Get("Retry-After"))
		close(r.model.release)
		group.Wait()
		r.say("alice", id, "hi")
	})
	t.Run("streams", func(t *testing.T) {
		r := start(t, func(o *serve.Options) { o.Streams = 1 })
		id := r.create("alice")
		r.say("alice", id, "hi")
		l := r.listen("GET", "/v1/conversations/"+id+"/events?follow=true", "", r.as("alice")...)
		l.next()
		r.refused(r.do("GET", "/v1/conversations/"+id+"/events", "", r.as("alice")...), 503, "too_many_streams", "1 streams are open, which is all that may be: try again")
		l.leave()
		for r.do("GET", "/v1/conversations/"+id+"/events", "", r.as("alice")...).status != 200 {
			time.Sleep(time.Millisecond)
		}
	})
	t.Run("time", func(t *testing.T) {
		r := start(t, func(o *serve.Options) { o.ReadTimeout, o.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond })
		id := r.create("alice")
		r.say("alice", id, "first")
		// The times are for reading and writing, not for answering.
		want := `[{"type":"user","text":"slow 500ms"},
{"type":"agent","text":"You said: slow 500ms"},
{"type":"turn_end","tool_calls":0}]
`
		same(t, want, r.say("alice", id, "slow 500ms"))
		stream := r.do("POST", "/v1/conversations/"+id+"/messages", `{"text":"slow 500ms"}`, r.as("alice")...).body
		if !strings.HasSuffix(stream, "data: {\"type\":\"turn_end\",\"tool_calls\":0}\n\n") {
			t.Error(stream)
		}
		for _, sent := range []string{"", "GET /healthz HTTP/1.1\r\nHost: x\r\n", "POST /v1/conversations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + r.key + "\r\nX-Vatio-User: a\r\nContent-Length: 100\r\n\r\n{"} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(conn, sent)
			if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("a client that sends %q is waited for: %v", sent, err)
			}
			conn.Close()
		}
	})
	t.Run("time of a turn", func(t *testing.T) {
		r := start(t, func(o *serve.Options) { o.TurnTimeout = 50 * time.Millisecond })
		id := r.create("alice")
		if got := r.say("alice", id, "wait"); !strings.HasSuffix(got, `{"type":"error","message":"the turn was cancelled"},`+"\n"+`{"type":"turn_end","tool_calls":0}]`+"\n") {
			t.Error(got)
		}
	})
}

// 200 conversations at once.
func TestManyConversations(t *testing.T) {
	r := start(t, nil)
	const conversations, turns = 200, 5
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: conversations}}
	defer client.CloseIdleConnections()
	var group sync.WaitGroup
	ids := make([]string, conversations)
	for i := range ids {
		user := fmt.Sprintf("user%d", i)
		ids[i] = r.create(user)
		group.Go(func() {
			for n := range turns {
				request := r.request(context.Background(), "POST", "/v1/conversations/"+ids[i]+"/messages", fmt.Sprintf(`{"text":"stock %d-%d"}`, i, n), r.as(user)...)
				response, err := client.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				data, err := io.ReadAll(response.Body)
				response.Body.Close()
				want := fmt.Sprintf(`\"products\":[\"%d-%d\"]`, i, n)
				if err != nil || response.StatusCode != 200 || !strings.Contains(string(data), want) || !strings.HasSuffix(string(data), "data: {\"type\":\"turn_end\",\"tool_calls\":1}\n\n") {
					t.Errorf("%d %v %s", response.StatusCode, err, data)
					return
				}
			}
		})
	}
	group.Wait()
	for i, id := range ids {
		messages, err := r.store.Messages(t.Context(), fmt.Sprintf("web/user%d", i), id, 0, 1000)
		if err != nil || len(messages) != 4*turns {
			t.Fatalf("%d messages, %v", len(messages), err)
		}
	}
}
