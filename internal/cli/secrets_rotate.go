package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) secretsRotateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Make a new identity and encrypt this workspace's secrets for it",
		Long: `Make a new identity, first in the identity file, and encrypt the secrets of this
workspace for it instead of your older keys, which stay below it for other
workspaces. The new public key is printed; other recipients stay.

The older keys still open earlier versions of the file, in git for one: if one
has leaked, set new values too.`,
		Example: `  vatio secrets rotate`,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.rotate(cmd.Context()) },
	}
}

func (a *app) rotate(ctx context.Context) error {
	root, err := a.workspaceRoot()
	if err != nil {
		return err
	}
	store := a.secretStore(root)
	if !store.Exists() {
		return withHint(errors.New("this workspace has no secrets to encrypt for a new identity"), "run: vatio secrets set KEY")
	}
	done, err := store.Rotate()
	if err != nil {
		return secretError(err)
	}
	if _, err := fmt.Fprintln(a.Out, done.New.Recipient); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "the secrets are encrypted for a new key in %s, in place of %s of yours\n", done.New.Source, count(len(done.Replaced), "key"))
	if done.Others > 0 {
		fmt.Fprintf(a.Err, "%s can still open them\n", count(done.Others, "other recipient"))
	}
	a.noticeUnmerged(ctx, root)
	return nil
}
