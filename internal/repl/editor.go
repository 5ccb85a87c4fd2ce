package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
	"golang.org/x/term"

	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/internal/markdown"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// editorSettings are those without which other letters than English ones and
// pasted line breaks get lost, and which a user's inputrc may not change.
var editorSettings = []struct {
	name  string
	value bool
}{
	{"convert-meta", false},
	{"input-meta", true},
	{"output-meta", true},
	{"enable-bracketed-paste", true},
	// The question where the cursor is takes keys that were typed before.
	{"cursor-position-probe", false},
	// The first Tab lists what is possible, the next ones go through it.
	{"menu-complete-display-prefix", true},
}

// An editor reads messages with a line editor. The library works on the
// process's own stdin and stdout.
type editor struct {
	l       *loop
	shell   *readline.Shell
	history *history
	begun   chan struct{} // closed when the terminal is the editor's
	row     int           // of the cursor, from the row of the prompt
	start   int           // the column at which the message starts
	columns int           // of the terminal when it was drawn
	tall    bool          // the message is taller than the screen
	above   bool          // who is talking stands on the line before
}

func newEditor(l *loop) (*editor, error) {
	h, err := openHistory(l.HistoryFile)
	if err != nil {
		l.printer.Notice(historyTrouble(l.HistoryFile, err))
	}
	e := &editor{l: l, shell: readline.NewShell(), history: h}
	for _, s := range editorSettings {
		if err := e.shell.Config.Set(s.name, s.value); err != nil {
			return nil, fmt.Errorf("the line editor cannot be set up: %w", err)
		}
	}
	for _, keymap := range []string{"emacs", "vi-insert"} {
		if err := e.shell.Config.Bind(keymap, "\t", "menu-complete", false); err != nil {
			return nil, fmt.Errorf("the line editor cannot be set up: %w", err)
		}
	}
	// In a message of several lines the arrows go from line to line first.
	for _, bind := range [...]struct{ key, action string }{
		{`\M-[A`, "up-line-or-history"}, {`\M-OA`, "up-line-or-history"},
		{`\M-[B`, "down-line-or-history"}, {`\M-OB`, "down-line-or-history"},
	} {
		if err := e.shell.Config.Bind("emacs", inputrc.Unescape(bind.key), bind.action, false); err != nil {
			return nil, fmt.Errorf("the line editor cannot be set up: %w", err)
		}
	}
	e.shell.History.Delete()
	e.shell.History.Add("history", h)
	e.shell.Prompt.Primary(e.prompt)
	e.shell.PasteTransformer = pasted
	e.shell.Completer = e.completions
	e.shell.SyntaxHighlighter = e.shown
	// What stands behind a # is no comment.
	if err := e.shell.Config.Set("comment-begin", `\z.`); err != nil {
		return nil, fmt.Errorf("the line editor cannot be set up: %w", err)
	}
	return e, nil
}

func historyTrouble(path string, err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Sprintf("the history in %q is not used: %s", path, err)
}

func (e *editor) prompt() string {
	color, columns := e.l.printer.color, iox.Width(e.l.IO.Out)
	name := ""
	if !e.above {
		name = promptText(e.l.Session, max(columns/2, 1)) + " "
	}
	start := runewidth.StringWidth(name + promptMark)
	if e.begun != nil {
		close(e.begun)
		e.begun = nil
		e.row, e.start, e.columns, e.tall = 0, start, columns, false
		e.makeRoom(0)
	} else {
		e.place(start, columns)
	}
	return color.Dim(name) + color.Bold(promptMark)
}

const promptMark = "> "

// introduce shows who is talking on lines of their own, where the window is too
// narrow for that and a message beside it.
func (e *editor) introduce() {
	text, columns := promptText(e.l.Session, 0), iox.Width(e.l.IO.Out)
	if e.above = runewidth.StringWidth(text) > columns/2; !e.above {
		return
	}
	if columns < 24 {
		text = promptText(e.l.Session, columns)
	}
	for _, line := range markdown.Wrap(text, columns) {
		e.l.printer.say(e.l.color().Dim(line))
	}
}

// makeRoom scrolls the screen until the message, that reaches down to row, and
// the row below it fit. The library moves the cursor down there and back, which
// at the bottom of the screen would bring it up by what it did not go down. It
// asks for the prompt before it draws anything, so that the cursor still is
// where it was drawn last.
func (e *editor) makeRoom(row int) {
	if n := row + 1 - e.row; n > 0 {
		e.write(strings.Repeat("\n", n) + "\x1b[" + strconv.Itoa(n) + "A")
	}
}

// rows returns how many rows below the prompt's a text ends that starts at a
// column and goes on there after a line break.
func rows(text string, start, columns int) int {
	n := -1
	for line := range strings.SplitSeq(text, "\n") {
		n += 1 + (start+runewidth.StringWidth(line))/columns
	}
	return n
}

// pasted takes out of pasted text what a terminal would act on.
func pasted(text string) string {
	return strings.TrimRight(printable(strings.ReplaceAll(text, "\t", "    ")), "\n")
}

func (e *editor) completions(line []rune, cursor int) readline.Completions {
	before := string(line[:min(cursor, len(line))])
	candidates := e.l.complete(before)
	if word := before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]; len(word) != utf8.RuneCountInString(word) {
		candidates = nil // the library would replace as many characters as there are bytes
	}
	// A list with descriptions has a line for each; one that does not fit on the
	// screen does without, and goes into columns.
	_, height, err := term.GetSize(int(os.Stdout.Fd()))
	described := err != nil || len(candidates) <= height-4
	values := make([]readline.Completion, len(candidates))
	for i, c := range candidates {
		values[i] = readline.Completion{Value: c.text, Display: c.text}
		if described {
			values[i].Description = c.description
		}
		if c.spaced {
			values[i].Value += " "
		}
	}
	return readline.CompleteRaw(values).NoSort()
}

// typed is what was meant by an accepted line: keys that do nothing, such as a
// lone Escape, leave control characters in it.
func typed(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

type edited struct {
	text string
	err  error
}

// read leaves the editor where it is when ctx is done, because it cannot be
// stopped, and gives the terminal back as it was.
func (e *editor) read(ctx context.Context) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	fd := int(os.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("the terminal cannot be read: %w", err)
	}
	e.introduce()
	done, begun := make(chan edited, 1), make(chan struct{})
	e.begun = begun
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- edited{err: fmt.Errorf("the line editor failed (%s): pipe the messages in instead", diag.Printable(fmt.Sprint(r)))}
			}
		}()
		text, err := e.shell.Readline()
		done <- edited{text, err}
	}()
	select {
	case <-ctx.Done():
		select {
		case <-begun:
		case <-done:
		}
		_ = term.Restore(fd, before)
		_, _ = io.WriteString(e.l.IO.Out, "\x1b[?2004l\r\n")
		return "", ctx.Err()
	case line := <-done:
		return e.accept(line)
	}
}

func (e *editor) accept(line edited) (string, error) {
	text := typed(line.text)
	switch {
	case errors.Is(line.err, readline.ErrInterrupt):
		if strings.TrimSpace(text) == "" {
			return "", errEmptyInterrupted
		}
		return "", errInterrupted
	case line.err == io.EOF:
		return "", io.EOF
	case line.err != nil:
		return "", fmt.Errorf("the terminal cannot be read: %w", line.err)
	}
	if e.private(text) {
		return text, nil
	}
	if err := e.history.add(strings.TrimSpace(text)); err != nil {
		e.l.printer.Notice(historyTrouble(e.l.HistoryFile, err))
	}
	return text, nil
}

// private tells whether a line is not for the history: it starts with a space, or
// holds a token or a secret.
func (e *editor) private(text string) bool {
	return strings.HasPrefix(text, " ") || strings.HasPrefix(text, "/token") || e.l.Session.Redact(text) != text
}
