// Package storetest gives tests a PostgreSQL server of their own. It is started
// on loopback with the programs that it finds, in a temporary directory, and
// ends with the test binary. VATIO_TEST_DATABASE names another server instead,
// in which databases may be made.
package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Server is one PostgreSQL server.
type Server struct {
	// why there is none, "" when there is
	missing string
	given   string // VATIO_TEST_DATABASE

	programs string
	dir      string
	port     int
	process  *exec.Cmd
	output   bytes.Buffer
}

// A Main holds the server of a test binary, which is started when a test asks
// for it.
type Main struct {
	once   sync.Once
	server *Server
}

// Run runs the tests of a binary and stops the server. Use it in TestMain.
func (m *Main) Run(tests *testing.M) int {
	code := tests.Run()
	if m.server != nil {
		m.server.remove()
	}
	return code
}

// Server returns the server, or skips the test where there is none.
func (m *Main) Server(t testing.TB) *Server {
	t.Helper()
	m.once.Do(func() { m.server = start() })
	if m.server.missing != "" {
		t.Skip("no PostgreSQL: " + m.server.missing)
	}
	return m.server
}

// Database makes an empty database and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	name := "vatio_test_" + strings.ToLower(rand.Text())[:12]
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err != nil {
			return
		}
		defer conn.Close(ctx)
		_, _ = conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
	})
	return s.url(name)
}

func (s *Server) url(database string) string {
	if s.given != "" {
		u, err := url.Parse(s.given)
		if err != nil {
			return s.given
		}
		u.Path = "/" + database
		return u.String()
	}
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// Restart stops the server as an administrator would, ending all sessions, waits
// and starts it again.
func (s *Server) Restart(t testing.TB, away time.Duration) {
	t.Helper()
	if s.given != "" {
		t.Skip("the server of VATIO_TEST_DATABASE is not restarted")
	}
	s.stop(syscall.SIGINT)
	time.Sleep(away)
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
}

func start() *Server {
	s := &Server{given: os.Getenv("VATIO_TEST_DATABASE")}
	if s.given != "" {
		return s
	}
	s.programs = find()
	if s.programs == "" {
		s.missing = "initdb and postgres are neither in PATH nor in /usr/lib/postgresql, and VATIO_TEST_DATABASE is not set"
		return s
	}
	if err := s.initialise(); err != nil {
		s.missing = err.Error()
		s.remove()
	}
	return s
}

func find() string {
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "initdb")); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.Max(found))
}

func (s *Server) initialise() error {
	dir, err := os.MkdirTemp("", "vatio-postgres-")
	if err != nil {
		return err
	}
	s.dir = dir
	attributes, err := unprivileged(dir)
	if err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(s.programs, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = attributes, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		return err
	}
	return s.run()
}

// unprivileged gives dir to a user that may run PostgreSQL: it refuses to be run
// by root.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return attributes(-1, -1), nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2, os.Chown(dir, uid, gid)); err != nil {
			return nil, err
		}
		return attributes(uid, gid), nil
	}
	return nil, errors.New("there is no user postgres or nobody to run it")
}

func (s *Server) run() error {
	attributes, err := unprivileged(s.dir)
	if err != nil {
		return err
	}
	s.output.Reset()
	s.process = exec.Command(filepath.Join(s.programs, "postgres"), "-D", filepath.Join(s.dir, "data"), "-p", strconv.Itoa(s.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=100")
	s.process.SysProcAttr, s.process.Dir = attributes, s.dir
	s.process.Stdout, s.process.Stderr = &s.output, &s.output
	if err := startProcess(s.process); err != nil {
		return err
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			err = conn.Close(ctx)
		}
		cancel()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			s.stop(syscall.SIGQUIT)
			return fmt.Errorf("postgres does not start: %s", s.output.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *Server) stop(signal syscall.Signal) {
	if s.process == nil || s.process.Process == nil {
		return
	}
	_ = s.process.Process.Signal(signal)
	_ = s.process.Wait()
	s.process = nil
}

func (s *Server) remove() {
	s.stop(syscall.SIGQUIT)
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}
