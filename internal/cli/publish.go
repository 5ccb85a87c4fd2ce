package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/deploy"
)

type publishOptions struct {
	deployOptions
	env    string
	dryRun bool
}

func (a *app) publishCommand() *cobra.Command {
	o := &publishOptions{deployOptions: deployOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "publish [DEPLOYMENT]",
		Short: "Make live what was pushed",
		Long: `Point live at the newest push, at what another environment runs (--env), or at a
DEPLOYMENT, given by the first digits of its digest. Nothing is built: live runs
exactly what was looked at before. vatio rollback takes it back.`,
		Example: `  vatio publish
  vatio publish --env staging
  vatio publish 4f1c2a9be0d3`,
		Args: argCount(0, 1, "at most one DEPLOYMENT"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.flags(cmd)
	o.environment(cmd, &o.env, "", "take what the environment `NAME` runs (default: the newest push)")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only say what would be done")
	return cmd
}

func (o *publishOptions) run(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed("env")
	switch {
	case given && len(args) == 1:
		return usagef(cmd, "give a DEPLOYMENT or --env, not both")
	case given && o.env == liveEnvironment:
		return usagef(cmd, "--env names where the deployment comes from, and live is where it goes")
	case given:
		if err := validDeployEnvironment(cmd, o.env); err != nil {
			return err
		}
	}
	store, _, err := o.where(cmd)
	if err != nil {
		return err
	}
	ctx, stop := o.context(cmd)
	defer stop()
	var chosen deploy.Deployment
	switch {
	case given:
		chosen, err = store.Current(ctx, o.env)
	case len(args) == 1:
		chosen, err = store.Resolve(ctx, args[0])
	default:
		chosen, err = store.Newest(ctx)
	}
	if err != nil {
		return err
	}
	before, err := store.Current(ctx, liveEnvironment)
	var unknown *deploy.UnknownError
	if err != nil && !errors.As(err, &unknown) {
		return err
	}
	if before.Digest == chosen.Digest {
		return o.told(chosen, fmt.Sprintf("live is %s already", shortDigest(chosen.Digest)))
	}
	said := fmt.Sprintf("live is %s now", shortDigest(chosen.Digest))
	if o.dryRun {
		said = fmt.Sprintf("live would be %s", shortDigest(chosen.Digest))
	} else if err := store.Point(ctx, liveEnvironment, chosen.Digest); err != nil {
		return err
	}
	if before.Digest != "" {
		said += fmt.Sprintf(" (before: %s)", shortDigest(before.Digest))
	}
	return o.told(chosen, said)
}

// told prints what live runs.
func (o *publishOptions) told(d deploy.Deployment, said string) error {
	if o.json {
		return writeJSON(o.app, deployedAs(liveEnvironment, d))
	}
	_, err := fmt.Fprintln(o.Out, said)
	return err
}
