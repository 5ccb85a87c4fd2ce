package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
)

type trustOptions struct {
	*app
	yes bool
}

func (a *app) secretsTrustCommand() *cobra.Command {
	o := &trustOptions{app: a}
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Accept a store of secrets that was replaced as a whole",
		Long: `Accept a store of secrets that was replaced as a whole, which is not used before:
whoever made it chose the values, and so where your tools send theirs. What is in
it and who can open it is shown first.`,
		Example: `  vatio secrets trust
  vatio secrets trust --yes`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "accept it without asking")
	return cmd
}

func (o *trustOptions) run(cmd *cobra.Command) error {
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	store := o.secretStore(root)
	if !store.Exists() {
		return withHint(fmt.Errorf("there is no %s to trust", secrets.FileName), "run: vatio secrets set KEY")
	}
	_, err = store.Read()
	var unknown *secrets.UntrustedStoreError
	switch {
	case err == nil:
		fmt.Fprintf(o.Err, "%s is trusted already\n", secrets.FileName)
		return nil
	case !errors.As(err, &unknown):
		return secretError(err)
	}
	if err := o.show(unknown); err != nil {
		return err
	}
	if !o.yes {
		yes, err := o.confirm("Trust this store?")
		switch {
		case errors.Is(err, errNoTerminal):
			return usagef(cmd, "there is no terminal to ask on: give --yes to trust this store")
		case err != nil:
			return err
		case !yes:
			return errors.New("the store is not trusted, and stays unused")
		}
	}
	if _, _, err := store.Trust(unknown.ID); err != nil {
		return secretError(err)
	}
	fmt.Fprintf(o.Err, "%s is trusted now\n", secrets.FileName)
	return nil
}

func (o *trustOptions) show(unknown *secrets.UntrustedStoreError) error {
	fmt.Fprintf(o.Err, "%s was replaced as a whole by another store\n", unknown.File)
	rows := [][]string{{"KEY", "ENVIRONMENT", "CHANGED"}}
	for _, e := range unknown.Entries {
		rows = append(rows, []string{e.Key, cmp.Or(e.Environment, "every"), e.Changed.Local().Format(minutes)})
	}
	if err := writeTable(o.Out, rows); err != nil {
		return err
	}
	fmt.Fprintln(o.Out)
	return o.printRecipients(unknown.Recipients)
}

func (a *app) printRecipients(list []secrets.Recipient) error {
	rows := [][]string{{"RECIPIENT", "COMMENT", "YOURS"}}
	for _, r := range list {
		own := "no"
		if r.Own {
			own = "yes"
		}
		rows = append(rows, []string{r.Key, diag.Printable(cmp.Or(r.Comment, "-")), own})
	}
	return writeTable(a.Out, rows)
}
