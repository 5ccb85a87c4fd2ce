package repl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
)

// saveCommand writes the conversation to a file that does not exist yet.
func (l *loop) saveCommand(_ context.Context, name string) error {
	if len(l.conv.Messages()) == 0 {
		return errors.New("there is nothing to save yet: say something first")
	}
	name = unquote(name)
	if name == "" {
		name = "conversation-" + l.IO.Now().Format("2006-01-02-150405") + ".md"
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.IO.Dir, path)
	}
	var data []byte
	if strings.EqualFold(filepath.Ext(path), ".json") {
		compact, err := json.Marshal(l.conv.Redacted(l.Session.Redact))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := json.Indent(&b, compact, "", "  "); err != nil {
			return err
		}
		b.WriteByte('\n')
		data = b.Bytes()
	} else {
		data = l.markdown()
	}
	if err := writeNew(path, data); err != nil {
		return saveTrouble(name, err)
	}
	l.printer.say("saved to " + oneLine(name, lineLimit))
	return nil
}

// writeNew writes a file that only its owner can read, and leaves none behind
// when that fails.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

func saveTrouble(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%q exists already and is not overwritten: choose another name", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%q cannot be written: there is no such directory", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%q cannot be written: permission denied", name)
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%q cannot be written: %w", name, err)
}

// markdown is the conversation for people.
func (l *loop) markdown() []byte {
	var b bytes.Buffer
	conv := l.conv.Redacted(l.Session.Redact)
	fmt.Fprintf(&b, "# Conversation\n\n%s, saved %s\n", l.Session.Redact(promptText(l.Session, 0)), l.IO.Now().Format("2006-01-02 15:04"))
	for _, m := range conv.Messages() {
		switch m.Role {
		case chat.User:
			section(&b, "Visitor", m.Text)
		case chat.Human:
			section(&b, "Human", m.Text)
		case chat.Agent:
			if strings.TrimSpace(m.Text) != "" {
				section(&b, "Agent", m.Text)
			}
			for _, c := range m.Calls {
				code(&b, fmt.Sprintf("Call %s: `%s`", c.ID, c.Tool), arguments(c.Arguments))
			}
		case chat.ToolResults:
			for _, r := range m.Results {
				what := "Result"
				if r.IsError {
					what = "Error"
				}
				code(&b, fmt.Sprintf("%s %s: `%s`", what, r.ID, r.Tool), r.Content)
			}
		}
	}
	return b.Bytes()
}

// section writes what somebody said, as a quotation: nothing in it can pass
// for another part of the file.
func section(b *bytes.Buffer, who, text string) {
	fmt.Fprintf(b, "\n## %s\n\n", who)
	for line := range strings.SplitSeq(printable(strings.TrimSpace(text)), "\n") {
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
}

// code writes JSON in a fence that is longer than any in it.
func code(b *bytes.Buffer, title, text string) {
	language := ""
	if json.Valid([]byte(text)) {
		language = "json"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s\n\n%s%s\n%s\n%s\n", oneLine(title, lineLimit), fence, language, printable(strings.TrimSpace(indentedJSON(text))), fence)
}
