package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) secretsRemoveCommand() *cobra.Command {
	var env string
	cmd := &cobra.Command{
		Use:   "rm KEY",
		Short: "Remove a secret",
		Example: `  vatio secrets rm ACME_TOKEN
  vatio secrets rm ACME_TOKEN --env live`,
		Args: argCount(1, 1, "one KEY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := secretPlace(cmd, args[0], env); err != nil {
				return err
			}
			root, err := a.workspaceRoot()
			if err != nil {
				return err
			}
			left, err := a.secretStore(root).Remove(args[0], env)
			if err != nil {
				return secretError(err)
			}
			fmt.Fprintf(a.Err, "removed %s %s\n", args[0], inEnvironment(env))
			for _, e := range left {
				fmt.Fprintf(a.Err, "%s still has a value %s\n", e.Key, inEnvironment(e.Environment))
			}
			a.noticeUnmerged(cmd.Context(), root)
			return nil
		},
	}
	secretEnvironmentFlag(cmd, &env, "remove the value that only the environment `NAME` uses")
	return cmd
}
