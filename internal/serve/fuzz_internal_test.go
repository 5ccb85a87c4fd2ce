package serve

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// Whatever a client says it accepts, it gets one of the two; and who names only
// one of them, without a weight, gets that.
func FuzzAccept(f *testing.F) {
	f.Add("application/json")
	f.Add("text/event-stream;q=0.1, application/*;q=0.2")
	f.Add("application/json, text/plain, */*")
	f.Fuzz(func(t *testing.T, accept string) {
		asked := prefersJSON(&http.Request{Header: http.Header{"Accept": {accept}}})
		if again := prefersJSON(&http.Request{Header: http.Header{"Accept": {accept}}}); again != asked {
			t.Errorf("%q: %t, then %t", accept, asked, again)
		}
		lower := strings.ToLower(accept)
		if asked && !strings.Contains(lower, "application/") && !strings.Contains(lower, "text/") {
			t.Errorf("%q names no kind and gets JSON", accept)
		}
		if plain := prefersJSON(&http.Request{Header: http.Header{"Accept": {"application/json;q=1, " + eventStream + ";q=0.999"}}}); !plain {
			t.Error("what is wanted more is not given")
		}
	})
}

// Only loopback names and addresses, with the port of the server, pass.
func FuzzLoopbackHost(f *testing.F) {
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	for _, host := range []string{"localhost:8080", "127.0.0.1:8080", "[::1]:8080", "evil.example:8080", "localhost", "[::ffff:127.0.0.1]:8080", "localhost:8080:8080"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		if !loopbackHost(host, local) {
			return
		}
		name, ok := strings.CutSuffix(host, ":8080")
		if !ok {
			t.Fatalf("%q has another port", host)
		}
		name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
		if strings.EqualFold(name, "localhost") {
			return
		}
		ip, err := netip.ParseAddr(name)
		if err != nil || !ip.Unmap().IsLoopback() {
			t.Fatalf("%q is no loopback address", host)
		}
	})
}

// A body is refused with a problem, or is an object of what is allowed.
func FuzzBody(f *testing.F) {
	for _, body := range []string{`{"text":"hi"}`, `{"contact":{"name":"a","phone_number":"+56912345678"}}`, `{`, `[]`, "", `{"text":"\ud800"}`} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r, err := http.NewRequest("POST", "/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		v, err := object(r, "text", "contact")
		if err == nil {
			_, err = said(v)
		}
		if err == nil {
			var c contact
			if c, err = contactOf(v); err == nil && strings.ContainsAny(value(c.name)+value(c.email)+value(c.phone), "\n\x00") {
				t.Errorf("control characters pass: %q", body)
			}
		}
		if err != nil {
			if p, unexpected := problemOf(err); unexpected || p.status != http.StatusBadRequest {
				t.Errorf("%q: %v", body, err)
			}
		}
	})
}
