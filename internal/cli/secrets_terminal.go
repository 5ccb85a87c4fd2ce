package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/vatio-dev/vatio/internal/secrets"
)

// errInterrupted is a question that was answered with Ctrl-C.
var errInterrupted = errors.New("interrupted")

// errNoTerminal is a question with nobody to answer it.
var errNoTerminal = errors.New("there is no terminal to ask on")

// terminal returns where a question is asked and answered: stdin and stderr
// where both are terminals, else the terminal that the program runs in, as age
// and ssh do, so that stdin may be the value.
func (a *app) terminal() (in *os.File, out io.Writer, done func(), err error) {
	if file, ok := a.In.(*os.File); ok && a.InTerminal && a.ErrTerminal {
		return file, a.Err, func() {}, nil
	}
	read, write := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		read, write = "CONIN$", "CONOUT$"
	}
	if in, err = os.OpenFile(read, os.O_RDWR, 0); err != nil {
		return nil, nil, nil, errNoTerminal
	}
	screen, err := os.OpenFile(write, os.O_WRONLY, 0)
	if err != nil {
		_ = in.Close()
		return nil, nil, nil, errNoTerminal
	}
	return in, screen, func() {
		_ = in.Close()
		_ = screen.Close()
	}, nil
}

// readHidden asks on the terminal for a line that is not shown.
func (a *app) readHidden(question string) (string, error) {
	// term.ReadPassword keeps the terminal's own line editing, in which a line
	// of more than 4095 bytes is cut without a word.
	return a.ask(question, true, readKeys)
}

// confirm asks a question that only yes answers.
func (a *app) confirm(question string) (bool, error) {
	answer, err := a.ask(question+" [y/N] ", false, func(in io.Reader) (string, error) {
		return bufio.NewReader(in).ReadString('\n')
	})
	return strings.HasPrefix(strings.ToLower(answer), "y"), err
}

// ask asks on the terminal and reads the answer; nothing of a hidden one is ever
// shown. Afterwards, and after an interrupt, the terminal is as it was before.
func (a *app) ask(question string, hidden bool, read func(io.Reader) (string, error)) (string, error) {
	in, out, done, err := a.terminal()
	if err != nil {
		return "", err
	}
	defer done()
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	enter := term.GetState
	if hidden {
		enter = term.MakeRaw
	}
	before, err := enter(int(in.Fd()))
	if err != nil {
		return "", errNoTerminal
	}
	if hidden && a.Getenv("TERM") != "dumb" {
		fmt.Fprint(out, pasteOn)
		defer fmt.Fprint(out, pasteOff)
	}
	fmt.Fprint(out, question)
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := read(in)
		answers <- answer{text, err}
	}()
	var got answer
	select {
	case got = <-answers:
	case <-interrupted.Done():
		got.err = errInterrupted
	}
	_ = term.Restore(int(in.Fd()), before)
	if hidden || got.err != nil {
		fmt.Fprintln(out) // the cursor still stands behind the question
	}
	switch {
	case errors.Is(got.err, errInterrupted):
		return "", errInterrupted
	case got.err != nil && !errors.Is(got.err, io.EOF):
		return "", fmt.Errorf("nothing could be read from the terminal: %w", got.err)
	}
	return got.text, nil
}

// Bracketed paste: a terminal that knows it marks what is pasted, so that a line
// break in it is told from the return key.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// readKeys reads the keys of a terminal in raw mode up to the return key. What
// is pasted in brackets is taken with its line breaks, of which one at the end
// is dropped, as it is of stdin.
func readKeys(in io.Reader) (string, error) {
	k := keys{in: in}
	for {
		key, err := k.next()
		if err != nil {
			return string(k.line), err
		}
		switch {
		case k.pasting && key != escape:
			k.paste(key)
		case key == '\r', key == '\n':
			return strings.TrimSuffix(string(k.line), "\n"), nil
		case key == 'C'-'@':
			return "", errInterrupted
		case key == 'D'-'@':
			return string(k.line), nil
		case key == 'U'-'@':
			k.line = k.line[:0]
		case key == 'W'-'@':
			kept := bytes.TrimRight(k.line, " ")
			k.line = kept[:bytes.LastIndexByte(kept, ' ')+1]
		case key == '\b', key == 0x7f:
			_, size := utf8.DecodeLastRune(k.line)
			k.line = k.line[:len(k.line)-size]
		case key == escape:
			if err := k.sequence(); err != nil {
				return "", err
			}
		case key >= ' ', key == '\t':
			k.add(key)
		}
	}
}

const escape = 0x1b

// keys is a line being typed.
type keys struct {
	in      io.Reader
	line    []byte
	pasting bool
	last    byte // of what is pasted
}

// next reads one byte: what follows the return key is left for the next to ask.
func (k *keys) next() (byte, error) {
	key := make([]byte, 1)
	_, err := io.ReadFull(k.in, key)
	return key[0], err
}

func (k *keys) add(key byte) {
	if len(k.line) <= secrets.MaxValue {
		k.line = append(k.line, key)
	}
}

// paste takes a byte as it is, but for line breaks, which terminals send as CR.
func (k *keys) paste(key byte) {
	if key != '\n' || k.last != '\r' {
		if k.last = key; key == '\r' {
			key = '\n'
		}
		k.add(key)
	}
}

// sequence reads what follows an escape: the brackets of a paste, or a key such
// as an arrow, which does nothing here.
func (k *keys) sequence() error {
	key, err := k.next()
	if err != nil || key != '[' && key != 'O' {
		return err
	}
	var parameters []byte
	for {
		if key, err = k.next(); err != nil {
			return err
		}
		if key >= '@' && key <= '~' {
			break
		}
		if len(parameters) < 16 {
			parameters = append(parameters, key)
		}
	}
	if key == '~' {
		switch string(parameters) {
		case "200":
			k.pasting, k.last = true, 0
		case "201":
			k.pasting = false
		}
	}
	return nil
}

// passphrase asks for the passphrase of an identity.
func (a *app) passphrase() (string, error) {
	text, err := a.readHidden("Passphrase of your identity: ")
	switch {
	case errors.Is(err, errNoTerminal):
		return "", secrets.ErrNobodyToAsk
	case err == nil && text == "":
		return "", errors.New("no passphrase was given")
	}
	return text, err
}
