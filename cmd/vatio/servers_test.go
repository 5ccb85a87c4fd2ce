package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// freeport sets a variable to a loopback address that nobody listens at:
// freeport ADDR
func freeport(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: freeport VARIABLE")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], l.Addr().String())
	ts.Check(l.Close())
}

// waitfor waits until an address answers 200: waitfor http://$ADDR/readyz
func waitfor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor URL")
	}
	for range 600 {
		if resp, err := http.Get(args[0]); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s does not answer", args[0])
}

// fetch sends a request and writes status and body to stdout:
// fetch METHOD URL [BODY] [Name:Value...]
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fetch METHOD URL [BODY] [Name:Value...]")
	}
	method, url, rest := args[0], args[1], args[2:]
	body := ""
	if len(rest) > 0 && strings.HasPrefix(rest[0], "{") {
		body, rest = rest[0], rest[1:]
	}
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	ts.Check(err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range rest {
		name, value, _ := strings.Cut(h, ":")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	var b bytes.Buffer
	b.WriteString(resp.Status + "\n")
	_, err = io.Copy(&b, resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("fetched"), b.Bytes(), 0o600))
	_, err = ts.Stdout().Write(b.Bytes())
	ts.Check(err)
}

// withkey adds the app key that stands in a file to a fetch:
// withkey FILE fetch METHOD URL ...
func withkey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || args[1] != "fetch" {
		ts.Fatalf("usage: withkey FILE fetch METHOD URL [BODY] [Name:Value...]")
	}
	key := strings.TrimSpace(ts.ReadFile(args[0]))
	fetch(ts, false, append(args[2:], "Authorization:Bearer "+key))
}

// member sets a variable to a member of the JSON that the last command wrote:
// member VARIABLE NAME
func member(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: member VARIABLE NAME")
	}
	_, rest, ok := strings.Cut(ts.ReadFile("stdout"), `"`+args[1]+`":`)
	_, rest, ok2 := strings.Cut(rest, `"`)
	value, _, ok3 := strings.Cut(rest, `"`)
	if !ok || !ok2 || !ok3 {
		ts.Fatalf("there is no %q", args[1])
	}
	ts.Setenv(args[0], value)
}
