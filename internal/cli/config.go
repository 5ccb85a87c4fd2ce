package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/userconfig"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func (a *app) configCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "config",
		Short: "Show and change the settings of vatio",
		Long: `Show and change the settings of vatio. Each can be said in several places; what
comes first here counts:

  1. a flag of the command, such as --provider
  2. a variable: VATIO_ and the key, as in VATIO_MODEL_PROVIDER
  3. vatio.yml, for everybody who works on that workspace
  4. the user's config.yml, for all workspaces of yours

set and unset change the last only: vatio.yml is yours to write.`,
		Example: `  vatio config list --show-origin
  vatio config set model.provider openai
  vatio config set model.base_url http://localhost:11434/v1`,
	}, a.configListCommand(), a.configGetCommand(), a.configSetCommand(), a.configUnsetCommand())
}

// settingsHere are the settings as they count where the program was started, and
// the workspace there, nil for none.
func (a *app) settingsHere(cmd *cobra.Command) (*viper.Viper, *workspace.Workspace, error) {
	w, err := a.maybeWorkspace()
	if err != nil {
		return nil, nil, err
	}
	config, err := a.configuration(cmd)
	if err != nil {
		return nil, nil, err
	}
	a.noticeUnknownSettings()
	return config, w, nil
}

// An unknownSetting is a key of the user's config.yml that says nothing.
type unknownSetting struct {
	key  string
	line int
	near string // "": nothing is
}

// unknownSettings lists those of the file at path.
func unknownSettings(path string) []unknownSetting {
	d, err := userconfig.Read(path)
	if err != nil {
		return nil // said elsewhere
	}
	var list []unknownSetting
	for _, k := range d.Keys() {
		if k.Name != "model" && !slices.Contains(settingNames(), k.Name) {
			list = append(list, unknownSetting{k.Name, k.Line, diag.Nearest(k.Name, settingNames())})
		}
	}
	return list
}

func (u unknownSetting) String() string {
	text := fmt.Sprintf("line %d: there is no setting %q", u.line, u.key)
	if u.near != "" {
		text += fmt.Sprintf(": did you mean %q?", u.near)
	}
	return text
}

func (a *app) noticeUnknownSettings() {
	path, err := a.userConfigFile()
	if err != nil {
		return
	}
	for _, u := range unknownSettings(path) {
		fmt.Fprintf(a.Err, "vatio: %s\n", printableLines(path+", "+u.String()))
	}
}

// knownSetting finds the setting that the user named.
func knownSetting(cmd *cobra.Command, key string) (setting, error) {
	if s, ok := findSetting(key); ok {
		return s, nil
	}
	err := usagef(cmd, "there is no setting %q: there are %s", key, diag.Quoted(settingNames()))
	if near := diag.Nearest(key, settingNames()); near != "" {
		return setting{}, withHint(err, "did you mean %q?", near)
	}
	return setting{}, err
}

// completeSettings offers the settings, and for the second word the values.
func completeSettings(values bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var offered []cobra.Completion
		switch {
		case len(args) == 0:
			for _, s := range settings() {
				offered = append(offered, cobra.CompletionWithDesc(s.key, s.about))
			}
		case len(args) == 1 && values:
			s, _ := findSetting(args[0])
			if offered = s.values; offered == nil && s.example != "" {
				return cobra.AppendActiveHelp(nil, "as in "+s.example), cobra.ShellCompDirectiveNoFileComp
			}
		}
		return offered, cobra.ShellCompDirectiveNoFileComp
	}
}

// listedSetting is one setting as `config list` shows it.
type listedSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`  // "": unset
	Origin string `json:"origin"` // where it stands; "": unset
}

func (a *app) configListCommand() *cobra.Command {
	var asJSON, origins bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the settings as they count here",
		Example: `  vatio config list --show-origin
  vatio config list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := a.listSettings(cmd)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a, list)
			}
			rows := [][]string{{"KEY", "VALUE"}}
			if origins {
				rows[0] = append(rows[0], "FROM")
			}
			for _, s := range list {
				row := []string{s.Key, "-"}
				if s.Value != "" {
					row[1] = diag.Printable(s.Value)
				}
				if origins {
					row = append(row, s.Origin)
				}
				rows = append(rows, row)
			}
			return writeTable(a.Out, rows)
		},
	}
	cmd.Flags().BoolVar(&origins, "show-origin", false, "show where each stands")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of objects with key, value and origin")
	return cmd
}

func (a *app) listSettings(cmd *cobra.Command) ([]listedSetting, error) {
	config, w, err := a.settingsHere(cmd)
	if err != nil {
		return nil, err
	}
	list := []listedSetting{}
	for _, s := range settings() {
		said := a.counts(config, s.key, w)
		if said.value != "" {
			said.value = s.shown(said.value)
		}
		list = append(list, listedSetting{s.key, said.value, said.from})
	}
	return list, nil
}

func (a *app) configGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get KEY",
		Short: "Print one setting as it counts here",
		Long: `Print one setting as it counts here.

Exit codes: 0 it is set or has a default, 1 it is not, 2 wrong usage.`,
		Example:           `  vatio config get model.provider`,
		Args:              argCount(1, 1, "one KEY"),
		ValidArgsFunction: completeSettings(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := knownSetting(cmd, args[0])
			if err != nil {
				return err
			}
			config, w, err := a.settingsHere(cmd)
			if err != nil {
				return err
			}
			said := a.counts(config, s.key, w)
			if said.value == "" {
				return withHint(fmt.Errorf("%s is not set", s.key), "run: vatio config set %s %s", s.key, s.example)
			}
			_, err = fmt.Fprintln(a.Out, s.shown(said.value))
			return err
		},
	}
}

func (a *app) configSetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Write one setting into the user's config.yml",
		Long: `Write one setting into the user's config.yml, which counts where neither a flag
nor a variable nor vatio.yml says something else. Comments and other keys stay.
A secret is not written there: vatio secrets set keeps it.`,
		Example: `  vatio config set model.provider openai
  vatio config set registry oci://registry.example/acme/agent
  vatio config set lang es`,
		Args:              argCount(2, 2, "a KEY and a VALUE"),
		ValidArgsFunction: completeSettings(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := knownSetting(cmd, args[0])
			if err != nil {
				return err
			}
			if err := s.check(args[1]); err != nil {
				return err
			}
			path, err := a.userConfigFile()
			if err != nil {
				return err
			}
			if err := userconfig.Update(path, func(d *userconfig.Document) error { return d.Set(s.key, args[1]) }); err != nil {
				return userConfigError(path, err)
			}
			fmt.Fprintf(a.Err, "set %s in %s\n", s.key, path)
			return a.noticeStronger(cmd, s)
		},
	}
}

func userConfigError(path string, err error) error {
	return withHint(fmt.Errorf("%s %w", path, err), "nothing was changed; mend the file by hand")
}

// noticeStronger says what goes before the setting that was just written or
// removed.
func (a *app) noticeStronger(cmd *cobra.Command, s setting) error {
	config, w, err := a.settingsHere(cmd)
	if err != nil {
		return err
	}
	if said := first(sayings(config, s.key, w)); said.value != "" && said.from != fromUser {
		fmt.Fprintf(a.Err, "vatio: here %s says %s, which goes first\n", said.from, s.shown(said.value))
	}
	return nil
}

func (a *app) configUnsetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unset KEY",
		Short: "Remove one setting from the user's config.yml",
		Long: `Remove one setting from the user's config.yml.

Exit codes: 0 it was removed, 1 it does not stand there, 2 wrong usage.`,
		Example:           `  vatio config unset model.provider`,
		Args:              argCount(1, 1, "one KEY"),
		ValidArgsFunction: a.completeSet,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := knownSetting(cmd, args[0])
			if err != nil {
				return err
			}
			path, err := a.userConfigFile()
			if err != nil {
				return err
			}
			d, err := userconfig.Read(path)
			if err != nil {
				return userConfigError(path, err)
			}
			if !d.Unset(s.key) {
				return withHint(fmt.Errorf("%s is not set in %s", s.key, path), "run: vatio config list --show-origin")
			}
			if err := userconfig.Update(path, func(d *userconfig.Document) error { d.Unset(s.key); return nil }); err != nil {
				return userConfigError(path, err)
			}
			fmt.Fprintf(a.Err, "removed %s from %s\n", s.key, path)
			return a.noticeStronger(cmd, s)
		},
	}
}

// completeSet offers the settings of the user's config.yml.
func (a *app) completeSet(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var offered []cobra.Completion
	path, err := a.userConfigFile()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	d, err := userconfig.Read(path)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, s := range settings() {
		if d.Unset(s.key) {
			offered = append(offered, cobra.CompletionWithDesc(s.key, s.about))
		}
	}
	return offered, cobra.ShellCompDirectiveNoFileComp
}
