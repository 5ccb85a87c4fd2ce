package cli

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
)

const diffDriver = "vatio-secrets"

func (a *app) secretsDiffDriverCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff-driver",
		Short: "Print the git settings that show changed names in git diff",
		Long: `Print the two settings of git with which git diff and git log -p show the names of
the secrets that changed, and who can open them, instead of the encrypted file: a
line for .gitattributes, and a command to run once in each clone. Values are never
shown.`,
		Example: `  vatio secrets diff-driver`,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(a.Err, "the first line belongs in the .gitattributes of the workspace, the second is run once in each clone:")
			_, err := fmt.Fprintf(a.Out, "%s diff=%s\ngit config diff.%s.textconv 'vatio secrets names'\n", secrets.FileName, diffDriver, diffDriver)
			return err
		},
	}
}

// secretsNamesCommand is what git diff runs for each version of the file.
func (a *app) secretsNamesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "names FILE",
		Short:   "Print the names in a version of the encrypted file, for git diff",
		Example: `  git config diff.` + diffDriver + `.textconv 'vatio secrets names'`,
		Hidden:  true,
		Args:    argCount(1, 1, "one FILE"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.printNames(args[0]) },
	}
}

func (a *app) printNames(name string) error {
	f, err := os.Open(a.path(name))
	if err != nil {
		return fileError(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return fileError(name, err)
	}
	contents, err := secrets.New(secrets.Options{Getenv: a.Getenv, Passphrase: a.passphrase}).Inspect(data)
	if err != nil {
		// An exit code would end the whole diff. The sum shows that there is a
		// difference.
		reason := err
		if hinted := (*hintError)(nil); errors.As(secretError(err), &hinted) {
			reason = hinted.error
		}
		_, err = fmt.Fprintf(a.Out, "%s\nsha256 %x\n", diag.Printable(reason.Error()), sha256.Sum256(data))
		return err
	}
	var b strings.Builder // in one write
	for _, e := range contents.Entries {
		env := ""
		if e.Environment != "" {
			env = " [" + e.Environment + "]"
		}
		fmt.Fprintf(&b, "%s%s changed %s\n", e.Key, env, e.Changed.Format(time.RFC3339))
	}
	for _, r := range contents.Recipients {
		fmt.Fprintf(&b, "recipient %s\n", diag.Printable(recipientName(r)))
	}
	fmt.Fprintf(&b, "store %s\n", contents.ID)
	_, err = io.WriteString(a.Out, b.String())
	return err
}
