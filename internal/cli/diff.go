package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/internal/deploy/bundle"
	"github.com/vatio-dev/vatio/internal/deploy/changes"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

type diffOptions struct {
	deployOptions
	env string
}

func (a *app) diffCommand() *cobra.Command {
	o := &diffOptions{deployOptions: deployOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "diff [DEPLOYMENT [DEPLOYMENT]]",
		Short: "Show what a push would change, field by field",
		Long: `Show what changes against what an environment runs (--env, preview by default): a
line for each file, A added, M changed or D removed, and below it the fields. A
DEPLOYMENT, an environment or the first digits of a digest, is compared with the
files here; two are compared with one another, the older one first. Secret values
are never shown.`,
		Example: `  vatio diff
  vatio diff --env live
  vatio diff live preview --json`,
		Args: argCount(0, 2, "at most two DEPLOYMENTS"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.flags(cmd)
	o.environment(cmd, &o.env, previewEnvironment, "compare with what the environment `NAME` runs")
	return cmd
}

func (o *diffOptions) run(cmd *cobra.Command, names []string) error {
	if err := validDeployEnvironment(cmd, o.env); err != nil {
		return err
	}
	if len(names) > 0 && cmd.Flags().Changed("env") {
		return usagef(cmd, "give a DEPLOYMENT or --env, not both")
	}
	store, w, err := o.where(cmd)
	if err != nil {
		return err
	}
	ctx, stop := o.context(cmd)
	defer stop()
	report, err := o.report(ctx, store, w, names)
	if err != nil {
		return err
	}
	switch {
	case o.json:
		return report.WriteJSON(o.Out)
	case report.Empty():
		fmt.Fprintln(o.Err, "nothing has changed")
		return nil
	}
	return report.WriteText(o.Out, o.Colors())
}

func (o *diffOptions) report(ctx context.Context, store *deploy.Store, w *workspace.Workspace, names []string) (*changes.Report, error) {
	if len(names) == 2 {
		before, err := stored(ctx, store, names[0])
		if err != nil {
			return nil, err
		}
		after, err := stored(ctx, store, names[1])
		if err != nil {
			return nil, err
		}
		return changes.Compare(before, after), nil
	}
	if w == nil {
		return nil, workspace.ErrNone
	}
	files, _, err := bundle.Collect(w)
	if err != nil {
		return nil, err
	}
	config, err := bundle.Describe(w)
	if err != nil {
		return nil, err
	}
	after := changes.Side{Files: files, Config: config}
	if len(names) == 1 {
		before, err := stored(ctx, store, names[0])
		if err != nil {
			return nil, err
		}
		return changes.Compare(before, after), nil
	}
	return compare(ctx, store, o.env, after)
}

// compare says what changes in an environment when after takes its place. An
// environment that runs nothing gets everything.
func compare(ctx context.Context, store *deploy.Store, env string, after changes.Side) (*changes.Report, error) {
	report, _, err := compareLayer(ctx, store, env, after)
	return report, err
}

// compareLayer is compare. Where nothing differs it returns the layer too, which
// need not be packed again.
func compareLayer(ctx context.Context, store *deploy.Store, env string, after changes.Side) (*changes.Report, []byte, error) {
	before, layer, err := storedLayer(ctx, store, env)
	var unknown *deploy.UnknownError
	if err != nil && !errors.As(err, &unknown) {
		return nil, nil, err
	}
	report := changes.Compare(before, after)
	if !report.Empty() {
		layer = nil
	}
	return report, layer, nil
}

// stored reads a deployment for comparison.
func stored(ctx context.Context, store *deploy.Store, name string) (changes.Side, error) {
	side, _, err := storedLayer(ctx, store, name)
	return side, err
}

func storedLayer(ctx context.Context, store *deploy.Store, name string) (side changes.Side, layer []byte, err error) {
	d, err := store.Resolve(ctx, name)
	if err != nil {
		return changes.Side{}, nil, err
	}
	config, layer, err := store.Fetch(ctx, d.Digest)
	if err != nil {
		return changes.Side{}, nil, err
	}
	files, err := bundle.Unpack(layer)
	if err != nil {
		return changes.Side{}, nil, fmt.Errorf("the deployment %s cannot be unpacked: %w", shortDigest(d.Digest), err)
	}
	return changes.Side{Files: files, Config: config}, layer, nil
}
