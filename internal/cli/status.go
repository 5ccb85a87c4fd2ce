package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/pkg/diag"
)

type statusOptions struct {
	deployOptions
	history string
}

func (a *app) statusCommand() *cobra.Command {
	o := &statusOptions{deployOptions: deployOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what each environment runs",
		Long: `Show what each environment runs: the deployment's digest, when it was made, from
which git commit (a + behind it: with changes that were not committed) and by whom.

--history NAME lists what one environment ran before, newest first.`,
		Example: `  vatio status
  vatio status --history live
  vatio status --to oci://registry.example/acme/agent --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.history, "history", "", "list what the environment `NAME` ran")
	return cmd
}

func (o *statusOptions) run(cmd *cobra.Command) error {
	store, _, err := o.where(cmd)
	if err != nil {
		return err
	}
	ctx, stop := o.context(cmd)
	defer stop()
	if cmd.Flags().Changed("history") {
		return o.printHistory(ctx, store)
	}
	environments, err := store.Environments(ctx)
	if err != nil {
		return err
	}
	list := []deployed{}
	rows := [][]string{{"ENVIRONMENT", "DIGEST", "CREATED", "COMMIT", "AUTHOR"}}
	for _, e := range environments {
		list = append(list, deployedAs(e.Name, e.Deployment))
		rows = append(rows, []string{e.Name, shortDigest(e.Digest), e.Created.Local().Format(minutes), commitText(e.Deployment), diag.Printable(e.Author)})
	}
	if o.json {
		return writeJSON(o.app, list)
	}
	if len(list) == 0 {
		fmt.Fprintf(o.Err, "nothing has been pushed to %s yet: vatio push\n", store)
		return nil
	}
	return writeTable(o.Out, rows)
}
