// Command pictures draws the pictures of the README from what vatio really
// prints: it runs commands in a copy of the sample shop, on a terminal of its
// own, and writes their output as SVG. The same program gives the same pictures.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/creack/pty"

	"github.com/vatio-dev/vatio/internal/demo"
)

const token = "token-of-the-pictures"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pictures VATIO DIR")
		os.Exit(2)
	}
	if err := draw(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// draw writes check.svg and chat.svg into dir.
func draw(vatio, dir string) error {
	vatio, err := filepath.Abs(vatio)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "vatio-pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	shop, err := demo.Find(demo.AcmeStore)
	if err != nil {
		return err
	}
	backend, err := shop.Start(context.Background(), token)
	if err != nil {
		return err
	}
	defer backend.Close()
	root := filepath.Join(scratch, "acme-store")
	if err := demo.Copy(root, shop.Name); err != nil {
		return err
	}
	s := stage{vatio: vatio, dir: root, home: filepath.Join(scratch, "home"), address: backend.URL()}
	for key, value := range map[string]string{shop.URLKey: backend.URL(), shop.TokenKey: token} {
		if _, err := s.run("secrets", "set", key, value); err != nil {
			return err
		}
	}
	chat, err := s.run("chat", "Do you have the Picker in stock?")
	if err != nil {
		return err
	}
	tool := filepath.Join(root, "tools", "check_stock.yml")
	if err := misspell(tool); err != nil {
		return err
	}
	check, err := s.run("tools", "check")
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return err
	}
	for name, text := range map[string]string{
		"check.svg": "$ vatio tools check\n" + check,
		"chat.svg":  "$ vatio chat \"Do you have the Picker in stock?\"\n" + chat,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), svg(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// misspell puts three faults into the sample's tool.
func misspell(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for old, faulty := range map[string]string{"$params.": "$param.", "method: GET": "method: get", "when_empty:": "when_emtpy:"} {
		if !bytes.Contains(text, []byte(old)) {
			return fmt.Errorf("%s has no %q to misspell", path, old)
		}
		text = bytes.Replace(text, []byte(old), []byte(faulty), 1)
	}
	return os.WriteFile(path, text, 0o644)
}

// A stage is where commands are run.
type stage struct{ vatio, dir, home, address string }

// run returns what a command shows on a terminal of 100 columns.
func (s stage) run(args ...string) (string, error) {
	cmd := exec.Command(s.vatio, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "VATIO_HOME=" + s.home, "USER=ana", "TERM=xterm-256color", "LANG=en", "PATH=" + os.Getenv("PATH")}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 100})
	if err != nil {
		return "", err
	}
	defer terminal.Close()
	var out bytes.Buffer
	_, _ = io.Copy(&out, terminal) // ends with an error when the command is done
	text := strings.ReplaceAll(out.String(), "\r\n", "\n")
	text = strings.ReplaceAll(text, s.address, "https://api.acme.example")
	text = settled(text)
	return text, cmd.Wait()
}

// settled leaves what stays on the screen: lines that a spinner wrote over are
// gone, and times are all the same.
func settled(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if at := strings.LastIndex(line, "\r"); at >= 0 {
			line = line[at+1:]
		}
		lines[i] = line
	}
	text = strings.Join(lines, "\n")
	text = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-ln-z]`).ReplaceAllString(text, "")
	return regexp.MustCompile(`\d+ ms`).ReplaceAllString(text, "3 ms")
}
