package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
)

func (a *app) secretsCommand() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "secrets",
		Short: "Keep the secrets that tools use",
		Long: `Keep the secrets that tools use as $env.KEY in .vatio/secrets.age, an age file
that your identity opens. No command ever prints a value.`,
		Example: `  vatio secrets set ACME_API https://api.acme.com
  vatio secrets import .env
  vatio secrets list
  vatio secrets check --env live`,
	}, a.secretsSetCommand(), a.secretsListCommand(), a.secretsRemoveCommand(), a.secretsImportCommand(), a.secretsCheckCommand(),
		a.secretsRotateCommand(), a.secretsRecipientsCommand(), a.secretsTrustCommand(), a.secretsDiffDriverCommand(), a.secretsNamesCommand())
	quietFlags(cmd, "a VALUE that starts with - stands after --: vatio secrets set KEY -- VALUE")
	return cmd
}

// repeatable reports whether an error of the command may repeat an argument: one
// of secrets may be a value wherever it stands, unless it looks like a name.
func repeatable(cmd *cobra.Command, argument string) bool {
	for c := cmd; c != nil; c = c.Parent() {
		if c.Name() == "secrets" {
			return looksLikeName(argument)
		}
	}
	return true
}

// looksLikeName reports whether a word is a name, perhaps with a slip in it, and
// no value: letters and underscores alone, 40 at most.
func looksLikeName(word string) bool {
	if word == "" || len(word) > 40 {
		return false
	}
	for i := range len(word) {
		if c := word[i]; c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// invalidKey is what is wrong with a key. The error of the store repeats it.
func invalidKey(cmd *cobra.Command, key string, err error) error {
	name, value, assigned := strings.Cut(key, "=")
	// The = at the end of a value in base64 assigns nothing.
	if key == "" || looksLikeName(name) && (!assigned || strings.Trim(value, "=") != "") {
		return usagef(cmd, "%s", err)
	}
	return withHint(usagef(cmd, "the argument in the place of KEY is not a key: a key is capital letters, digits and _, such as ACME_TOKEN"),
		"it is not repeated here, as it may be a value; KEY comes before VALUE")
}

// secretEnvironmentFlag adds --env, which says where a value counts.
func secretEnvironmentFlag(cmd *cobra.Command, target *string, help string) {
	cmd.Flags().StringVar(target, "env", "", help)
}

// secretPlace checks a key and an environment that the user gave.
func secretPlace(cmd *cobra.Command, key, env string) error {
	if err := secrets.ValidKey(key); err != nil {
		return invalidKey(cmd, key, err)
	}
	if env == "" && !cmd.Flags().Changed("env") {
		return nil
	}
	if err := secrets.ValidEnvironment(env); err != nil {
		return usagef(cmd, "--env: %s", err)
	}
	return nil
}

// quietFlags makes the errors of flags repeat nothing of what was given: it may
// be a secret, as a PEM key begins with -.
func quietFlags(cmd *cobra.Command, hint string) {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var required *pflag.ValueRequiredError
		if errors.As(err, &required) && required.GetSpecifiedShortnames() == "" {
			return usagef(cmd, "--%s needs a value", required.GetFlag().Name)
		}
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			var names []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			if near := diag.Nearest(unknown.GetSpecifiedName(), names); near != "" {
				hint = "did you mean --" + near + "?"
			}
		}
		return withHint(usagef(cmd, "%q has no such flag", cmd.CommandPath()), "%s", hint)
	})
}

func inEnvironment(env string) string {
	if env == "" {
		return "in every environment"
	}
	return "in " + env
}

type setOptions struct {
	*app
	key, env, file string
	value          *string // given as an argument
}

func (a *app) secretsSetCommand() *cobra.Command {
	o := &setOptions{app: a}
	cmd := &cobra.Command{
		Use:   "set KEY [VALUE]",
		Short: "Set a secret, from an argument, a prompt, stdin or a file",
		Long: `Set a secret. Without VALUE it is asked for on a terminal, unseen, and read from
stdin elsewhere, where one line break at the end is dropped. A file is taken as
it is. A VALUE that starts with - stands after --.`,
		Example: `  vatio secrets set ACME_API https://api.acme.com
  vatio secrets set ACME_TOKEN < token.txt
  vatio secrets set ACME_KEY --env live --from-file key.pem`,
		Args: argCount(1, 2, "a KEY and at most one VALUE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.key = args[0]
			if len(args) == 2 {
				o.value = &args[1]
			}
			if err := secretPlace(cmd, o.key, o.env); err != nil {
				return err
			}
			if o.value != nil && o.file != "" {
				return usagef(cmd, "the value is given twice: as an argument and with --from-file")
			}
			return o.run(cmd)
		},
	}
	secretEnvironmentFlag(cmd, &o.env, "set the value that only the environment `NAME` uses")
	cmd.Flags().StringVar(&o.file, "from-file", "", "read the value from `FILE`, byte for byte")
	quietFlags(cmd, "a VALUE that starts with - stands after --: vatio secrets set KEY -- VALUE")
	return cmd
}

func (o *setOptions) run(cmd *cobra.Command) error {
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	value, err := o.read()
	if err == nil {
		err = secrets.ValidValue(value) // before an identity is made
	}
	if err != nil {
		return secretUsageError(cmd, err)
	}
	store := o.secretStore(root)
	if err := o.announce(store); err != nil {
		return secretError(err)
	}
	if err := store.Set(o.key, o.env, value); err != nil {
		return secretError(err)
	}
	fmt.Fprintf(o.Err, "set %s %s\n", o.key, inEnvironment(o.env))
	o.noticeUnmerged(cmd.Context(), root)
	return nil
}

// read returns the value from wherever the user gave it.
func (o *setOptions) read() (secrets.Value, error) {
	switch {
	case o.value != nil:
		return secrets.NewValue([]byte(*o.value)), nil
	case o.file != "":
		return o.fromFile()
	case o.InTerminal:
		text, err := o.readHidden("Value of " + o.key + ": ")
		return secrets.NewValue([]byte(text)), err
	}
	data, err := readLimited("stdin", o.In)
	if err != nil {
		return secrets.Value{}, err
	}
	if line, ok := strings.CutSuffix(data, "\n"); ok {
		data = strings.TrimSuffix(line, "\r")
	}
	return secrets.NewValue([]byte(data)), nil
}

func (o *setOptions) fromFile() (secrets.Value, error) {
	f, err := os.Open(o.path(o.file))
	if err != nil {
		return secrets.Value{}, fileError(o.file, err)
	}
	defer f.Close()
	data, err := readLimited(o.file, f)
	return secrets.NewValue([]byte(data)), err
}

// readLimited reads a value and the line break after it.
func readLimited(name string, r io.Reader) (string, error) {
	const most = secrets.MaxValue + len("\r\n")
	data, err := io.ReadAll(io.LimitReader(r, int64(most+1)))
	switch {
	case err != nil:
		return "", fileError(name, err)
	case len(data) > most:
		return "", &secrets.InvalidError{Message: fmt.Sprintf("%s is larger than a value may be: %d bytes (64 KiB) are allowed", name, secrets.MaxValue)}
	}
	return string(data), nil
}
