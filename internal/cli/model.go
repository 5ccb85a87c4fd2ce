package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/offline"
	"github.com/vatio-dev/vatio/internal/model/openai"
	"github.com/vatio-dev/vatio/internal/model/remote"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func addModelFlags(cmd *cobra.Command) {
	cmd.Flags().String("provider", "", "which `PROVIDER` answers: offline, openai or anthropic")
	cmd.Flags().String("model", "", "the `NAME` of the provider's model, as in gpt-5-mini")
	cmd.Flags().String("model-url", "", "the `URL` of the provider's API, as in http://localhost:11434/v1 for Ollama")
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(workspace.Providers[:], cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("model", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("model-url", cobra.NoFileCompletions)
}

// The places that say which model answers, but for vatio.yml, as they stand in
// the configuration: flags, VATIO_MODEL_* and the user's config.yml.
const (
	flagLayer     = "flag."
	variableLayer = "variable."
	userLayer     = ""
)

// modelConfig returns what says which model answers, without what vatio.yml
// says: modelOf puts that in its place.
func (a *app) modelConfig(cmd *cobra.Command) (*viper.Viper, error) {
	v := viper.New()
	for key, flag := range map[string]string{"model.provider": "provider", "model.name": "model", "model.base_url": "model-url"} {
		value, err := cmd.Flags().GetString(flag)
		if err != nil {
			return nil, err
		}
		v.Set(flagLayer+key, value)
		v.Set(variableLayer+key, a.Getenv("VATIO_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))))
	}
	home, err := secrets.HomeDir(a.Getenv, runtime.GOOS)
	if err != nil {
		return v, nil
	}
	v.SetConfigFile(filepath.Join(home, "config.yml"))
	if err := v.ReadInConfig(); err != nil && !isNotExist(err) {
		return nil, fmt.Errorf("the configuration %s cannot be read: %w", filepath.Join(home, "config.yml"), err)
	}
	return v, nil
}

// A modelChoice is one place's say in which model answers.
type modelChoice struct {
	from string // where it stands, for people
	workspace.Model
}

// choices returns what each place says, those that go first first.
func choices(config *viper.Viper, w *workspace.Workspace) []modelChoice {
	say := func(from, provider, name, baseURL string) modelChoice {
		return modelChoice{from, workspace.Model{Provider: strings.TrimSpace(provider), Name: strings.TrimSpace(name), BaseURL: strings.TrimSpace(baseURL)}}
	}
	layer := func(from, layer string) modelChoice {
		return say(from, config.GetString(layer+"model.provider"), config.GetString(layer+"model.name"), config.GetString(layer+"model.base_url"))
	}
	return []modelChoice{
		layer("--provider", flagLayer),
		layer("VATIO_MODEL_PROVIDER", variableLayer),
		say(workspace.FileName, w.Model.Provider, w.Model.Name, w.Model.BaseURL),
		layer("the user's config.yml", userLayer),
	}
}

// choose takes the provider from the first place that names one, and each of the
// rest from the first that has it and does not speak of another provider.
func choose(all []modelChoice) modelChoice {
	chosen := modelChoice{Model: workspace.Model{Provider: "offline"}}
	if i := slices.IndexFunc(all, func(c modelChoice) bool { return c.Provider != "" }); i >= 0 {
		chosen.from, chosen.Provider = all[i].from, all[i].Provider
	}
	for _, c := range all {
		if c.Provider != "" && c.Provider != chosen.Provider {
			continue
		}
		if chosen.Name == "" {
			chosen.Name = c.Name
		}
		if chosen.BaseURL == "" {
			chosen.BaseURL = c.BaseURL
		}
	}
	return chosen
}

// modelOf returns the model that answers in a workspace. lookup finds the key of
// a provider by its name.
func modelOf(config *viper.Viper, w *workspace.Workspace, a *app, lookup func(name string) (string, bool)) (chat.Model, error) {
	chosen := choose(choices(config, w))
	key := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	switch chosen.Provider {
	case "offline":
		return offline.New(offline.Options{Now: a.Now}), nil
	case "openai":
		o := openai.Options{Key: key(openai.KeyName), Name: chosen.Name, BaseURL: chosen.BaseURL, Version: buildInfo().Version}
		return remoteModel(chosen, openai.KeyName, o.Key == "" && !local(chosen.BaseURL), func() (chat.Model, error) { return openai.New(o) })
	}
	return nil, withHint(fmt.Errorf("there is no model provider %q (from %s)", chosen.Provider, chosen.from), "the providers are %s", diag.Quoted(workspace.Providers[:]))
}

// remoteModel makes a model that answers over the network, unless something
// that it needs was not given.
func remoteModel(chosen modelChoice, keyName string, keyMissing bool, make func() (chat.Model, error)) (chat.Model, error) {
	if chosen.Name == "" {
		return nil, withHint(fmt.Errorf("the provider %q (from %s) needs the name of a model", chosen.Provider, chosen.from),
			"add --model NAME, set VATIO_MODEL_NAME, or write model.name in %s", workspace.FileName)
	}
	if keyMissing {
		return nil, withHint(&missingKeyError{chosen, keyName}, "run: vatio secrets set %s, or export the variable of that name", keyName)
	}
	return make()
}

// missingKeyError says that nothing holds the key of a provider.
type missingKeyError struct {
	chosen modelChoice
	name   string
}

func (e *missingKeyError) Error() string {
	return fmt.Sprintf("the provider %q (from %s) has no key: there is no variable %s, and no secret of that name in this environment", e.chosen.Provider, e.chosen.from, e.name)
}

// noKey reports whether err says that a provider has no key.
func noKey(err error) bool {
	_, ok := errors.AsType[*missingKeyError](err)
	return ok
}

// local reports whether text is the address of a server on this machine, which
// may ask for no key.
func local(text string) bool {
	u, err := remote.ParseBaseURL(text)
	return err == nil && remote.Local(u)
}
