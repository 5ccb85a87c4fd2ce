// Package cli wires the commands: one file for each, an options struct and a
// function that runs it. What a command does lives in the other packages.
//
// Output for people and programs goes to stdout; notices, prompts and errors
// go to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// errFailed ends a command with exit code 1 when everything has been said.
var errFailed = errors.New("failed")

// A usageError ends a command with exit code 2.
type usageError struct {
	message string
	command *cobra.Command
}

func (e *usageError) Error() string { return e.message }

func usagef(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...), command: cmd}
}

// A hintError is an error with what to do about it.
type hintError struct {
	error
	hint string
}

func (e *hintError) Unwrap() error { return e.error }

func withHint(err error, format string, args ...any) error {
	return &hintError{err, fmt.Sprintf(format, args...)}
}

// app is what every command shares.
type app struct {
	*iox.IO
	chdir string // -C

	running context.Context // of interruptible; nil before it is called
}

// Main runs the program and returns its exit code.
func Main(ctx context.Context, args []string, streams *iox.IO) int {
	own := *streams
	out := &checkedWriter{w: own.Out}
	if !own.OutTerminal { // whoever asks for the size of a terminal needs the file
		own.Out = out
	}
	a := &app{IO: &own}
	root := a.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return a.exit(out.outcome(err))
}

// A checkedWriter remembers that a write failed, for those who print without a
// look at the error.
type checkedWriter struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil {
		c.mu.Lock()
		c.err = cmp.Or(c.err, err)
		c.mu.Unlock()
	}
	return n, err
}

// outcome is the error of a command that wrote to c. A reader that has gone, as
// head does, is no news.
func (c *checkedWriter) outcome(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err == nil || err != nil && !errors.Is(err, c.err):
		return err
	case errors.Is(c.err, syscall.EPIPE):
		return errFailed
	}
	reason := c.err
	if path := (*fs.PathError)(nil); errors.As(reason, &path) {
		reason = path.Err
	}
	return fmt.Errorf("the output could not be written: %w", reason)
}

// interruptible returns a context that an interrupt cancels; a second one ends
// the process. Commands that leave something to tidy up, or to say, call it;
// the others just end.
func (a *app) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	a.running = ctx
	return ctx, stop
}

// interrupted reports whether a signal, and not the end of the command, has
// cancelled the context of interruptible.
func (a *app) interrupted() bool {
	return a.running != nil && a.running.Err() != nil && context.Cause(a.running) != context.Canceled
}

// Command returns the command tree, for those who document it.
func Command(streams *iox.IO) *cobra.Command { return (&app{IO: streams}).rootCommand() }

// exit says what went wrong and returns the exit code.
func (a *app) exit(err error) int {
	if err == nil {
		return exitDone
	}
	if a.interrupted() || errors.Is(err, errInterrupted) {
		return exitInterrupted
	}
	if errors.Is(err, errFailed) {
		return exitFailed
	}
	colors := a.ErrColors()
	fmt.Fprintf(a.Err, "%s %s\n", colors.Red("vatio:"), printableLines(err.Error()))
	var hinted *hintError
	if errors.As(err, &hinted) {
		fmt.Fprintf(a.Err, "   %s\n", colors.Cyan(printableLines(hinted.hint)))
	}
	var usage *usageError
	if errors.As(err, &usage) {
		path := "vatio"
		if usage.command != nil {
			path = usage.command.CommandPath()
		}
		fmt.Fprintf(a.Err, "   run: %s --help\n", path)
		return exitUsage
	}
	if errors.Is(err, workspace.ErrNone) {
		return exitUsage
	}
	return exitFailed
}

// printableLines keeps line breaks and replaces what could move the cursor.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = diag.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

func (a *app) rootCommand() *cobra.Command {
	var version bool
	cmd := &cobra.Command{
		Use:   "vatio",
		Short: "Give a customer-facing AI agent its tools",
		Long: `vatio checks the files that describe an agent's tools, keeps the secrets they
need, and lets you try them in a conversation before any customer does.

Start here:
  vatio demo                 watch an agent answer from a sample shop, offline
  vatio init                 make a workspace in this directory
  vatio tools check          find every fault in it, at its exact place
  vatio secrets set KEY      keep a secret that a tool uses
  vatio chat                 talk to the agent`,
		Example: `  vatio demo
  vatio chat "Do you have the Picker in stock?"`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return unknownCommand(cmd, args[0])
			case version:
				return a.printVersion(false)
			}
			return cmd.Help()
		},
	}
	cmd.Flags().BoolVar(&version, "version", false, "print the version")
	cmd.PersistentFlags().StringVarP(&a.chdir, "directory", "C", "", "start in `DIR` instead of the current directory")
	cmd.PersistentFlags().BoolVar(&a.NoColor, "no-color", false, "print without colour")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usagef(cmd, "%s", err) })
	cmd.AddCommand(
		a.initCommand(), a.demoCommand(), a.toolsCommand(), a.schemaCommand(), a.docsCommand(), a.secretsCommand(), a.chatCommand(), a.authCommand(),
		a.pushCommand(), a.diffCommand(), a.publishCommand(), a.rollbackCommand(), a.statusCommand(), a.pullCommand(), a.serveCommand(), a.keysCommand(), a.configCommand(), a.doctorCommand(), a.versionCommand(),
	)
	cmd.SetIn(a.In)
	cmd.SetOut(a.Out)
	cmd.SetErr(a.Err)
	strictDefaults(cmd)
	return cmd
}

// strictDefaults makes the commands that cobra adds refuse what they do not know.
func strictDefaults(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Run, c.RunE = nil, help
		case "completion":
			group(c)
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
}

// help shows the help of the command that the words name.
func help(cmd *cobra.Command, words []string) error {
	found := cmd.Root()
	for _, word := range words {
		at := slices.IndexFunc(found.Commands(), func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) })
		if at < 0 {
			return unknownCommand(found, word)
		}
		found = found.Commands()[at]
	}
	found.InitDefaultHelpFlag()
	return found.Help()
}

// group makes a command that only holds others refuse what it does not know.
func group(cmd *cobra.Command, children ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(children...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
	return cmd
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if !repeatable(cmd, name) {
		return withHint(usagef(cmd, "%q has no such command", cmd.CommandPath()), "a secret is set with: vatio secrets set KEY")
	}
	err := usagef(cmd, "unknown command %q for %q", name, cmd.CommandPath())
	if known := otherNames(cmd, name); known != "" {
		return withHint(err, "%s", known)
	}
	if near := diag.Nearest(name, names); near != "" {
		return withHint(err, "did you mean %q?", near)
	}
	return err
}

// otherNames says what a word of other programs is called here.
func otherNames(cmd *cobra.Command, name string) string {
	switch cmd.CommandPath() + " " + name {
	case "vatio check", "vatio validate", "vatio lint":
		return `did you mean "tools check"?`
	case "vatio tools validate", "vatio tools lint":
		return `did you mean "check"?`
	case "vatio tools ls", "vatio secrets ls", "vatio secrets recipients ls":
		return `did you mean "list"?`
	case "vatio secrets unset", "vatio secrets delete", "vatio secrets remove", "vatio secrets recipients delete", "vatio secrets recipients remove":
		return `did you mean "rm"?`
	case "vatio secrets show", "vatio secrets get":
		return "values are never printed: vatio secrets list shows the names"
	}
	return ""
}

// Argument checks whose errors are wrong usage.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !repeatable(cmd, args[0]):
		return usagef(cmd, "%q takes no argument", cmd.CommandPath())
	}
	return usagef(cmd, "%q takes no argument, but got %q", cmd.CommandPath(), args[0])
}

func argCount(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || len(args) > high {
			return usagef(cmd, "%q takes %s, but got %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}

// startDir is the directory that the program works in.
func (a *app) startDir() (string, error) {
	dir := a.Dir
	if a.chdir != "" {
		if dir = a.chdir; !filepath.IsAbs(dir) {
			dir = filepath.Join(a.Dir, dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", usagef(nil, "-C %s: there is no such directory", a.chdir)
		}
	}
	return dir, nil
}

// workspaceRoot finds the workspace that the program works on.
func (a *app) workspaceRoot() (string, error) {
	dir, err := a.startDir()
	if err != nil {
		return "", err
	}
	root, err := workspace.Find(dir)
	if errors.Is(err, workspace.ErrNone) {
		return "", withHint(err, "run: vatio init (to make a workspace here), or vatio demo (to see one at work)")
	}
	return root, err
}

// path resolves a file that the user named, from where the program was started.
func (a *app) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.Dir, name)
}
