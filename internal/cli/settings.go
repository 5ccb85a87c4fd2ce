package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/internal/deploy/credential"
	"github.com/vatio-dev/vatio/internal/model/remote"
	"github.com/vatio-dev/vatio/internal/scaffold"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// The keys of the settings.
const (
	providerSetting = "model.provider"
	modelSetting    = "model.name"
	modelURLSetting = "model.base_url"
	registrySetting = "registry"
	languageSetting = "lang"
)

// A setting can be said in several places: a flag goes before VATIO_*, which
// goes before vatio.yml, which goes before the user's config.yml.
type setting struct {
	key      string
	flag     string // without its --
	about    string
	values   []string                            // all that it may be; nil: whatever valid takes
	example  string                              // of a value
	standing func(w *workspace.Workspace) string // what vatio.yml says; nil: nothing
	valid    func(value string) error            // nil: every value is, or values says which
}

func settings() []setting {
	return []setting{
		{
			key: providerSetting, flag: "provider", about: "who answers in conversations", values: workspace.Providers[:], example: "openai",
			standing: func(w *workspace.Workspace) string { return w.Model.Provider },
		},
		{
			key: modelSetting, flag: "model", about: "the name of the provider's model", example: "gpt-5-mini",
			standing: func(w *workspace.Workspace) string { return w.Model.Name },
		},
		{
			key: modelURLSetting, flag: "model-url", about: "the address of the provider's API", example: "http://localhost:11434/v1",
			standing: func(w *workspace.Workspace) string { return w.Model.BaseURL },
			valid:    validModelURL,
		},
		{
			key: registrySetting, flag: "to", about: "the OCI repository that keeps deployments", example: "oci://registry.example/acme/agent",
			standing: func(w *workspace.Workspace) string { return w.Registry },
			valid:    validRegistry,
		},
		{key: languageSetting, flag: "lang", about: "the language of docs and init", values: scaffold.Languages[:], example: "es"},
	}
}

func validModelURL(value string) error {
	if _, err := remote.ParseBaseURL(value); err != nil {
		why, _, _ := strings.Cut(err.Error(), ": write ")
		return errors.New(why)
	}
	return nil
}

func validRegistry(value string) error {
	if _, err := deploy.OpenRegistry(value, deploy.Options{}); err != nil {
		why, _, _ := strings.Cut(err.Error(), "; write ")
		return errors.New(why)
	}
	return nil
}

func settingNames() []string {
	var names []string
	for _, s := range settings() {
		names = append(names, s.key)
	}
	return names
}

func findSetting(key string) (setting, bool) {
	all := settings()
	i := slices.IndexFunc(all, func(s setting) bool { return s.key == key })
	if i < 0 {
		return setting{}, false
	}
	return all[i], true
}

// variable is the name of the variable that says a setting.
func (s setting) variable() string {
	return "VATIO_" + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

// check says what is wrong with a value, and what to do about it in a hint. It
// repeats nothing that may be a secret.
func (s setting) check(value string) error {
	switch {
	case s.secret(value):
		return withHint(fmt.Errorf("the value for %s looks like a secret, which has no place in a configuration", s.key), "run: vatio secrets set KEY")
	case strings.TrimSpace(value) == "":
		return withHint(fmt.Errorf("the value for %s is empty", s.key), "run: vatio config unset %s", s.key)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the value for %s has a control character in it", s.key)
	case s.values != nil && !slices.Contains(s.values, value):
		err := fmt.Errorf("%s must be %s, not %q", s.key, diag.Quoted(s.values), value)
		if near := diag.Nearest(value, s.values); near != "" {
			return withHint(err, "did you mean %q?", near)
		}
		return err
	case s.valid != nil:
		if err := s.valid(value); err != nil {
			return withHint(fmt.Errorf("%s: %w", s.key, err), "write it as in %s", s.example)
		}
	}
	return nil
}

// secret reports whether a value looks like a secret.
func (s setting) secret(value string) bool {
	return strings.HasPrefix(strings.TrimSpace(value), "sk-") || credential.In(s.key, value)
}

// shown is a value that may be shown.
func (s setting) shown(value string) string {
	if s.secret(value) {
		return credential.Redacted
	}
	return diag.Printable(value)
}

// The places of settings, but for vatio.yml, as they stand in the configuration.
const (
	flagLayer     = "flag."
	variableLayer = "variable."
	userLayer     = ""
)

// The places as people are told of them, where they have a name of their own.
const (
	fromUser    = "the user's config.yml"
	fromDefault = "default"
	fromLocale  = "locale"
)

// userConfigFile is the path of the user's config.yml.
func (a *app) userConfigFile() (string, error) {
	home, err := secrets.HomeDir(a.Getenv, runtime.GOOS)
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "config.yml"), nil
}

// configuration returns what all places but vatio.yml say: sayings puts that in
// its place. When the user's config.yml cannot be read, what the others say is
// returned with the error.
func (a *app) configuration(cmd *cobra.Command) (*viper.Viper, error) {
	v := viper.New()
	for _, s := range settings() {
		if f := cmd.Flags().Lookup(s.flag); f != nil && f.Changed {
			v.Set(flagLayer+s.key, f.Value.String())
		}
		v.Set(variableLayer+s.key, a.Getenv(s.variable()))
	}
	path, err := a.userConfigFile()
	if err != nil {
		return v, nil
	}
	v.SetConfigFile(path)
	if err := v.ReadInConfig(); err != nil && !isNotExist(err) {
		return v, fmt.Errorf("the configuration %s cannot be read: %w", path, plainCause(err))
	}
	return v, nil
}

// plainCause takes the path out of an error of the operating system, and the
// words of viper out of one of YAML.
func plainCause(err error) error {
	if parse := (viper.ConfigParseError{}); errors.As(err, &parse) {
		return parse.Unwrap()
	}
	if cause := errors.Unwrap(err); cause != nil {
		return cause
	}
	return err
}

// A saying is what one place says of a setting.
type saying struct {
	from  string // the place, for people
	value string // "": nothing
}

// sayings lists what each place says of a setting, those that go first first. w
// may be nil.
func sayings(config *viper.Viper, key string, w *workspace.Workspace) []saying {
	s, _ := findSetting(key)
	all := []saying{
		{"--" + s.flag, config.GetString(flagLayer + key)},
		{s.variable(), config.GetString(variableLayer + key)},
		{workspace.FileName, ""},
		{fromUser, config.GetString(userLayer + key)},
	}
	if w != nil && s.standing != nil {
		all[2].value = s.standing(w)
	}
	for i := range all {
		all[i].value = strings.TrimSpace(all[i].value)
	}
	return all
}

// first is the saying that counts; its value is "" where there is none.
func first(all []saying) saying {
	i := slices.IndexFunc(all, func(s saying) bool { return s.value != "" })
	if i < 0 {
		return saying{}
	}
	return all[i]
}

// counts is what counts of a setting in a workspace, nil for none, and where it
// stands.
func (a *app) counts(config *viper.Viper, key string, w *workspace.Workspace) saying {
	switch key {
	case providerSetting, modelSetting, modelURLSetting:
		return modelSaying(config, key, w)
	case languageSetting:
		return cmp.Or(first(sayings(config, key, w)), saying{fromLocale, a.locale()})
	}
	return first(sayings(config, key, w))
}

// modelSaying is counts for what says which model answers: what speaks of
// another provider than the chosen one does not count.
func modelSaying(config *viper.Viper, key string, w *workspace.Workspace) saying {
	all := choices(config, w)
	chosen := choose(all)
	if key == providerSetting {
		return saying{cmp.Or(chosen.from, fromDefault), chosen.Provider}
	}
	said := sayings(config, key, w)
	for i, c := range all {
		if c.Provider != "" && c.Provider != chosen.Provider {
			said[i].value = ""
		}
	}
	return first(said)
}

// language is the language of docs and init, one of the allowed ones.
func (a *app) language(cmd *cobra.Command) (string, error) {
	config, err := a.configuration(cmd)
	if err != nil { // who reads about the configuration may want to mend it
		fmt.Fprintf(a.Err, "vatio: %s\n", printableLines(err.Error()))
	}
	if cmd.Flags().Changed("lang") && config.GetString(flagLayer+languageSetting) == "" {
		return "", usagef(cmd, "--lang must be %s, not %q", diag.Quoted(scaffold.Languages[:]), "")
	}
	said := a.counts(config, languageSetting, nil)
	if slices.Contains(scaffold.Languages[:], said.value) {
		return said.value, nil
	}
	wrong := usagef(cmd, "%s must be %s, not %q", said.from, diag.Quoted(scaffold.Languages[:]), said.value)
	if said.from == fromUser {
		wrong = usagef(cmd, "%s in %s must be %s, not %q", languageSetting, fromUser, diag.Quoted(scaffold.Languages[:]), said.value)
	}
	return "", wrong
}
