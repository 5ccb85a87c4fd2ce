package secrets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// process prepares this test binary to play a role on a place.
func process(t *testing.T, p place, role string, variables ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append([]string{"SECRETS_TEST_ROLE=" + role, "SECRETS_TEST_WORKSPACE=" + p.workspace, "VATIO_HOME=" + p.home}, variables...)
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		cmd.Env = append(cmd.Env, "SYSTEMROOT="+root)
	}
	return cmd
}

// kills is how often the tests kill: SECRETS_TEST_KILLS, by default 60.
func kills(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("SECRETS_TEST_KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return 10
	}
	return 60
}

// leftovers lists the temporary files that killed writers have left.
func leftovers(t *testing.T, p place) []string {
	t.Helper()
	var found []string
	for _, dir := range []string{p.home, filepath.Dir(p.file())} {
		names, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
		must(t, err)
		found = append(found, names...)
	}
	return found
}

// 50 processes that start with nothing make one identity and one store, and
// lose nothing.
func TestConcurrentProcessesLoseNothing(t *testing.T) {
	p := newPlace(t)
	want := map[string]string{}
	var wait sync.WaitGroup
	for i := range 50 {
		key := fmt.Sprintf("KEY_%d", i)
		want[key] = "value of " + key
		cmd := process(t, p, "set-one", "SECRETS_TEST_KEY="+key)
		wait.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", key, err, out)
			}
		})
	}
	wait.Wait()
	if diff := cmp.Diff(want, content(t, p.store())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := strings.Count(readFile(t, p.identity()), "AGE-SECRET-KEY-1"); got != 1 {
		t.Errorf("%d identities were made", got)
	}
	if got := leftovers(t, p); got != nil {
		t.Errorf("left behind: %v", got)
	}
}

func TestConcurrentGoroutinesLoseNothing(t *testing.T) {
	p := newPlace(t)
	one := p.store()
	want := map[string]string{}
	var wait sync.WaitGroup
	for i := range 40 {
		key, value := fmt.Sprintf("KEY_%d", i), strconv.Itoa(i)
		want[key] = value
		s := one
		if i%2 == 0 {
			s = p.store()
		}
		wait.Go(func() {
			if err := s.Set(key, "", NewValue([]byte(value))); err != nil {
				t.Error(err)
			}
			if _, err := s.Read(); err != nil {
				t.Error(err)
			}
			if i%10 == 0 {
				if _, err := s.Rotate(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if diff := cmp.Diff(want, content(t, one)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// killed runs cmd for a while from the moment it has printed its first line, or
// from its start, kills it, and returns the lines it printed.
func killed(t *testing.T, cmd *exec.Cmd, afterFirstLine bool, life time.Duration) []string {
	t.Helper()
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	var printed []string
	if afterFirstLine && lines.Scan() {
		printed = append(printed, lines.Text())
	}
	time.AfterFunc(life, func() { _ = cmd.Process.Kill() })
	for lines.Scan() {
		printed = append(printed, lines.Text())
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || complaints.Len() > 0 {
		t.Fatalf("not killed: %v: %s", err, &complaints)
	}
	return printed
}

// Killed at any moment, a writer leaves what it had reported or the next.
func TestKilledWritersLeaveTheOldOrTheNew(t *testing.T) {
	p := newPlace(t)
	must(t, p.store().SetAll([]Assignment{
		{Key: "A", Value: NewValue([]byte("0"))}, {Key: "B", Environment: "live", Value: NewValue([]byte("0"))}, {Key: "C", Value: NewValue([]byte("0"))},
	}))
	last, progress, stale := 0, 0, 0
	for range kills(t) {
		cmd := process(t, p, "count", "SECRETS_TEST_START="+strconv.Itoa(last+1))
		printed := killed(t, cmd, true, time.Duration(rand.N(20_000))*time.Microsecond)
		if len(printed) > 0 {
			n, err := strconv.Atoi(printed[len(printed)-1])
			must(t, err)
			last = n
			progress += len(printed)
		}
		got := content(t, p.store())
		n, err := strconv.Atoi(got["A"])
		must(t, err)
		text := strconv.Itoa(n)
		if diff := cmp.Diff(map[string]string{"A": text, "B@live": text, "C": text}, got); diff != "" {
			t.Fatalf("neither old nor new (-want +got):\n%s", diff)
		}
		if n != last && n != last+1 {
			t.Fatalf("%d was reported, %d is there", last, n)
		}
		last = n
		stale += len(leftovers(t, p))
	}
	p.set("D", "", "1")
	if got := leftovers(t, p); got != nil {
		t.Errorf("left behind: %v", got)
	}
	t.Logf("%d writes, %d temporary files cleaned", progress, stale)
	if progress == 0 {
		t.Error("no process wrote anything before it was killed")
	}
}

// Killed during its first use, the program leaves no identity or a whole one,
// and what it had stored opens.
func TestKilledFirstUse(t *testing.T) {
	made := 0
	for range kills(t) / 4 {
		p := newPlace(t)
		printed := killed(t, process(t, p, "count", "SECRETS_TEST_START=1"), false, 2*time.Millisecond+time.Duration(rand.N(25_000))*time.Microsecond)
		got := content(t, p.store())
		if len(printed) > 0 && got["A"] == "" {
			t.Fatalf("%s was reported and is lost", printed[len(printed)-1])
		}
		if _, err := os.Stat(p.identity()); err == nil {
			made++
		}
		p.set("D", "", "1")
		if got := strings.Count(readFile(t, p.identity()), "AGE-SECRET-KEY-1"); got != 1 {
			t.Fatalf("%d identities", got)
		}
		if got := content(t, p.store()); got["D"] != "1" {
			t.Fatalf("got %v", got)
		}
	}
	t.Logf("%d of %d were killed after the identity was made", made, kills(t)/4)
}

// Killed during a rotation, the old or the new key opens the store, and no key
// is lost.
func TestKilledRotation(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	keys := []string{recipient(t, p.store())}
	for range kills(t) / 4 {
		printed := killed(t, process(t, p, "rotate"), true, time.Duration(rand.N(15_000))*time.Microsecond)
		keys = append(keys, printed...)
		if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, p.store())); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		ids, err := p.store().loadIdentities(false)
		must(t, err)
		for _, key := range keys {
			if !slices.Contains(ids.recipients, key) {
				t.Fatalf("%s is lost", key)
			}
		}
	}
	write(t, filepath.Join(p.home, ".identity.txt.1.tmp"), "of another killed one")
	p.set("A", "", "2")
	if got := leftovers(t, p); got != nil {
		t.Errorf("left behind: %v", got)
	}
}

func TestAFullDiskKeepsTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no limit of file sizes")
	}
	p := newPlace(t)
	p.set("A", "", "old")
	before := readFile(t, p.file())
	out, err := process(t, p, "limited").CombinedOutput()
	if want := "cannot write .vatio/secrets.age: file too large\n"; err == nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	if readFile(t, p.file()) != before {
		t.Error("the file was changed")
	}
	if got := leftovers(t, p); got != nil {
		t.Errorf("left behind: %v", got)
	}
	// The first write of all: neither a file nor an identity is left half made.
	fresh := newPlace(t)
	out, err = process(t, fresh, "limited").CombinedOutput()
	if want := fresh.identity() + " cannot be written: file too large\n"; err == nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	if got := leftovers(t, fresh); got != nil || fresh.store().Exists() {
		t.Errorf("left behind: %v", got)
	}
}

func TestALockThatIsHeld(t *testing.T) {
	p := newPlace(t)
	p.set("A", "", "1")
	s := p.store()
	release, err := lock(s.lockPath(), LockName, time.Second)
	must(t, err)
	s.patience = 20 * time.Millisecond
	err = s.Set("A", "", NewValue([]byte("2")))
	var e *LockedError
	if want := "another process has held .vatio/secrets.lock for 20ms: wait for it or stop it, and try again"; !errors.As(err, &e) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	// Readers do not wait.
	if got := content(t, s); got["A"] != "1" {
		t.Errorf("got %v", got)
	}
	release()
	must(t, s.Set("A", "", NewValue([]byte("2"))))
}

func TestTheAgeProgramOpensTheFile(t *testing.T) {
	program, err := exec.LookPath("age")
	if err != nil {
		t.Skip("age is not in the PATH")
	}
	p := newPlace(t)
	p.set("A", "", "value\n")
	out, err := exec.Command(program, "-d", "-i", p.identity(), p.file()).Output()
	must(t, err)
	if !strings.Contains(string(out), `"value": "value\n"`) {
		t.Errorf("age prints %q", out)
	}
	// And the other way round.
	encrypt := exec.Command(program, "-a", "-r", recipient(t, p.store()), "-o", p.file())
	encrypt.Stdin = strings.NewReader(strings.Replace(string(out), "value\\n", "edited", 1))
	must(t, encrypt.Run())
	if diff := cmp.Diff(map[string]string{"A": "edited"}, content(t, p.store())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
