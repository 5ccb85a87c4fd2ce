package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/demo"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vatio": main})
}

// backendToken is what the sample backend of the tests asks for.
const backendToken = "token-of-the-test-backend"

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Setup:               setup,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"fetch":    fetch,
			"freeport": freeport,
			"member":   member,
			"requests": requests,
			"scrub":    scrub,
			"sign":     sign,
			"waitfor":  waitfor,
			"withkey":  withkey,
		},
	})
}

// setup gives each script a home of its own, the examples and the applications
// behind them, and a recorder.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	temp := filepath.Join(env.WorkDir, ".tmp")
	for _, dir := range []string{home, temp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	shop, err := demo.Find(demo.AcmeStore)
	if err != nil {
		return err
	}
	backend, err := shop.Start(context.Background(), backendToken)
	if err != nil {
		return err
	}
	env.Defer(func() { backend.Close() })
	workshop, err := demo.Find(demo.RecordsAgent)
	if err != nil {
		return err
	}
	records, err := workshop.Start(context.Background(), backendToken)
	if err != nil {
		return err
	}
	env.Defer(func() { records.Close() })
	recorder := newRecorder()
	env.Defer(recorder.server.Close)
	env.Values[recorderKey{}] = recorder
	env.Setenv("RECORDS", records.URL())
	env.Setenv("RECORDER", recorder.server.URL)
	openai := newOpenAI()
	env.Defer(openai.Close)
	env.Setenv("OPENAI", openai.URL)
	anthropic := newAnthropic()
	env.Defer(anthropic.Close)
	env.Setenv("ANTHROPIC", anthropic.URL)
	env.Setenv("HOME", home)
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	env.Setenv("TMPDIR", temp)
	env.Setenv("USER", "tester")
	env.Setenv("BACKEND", backend.URL())
	env.Setenv("TOKEN", backendToken)
	for _, example := range demo.Examples() {
		if err := demo.Copy(filepath.Join(env.WorkDir, "."+example.Name), example.Name); err != nil {
			return err
		}
	}
	return nil
}

// exits runs a command and wants its exit code: exits 2 vatio chta
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		// ts.Exec gives the error of the process, whose text ends in the code.
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// sign writes a token with exactly these claims to a file, signed with the key
// in identity.pem: sign ES256 '{"sub":"alice"}' FILE
func sign(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sign ALGORITHM CLAIMS FILE")
	}
	var claims map[string]any
	ts.Check(json.Unmarshal([]byte(args[1]), &claims))
	token, err := auth.Sign([]byte(ts.ReadFile("identity.pem")), args[0], claims)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(token), 0o600))
}

var changing = []struct {
	find    *regexp.Regexp
	replace string
}{
	{regexp.MustCompile(`"duration_ms":\d+`), `"duration_ms":0`},
	{regexp.MustCompile(`\d+ ms`), `0 ms`},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), `127.0.0.1:PORT`},
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}Z)?`), `TIME`},
	{regexp.MustCompile(`Date: .*`), `Date: TIME`},
}

// scrub replaces what differs from run to run in a file, or in stdout or stderr
// of the last command, which then stands in the file named second.
func scrub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: scrub FROM TO")
	}
	text := ts.ReadFile(args[0])
	for _, c := range changing {
		text = c.find.ReplaceAllString(text, c.replace)
	}
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
	fmt.Fprintf(ts.Stdout(), "")
}
