package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/agent"
	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/internal/serve"
)

// agents returns what answers: the files here with --dev, else a deployment that
// is followed until ctx is done. done gives it up.
func (o *serveOptions) agents(ctx context.Context, cmd *cobra.Command, log *slog.Logger) (source serve.Source, done func(), err error) {
	config, err := o.configuration(cmd)
	if err != nil {
		return nil, nil, err
	}
	if o.dev {
		return o.devAgents(cmd, config, log)
	}
	if err := o.passable(cmd); err != nil {
		return nil, nil, err
	}
	opened, _, err := o.where(cmd)
	if err != nil {
		return nil, nil, err
	}
	f := &followed{serveOptions: o, cmd: cmd, config: config, store: opened, log: log}
	if err := f.look(ctx); err != nil {
		return nil, nil, err
	}
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(ended)
		f.follow(ctx)
	}()
	return &f.current, func() {
		cancel()
		<-ended
		f.current.Close()
	}, nil
}

// followed is the deployment of an environment.
type followed struct {
	*serveOptions
	cmd     *cobra.Command
	config  *viper.Viper
	store   *deploy.Store
	log     *slog.Logger
	current serve.Current
	digest  string // that answers
	refused string // that could not be loaded; it is not tried again
}

// follow looks again and again. What cannot be read or loaded changes nothing.
func (f *followed) follow(ctx context.Context) {
	ticker := time.NewTicker(f.serveOptions.follow)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := f.look(ctx); err != nil && ctx.Err() == nil {
			f.log.Error("the environment is not followed", "environment", f.env, "error", err.Error(), "answering", f.digest)
		}
	}
}

// look makes what the environment runs answer, if it is another one.
func (f *followed) look(ctx context.Context) error {
	d, err := f.store.Current(ctx, f.env)
	if err != nil {
		var unknown *deploy.UnknownError
		if errors.As(err, &unknown) {
			return withHint(err, "run: vatio push --env %s, or: vatio publish", f.env)
		}
		return err
	}
	if d.Digest == f.digest || d.Digest == f.refused {
		return nil
	}
	next, err := f.load(f.cmd, d)
	if err != nil {
		f.refused = d.Digest
		return err
	}
	f.digest, f.refused = d.Digest, ""
	f.current.Set(next)
	f.log.Info("deployment", "environment", f.env, "digest", d.Digest)
	return nil
}

// load makes the agent of a deployment. All names without a value are one error.
func (f *followed) load(cmd *cobra.Command, d deploy.Deployment) (serve.Deployment, error) {
	l, done, err := f.loaderOf(cmd, f.store, d, f.config)
	if err != nil {
		return serve.Deployment{}, err
	}
	made, err := l.load(f.env, nil)
	var broken *brokenWorkspace
	switch {
	case errors.As(err, &broken):
		err = f.tell(broken)
	case err == nil && len(made.unset) > 0:
		err = withHint(fmt.Errorf("the agent's tools need secrets that have no value in %q: %s", f.env, strings.Join(made.unset, ", ")),
			"set them with vatio secrets set, or name variables with --pass-env")
		_ = made.Close()
	case err == nil && len(made.Left) > 0:
		for _, left := range made.Left {
			f.log.Warn("a tool is left out", "tool", left.Tool, "reason", left.Why)
		}
	}
	if err != nil {
		l.close()
		done()
		return serve.Deployment{}, err
	}
	return serve.Deployment{
		Agent: made.Agent, Workspace: made.Slug, Environment: f.env, Version: d.Digest,
		Close: func() {
			_ = made.Close()
			l.close()
			done()
		},
	}, nil
}

// devAgents answers with the files here, as they are when a request comes.
func (o *serveOptions) devAgents(cmd *cobra.Command, config *viper.Viper, log *slog.Logger) (serve.Source, func(), error) {
	root, err := o.workspaceRoot()
	if err != nil {
		return nil, nil, err
	}
	if !cmd.Flags().Changed("env") {
		o.env = "local"
	}
	if err := o.validEnvironment(cmd, o.env); err != nil {
		return nil, nil, err
	}
	d := &edited{loader: o.newLoader(root, config), env: o.env, log: log}
	if err := d.refresh(); err != nil {
		var broken *brokenWorkspace
		if errors.As(err, &broken) {
			err = d.tell(broken)
		}
		d.close()
		return nil, nil, err
	}
	return d, func() {
		d.current.Close()
		d.close()
	}, nil
}

// edited is a Source of the files here. A broken edit keeps the last good version.
type edited struct {
	*loader
	env string
	log *slog.Logger

	mu      sync.Mutex
	current serve.Current
	agent   *loadedAgent
	stamp   string
}

// Acquire implements serve.Source.
func (d *edited) Acquire() (serve.Deployment, func(), error) {
	d.mu.Lock()
	if err := d.refresh(); err != nil {
		d.log.Error("the files have errors: the last good version answers", "error", err.Error())
	}
	d.mu.Unlock()
	return d.current.Acquire()
}

// refresh loads the files when they have changed since it looked last.
func (d *edited) refresh() error {
	stamp := d.filesStamp()
	if d.agent != nil {
		if stamp += stampOfFile(d.agent.KeyFile()); stamp == d.stamp {
			return nil
		}
		d.stamp = stamp
	}
	var last *agent.Agent
	if d.agent != nil {
		last = d.agent.Agent
	}
	made, err := d.load(d.env, last)
	if err != nil {
		return err
	}
	for _, key := range made.unset {
		d.log.Warn("a secret has no value", "key", key, "run", "vatio secrets set "+key)
	}
	for _, left := range made.Left {
		d.log.Warn("a tool is left out", "tool", left.Tool, "reason", left.Why)
	}
	for _, name := range made.Kept {
		d.log.Warn("a file has errors: its tool goes on as it was", "file", name)
	}
	d.agent, d.stamp = made, d.filesStamp()+stampOfFile(made.KeyFile())
	d.current.Set(serve.Deployment{
		Agent: made.Agent, Workspace: made.Slug, Environment: d.env, Version: "files", Close: func() { _ = made.Close() },
	})
	return nil
}
