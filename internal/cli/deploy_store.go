package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// The environments that push and publish go to by themselves.
const (
	previewEnvironment = "preview"
	liveEnvironment    = "live"
)

// deployOptions say where deployments are kept.
type deployOptions struct {
	*app
	to   string
	json bool
}

func (o *deployOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.to, "to", "", "the OCI repository `oci://HOST/NAME` (default: registry of vatio config or vatio.yml, else .vatio/deployments)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
}

// environment adds --env with its completion.
func (o *deployOptions) environment(cmd *cobra.Command, target *string, value, usage string) {
	cmd.Flags().StringVar(target, "env", value, usage)
}

func validDeployEnvironment(cmd *cobra.Command, name string) error {
	if deploy.ValidEnvironment(name) {
		return nil
	}
	return usagef(cmd, "--env: %q names no environment: use a-z and 0-9, in words joined by - or _, 40 characters at most", name)
}

// store opens the registry of the settings, or where there is none the directory
// of the workspace. w is nil outside of one.
func (o *deployOptions) store(cmd *cobra.Command, w *workspace.Workspace, progress func(done, total int64)) (*deploy.Store, error) {
	options := deploy.Options{
		Version: buildInfo().Version, Now: o.Now, Progress: progress,
		Notice: func(text string) { fmt.Fprintf(o.Err, "vatio: %s\n", printableLines(text)) },
	}
	if cmd.Flags().Changed("to") {
		s, err := deploy.OpenRegistry(o.to, options)
		if err != nil {
			return nil, usagef(cmd, "--to: %s", err)
		}
		return s, nil
	}
	config, err := o.configuration(cmd)
	if err != nil {
		return nil, err
	}
	registry := o.counts(config, registrySetting, w)
	switch {
	case registry.value != "":
		s, err := deploy.OpenRegistry(registry.value, options)
		if err != nil {
			return nil, fmt.Errorf("registry in %s: %w", registry.from, err)
		}
		return s, nil
	case w == nil:
		return nil, workspace.ErrNone
	}
	return deploy.OpenLayout(layoutDir(w), options), nil
}

// layoutDir is where the deployments of a workspace without a registry are.
func layoutDir(w *workspace.Workspace) string { return filepath.Join(w.Root, ".vatio", "deployments") }

// maybeWorkspace loads the workspace where there is one, whatever faults it has.
func (a *app) maybeWorkspace() (*workspace.Workspace, error) {
	root, err := a.workspaceRoot()
	if errors.Is(err, workspace.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w, _, err := workspace.Load(root)
	return w, err
}

// where opens the store for commands that need no right workspace.
func (o *deployOptions) where(cmd *cobra.Command) (*deploy.Store, *workspace.Workspace, error) {
	w, err := o.maybeWorkspace()
	if err != nil {
		return nil, nil, err
	}
	s, err := o.store(cmd, w, nil)
	return s, w, err
}

// uploadBar shows how much of an upload is done, on a terminal.
func (a *app) uploadBar() (progress func(done, total int64), end func()) {
	if !a.ErrTerminal || a.Getenv("TERM") == "dumb" {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	return func(done, total int64) {
			if bar == nil {
				bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(a.Err), progressbar.OptionSetDescription("uploading"),
					progressbar.OptionShowBytes(true), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(50*time.Millisecond))
			}
			_ = bar.Set64(done)
		}, func() {
			if bar != nil {
				_ = bar.Clear()
			}
		}
}

// shortDigest is the part of a digest that people are shown.
func shortDigest(digest string) string {
	hex := strings.TrimPrefix(digest, "sha256:")
	return hex[:min(len(hex), 12)]
}

// A deployed is a deployment as --json prints it.
type deployed struct {
	Environment string    `json:"environment"`
	Digest      string    `json:"digest"`
	Created     time.Time `json:"created"`
	GitCommit   string    `json:"git_commit"`
	GitBranch   string    `json:"git_branch,omitempty"`
	Dirty       bool      `json:"git_dirty,omitempty"`
	Author      string    `json:"author"`
}

func deployedAs(env string, d deploy.Deployment) deployed {
	return deployed{
		Environment: env, Digest: d.Digest, Created: d.Created.UTC(), GitCommit: d.GitCommit, GitBranch: d.GitBranch, Dirty: d.Dirty, Author: d.Author,
	}
}

// commitText is the git commit for people.
func commitText(d deploy.Deployment) string {
	if d.GitCommit == "" {
		return "-"
	}
	text := d.GitCommit[:min(len(d.GitCommit), 12)]
	if d.Dirty {
		text += "+"
	}
	return text
}

// interruptibleDeploy is interruptible for what travels over a network.
func (o *deployOptions) context(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	return o.interruptible(cmd.Context())
}
