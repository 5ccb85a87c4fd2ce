//go:build unix

package repl

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/term"

	"github.com/vatio-dev/vatio/internal/markdown"
)

// patience is how long output is waited for. Nothing waits that long unless
// it fails.
const patience = 40 * time.Second

// A person sits at a terminal in which the loop runs.
type person struct {
	t       *testing.T
	keys    *os.File // the terminal's other end
	tty     *os.File
	before  *term.State
	process *exec.Cmd
	ended   chan error

	mu   sync.Mutex
	seen []byte
	more chan struct{} // holds one when seen has grown
	at   int           // what was looked at

	dumb bool
}

// prompted waits until the next line can be typed.
func (p *person) prompted() {
	p.t.Helper()
	if !p.dumb {
		p.sees("\x1b[?2004h")
	}
	p.sees("local > ")
}

// enters types a line and waits for all that is shown until the next prompt.
func (p *person) enters(line, answer string) {
	p.t.Helper()
	p.types(line + "\r")
	if !p.dumb {
		p.sees("\x1b[?2004l" + answer)
	} else {
		p.sees("\r\n" + answer)
	}
	p.prompted()
}

func sitDown(t *testing.T, env ...string) *person {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal can be had here: %v", err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: terminalColumns}); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	inputrc := filepath.Join(home, "inputrc")
	if err := os.WriteFile(inputrc, []byte("set convert-meta on\nset history-size 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, dumb: slices.Contains(env, "TERM=dumb"), keys: keys, tty: tty, ended: make(chan error, 1), more: make(chan struct{}, 1)}
	if p.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	p.process = exec.Command(os.Args[0])
	p.process.Env = append([]string{
		childVariable + "=1", "HOME=" + home, "INPUTRC=" + inputrc, "TERM=xterm", "NO_COLOR=1", "PATH=" + os.Getenv("PATH"),
	}, env...)
	p.process.Stdin, p.process.Stdout, p.process.Stderr = tty, tty, tty
	p.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	go p.watch()
	go func() { p.ended <- p.process.Wait() }()
	t.Cleanup(func() {
		_ = p.process.Process.Kill()
		_ = keys.Close()
		_ = tty.Close()
	})
	p.prompted()
	return p
}

func (p *person) watch() {
	buffer := make([]byte, 4096)
	for {
		n, err := p.keys.Read(buffer)
		p.mu.Lock()
		p.seen = append(p.seen, buffer[:n]...)
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *person) types(keys string) {
	p.t.Helper()
	if _, err := p.keys.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) signals(s syscall.Signal) {
	p.t.Helper()
	if err := p.process.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// sees waits for text after what was seen last.
func (p *person) sees(text string) {
	p.t.Helper()
	late := time.After(patience)
	for {
		p.mu.Lock()
		i := bytes.Index(p.seen[p.at:], []byte(text))
		if i >= 0 {
			p.at += i + len(text)
			p.mu.Unlock()
			return
		}
		rest := cut(string(p.seen[p.at:]), 2000)
		p.mu.Unlock()
		select {
		case <-p.more:
		case <-late:
			p.t.Fatalf("%q did not come, but %q", text, rest)
		}
	}
}

// leaves waits for the end of the program and looks at the exit code, and at
// whether the terminal is as it was.
func (p *person) leaves(code int) {
	p.t.Helper()
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			p.t.Fatal(err)
		}
	case <-time.After(patience):
		p.t.Fatal("the program did not end")
	}
	if got := p.process.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d", got, code)
	}
	after, err := term.GetState(int(p.tty.Fd()))
	if err != nil {
		p.t.Fatal(err)
	}
	if !reflect.DeepEqual(p.before, after) {
		p.t.Error("the terminal was not given back as it was")
	}
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	up    = "\x1b[A"
	left  = "\x1b[D"
	home  = "\x01"
	end   = "\x05"
)

func TestTerminalTyping(t *testing.T) {
	t.Parallel()
	p := sitDown(t)
	p.enters("say mañana é 日本ü"+left+left+"X", "mañana é 日X本ü\r\n\r\n")
	p.enters("check Picker", "→ check_stock {\"product\":\"Picker\"} · 200 · 3 ms #1\r\n{")
	p.enters("/as shop/bob", "talking as: shop/bob\r\n\r\n")
	p.enters("che\tpro\tPicker", "you said \"check_stock product=Picker\"\r\n\r\n")
	p.types(ctrlD)
	p.sees("left")
	p.leaves(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range []string{"hello from acme\r\n\r\n", "\x1b[1Aacme · shop/bob · local > "} {
		if !bytes.Contains(p.seen, []byte(text)) {
			t.Errorf("there was no %q", text)
		}
	}
}

func TestTerminalHistory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "history")
	p := sitDown(t, "REPL_TEST_HISTORY="+file)
	p.enters("say uno", "uno\r\n")
	p.enters("say dos", "dos\r\n")
	p.enters(up+up+"!", "uno!\r\n")
	p.types("/quit\r")
	p.sees("left")
	p.leaves(0)

	p = sitDown(t, "REPL_TEST_HISTORY="+file)
	p.enters(up+up+"?", "uno!?\r\n")
	p.types(ctrlD)
	p.leaves(0)

	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = "\"say uno\"\n\"say dos\"\n\"say uno!\"\n\"/quit\"\n\"say uno!?\"\n"
	if d := cmp.Diff(want, string(data)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestTerminalInterrupts(t *testing.T) {
	t.Parallel()
	p := sitDown(t)
	p.types("unfinished" + ctrlC)
	p.prompted()
	p.types(ctrlC)
	p.sees("Ctrl-D or /quit leaves")
	p.prompted()
	for range 2 {
		p.types("slow\r")
		p.sees(" 0 s") // the spinner
		p.types(ctrlC)
		p.sees("\r\x1b[K✗ the turn was cancelled\r\n")
		p.prompted()
	}
	p.enters("say still here", "still here\r\n")
	p.types(ctrlD)
	p.sees("left")
	p.leaves(0)
}

// What is typed while the agent answers is not shown in between, and not lost.
func TestTerminalTypedAhead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "answer.md")
	if err := os.WriteFile(file, []byte("A **long** answer.\n\n"+strings.Repeat("word ", 60)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sitDown(t)
	p.types("recite " + file + "\r")
	p.sees("?2004l")
	p.sees("answer.\r\n")
	p.types("say next")
	p.prompted()
	p.sees("say next")
	p.mu.Lock()
	if i := bytes.LastIndex(p.seen, []byte("answer.\r\n")); bytes.Contains(p.seen[i:bytes.LastIndex(p.seen, []byte("?2004h"))], []byte("say")) {
		t.Errorf("it was shown in between: %q", p.seen[i:])
	}
	p.mu.Unlock()
	p.enters("!", "next!\r\n")
	p.types(ctrlD)
	p.sees("left")
	p.leaves(0)
}

// terminalColumns is how wide the terminal of the tests is.
const terminalColumns = 100

func TestTerminalPaste(t *testing.T) {
	t.Parallel()
	p := sitDown(t)
	long := strings.TrimSpace(strings.Repeat("ñandú ", 400)) // more than the editor reads at once
	shown := strings.ReplaceAll(markdown.Render(long, markdown.Options{Width: terminalColumns}), "\n", "\r\n")
	p.enters("say \x1b[200~first\r\n\tsecond ñ\r"+long+"\x1b[201~", "first\r\n    second ñ\r\n"+shown+"\r\n")
	p.types(ctrlD)
	p.sees("left")
	p.leaves(0)
}

func TestTerminalTerminated(t *testing.T) {
	t.Parallel()
	p := sitDown(t)
	p.types("half a mess")
	p.sees("half a mess")
	p.signals(syscall.SIGTERM)
	p.leaves(130)
}

func TestTerminalTerminatedInTurn(t *testing.T) {
	t.Parallel()
	p := sitDown(t)
	p.types("slow\r")
	p.sees(" 0 s")
	p.signals(syscall.SIGTERM)
	p.sees("✗ the turn was cancelled")
	p.leaves(130)
}

func TestTerminalJSON(t *testing.T) {
	t.Parallel()
	p := sitDown(t, "REPL_TEST_JSON=1")
	p.enters("say hi", "{\"type\":\"user\",\"text\":\"say hi\"}\r\n{\"type\":\"agent\",\"text\":\"hi\"}\r\n{\"type\":\"turn_end\",\"tool_calls\":0}\r\n")
	p.types(ctrlD)
	p.leaves(0)
}

// Without a line editor the terminal's own line editing is what there is.
func TestTerminalDumb(t *testing.T) {
	t.Parallel()
	p := sitDown(t, "TERM=dumb")
	p.types("unfinished" + ctrlC)
	p.sees("Ctrl-D or /quit leaves")
	p.prompted()
	p.enters("say mañana", "mañana\r\n\r\n")
	p.types("slow\r")
	p.sees("begun")
	p.types(ctrlC)
	p.sees("✗ the turn was cancelled")
	p.prompted()
	p.types(ctrlD)
	p.sees("left")
	p.leaves(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if bytes.ContainsRune(p.seen, '\x1b') {
		t.Errorf("there are escape sequences in %q", p.seen)
	}
}

// What is private is in no history.
func TestTerminalPrivate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "history")
	p := sitDown(t, "REPL_TEST_HISTORY="+file)
	p.enters("say one", "one\r\n")
	p.enters(" say two", "two\r\n")
	p.enters("/token jwt-ana", "talking as: acme/ana\r\n")
	p.enters("say "+hush, hush+"\r\n")
	p.enters(up+"!", "one!\r\n")
	p.types(ctrlD)
	p.leaves(0)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("\"say one\"\n\"say one!\"\n", string(data)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestTerminalResumes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "conversation.json")
	p := sitDown(t, "REPL_TEST_CONVERSATION="+file)
	p.enters("say **one**", "**one**\r\n")
	p.types(ctrlD)
	p.leaves(0)
	p = sitDown(t, "REPL_TEST_CONVERSATION="+file, "REPL_TEST_RESUME=1")
	p.enters("say two", "two\r\n")
	p.types(ctrlD)
	p.leaves(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !bytes.Contains(p.seen, []byte(" goes on\r\nvisitor: say **one**\r\nagent: **one**\r\n\r\n")) {
		t.Errorf("the last exchange is not in %q", p.seen)
	}
	if k, err := readKept(file); err != nil || len(k.Conversation.Messages()) != 4 {
		t.Errorf("%v: %+v", err, k)
	}
}

// A message that is taller than the screen has it for itself, and whole it is
// sent.
func TestTerminalTall(t *testing.T) {
	t.Parallel()
	p := sitDown(t)
	words := "say " + strings.TrimSpace(strings.Repeat("0123456789 ", 400))
	p.types("\x1b[200~" + words + "\x1b[201~")
	p.sees("\x1b[H\x1b[J") // it has grown beyond the screen
	p.sees("6789\x1b[0m\x1b[0K")
	p.types(home)
	p.sees("local > say 0123")
	p.types(end)
	// Of 45 rows the last 22 are shown.
	list := textRows([]rune(words), 27, terminalColumns)
	p.sees("\r" + words[list[len(list)-22].start:] + "\x1b[0m\x1b[0K")
	p.enters("!", strings.ReplaceAll(markdown.Render(words[4:]+"!", markdown.Options{Width: terminalColumns}), "\n", "\r\n"))
	p.types(ctrlD)
	p.sees("left")
	p.leaves(0)
}

func TestTextRows(t *testing.T) {
	for _, tt := range []struct {
		text           string
		start, columns int
		want           []textRow
	}{
		{"", 10, 20, []textRow{{}}},
		{strings.Repeat("x", 9), 10, 20, []textRow{{}}},
		{strings.Repeat("x", 10), 10, 20, []textRow{{}, {10, true}}},
		{strings.Repeat("x", 11) + "\nb", 10, 20, []textRow{{}, {10, true}, {12, false}}},
		{strings.Repeat("x", 10) + "\nb", 10, 20, []textRow{{}, {10, true}, {11, false}}},
		{"ñ\nb\n", 10, 20, []textRow{{}, {2, false}, {4, false}}},
		{"日本語", 0, 5, []textRow{{}, {2, true}}},
	} {
		if d := cmp.Diff(tt.want, textRows([]rune(tt.text), tt.start, tt.columns), cmp.AllowUnexported(textRow{})); d != "" {
			t.Errorf("%q (-want +got)\n%s", tt.text, d)
		}
	}
}

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		text           string
		start, columns int
		want           int
	}{
		{"", 10, 20, 0},
		{strings.Repeat("x", 9), 10, 20, 0},
		{strings.Repeat("x", 10), 10, 20, 1}, // the cursor is on the next row
		{strings.Repeat("日", 5), 10, 20, 1},
		{"ñ\nb\n", 10, 20, 2},
		{"a\n" + strings.Repeat("x", 31) + "\nb", 10, 20, 4},
	} {
		if got := rows(tt.text, tt.start, tt.columns); got != tt.want {
			t.Errorf("rows(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}
