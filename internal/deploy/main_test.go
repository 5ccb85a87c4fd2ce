package deploy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test program is also the writer and the reader that tests start as
// processes of their own.
const (
	childTask  = "DEPLOY_TEST_TASK" // push, publish or read
	childStore = "DEPLOY_TEST_STORE"
	childName  = "DEPLOY_TEST_NAME"
	childCount = "DEPLOY_TEST_COUNT"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(childTask); task != "" {
		if err := child(task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child pushes to preview as often as it is told, or points live at what it has
// pushed, and prints the digests; or reads everything until its input ends.
func child(task string) error {
	ctx := context.Background()
	s, err := open(os.Getenv(childStore))
	if err != nil {
		return err
	}
	count, _ := strconv.Atoi(os.Getenv(childCount))
	switch task {
	case "push", "publish":
		for i := range count {
			d, pushed, err := s.Push(ctx, "preview", artifact(fmt.Sprintf("%s %d", os.Getenv(childName), i)))
			if err != nil {
				return err
			}
			if !pushed {
				return fmt.Errorf("push %d of %s was taken for unchanged", i, os.Getenv(childName))
			}
			if task == "publish" {
				if err := s.Point(ctx, "live", d.Digest); err != nil {
					return err
				}
			}
			fmt.Println(d.Digest)
		}
	case "read":
		ended := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			close(ended)
		}()
		most := 0
		for rounds := 1; ; rounds++ {
			environments, err := s.Environments(ctx)
			if err != nil {
				return err
			}
			for _, e := range environments {
				if _, _, err := s.Fetch(ctx, e.Digest); err != nil {
					return err
				}
				entries, err := s.History(ctx, e.Name)
				if err != nil {
					return err
				}
				if e.Name == "preview" {
					if len(entries) < most {
						return fmt.Errorf("the history went from %d entries to %d", most, len(entries))
					}
					most = len(entries)
				}
			}
			select {
			case <-ended:
				fmt.Println(rounds)
				return nil
			case <-time.After(5 * time.Millisecond):
			}
		}
	default:
		return fmt.Errorf("no task %q", task)
	}
	return nil
}

func open(where string) (*Store, error) {
	if strings.HasPrefix(where, addressScheme) {
		return OpenRegistry(where, Options{Version: "test"})
	}
	return OpenLayout(where, Options{Version: "test"}), nil
}

func childCommand(t testing.TB, task, store, name string, count int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childTask+"="+task, childStore+"="+store, childName+"="+name, childCount+"="+strconv.Itoa(count))
	return cmd
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// artifact is one whose content depends on a word.
func artifact(word string) Artifact {
	return Artifact{
		Config:    []byte(fmt.Sprintf(`{"workspace":%q}`, word)),
		Layer:     []byte("layer of " + word),
		Created:   noon,
		GitCommit: "4be1c2",
		GitBranch: "main",
		Author:    "Ada",
		Version:   "1.2.3",
	}
}

// realRegistry starts the registry program on a port of its own, with more lines
// of configuration, and returns its address and what kills it.
func realRegistry(t testing.TB, root, storage string) (host string, kill func()) {
	t.Helper()
	program := ""
	for _, name := range []string{"docker-registry", "registry"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("the registry program is not installed: neither docker-registry nor registry is on the PATH")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host = listener.Addr().String()
	_ = listener.Close()
	config := filepath.Join(t.TempDir(), "config.yml")
	text := fmt.Sprintf("version: 0.1\nlog:\n  level: error\n  accesslog:\n    disabled: true\nstorage:\n  filesystem:\n    rootdirectory: %s\n%shttp:\n  addr: %s\n", root, storage, host)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	cmd := exec.Command(program, "serve", config)
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Env = append(os.Environ(), "OTEL_TRACES_EXPORTER=none")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(kill)
	for range 400 {
		if resp, err := http.Get("http://" + host + "/v2/"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return host, kill
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	kill()
	t.Fatalf("%s does not answer: %s", program, output.String())
	return "", nil
}

// eachStore runs a test on an empty layout, on the registry that is part of the
// tests and on the real one.
func eachStore(t *testing.T, test func(t *testing.T, where string)) {
	t.Run("layout", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "deployments")) })
	t.Run("small registry", func(t *testing.T) { test(t, newSmallRegistry(t).address("team/shop")) })
	t.Run("real registry", func(t *testing.T) {
		host, _ := realRegistry(t, t.TempDir(), "")
		test(t, addressScheme+host+"/team/shop")
	})
}

// smallFileSystem mounts a file system of this size in bytes that is unmounted
// with the test.
func smallFileSystem(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	mount(t, "tmpfs", dir, fmt.Sprintf("size=%d", size))
	return dir
}

func mount(t *testing.T, kind, dir, options string) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", kind, "-o", options, kind, dir).CombinedOutput(); err != nil {
		t.Skipf("a file system cannot be mounted here: %v %s", err, bytes.TrimSpace(out))
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
}

func dead(err error) bool {
	exit, ok := err.(*exec.ExitError)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}
