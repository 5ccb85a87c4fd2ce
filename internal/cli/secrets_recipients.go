package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/secrets"
)

func (a *app) secretsRecipientsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "recipients",
		Short: "Choose who can open the secrets",
		Long: `Choose who can open the secrets of this workspace, so that a team can share the
file in git. A recipient is an age public key or an SSH public key.`,
		Example: `  vatio secrets recipients list
  vatio secrets recipients add age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p alice@laptop`,
	}, a.recipientsListCommand(), a.recipientsAddCommand(), a.recipientsRemoveCommand())
}

type listedRecipient struct {
	Key     string `json:"key"`
	Comment string `json:"comment"`
	Own     bool   `json:"own"`
}

func (a *app) recipientsListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List who can open the secrets, and which of the keys are yours",
		Example: `  vatio secrets recipients list
  vatio secrets recipients list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listRecipients(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func (a *app) listRecipients(ctx context.Context, asJSON bool) error {
	root, err := a.workspaceRoot()
	if err != nil {
		return err
	}
	store := a.secretStore(root)
	// First, so that whoever cannot open the file yet has a key to be added.
	identity, err := store.Identity()
	if err != nil {
		return secretError(err)
	}
	snapshot, err := store.Read()
	if err != nil {
		return secretError(err)
	}
	a.noticeUnmerged(ctx, root)
	recipients := snapshot.Recipients()
	if asJSON {
		list := []listedRecipient{}
		for _, r := range recipients {
			list = append(list, listedRecipient(r))
		}
		return writeJSON(a, list)
	}
	if len(recipients) == 0 {
		fmt.Fprintf(a.Err, "no secrets yet; your key is %s, in %s\n", identity.Recipient, identity.Source)
		return nil
	}
	return a.printRecipients(recipients)
}

type addRecipientsOptions struct {
	*app
	file string
}

func (a *app) recipientsAddCommand() *cobra.Command {
	o := &addRecipientsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "add KEY [COMMENT]...",
		Short: "Let someone open the secrets",
		Long: `Let someone open the secrets: KEY is an age public key (age1…) or an SSH public
key as it stands in a .pub file, with or without quotes around it. What follows a
key is its comment. Several keys may be given.`,
		Example: `  vatio secrets recipients add age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p alice@laptop
  vatio secrets recipients add --from-file ~/.ssh/id_ed25519.pub`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	cmd.Flags().StringVar(&o.file, "from-file", "", "read keys from `FILE`, one a line; - is stdin")
	quietFlags(cmd, "a recipient is a public key, and none begins with -")
	return cmd
}

func (o *addRecipientsOptions) run(cmd *cobra.Command, args []string) error {
	if (len(args) == 0) == (o.file == "") {
		return usagef(cmd, "give either a KEY or --from-file")
	}
	lines := keysOf(args)
	if o.file != "" {
		var err error
		if lines, err = o.readKeys(); err != nil {
			return err
		}
		if len(lines) == 0 {
			return usagef(cmd, "--from-file: %s holds no key", o.file)
		}
	}
	for _, line := range lines { // before an identity is made
		if _, err := secrets.ParseRecipient(line); err != nil {
			return secretUsageError(cmd, err)
		}
	}
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	store := o.secretStore(root)
	if err := o.announce(store); err != nil {
		return secretError(err)
	}
	added, err := store.AddRecipients(lines...)
	if err != nil {
		return secretUsageError(cmd, err)
	}
	for _, r := range added {
		fmt.Fprintf(o.Err, "added %s\n", recipientName(r))
	}
	if len(added) == 0 {
		fmt.Fprintln(o.Err, "nothing was added: the secrets are encrypted for this already")
	}
	o.noticeUnmerged(cmd.Context(), root)
	return nil
}

// keysOf joins the words of each key, as a shell has split them.
func keysOf(args []string) []string {
	var lines []string
	for _, word := range args {
		if len(lines) == 0 || strings.HasPrefix(word, "age1") || strings.HasPrefix(word, "ssh-") {
			lines = append(lines, word)
		} else {
			lines[len(lines)-1] += " " + word
		}
	}
	return lines
}

func (o *addRecipientsOptions) readKeys() ([]string, error) {
	in := o.In
	if o.file != "-" {
		f, err := os.Open(o.path(o.file))
		if err != nil {
			return nil, fileError(o.file, err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, 1<<20))
	if err != nil {
		return nil, fileError(o.file, err)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func recipientName(r secrets.Recipient) string {
	if r.Comment == "" {
		return r.Key
	}
	return r.Key + " (" + r.Comment + ")"
}

func (a *app) recipientsRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rm KEY|COMMENT",
		Short: "No longer let someone open the secrets",
		Long: `Encrypt the secrets without one recipient, named by its key or by a comment that
only it has. It has seen the values, and still opens earlier versions of the file:
set new values afterwards.`,
		Example: `  vatio secrets recipients rm alice@laptop`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "a KEY or COMMENT is missing: vatio secrets recipients list shows them")
			}
			root, err := a.workspaceRoot()
			if err != nil {
				return err
			}
			store := a.secretStore(root)
			removed, err := store.RemoveRecipient(strings.Join(args, " "))
			if err != nil {
				return secretError(err)
			}
			fmt.Fprintf(a.Err, "removed %s\nit has seen the values and still opens earlier versions of the file: set new values, see vatio secrets list\n", recipientName(removed))
			a.noticeUnmerged(cmd.Context(), root)
			return nil
		},
	}
	quietFlags(cmd, "a recipient is a public key, and none begins with -")
	return cmd
}
