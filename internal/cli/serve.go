package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/serve"
	"github.com/vatio-dev/vatio/internal/serve/page"
	"github.com/vatio-dev/vatio/internal/serve/store"
)

// The variables that serve takes what its flags say from, where a flag is not
// given: a container has no other way.
const (
	addrVariable     = "VATIO_ADDR"
	databaseVariable = "VATIO_DATABASE"
	passVariable     = "VATIO_PASS_ENV"
	toVariable       = "VATIO_TO"
	envVariable      = "VATIO_ENV"
)

type serveOptions struct {
	pushedOptions
	env, addr, database string
	dev, web, healthy   bool
	rate                float64
	turns               int
	follow              time.Duration
}

func (a *app) serveCommand() *cobra.Command {
	o := &serveOptions{pushedOptions: pushedOptions{deployOptions: deployOptions{app: a}}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer conversations over HTTP, from a deployment",
		Long: `Answer conversations over HTTP. The agent is the deployment that --env names; when a
push, a publish or a rollback moves it, the new one answers from the next turn on.
With --dev it is the files here, and edits are picked up.

Conversations and app keys are kept in SQLite under .vatio or, with --database, in
PostgreSQL, which any number of processes may share. Callers are apps, with a key of
vatio keys create, or users with a token that auth in vatio.yml verifies. The API is
described at /openapi.json; /healthz, /readyz and /metrics are there for operators.

Secrets come from the workspace here, if there is one, and from the variables that
--pass-env names. Where a flag is not given, ` + addrVariable + `, ` + databaseVariable + `, ` + envVariable + `,
` + toVariable + ` and ` + passVariable + ` are asked. Logs are JSON lines on stderr.`,
		Example: `  vatio serve --dev
  vatio serve --env live --addr 0.0.0.0:8080
  vatio serve --to oci://registry.example/acme/agent --pass-env ACME_API,ACME_TOKEN`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "listen at `HOST:PORT`")
	flags.StringVar(&o.env, "env", liveEnvironment, "answer with the deployment of the environment `NAME`, and its secrets")
	flags.StringVar(&o.database, "database", "", "keep the state in `DATABASE`: postgres://…, or a file for SQLite (default .vatio/serve.db)")
	flags.BoolVar(&o.dev, "dev", false, "answer with the files here, on this machine alone, with the test page at /")
	flags.BoolVar(&o.web, "web", false, "show the test page at /; it asks for an app key")
	flags.Float64Var(&o.rate, "rate", 10, "requests a second of one owner")
	flags.IntVar(&o.turns, "turns", 500, "turns that may run at once")
	flags.DurationVar(&o.follow, "follow", 5*time.Second, "how often to look whether the environment was moved")
	flags.BoolVar(&o.healthy, "healthy", false, "only ask whether a server at --addr is healthy: exit code 0 or 1")
	o.sourceFlags(cmd)
	addModelFlags(cmd)
	return cmd
}

func (o *serveOptions) run(cmd *cobra.Command) error {
	if err := o.settle(cmd); err != nil {
		return err
	}
	ctx, stop := o.interruptible(cmd.Context())
	defer stop()
	if o.healthy {
		return o.askHealth(ctx)
	}
	log := o.logger()
	source, done, err := o.agents(ctx, cmd, log)
	if err != nil {
		return err
	}
	defer done()
	state, err := o.openStore(ctx)
	if err != nil {
		return err
	}
	defer state.Close()
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return withHint(fmt.Errorf("nothing can listen at %s: %s", o.addr, plainNetError(err)), "choose another --addr")
	}
	options := serve.Options{
		Store: state, Source: source, Log: log, Version: buildInfo().Version, Dev: o.dev, Traces: o.dev || o.web, Rate: o.rate, Turns: o.turns,
	}
	if o.dev {
		options.LocalKey = store.NewSecret()
	}
	if o.dev || o.web {
		options.Page = o.page()
	}
	server := serve.New(options)
	log.Info("listening", "addr", listener.Addr().String())
	if o.dev {
		fmt.Fprintf(o.Out, "http://%s/#key=%s\n", listener.Addr(), options.LocalKey)
	}
	return server.Serve(ctx, listener)
}

// settle takes from variables what no flag says, and checks all of it.
func (o *serveOptions) settle(cmd *cobra.Command) error {
	for flag, variable := range map[string]string{
		"addr": addrVariable, "database": databaseVariable, "env": envVariable, "to": toVariable, "pass-env": passVariable,
	} {
		if value := o.Getenv(variable); value != "" && !cmd.Flags().Changed(flag) && !(flag == "to" && o.dev) {
			if err := cmd.Flags().Set(flag, value); err != nil {
				return usagef(cmd, "%s: %s", variable, err)
			}
		}
	}
	switch {
	case o.dev && (o.web || cmd.Flags().Changed("to")):
		return usagef(cmd, "--dev answers with the files here and shows the test page: it goes with neither --to nor --web")
	case o.rate <= 0 || o.turns <= 0 || o.follow < time.Second:
		return usagef(cmd, "--rate and --turns must be positive, and --follow a second at least")
	}
	host, _, err := net.SplitHostPort(o.addr)
	if err != nil {
		return usagef(cmd, "--addr must be HOST:PORT, not %q", o.addr)
	}
	if o.dev && !isLoopback(host) {
		return usagef(cmd, "--dev listens on this machine alone: give --addr a loopback address, such as 127.0.0.1:8080")
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// logger writes JSON lines or, to a person who develops, text.
func (o *serveOptions) logger() *slog.Logger {
	if o.dev && o.ErrTerminal {
		return slog.New(slog.NewTextHandler(o.Err, nil))
	}
	return slog.New(slog.NewJSONHandler(o.Err, nil))
}

// openStore opens the database, and makes the file that it is by default.
func (o *pushedOptions) openDatabase(ctx context.Context, database string) (*store.Store, error) {
	if store.IsPostgres(database) {
		return store.OpenPostgres(ctx, database, store.Options{})
	}
	if database == "" {
		dir := o.Dir
		if w, err := o.maybeWorkspace(); err == nil && w != nil {
			dir = w.Root
		}
		database = filepath.Join(dir, ".vatio", "serve.db")
		if err := os.MkdirAll(filepath.Dir(database), 0o700); err != nil {
			return nil, fmt.Errorf("the directory %s cannot be made", filepath.Dir(database))
		}
	} else if !filepath.IsAbs(database) {
		database = filepath.Join(o.Dir, database)
	}
	return store.OpenSQLite(ctx, database, store.Options{})
}

func (o *serveOptions) openStore(ctx context.Context) (*store.Store, error) {
	return o.openDatabase(ctx, o.database)
}

// page answers "/" with the test page.
func (o *serveOptions) page() http.Handler { return page.Handler(page.Options{Dev: o.dev}) }

// askHealth asks a running server, as the health check of a container does.
func (o *serveOptions) askHealth(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.addr+"/healthz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %s", o.addr, plainNetError(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not healthy: it answered HTTP %d", o.addr, resp.StatusCode)
	}
	return nil
}

// plainNetError is the innermost reason of a network error.
func plainNetError(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return cmp.Or(text, "unknown reason")
}
