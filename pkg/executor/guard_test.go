package executor

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// For each address what the two rules say: of every call, and of calls to hosts
// that others take part in.
func TestAddressRules(t *testing.T) {
	for _, test := range []struct{ addr, always, internal string }{
		{"93.184.216.34", "", ""},
		{"2606:2800:220:1::1", "", ""},
		{"198.18.0.1", "", ""},
		{"169.254.169.254", "a link-local address", "a link-local address"},
		{"169.254.0.1", "a link-local address", "a link-local address"},
		{"fe80::1", "a link-local address", "a link-local address"},
		{"fe80::1%eth0", "a link-local address", "a link-local address"},
		{"febf::1", "a link-local address", "a link-local address"},
		{"224.0.0.1", "a link-local address", "a link-local address"},
		{"100.100.100.200", "a cloud-metadata address", "a cloud-metadata address"},
		{"192.0.0.192", "a cloud-metadata address", "a cloud-metadata address"},
		{"168.63.129.16", "a cloud-metadata address", "a cloud-metadata address"},
		{"fd00:ec2::254", "a cloud-metadata address", "a cloud-metadata address"},
		{"fd20:ce::254", "a cloud-metadata address", "a cloud-metadata address"},
		{"::ffff:169.254.169.254", "a link-local address", "a link-local address"},
		{"::ffff:100.100.100.200", "a cloud-metadata address", "a cloud-metadata address"},
		{"::169.254.169.254", "a link-local address", "a link-local address"},
		{"64:ff9b::169.254.169.254", "a link-local address", "a link-local address"},
		{"64:ff9b::a9fe:a9fe", "a link-local address", "a link-local address"},
		{"64:ff9b:1::169.254.169.254", "a link-local address", "a link-local address"},
		{"64:ff9b:1:a9fe:a9:fe00::", "a link-local address", "a link-local address"},
		{"2002:a9fe:a9fe::1", "a link-local address", "a link-local address"},
		{"2001:0:4136:e378:8000:63bf:5601:5601", "a link-local address", "a link-local address"},
		{"2001:db8::5efe:169.254.169.254", "a link-local address", "a link-local address"},
		{"127.0.0.1", "", "a loopback address"},
		{"127.255.0.9", "", "a loopback address"},
		{"::1", "", "a loopback address"},
		{"::ffff:127.0.0.1", "", "a loopback address"},
		{"64:ff9b::127.0.0.1", "", "a loopback address"},
		{"2002:7f00:1::", "", "a loopback address"},
		{"10.0.0.1", "", "a private address"},
		{"172.16.0.1", "", "a private address"},
		{"172.31.255.255", "", "a private address"},
		{"172.32.0.1", "", ""},
		{"192.168.1.1", "", "a private address"},
		{"::ffff:10.1.2.3", "", "a private address"},
		{"64:ff9b::10.1.2.3", "", "a private address"},
		{"64:ff9b:1:ffff::10.0.0.1", "", "a private address"},
		{"0.0.0.0", "", "an unspecified address"},
		{"0.1.2.3", "", "an unspecified address"},
		{"::", "", "an unspecified address"},
		{"100.64.0.1", "", "a carrier-grade-NAT address"},
		{"100.127.255.255", "", "a carrier-grade-NAT address"},
		{"100.128.0.1", "", ""},
		{"fc00::1", "", "a unique-local address"},
		{"fdff::1", "", "a unique-local address"},
		{"fec0::1", "", "a unique-local address"},
		{"239.1.1.1", "", "a multicast address"},
		{"ff0e::1", "", "a multicast address"},
		{"64:ff9b::93.184.216.34", "", ""},
		{"64:ff9b:1::93.184.216.34", "", ""},
	} {
		address := net.JoinHostPort(test.addr, "80")
		got := [2]string{}
		for i, refuse := range []addressRule{refuseAlways, refuseInternal} {
			if err := refuse.control(t.Context(), "tcp", address, nil); err != nil {
				got[i] = err.(*blockedError).why
			}
		}
		if diff := cmp.Diff([2]string{test.always, test.internal}, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.addr, diff)
		}
	}
	if err := addressRule(refuseAlways).control(t.Context(), "unix", "/x", nil); err == nil {
		t.Error("what is no address may be dialled")
	}
}

func TestBlockedCalls(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s arrived", r.URL)
	}))
	defer s.Close()
	port := strings.TrimPrefix(s.URL, "http://127.0.0.1:")
	refused := func(hostPort, addr, why string) string {
		return ErrorResult("Calls to "+hostPort+" are not allowed: "+addr+" is "+why+".", "blocked_address")
	}
	principal := &Principal{Subject: "127.0.0.1", Claims: claims(`{"h":"127.0.0.1"}`)}
	for _, test := range []struct{ name, tool, want string }{
		{"metadata", "request: {method: GET, base_url: \"http://169.254.169.254\", path: /latest}\n",
			refused("169.254.169.254:80", "169.254.169.254", "a link-local address")},
		{"metadata, mapped", "request: {method: GET, base_url: \"http://[::ffff:a9fe:a9fe]:81\", path: /latest}\n",
			refused("[::ffff:a9fe:a9fe]:81", "169.254.169.254", "a link-local address")},
		{"params", "request: {method: GET, base_url: \"http://$params.h:" + port + "\", path: /}\n",
			refused("127.0.0.1:"+port, "127.0.0.1", "a loopback address")},
		{"params, a name", "request: {method: GET, base_url: \"http://$params.name:" + port + "\", path: /}\n",
			refused("localhost:"+port, "127.0.0.1", "a loopback address")},
		{"params, in the path of the base", "request: {method: GET, base_url: \"" + s.URL + "/$params.h\", path: /}\n",
			refused("127.0.0.1:"+port, "127.0.0.1", "a loopback address")},
		{"params, in an alternative that does not count", "request: {method: GET, base_url: \"$env.API || $params.h\", path: /}\n",
			refused("127.0.0.1:"+port, "127.0.0.1", "a loopback address")},
		{"contact", "request: {method: GET, base_url: \"http://$contact.name:" + port + "\", path: /}\n",
			refused("127.0.0.1:"+port, "127.0.0.1", "a loopback address")},
		{"claims", "access: private\nrequest: {method: GET, base_url: \"http://$auth.claims.h:" + port + "\", path: /}\n",
			refused("127.0.0.1:"+port, "127.0.0.1", "a loopback address")},
		{"subject", "access: private\nrequest: {method: GET, base_url: \"http://$auth.subject:" + port + "\", path: /}\n",
			refused("127.0.0.1:"+port, "127.0.0.1", "a loopback address")},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newClient(t)
			o := c.Call(t.Context(), httpTool(t, test.tool), []byte(`{"h":"127.0.0.1","name":"localhost"}`), Scope{
				Env: env("API", s.URL), Principal: principal, Contact: Contact{Name: "127.0.0.1"},
			})
			got := strings.ReplaceAll(o.Content, "::1 is", "127.0.0.1 is") // localhost may be either
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if o.Trace != nil {
				t.Errorf("%+v", o.Trace)
			}
		})
	}
}

// A connection that an open call left behind does not serve a strict one.
func TestStrictCallsHaveTheirOwnConnections(t *testing.T) {
	w := listenFunc(t, func(conn net.Conn, _ string) bool {
		_, err := conn.Write([]byte(strings.ReplaceAll(okJSON, "\n", "\r\n")))
		return err == nil
	})
	c := newClient(t)
	scope := Scope{Env: env("API", w.url())}
	if o := c.Call(t.Context(), getTool(t, "", ""), nil, scope); o.IsError {
		t.Fatal(o.Content)
	}
	strict := httpTool(t, "request: {method: GET, base_url: \"$params.none || $env.API\", path: /}\n")
	if o := c.Call(t.Context(), strict, nil, scope); o.ErrorKey != "blocked_address" {
		t.Error(o.Content)
	}
}

// A proxy of the environment would dial for us, so it is not used for strict
// calls, and a literal address is refused before a proxy sees it.
func TestProxyDoesNotBypassTheGuard(t *testing.T) {
	c := newClient(t)
	if c.strict.(*http.Transport).Proxy != nil {
		t.Error("strict calls use a proxy")
	}
	if c.open.(*http.Transport).Proxy == nil {
		t.Error("open calls use no proxy")
	}
	if err := addressRule(refuseAlways).checkHost("169.254.169.254"); err == nil {
		t.Error("a literal metadata address passes")
	}
	if err := addressRule(refuseAlways).checkHost("example.com"); err != nil {
		t.Error(err)
	}
}

// Through a proxy the target stays as it was built.
func TestProxy(t *testing.T) {
	w := listen(t, okJSON)
	c := newClient(t)
	proxy, err := url.Parse(w.url())
	if err != nil {
		t.Fatal(err)
	}
	c.open.(*http.Transport).Proxy = http.ProxyURL(proxy)
	probe := httpTool(t, "request: {method: GET, base_url: \"http://acme.invalid/v1\", path: \"/a/$params.x\", query: {q: \"$params.x\"}}\n")
	o := c.Call(t.Context(), probe, []byte(`{"x":"b/c d"}`), Scope{})
	if o.IsError {
		t.Fatal(o.Content)
	}
	if diff := cmp.Diff([]string{"GET http://acme.invalid/v1/a/b%2Fc%20d?q=b%2Fc%20d HTTP/1.1\nHost: acme.invalid\nUser-Agent: vatio/1.2.3\nAccept-Encoding: gzip\n\n"}, w.sent()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzAddressRules(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		addr, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		// What is always refused is refused to strict calls, and an IPv4 address
		// is judged alike in all its forms.
		always, internal := addressRule(refuseAlways).check(addr), addressRule(refuseInternal).check(addr)
		if always != nil && internal == nil {
			t.Errorf("%v: only refused to open calls", addr)
		}
		if !addr.Is4() {
			return
		}
		v4 := addr.As4()
		nat64 := [16]byte{1: 0x64, 2: 0xFF, 3: 0x9B}
		copy(nat64[12:], v4[:])
		for _, form := range []netip.Addr{netip.AddrFrom16(addr.As16()), netip.AddrFrom16(nat64)} {
			if (addressRule(refuseInternal).check(form) == nil) != (internal == nil) {
				t.Errorf("%v and %v are judged differently", addr, form)
			}
		}
	})
}
