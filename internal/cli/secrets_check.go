package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// missingSecret is one that the workspace uses and that has no value.
type missingSecret struct {
	Key     string   `json:"key"`
	UsedBy  []string `json:"used_by"`
	Command string   `json:"command"` // sets it
}

type checkSecretsOptions struct {
	*app
	env     string
	asJSON  bool
	setting string // what follows the key in the commands
}

func (a *app) secretsCheckCommand() *cobra.Command {
	o := &checkSecretsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check that every secret that the workspace uses has a value",
		Long: `Check that every $env.KEY of the tools and every env:NAME of the grants has a
value in an environment, and print what is missing with the command that sets it.
The environment of this process counts for env:NAME, as it does at run time.

Exit codes: 0 everything is set, 1 something is not, or a file with errors may
use more, 2 wrong usage or no workspace.`,
		Example: `  vatio secrets check
  vatio secrets check --env live --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.validEnvironment(cmd, o.env); err != nil {
				return err
			}
			if cmd.Flags().Changed("env") {
				o.setting = " --env " + o.env
			}
			return o.run(cmd.Context())
		},
	}
	a.environmentFlag(cmd, &o.env)
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print what is missing as a JSON array")
	return cmd
}

func (o *checkSecretsOptions) run(ctx context.Context) error {
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	w, faults, err := workspace.Load(root)
	if err != nil {
		return fmt.Errorf("the workspace %s cannot be read: %w", root, err)
	}
	snapshot, err := o.readSecrets(ctx, root)
	if err != nil {
		return err
	}
	uses := secretUses(w)
	missing := o.missing(uses, snapshot)
	if err := o.print(missing); err != nil {
		return err
	}
	broken := brokenFiles(faults)
	o.noticeBroken(broken)
	colors := o.ErrColors()
	if len(missing) > 0 {
		fmt.Fprintln(o.Err, colors.Red(fmt.Sprintf("%d of %s that are used have no value in %s", len(missing), count(len(uses), "secret"), o.env)))
	}
	if len(missing) > 0 || len(broken) > 0 {
		return errFailed
	}
	fmt.Fprintln(o.Err, colors.Green(fmt.Sprintf("every secret that is used (%d) has a value in %s", len(uses), o.env)))
	return nil
}

// missing lists the secrets without a value.
func (o *checkSecretsOptions) missing(uses []secretUse, snapshot *secrets.Snapshot) []missingSecret {
	missing := []missingSecret{}
	for _, u := range uses {
		if _, set := snapshot.Lookup(u.key, o.env); !set && !o.fromProcess(u) {
			missing = append(missing, missingSecret{Key: u.key, UsedBy: u.by, Command: o.command(u.key)})
		}
	}
	return missing
}

// command sets a key; a name that no secret may have can come from the
// environment of the process alone.
func (o *checkSecretsOptions) command(key string) string {
	if secrets.ValidKey(key) != nil {
		return "export " + key + "=…"
	}
	return "vatio secrets set " + key + o.setting
}

func (o *checkSecretsOptions) print(missing []missingSecret) error {
	if o.asJSON {
		return writeJSON(o.app, missing)
	}
	if len(missing) == 0 {
		return nil
	}
	rows := [][]string{{"MISSING", "USED BY", "TO SET IT"}}
	for _, m := range missing {
		rows = append(rows, []string{diag.Printable(m.Key), diag.Printable(strings.Join(m.UsedBy, ", ")), diag.Printable(m.Command)})
	}
	return writeTable(o.Out, rows)
}
