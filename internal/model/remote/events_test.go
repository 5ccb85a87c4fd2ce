package remote

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answering is a transport whose every answer has this body.
func answering(body io.Reader) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(body), Request: r}, nil
	})
}

// exchange makes one exchange and returns its events as text, and its error.
func exchange(t testing.TB, c *Client, each func(x *Exchange, e Event)) ([]string, string) {
	t.Helper()
	var events []string
	wrong := ""
	x := &Exchange{client: c}
	defer x.close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://test.invalid/", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Do(req); err != nil {
		t.Fatal(err)
	}
	for e, err := range x.Events() {
		if err != nil {
			wrong = err.Error()
			continue
		}
		events = append(events, e.Name+"|"+string(e.Data))
		if each != nil {
			each(x, e)
		}
	}
	return events, wrong
}

func TestEvents(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
		wrong      string
	}{
		{name: "empty"},
		{name: "one", body: "event: ping\ndata: {}\n\n", want: []string{"ping|{}"}},
		{name: "line ends", body: "data: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\r\n\n\rdata: e\r\n\n", want: []string{"|a\nb", "|c", "|d", "|e"}},
		{name: "spaces", body: "data:a\n\ndata:  b\n\ndata: c \n\n", want: []string{"|a", "| b", "|c "}},
		{name: "comments and other fields", body: ": hi\n:\nid: 1\nretry: 5\nother\nother: x\ndata: a\n\n: bye\n\n", want: []string{"|a"}},
		{name: "events without data", body: "event: x\n\ndata\n\ndata:\n\ndata: a\n\nevent: y\ndata:  \n\ndata: b\n\n", want: []string{"|a", "|b"}},
		{name: "the last name counts, and for one event", body: "event: a\nevent: b\ndata: 1\n\ndata: 2\n\n", want: []string{"b|1", "|2"}},
		{name: "a byte order mark", body: "\ufeffdata: a\n\n", want: []string{"|a"}},
		{name: "the end says so", body: "data: a\n\ndata: [DONE]\n\ndata: b\n\n", want: []string{"|a"}},
		{name: "the end says so, with spaces", body: "data: a\n\ndata:  [DONE] \n\ndata: b\n\n", want: []string{"|a"}},
		{name: "a whole last event", body: "data: {\"a\":1}", want: []string{`|{"a":1}`}},
		{name: "a whole last event, one line end", body: "event: x\ndata: {\"a\":1}\n", want: []string{`x|{"a":1}`}},
		{name: "half a last event", body: "data: {}\n\ndata: {\"a\":", want: []string{"|{}"}},
		{name: "a last event that is no JSON", body: "data: abc\n", want: nil},
		{name: "a document", body: " \n{\n\"a\": 1}\n", want: []string{"| \n{\n\"a\": 1}\n"}},
		{name: "a document behind a byte order mark", body: "\ufeff{\"a\":1}", want: []string{`|{"a":1}`}},
		{name: "white space alone", body: " \n\t\r\n"},
		{name: "more white space than a buffer", body: strings.Repeat("\n", 20000) + "data: a\n\n", want: []string{"|a"}},
		{name: "a long line", body: "data: " + strings.Repeat("x", 100_000) + "\n\n", want: []string{"|" + strings.Repeat("x", 100_000)}},
	}
	for _, test := range tests {
		for name, body := range map[string]io.Reader{
			"whole": strings.NewReader(test.body), "bytes": iotest.OneByteReader(strings.NewReader(test.body)), "halves": iotest.HalfReader(strings.NewReader(test.body)),
			"with the end": iotest.DataErrReader(strings.NewReader(test.body)),
		} {
			got, wrong := exchange(t, New(Options{Provider: "acme", Transport: answering(body)}), nil)
			if diff := cmp.Diff(test.want, got); diff != "" || wrong != test.wrong {
				t.Errorf("%s, %s: %s %q", test.name, name, diff, wrong)
			}
		}
	}
}

// A stream that breaks is an error, unless the answer is whole.
func TestBrokenStream(t *testing.T) {
	body := func() io.Reader {
		return io.MultiReader(strings.NewReader("data: {}\n\ndata: {\"a\":"), iotest.ErrReader(errors.New("reset")))
	}
	got, wrong := exchange(t, New(Options{Provider: "acme", Transport: answering(body())}), nil)
	if len(got) != 1 || wrong != "the answer of acme was cut off before its end: ask again" {
		t.Errorf("%q %q", got, wrong)
	}
	got, wrong = exchange(t, New(Options{Provider: "acme", Transport: answering(body())}), func(x *Exchange, _ Event) { x.Finished() })
	if len(got) != 1 || wrong != "" {
		t.Errorf("finished: %q %q", got, wrong)
	}
}

// A stream has a limit, whatever it is made of.
func TestLargeStreams(t *testing.T) {
	const large = "the answer of acme is too large and was cut off: ask for less"
	line := "data: " + strings.Repeat("x", 1<<20)
	tests := []struct {
		name, body string
		events     int
		wrong      string
	}{
		{"below the limit", strings.Repeat(line+"\n\n", 63), 63, ""},
		{"above it", strings.Repeat(line+"\n\n", 65), 63, large},
		{"above it, behind the end", strings.Repeat(line+"\n\n", 62) + "data: [DONE]\n\n" + strings.Repeat(line, 3), 62, ""},
		{"one event of many lines", strings.Repeat(line+"\n", 17), 0, large},
		{"one line", "data: " + strings.Repeat("x", 17<<20), 0, large},
		{"comments", strings.Repeat(":"+line+"\n", 65), 0, large},
		{"a document", "{" + strings.Repeat(line, 65), 0, large},
	}
	for _, test := range tests {
		c := New(Options{Provider: "acme", Transport: answering(strings.NewReader(test.body))})
		if events, wrong := exchange(t, c, nil); len(events) != test.events || wrong != test.wrong {
			t.Errorf("%s: %d events, %q, want %d, %q", test.name, len(events), wrong, test.events, test.wrong)
		}
	}
}

// A silent reader gives what it has and then waits for the end of the request.
type silent struct {
	text io.Reader
	done <-chan struct{}
}

func (s *silent) Read(p []byte) (int, error) {
	n, err := s.text.Read(p)
	if err == io.EOF {
		<-s.done
		return 0, errors.New("request cancelled")
	}
	return n, err
}

// Silence ends: after two minutes in an answer, after seconds behind one.
func TestSilence(t *testing.T) {
	tests := []struct {
		name, body string
		finished   bool
		wrong      string
		after      time.Duration
	}{
		{"in an answer", "data: {}\n\n", false, "acme fell silent in the middle of its answer, for 2m0s: ask again", 2 * time.Minute},
		{"in a line", "data: {", false, "acme fell silent in the middle of its answer, for 2m0s: ask again", 2 * time.Minute},
		{"behind an answer", "data: {}\n\n", true, "", 5 * time.Second},
		{"behind [DONE]", "data: {}\n\ndata: [DONE]\n\n", false, "", time.Second},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			c := New(Options{Provider: "acme", Transport: transport(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(&silent{strings.NewReader(test.body), r.Context().Done()}), Request: r}, nil
			})})
			start := time.Now()
			_, wrong := exchange(t, c, func(x *Exchange, _ Event) {
				if test.finished {
					x.Finished()
				}
			})
			if wrong != test.wrong || time.Since(start) != test.after {
				t.Errorf("%s: %q after %s, want %q after %s", test.name, wrong, time.Since(start), test.wrong, test.after)
			}
		})
	}
}

// Keep-alives behind [DONE] do not hold a conversation up.
func TestChatterBehindTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Provider: "acme", Transport: transport(func(r *http.Request) (*http.Response, error) {
			read, write := io.Pipe()
			go func() {
				_, _ = io.WriteString(write, "data: {}\n\ndata: [DONE]\n\n")
				for r.Context().Err() == nil {
					time.Sleep(300 * time.Millisecond)
					_, _ = io.WriteString(write, ": still here\n\n")
				}
				_ = write.CloseWithError(r.Context().Err())
			}()
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: read, Request: r}, nil
		})})
		start := time.Now()
		got, wrong := exchange(t, c, nil)
		if took := time.Since(start); len(got) != 1 || wrong != "" || took > 2*time.Second {
			t.Errorf("%q %q after %s", got, wrong, took)
		}
	})
}

// FuzzEvents wants the same events however the bytes arrive.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "event: x\r\ndata: {}\r\rdata:b\n\n", "\ufeff{\"a\":1}", ": c\ndata\ndata: [DONE]\n\n", "data: {}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		read := func(r io.Reader) []string {
			events, wrong := exchange(t, New(Options{Provider: "acme", Transport: answering(r)}), nil)
			return append(events, wrong)
		}
		whole, single := read(strings.NewReader(string(body))), read(iotest.OneByteReader(strings.NewReader(string(body))))
		if diff := cmp.Diff(whole, single); diff != "" {
			t.Fatal(diff)
		}
	})
}
