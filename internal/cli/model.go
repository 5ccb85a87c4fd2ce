package cli

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/anthropic"
	"github.com/vatio-dev/vatio/internal/model/offline"
	"github.com/vatio-dev/vatio/internal/model/openai"
	"github.com/vatio-dev/vatio/internal/model/remote"
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

// A modelChoice is one place's say in which model answers.
type modelChoice struct {
	from string // where it stands, for people
	workspace.Model
}

// choices returns what each place says, those that go first first. w may be nil.
func choices(config *viper.Viper, w *workspace.Workspace) []modelChoice {
	provider, name, baseURL := sayings(config, providerSetting, w), sayings(config, modelSetting, w), sayings(config, modelURLSetting, w)
	var all []modelChoice
	for i, p := range provider {
		all = append(all, modelChoice{p.from, workspace.Model{Provider: p.value, Name: name[i].value, BaseURL: baseURL[i].value}})
	}
	return all
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

// modelOf returns the model that answers in a workspace. secret finds a secret
// of the workspace by its name.
func modelOf(config *viper.Viper, w *workspace.Workspace, a *app, secret func(name string) (string, bool)) (chat.Model, error) {
	p := keyedOf(choices(config, w))
	chosen := p.chosen
	version := buildInfo().Version
	switch chosen.Provider {
	case "offline":
		return offline.New(offline.Options{Now: a.Now}), nil
	case "openai":
		return p.model(a.Getenv, secret, func(key string) (chat.Model, error) {
			return openai.New(openai.Options{Key: key, Name: chosen.Name, BaseURL: chosen.BaseURL, Version: version})
		})
	case "anthropic":
		return p.model(a.Getenv, secret, func(key string) (chat.Model, error) {
			return anthropic.New(anthropic.Options{Key: key, Name: chosen.Name, BaseURL: chosen.BaseURL, Version: version})
		})
	}
	return nil, withHint(fmt.Errorf("there is no model provider %q (from %s)", chosen.Provider, chosen.from), "the providers are %s", diag.Quoted(workspace.Providers[:]))
}

// A keyed is a provider that answers over the network, with a key.
type keyed struct {
	all     []modelChoice
	chosen  modelChoice
	keyName string
	baseURL func(text string) (*url.URL, error)
}

// keyedOf returns the chosen provider; without a keyName where it needs no key, or
// is none.
func keyedOf(all []modelChoice) keyed {
	chosen := choose(all)
	switch chosen.Provider {
	case "openai":
		return keyed{all, chosen, openai.KeyName, openai.BaseURL}
	case "anthropic":
		return keyed{all, chosen, anthropic.KeyName, anthropic.BaseURL}
	}
	return keyed{all: all, chosen: chosen}
}

// key returns the key that may go to base, "" for none, and whether it stands in
// a variable. Only secrets may go where only vatio.yml leads.
func (p keyed) key(base *url.URL, getenv func(string) string, secret func(name string) (string, bool)) (key string, variable bool) {
	if !p.foreign(base) {
		key = strings.TrimSpace(getenv(p.keyName))
	}
	if key != "" {
		return key, true
	}
	value, _ := secret(p.keyName)
	return strings.TrimSpace(value), false
}

// model makes the model with its key, unless something that it needs was not
// given.
func (p keyed) model(getenv func(string) string, secret func(name string) (string, bool), make func(key string) (chat.Model, error)) (chat.Model, error) {
	if p.chosen.Name == "" {
		return nil, withHint(fmt.Errorf("the provider %q (from %s) needs the name of a model", p.chosen.Provider, p.chosen.from),
			"add --model NAME, set VATIO_MODEL_NAME, or write model.name in %s", workspace.FileName)
	}
	base, err := p.baseURL(p.chosen.BaseURL)
	if err != nil {
		return nil, err
	}
	key, _ := p.key(base, getenv, secret)
	switch {
	case key != "" || remote.Local(base):
		return make(key)
	case p.foreign(base):
		return nil, withHint(&missingKeyError{fmt.Sprintf("the provider %q (from %s) has no key for %s, an address that only %s names: the variable %s does not count for it, and there is no secret of that name in this environment",
			p.chosen.Provider, p.chosen.from, base, workspace.FileName, p.keyName)},
			"run: vatio secrets set %s, or name the address yourself: add --model-url %s, or set VATIO_MODEL_BASE_URL", p.keyName, base)
	}
	return nil, withHint(&missingKeyError{fmt.Sprintf("the provider %q (from %s) has no key: there is no variable %s, and no secret of that name in this environment",
		p.chosen.Provider, p.chosen.from, p.keyName)},
		"run: vatio secrets set %s, or export the variable of that name", p.keyName)
}

// foreign reports whether only vatio.yml, which may be someone else's, says that
// the model is at base. A key that was not set for this workspace must not go
// there. This machine is no such place, nor is the provider's own API.
func (p keyed) foreign(base *url.URL) bool {
	own, err := p.baseURL("")
	if err != nil || remote.Local(base) || base.Scheme == own.Scheme && strings.EqualFold(base.Host, own.Host) {
		return false
	}
	return !slices.ContainsFunc(p.all, func(c modelChoice) bool {
		if c.from == workspace.FileName || c.BaseURL == "" || c.Provider != "" && c.Provider != p.chosen.Provider {
			return false
		}
		said, err := p.baseURL(c.BaseURL)
		return err == nil && said.Scheme == base.Scheme && strings.EqualFold(said.Host, base.Host) && said.Path == base.Path
	})
}

// missingKeyError says that nothing holds the key of a provider.
type missingKeyError struct{ text string }

func (e *missingKeyError) Error() string { return e.text }

// noKey reports whether err says that a provider has no key.
func noKey(err error) bool {
	_, ok := errors.AsType[*missingKeyError](err)
	return ok
}
