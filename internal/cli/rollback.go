package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/deploy"
)

type rollbackOptions struct {
	deployOptions
	env string
}

func (a *app) rollbackCommand() *cobra.Command {
	o := &rollbackOptions{deployOptions: deployOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "rollback",
		Short: "Return live to what it was before",
		Long: `Return live, or the environment of --env, to what it was before; each further
rollback goes a step further back. Nothing is built and nothing is lost: a new push
or publish goes on from there, and vatio status --history shows every step.`,
		Example: `  vatio rollback
  vatio rollback --env staging`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.flags(cmd)
	o.environment(cmd, &o.env, liveEnvironment, "roll back the environment `NAME`")
	return cmd
}

func (o *rollbackOptions) run(cmd *cobra.Command) error {
	if err := validDeployEnvironment(cmd, o.env); err != nil {
		return err
	}
	store, _, err := o.where(cmd)
	if err != nil {
		return err
	}
	ctx, stop := o.context(cmd)
	defer stop()
	from, to, err := store.Rollback(ctx, o.env)
	var nothing *deploy.NothingBeforeError
	if errors.As(err, &nothing) {
		return withHint(err, "run: vatio status --history %s", o.env)
	}
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(o.app, struct {
			deployed
			From string `json:"from"`
		}{deployedAs(o.env, to), from.Digest})
	}
	_, err = fmt.Fprintf(o.Out, "%s is %s again (it was %s)\n", o.env, shortDigest(to.Digest), shortDigest(from.Digest))
	return err
}
