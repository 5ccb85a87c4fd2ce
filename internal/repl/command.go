package repl

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/internal/markdown"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// A command is one line that starts with a slash.
type command struct {
	name     string
	argument string // how /help writes it; in brackets when it can be left out
	help     string
	run      func(l *loop, ctx context.Context, argument string) error
}

// commands lists them in the order of /help.
func commands() []command {
	return []command{
		{"help", "", "list the commands", (*loop).helpCommand},
		{"tools", "[--json]", "list the agent's tools and their problems; --json: as the model gets them", (*loop).toolsCommand},
		{"trace", "[NUMBER|all]", "show the last call's request and answer, redacted, or another's", (*loop).traceCommand},
		{"curl", "", "print the last call as a curl command", (*loop).curlCommand},
		{"contact", "[FIELD=VALUE …]", "show or set name, email and phone_number of the visitor", (*loop).contactCommand},
		{"as", "[APP/USER]", "show or set who is talking", (*loop).asCommand},
		{"token", "JWT", "talk as the principal of a token", (*loop).tokenCommand},
		{"scope", "[SCOPE,…|all]", "show or set the scopes whose tools are offered", (*loop).scopeCommand},
		{"channel", "[NAME]", "show or set the channel", (*loop).channelCommand},
		{"env", "[NAME]", "show or set whose secret values are used", (*loop).envCommand},
		{"new", "", "begin a new conversation", (*loop).newCommand},
		{"share", "PHONE", "share the visitor's phone number", (*loop).shareCommand},
		{"human", "TEXT", "speak as the person who has the conversation", (*loop).humanCommand},
		{"resume", "", "give the conversation back to the agent", (*loop).resumeCommand},
		{"save", "[FILE]", "write the conversation to a new file, Markdown or .json", (*loop).saveCommand},
		{"quit", "", "leave", nil},
	}
}

// command runs a line that starts with a slash and tells whether to leave.
func (l *loop) command(ctx context.Context, line string) (quit bool) {
	name, argument := line[1:], ""
	if i := strings.IndexFunc(name, unicode.IsSpace); i >= 0 {
		name, argument = name[:i], strings.TrimSpace(name[i:])
	}
	c, err := findCommand(name)
	switch {
	case err != nil:
	case c.argument == "" && argument != "":
		err = fmt.Errorf("/%s takes no argument, but got %q", c.name, argument)
	case c.argument != "" && c.argument[0] != '[' && argument == "":
		err = fmt.Errorf("/%s needs an argument: /%s %s", c.name, c.name, c.argument)
	case c.run == nil:
		return true
	default:
		err = c.run(l, ctx, argument)
	}
	if err != nil {
		l.printer.Fail(err.Error())
	}
	return false
}

func findCommand(name string) (command, error) {
	if name == "exit" {
		name = "quit"
	}
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	hint := "/help lists the commands; to say it to the agent, put a space before the slash"
	if near := diag.Nearest(name, names); near != "" {
		return command{}, fmt.Errorf("there is no command %q: did you mean /%s? %s", "/"+name, near, hint)
	}
	return command{}, fmt.Errorf("there is no command %q: %s", "/"+name, hint)
}

func (l *loop) helpCommand(context.Context, string) error {
	var b strings.Builder
	columns := l.columns()
	for _, c := range commands() {
		use := strings.TrimSpace("/" + c.name + " " + c.argument)
		if columns < wideEnough {
			b.WriteString(l.color().Bold(use) + "\n" + indented(c.help, columns) + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s  %s\n", l.color().Bold(pad(use, 26)), c.help)
	}
	end := "Anything else is said to the agent."
	if l.IO.InTerminal {
		end += " Ctrl-C cancels a turn, Ctrl-D leaves. A line that starts with a space is not remembered."
	}
	b.WriteString("\n" + strings.Join(markdown.Wrap(end, columns), "\n"))
	l.printer.say(b.String())
	return nil
}

// wideEnough is how many columns a list with two columns needs.
const wideEnough = 80

// columns is how wide the window is that answers to commands go to; very wide
// where there is none.
func (l *loop) columns() int {
	if !l.IO.OutTerminal || l.JSON {
		return 10 * lineLimit
	}
	return iox.Width(l.IO.Out)
}

// indented wraps a text that belongs to the line above it.
func indented(text string, columns int) string {
	const margin = "    "
	return margin + strings.Join(markdown.Wrap(text, columns-len(margin)), "\n"+margin)
}

func (l *loop) newCommand(context.Context, string) error {
	*l.conv = chat.Conversation{}
	l.calls.reset()
	l.Session.Reset()
	l.printer.say("a new conversation begins")
	return nil
}

func (l *loop) humanCommand(_ context.Context, text string) error {
	e, err := l.conv.Human(text)
	if err != nil {
		return err
	}
	l.printer.Event(e)
	return nil
}

func (l *loop) resumeCommand(context.Context, string) error {
	e, err := l.conv.Resume()
	if err != nil {
		return err
	}
	l.printer.Event(e)
	return nil
}
