package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

type checkOptions struct {
	*app
	format string
	strict bool
	watch  bool
	mend   bool // --fix
	env    string
}

func (a *app) toolsCheckCommand() *cobra.Command {
	o := &checkOptions{app: a}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Report every fault of every file, at its exact place",
		Long: `Check vatio.yml, every file in tools/, the grants, the key file and the knowledge
bases. Nothing is sent and, without --fix, no file is written.

--fix writes methods in capitals, takes the $ out of requires, and corrects keys
that are one letter off where only one key can be meant. Everything else in a
file, comments and layout included, stays byte for byte.

--format sarif prints SARIF 2.1.0 for code scanning, --format github annotations
for a GitHub workflow. Both name files relative to the workspace or, where
GITHUB_WORKSPACE is a directory above it, relative to that: GitHub looks for them
from the root of the repository.

--watch checks again whenever a file changes, until Ctrl-C.

Exit codes: 0 no error, 1 errors (with --strict warnings too), 2 wrong usage or
no workspace, 130 interrupted.`,
		Example: `  vatio tools check
  vatio tools check --watch
  vatio tools check --fix
  vatio tools check --strict --format json
  vatio tools check --format sarif > vatio.sarif`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(cmd); err != nil {
				return err
			}
			root, err := a.workspaceRoot()
			if err != nil {
				return err
			}
			if o.watch {
				return o.runWatch(cmd.Context(), root)
			}
			return o.run(root)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "text", "print as `FORMAT`: text, json, sarif or github")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "fail on warnings too")
	cmd.Flags().BoolVar(&o.watch, "watch", false, "check again on every change, until Ctrl-C")
	cmd.Flags().BoolVar(&o.mend, "fix", false, "first mend what has one sure reading, and say what was done")
	a.environmentFlag(cmd, &o.env)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(checkFormats[:], cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

var checkFormats = [...]string{"text", "json", "sarif", "github"}

func (o *checkOptions) validate(cmd *cobra.Command) error {
	if !slices.Contains(checkFormats[:], o.format) {
		err := usagef(cmd, "--format must be %s, not %q", diag.Quoted(checkFormats[:]), o.format)
		if near := diag.Nearest(o.format, checkFormats[:]); near != "" {
			return withHint(err, "did you mean %q?", near)
		}
		return err
	}
	if o.watch && o.format != "text" {
		return withHint(usagef(cmd, "--watch prints for people, so it does not go with --format %s", o.format), "remove one of the two")
	}
	if o.watch && o.mend {
		return withHint(usagef(cmd, "--watch only looks, so it does not go with --fix"), "remove one of the two")
	}
	return o.validEnvironment(cmd, o.env)
}

func (o *checkOptions) run(root string) error {
	defer collectLate(holdsMany(filepath.Join(root, "tools")))()
	_, list, err := o.checkWorkspace(root, o.env)
	if err != nil {
		return err
	}
	if o.mend {
		made, err := o.fix(root, list)
		if err != nil {
			return err
		}
		if made > 0 {
			if _, list, err = o.checkWorkspace(root, o.env); err != nil {
				return err
			}
		}
	}
	if err := o.print(root, list); err != nil {
		return err
	}
	fmt.Fprintln(o.Err, o.summary(list))
	if faults, warnings := list.Count(); faults > 0 || o.strict && warnings > 0 {
		return errFailed
	}
	return nil
}

func (o *checkOptions) print(root string, list diag.List) error {
	switch o.format {
	case "json":
		return diag.WriteJSON(o.Out, list)
	case "sarif":
		return diag.WriteSARIF(o.Out, list, diag.SARIF{
			Tool: "vatio", Version: buildInfo().Version, URL: "https://github.com/vatio-dev/vatio", Rules: rules(), Base: o.repositoryPath(root),
		})
	case "github":
		return diag.WriteGitHub(o.Out, list, diag.GitHub{Tool: "vatio", Base: o.repositoryPath(root)})
	}
	return diag.WriteText(o.Out, list, o.Colors().DiagStyle())
}

func rules() []diag.Rule {
	var list []diag.Rule
	for _, c := range check.Codes() {
		list = append(list, diag.Rule{ID: c.Name, Summary: c.Summary, Help: c.Help})
	}
	return list
}

// repositoryPath returns the path of the workspace inside the repository that a
// GitHub workflow has checked out, "" outside of one: GitHub finds files by
// their paths from there.
func (o *checkOptions) repositoryPath(root string) string {
	checkout := o.Getenv("GITHUB_WORKSPACE")
	if checkout == "" {
		return ""
	}
	from, err := filepath.EvalSymlinks(checkout)
	if err != nil {
		return ""
	}
	to, err := filepath.EvalSymlinks(root)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (o *checkOptions) summary(list diag.List) string {
	colors := o.ErrColors()
	faults, warnings := list.Count()
	text := count(faults, "error") + ", " + count(warnings, "warning")
	switch {
	case faults+warnings == 0:
		return colors.Green("no problems")
	case faults > 0:
		return colors.Red(text)
	}
	return colors.Yellow(text)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// checkWorkspace loads the workspace at root and runs every rule. Whether
// secrets exist is asked only where a store does; a store that cannot be
// opened is a notice.
func (a *app) checkWorkspace(root, env string) (*workspace.Workspace, diag.List, error) {
	w, list, notice, err := a.checkWith(a.secretStore(root), root, env)
	fmt.Fprint(a.Err, notice)
	return w, list, err
}

// checkWith is checkWorkspace with a store that is kept from one check to the
// next, and a notice that is yet to be shown.
func (a *app) checkWith(store *secrets.Store, root, env string) (w *workspace.Workspace, list diag.List, notice string, err error) {
	snapshot, unread := store.Read()
	return a.checkAgainst(func(key string) bool {
		_, ok := snapshot.Lookup(key, env)
		return ok
	}, unread, root)
}

// checkAgainst is checkWith for secrets that have been read, or were not because
// of an error.
func (a *app) checkAgainst(hasSecret func(key string) bool, unread error, root string) (w *workspace.Workspace, list diag.List, notice string, err error) {
	if errors.Is(unread, errInterrupted) {
		return nil, nil, "", unread
	}
	w, loaded, err := workspace.Load(root)
	if err != nil {
		return nil, nil, "", fmt.Errorf("the workspace %s cannot be read: %w", root, err)
	}
	options := check.Options{
		Builtins:    builtin.Names(),
		HasVariable: func(name string) bool { return a.Getenv(name) != "" },
	}
	if unread != nil {
		notice = fmt.Sprintf("vatio: whether secrets are set is not checked: %s\n", printableLines(unread.Error()))
	} else {
		options.HasSecret = hasSecret
	}
	return w, check.Run(w, loaded, options), notice, nil
}

// environmentFlag adds --env, which chooses the values of secrets.
func (a *app) environmentFlag(cmd *cobra.Command, target *string) {
	cmd.Flags().StringVar(target, "env", "local", "use the secrets of the environment `NAME`")
}

func (a *app) validEnvironment(cmd *cobra.Command, name string) error {
	if err := secrets.ValidEnvironment(name); err != nil {
		return usagef(cmd, "--env: %s", err)
	}
	return nil
}

// secretStore returns the store of the workspace at root; it touches no file.
func (a *app) secretStore(root string) *secrets.Store {
	return secrets.New(secrets.Options{Workspace: root, Getenv: a.Getenv, Now: a.Now, Passphrase: a.passphrase})
}
