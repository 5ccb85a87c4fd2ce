package executor

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// proxyCalls makes the test binary print what calls come to instead of testing.
const proxyCalls = "EXECUTOR_TEST_PROXY_CALLS"

// callsThroughProxy is what such a process does: net/http reads the environment
// once, so each test of it needs a process of its own.
func callsThroughProxy(t *testing.T) {
	c := newClient(t)
	for _, call := range []struct{ base, arguments string }{
		{"http://app.acme.invalid", ""},
		{"https://app.acme.invalid", ""},
		{"http://app.direct.invalid", ""},
		{"http://127.0.0.1:1", ""},
		{"http://169.254.169.254", ""},
		{"http://${params.h}.acme.invalid", `{"h":"app"}`},
	} {
		probe := httpTool(t, "request: {method: GET, base_url: \""+call.base+"\", path: /p, headers: {X-Key: $env.KEY}}\n")
		o := c.Call(t.Context(), probe, []byte(call.arguments), Scope{Env: env("KEY", "key-of-acme"), Timeout: 5 * time.Second})
		fmt.Printf("%s: %s\n", call.base, o.Content)
	}
}

// The proxies of the environment are used as everywhere else, but not where
// others take part in the host, and not to reach a blocked address.
func TestProxiesOfTheEnvironment(t *testing.T) {
	if os.Getenv(proxyCalls) != "" {
		callsThroughProxy(t)
		return
	}
	web := listen(t, respond("200 OK", "", `{"message":"through the proxy"}`))
	tunnel := listen(t, "HTTP/1.1 407 Proxy Authentication Required\nContent-Length: 0\n\n")
	cmd := exec.Command(os.Args[0], "-test.run=^TestProxiesOfTheEnvironment$", "-test.count=1")
	cmd.Env = append(os.Environ(), proxyCalls+"=1",
		"HTTP_PROXY="+web.url(), "HTTPS_PROXY=http://me:hunter2hunter2@"+tunnel.Addr().String(), "NO_PROXY=direct.invalid", "no_proxy=", "http_proxy=", "https_proxy=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	unreachable := func(host, cause string) string {
		return ErrorResult("Could not reach "+host+": "+cause+".", "unreachable")
	}
	want := []string{
		`http://app.acme.invalid: {"result":"ok","message":"through the proxy"}`,
		"https://app.acme.invalid: " + unreachable("app.acme.invalid:443", "the proxy refused the connection (HTTP 407)"),
		"http://app.direct.invalid: " + unreachable("app.direct.invalid:80", "DNS"),
		"http://127.0.0.1:1: " + unreachable("127.0.0.1:1", "connection refused"),
		"http://169.254.169.254: " + ErrorResult("Calls to 169.254.169.254:80 are not allowed: 169.254.169.254 is a link-local address.", "blocked_address"),
		"http://${params.h}.acme.invalid: " + unreachable("app.acme.invalid:80", "DNS"),
	}
	var got []string
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		line := lines.Text()
		for _, dns := range []string{"no such host", "its name could not be looked up"} { // without a network the second
			line = strings.Replace(line, dns, "DNS", 1)
		}
		if strings.HasPrefix(line, "http") {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"GET http://app.acme.invalid/p HTTP/1.1\nHost: app.acme.invalid\nUser-Agent: vatio/1.2.3\nAccept-Encoding: gzip\nX-Key: key-of-acme\n\n"}, web.sent()); diff != "" {
		t.Errorf("web proxy (-want +got)\n%s", diff)
	}
	if sent := tunnel.sent(); len(sent) != 1 || !strings.HasPrefix(sent[0], "CONNECT app.acme.invalid:443 ") || strings.Contains(sent[0], "key-of-acme") {
		t.Errorf("tunnel: %q", sent)
	}
	if strings.Contains(string(out), "hunter2") {
		t.Error("the password of the proxy is shown")
	}
}
