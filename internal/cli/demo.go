package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/demo"
	"github.com/vatio-dev/vatio/internal/repl"
	"github.com/vatio-dev/vatio/internal/secrets"
)

// demoToken is what the sample applications ask for. It opens nothing else.
const demoToken = "demo-token-of-the-sample"

func (a *app) demoCommand() *cobra.Command {
	var example, backend, token string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch an agent answer from a sample shop, offline",
		Long: `Copy an example into a temporary directory, start the application behind it on
this machine, and talk to the agent. Without a terminal a short conversation is
played. Nothing is configured and nothing leaves the machine.

The example acme-store is a shop with HTTP tools; records-agent is a workshop with
service tools, whose answers depend on who is asking.

With --backend only the application runs, until Ctrl-C, for a workspace of your
own: its secrets are the address and the token you choose.`,
		Example: `  vatio demo
  vatio demo --example records-agent
  vatio demo --backend 127.0.0.1:8099 --token a-token-to-try`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, err := demo.Find(example)
			switch {
			case err != nil:
				return usagef(cmd, "--example: %s", err)
			case (backend == "") != (token == ""):
				return usagef(cmd, "--backend and --token go together")
			case backend != "":
				return a.serveBackend(cmd.Context(), chosen, backend, token)
			}
			return a.runDemo(cmd, chosen)
		},
	}
	cmd.Flags().StringVar(&example, "example", demo.AcmeStore, "the example's `NAME`: "+demo.AcmeStore+" or "+demo.RecordsAgent)
	cmd.Flags().StringVar(&backend, "backend", "", "run only the application, on the loopback `ADDRESS`")
	cmd.Flags().StringVar(&token, "token", "", "with --backend, the `TOKEN` that it asks for")
	addModelFlags(cmd)
	return cmd
}

// serveBackend runs the application of an example alone until an interrupt.
func (a *app) serveBackend(ctx context.Context, e demo.Example, address, token string) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	backend, err := e.Listen(ctx, address, token)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "the %s answers at %s; Ctrl-C ends it\n", e.About, backend.URL())
	<-ctx.Done()
	_ = backend.Close()
	return context.Cause(ctx)
}

func (a *app) runDemo(cmd *cobra.Command, e demo.Example) error {
	ctx, stop := a.conversationContext(cmd.Context(), repl.Interactive(a.IO))
	defer stop()
	scratch, err := os.MkdirTemp("", "vatio-demo-")
	if err != nil {
		return fmt.Errorf("no temporary directory can be made: %w", err)
	}
	defer os.RemoveAll(scratch)
	copied := filepath.Join(scratch, e.Name)
	if err := demo.Copy(copied, e.Name); err != nil {
		return err
	}
	dir := filepath.Join(copied, filepath.FromSlash(e.Workspace))
	backend, err := e.Start(ctx, demoToken)
	if err != nil {
		return err
	}
	defer backend.Close()

	own := a.apart(e, scratch)
	err = own.secretStore(dir).SetAll([]secrets.Assignment{
		{Key: e.URLKey, Value: secrets.NewValue([]byte(backend.URL()))},
		{Key: e.TokenKey, Value: secrets.NewValue([]byte(demoToken))},
	})
	if err != nil {
		return err
	}
	config, err := own.configuration(cmd)
	if err != nil {
		return err
	}
	s := newSession(own.newLoader(dir, config), "local")
	defer s.close()
	if err := s.SetChannel("cli"); err != nil {
		return err
	}
	if repl.Interactive(a.IO) {
		return own.demoChat(ctx, s, e, dir)
	}
	return own.playDemo(ctx, s, e, backend.URL())
}

// apart returns the program with an identity of its own below scratch. That of
// the user stays as it is, and nothing in the environment replaces the example's
// secrets.
func (a *app) apart(e demo.Example, scratch string) *app {
	own := *a
	streams := *a.IO
	own.IO = &streams
	getenv := a.Getenv
	streams.Getenv = func(key string) string {
		switch key {
		case "VATIO_HOME":
			return filepath.Join(scratch, "home")
		case "VATIO_IDENTITY", "VATIO_IDENTITY_FILE", e.URLKey, e.TokenKey:
			return ""
		}
		return getenv(key)
	}
	return &own
}

func (a *app) demoChat(ctx context.Context, s *session, e demo.Example, dir string) error {
	greeting := []string{
		"This is the agent of a " + e.About + ", whose application runs on this machine. The",
		"agent's tools are the files in " + filepath.Join(dir, "tools") + ".",
		"",
		"Try:",
	}
	for _, text := range e.Suggestions {
		greeting = append(greeting, "  "+text)
	}
	greeting = append(greeting, "  /trace shows the last call, /help everything else, Ctrl-D leaves")
	return shown(repl.Run(ctx, repl.Options{IO: a.IO, Session: s, Greeting: greeting}, &chat.Conversation{}))
}

// playDemo plays the scripted conversation and shows each call.
func (a *app) playDemo(ctx context.Context, s *session, e demo.Example, url string) error {
	fmt.Fprintf(a.Out, "A %s answers at %s; nothing leaves this machine.\n", e.About, url)
	printer := repl.NewPrinter(a.IO, false)
	conv := &chat.Conversation{}
	for _, step := range e.Script {
		fmt.Fprintln(a.Out)
		if err := a.setStage(s, &conv, step); err != nil {
			return err
		}
		ready, err := s.Begin(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s %s\n", a.Colors().Bold(">"), step.Text)
		before := s.lastCall()
		if err := ready.Engine.Turn(ctx, conv, step.Text, printer.Event); err != nil {
			return shown(fmt.Errorf("%w", repl.ErrShown))
		}
		if last := s.lastCall(); last != before {
			printer.Trace(last.Trace)
		}
	}
	fmt.Fprintln(a.Out, "\nIn a terminal, vatio demo is a conversation. Next: vatio init")
	return printer.Err()
}

// setStage does what comes before a message: another visitor begins a
// conversation of their own.
func (a *app) setStage(s *session, conv **chat.Conversation, step demo.Step) error {
	if step.As != "" {
		if err := s.SetOwner(step.As); err != nil {
			return err
		}
		s.SetScopes(nil)
		s.Reset()
		*conv = &chat.Conversation{}
		fmt.Fprintln(a.Out, a.Colors().Dim("# "+step.As+" writes"))
	}
	if step.Scopes != nil {
		s.SetScopes(step.Scopes)
		fmt.Fprintln(a.Out, a.Colors().Dim("# the same caller, with the scope "+strings.Join(step.Scopes, " ")+" alone"))
	}
	if step.Phone == "" {
		return nil
	}
	phone, err := (*conv).Share(step.Phone)
	if err != nil {
		return err
	}
	return s.SetContact("phone_number", phone)
}
