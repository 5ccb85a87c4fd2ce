package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/repl"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// channels are where a visitor can write.
var channels = [...]string{"cli", "web", "whatsapp"}

type chatOptions struct {
	pushedOptions
	env, channel, as, token string
	scopes, contact         []string
	stream, resume          bool
	message                 string
	single                  bool
	greeting                []string
}

func (a *app) chatCommand() *cobra.Command {
	o := &chatOptions{pushedOptions: pushedOptions{deployOptions: deployOptions{app: a}}}
	cmd := &cobra.Command{
		Use:   "chat [MESSAGE]",
		Short: "Talk to the agent of this workspace",
		Long: `Talk to the agent, and see each call that leaves and what comes back. With a
MESSAGE it is one turn; piped stdin is one message a line; otherwise a
conversation starts, in which /help lists the commands.

Which model answers is said by --provider, --model and --model-url, or else by
VATIO_MODEL_PROVIDER, VATIO_MODEL_NAME and VATIO_MODEL_BASE_URL, or model: in
vatio.yml, or model: in the user's config.yml:
  openai      any server with OpenAI's chat completions: OpenAI, Ollama, vLLM,
              llama.cpp, OpenRouter … Its key is OPENAI_API_KEY; a server on this
              machine needs none
  anthropic   Claude. Its key is ANTHROPIC_API_KEY
  offline     built in, and the default: deterministic, without a network, and
              not a language model
A key is a variable, or a secret of the workspace (vatio secrets set).

The offline model understands plain messages by their words, and exact calls:
  check_stock product=Picker quantity:=2
  check_stock {"product": "Picker"}`,
		Example: `  vatio chat
  vatio chat "Do you have the Picker in stock?"
  vatio chat --json 'check_stock product=Picker'
  vatio chat --as web/alice --contact phone_number=+56912345678
  vatio chat --provider openai --model gpt-5-mini
  vatio chat --provider openai --model qwen3 --model-url http://localhost:11434`,
		Args: argCount(0, 1, "at most one MESSAGE (put it in quotes)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.single = len(args) == 1; o.single {
				o.message = args[0]
			}
			return o.run(cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.env, "env", "local", "use the secrets of the environment `NAME`")
	flags.StringVar(&o.as, "as", "", "talk as the user of an app, `APP/USER` (default cli/<you>)")
	flags.StringVar(&o.token, "token", "", "talk as the principal of a `JWT`")
	flags.StringArrayVar(&o.contact, "contact", nil, "what is known of the visitor: `FIELD=VALUE` with name, email or phone_number; may be repeated")
	flags.StringVar(&o.channel, "channel", "cli", "where the visitor writes: cli, web or whatsapp")
	flags.StringSliceVar(&o.scopes, "scope", nil, "offer only the tools of these `SCOPES`")
	flags.BoolVar(&o.json, "json", false, "print events, one JSON object a line")
	flags.BoolVar(&o.stream, "stream", false, "with --json, print the answer in pieces too")
	flags.BoolVar(&o.resume, "resume", false, "on a terminal: go on with the last conversation")
	flags.BoolVar(&o.pushed, "pushed", false, "talk to the deployment that --env names (default live), not to the files here")
	o.sourceFlags(cmd)
	addModelFlags(cmd)
	return cmd
}

func (o *chatOptions) run(cmd *cobra.Command) error {
	s, done, err := o.session(cmd)
	if err != nil {
		return err
	}
	defer done()
	defer s.close()
	interactive := !o.single && repl.Interactive(o.IO)
	if o.resume && !interactive {
		return usagef(cmd, "--resume goes on with a conversation on a terminal, and there is none here")
	}
	ctx, stop := o.conversationContext(cmd.Context(), interactive)
	defer stop()
	options := repl.Options{IO: o.IO, Session: s, JSON: o.json, Stream: o.stream, Resume: o.resume, Greeting: o.greeting}
	conv := &chat.Conversation{}
	if o.single {
		return shown(repl.OneTurn(ctx, options, conv, o.message))
	}
	if interactive {
		options.ConversationFile = filepath.Join(s.root, ".vatio", "conversation.json")
		if home, err := secrets.HomeDir(o.Getenv, runtime.GOOS); err == nil {
			options.HistoryFile = filepath.Join(home, "history")
		}
	}
	return shown(repl.Run(ctx, options, conv))
}

// conversationContext returns the context of a conversation. On a terminal
// Ctrl-C belongs to the turn; a termination, or the end of the terminal, ends the
// whole.
func (a *app) conversationContext(ctx context.Context, interactive bool) (context.Context, context.CancelFunc) {
	if interactive {
		ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
		a.running = ctx
		return ctx, stop
	}
	return a.interruptible(ctx)
}

// shown turns an error that people have seen into the exit code alone.
func shown(err error) error {
	if errors.Is(err, repl.ErrShown) {
		return fmt.Errorf("%w%w", errFailed, quiet{err})
	}
	return err
}

// quiet keeps an error findable and out of the text.
type quiet struct{ error }

func (quiet) Error() string   { return "" }
func (q quiet) Unwrap() error { return q.error }

// session checks the flags and returns the session they describe. done tidies up
// after it.
func (o *chatOptions) session(cmd *cobra.Command) (s *session, done func(), err error) {
	if err := o.validEnvironment(cmd, o.env); err != nil {
		return nil, nil, err
	}
	config, err := o.configuration(cmd)
	if err != nil {
		return nil, nil, err
	}
	l, done, err := o.source(cmd, config)
	if err != nil {
		return nil, nil, err
	}
	s = newSession(l, o.env)
	if err := o.setCaller(cmd, s); err != nil {
		done()
		return nil, nil, err
	}
	return s, done, nil
}

// source is the files here or, with --pushed or --to, a deployment.
func (o *chatOptions) source(cmd *cobra.Command, config *viper.Viper) (l *loader, done func(), err error) {
	if o.pushed || cmd.Flags().Changed("to") {
		if !cmd.Flags().Changed("env") {
			o.env = liveEnvironment
		}
		return o.deployment(cmd, o.env, config)
	}
	if len(o.pass) > 0 {
		return nil, nil, usagef(cmd, "--pass-env goes with --pushed or --to: here vatio secrets set keeps the values")
	}
	root, err := o.workspaceRoot()
	if err != nil {
		return nil, nil, err
	}
	return o.newLoader(root, config), func() {}, nil
}

// setCaller says who is talking, and where.
func (o *chatOptions) setCaller(cmd *cobra.Command, s *session) error {
	if err := s.SetChannel(o.channel); err != nil {
		return usagef(cmd, "--channel: %s", err)
	}
	for _, c := range o.contact {
		field, value, ok := strings.Cut(c, "=")
		if !ok {
			return usagef(cmd, "--contact must be FIELD=VALUE, not %q", c)
		}
		if err := s.SetContact(field, value); err != nil {
			return usagef(cmd, "--contact: %s", err)
		}
	}
	if cmd.Flags().Changed("scope") {
		s.SetScopes(append([]string{}, o.scopes...))
	}
	switch {
	case o.token != "" && o.as != "":
		return usagef(cmd, "--as and --token exclude each other: a token says who is talking")
	case o.token != "":
		s.token = strings.TrimSpace(o.token)
	case o.as != "":
		if err := s.SetOwner(o.as); err != nil {
			return usagef(cmd, "--as: %s", err)
		}
	}
	return nil
}

// defaultOwner is the app caller of whoever runs the program.
func (a *app) defaultOwner() string {
	name := a.Getenv("USER")
	if u, err := user.Current(); name == "" && err == nil {
		name = u.Username
	}
	if owner, err := toolbox.ParseOwner("cli/" + name); err == nil {
		return owner
	}
	return "cli/user"
}

func validChannel(name string) error {
	if !slices.Contains(channels[:], name) {
		return fmt.Errorf("the channel must be %s, not %q", diag.Quoted(channels[:]), name)
	}
	return nil
}
