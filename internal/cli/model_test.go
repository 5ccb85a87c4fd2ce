package cli

import (
	"errors"
	"testing"
	"time"

	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/internal/model/anthropic"
	"github.com/vatio-dev/vatio/internal/model/openai"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// said is what one place says.
func said(provider, name, baseURL string) workspace.Model {
	return workspace.Model{Provider: provider, Name: name, BaseURL: baseURL}
}

func TestChoose(t *testing.T) {
	from := func(flag, variable, file, user workspace.Model) modelChoice {
		v := viper.New()
		set := func(layer string, m workspace.Model) {
			v.Set(layer+"model.provider", m.Provider)
			v.Set(layer+"model.name", m.Name)
			v.Set(layer+"model.base_url", m.BaseURL)
		}
		set(flagLayer, flag)
		set(variableLayer, variable)
		set(userLayer, user)
		return choose(choices(v, &workspace.Workspace{Model: file}))
	}
	tests := []struct {
		name                       string
		flag, variable, file, user workspace.Model
		want                       modelChoice
	}{
		{name: "nothing", want: modelChoice{Model: workspace.Model{Provider: "offline"}}},
		{"the flag goes first", said("openai", "a", "http://a"), said("openai", "b", "http://b"), said("openai", "c", "http://c"), said("openai", "d", "http://d"), modelChoice{"--provider", said("openai", "a", "http://a")}},
		{"then the variable", workspace.Model{}, said("openai", "b", "http://b"), said("openai", "c", "http://c"), said("openai", "d", "http://d"), modelChoice{"VATIO_MODEL_PROVIDER", said("openai", "b", "http://b")}},
		{"then vatio.yml", workspace.Model{}, workspace.Model{}, said("openai", "c", "http://c"), said("openai", "d", "http://d"), modelChoice{"vatio.yml", said("openai", "c", "http://c")}},
		{"then the user", workspace.Model{}, workspace.Model{}, workspace.Model{}, said("openai", "d", "http://d"), modelChoice{"the user's config.yml", said("openai", "d", "http://d")}},
		{"each by itself", workspace.Model{Name: "a"}, workspace.Model{BaseURL: "http://b"}, workspace.Model{Provider: "openai"}, said("openai", "d", "http://d"), modelChoice{"vatio.yml", said("openai", "a", "http://b")}},
		{"another provider's name and address do not count", workspace.Model{Provider: "openai"}, said("anthropic", "b", "http://b"), said("openai", "c", ""), said("anthropic", "d", "http://d"), modelChoice{"--provider", said("openai", "c", "")}},
		{"white space", workspace.Model{Provider: " openai "}, workspace.Model{Name: " "}, workspace.Model{Name: "c\n"}, workspace.Model{}, modelChoice{"--provider", said("openai", "c", "")}},
	}
	for _, test := range tests {
		if got := from(test.flag, test.variable, test.file, test.user); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestModelOf(t *testing.T) {
	variables := map[string]string{"OPENAI_API_KEY": "sk-1\n", "ANTHROPIC_API_KEY": "sk-ant-1"}
	none := map[string]string{}
	tests := []struct {
		name      string
		model     workspace.Model
		variables map[string]string
		want      string // provider and model
		wrong     string
		unkept    bool
	}{
		{"default", workspace.Model{}, none, "offline offline", "", false},
		{"openai", said("openai", "gpt", ""), variables, "openai gpt", "", false},
		{"openai here, without a key", said("openai", "qwen3", "http://localhost:11434"), none, "openai qwen3", "", false},
		{"openai without a key", said("openai", "gpt", ""), none, "", `the provider "openai" (from vatio.yml) has no key: there is no variable OPENAI_API_KEY, and no secret of that name in this environment`, true},
		{"openai without a model", said("openai", "", ""), variables, "", `the provider "openai" (from vatio.yml) needs the name of a model`, false},
		{"openai with an address that is none", said("openai", "gpt", "here"), variables, "", `the model's address "here" begins with neither http:// nor https://: write --model-url as in http://localhost:11434/v1`, false},
		{"openai with a key that is none", said("openai", "gpt", ""), map[string]string{"OPENAI_API_KEY": "sk 1"}, "", "the key has a space, a line break or a character beyond ASCII in it: set it anew", false},
		{"anthropic", said("anthropic", "claude", ""), variables, "anthropic claude", "", false},
		{"anthropic here, without a key", said("anthropic", "claude", "http://127.0.0.1:4000"), none, "anthropic claude", "", false},
		{"anthropic without a key", said("anthropic", "claude", ""), none, "", `the provider "anthropic" (from vatio.yml) has no key: there is no variable ANTHROPIC_API_KEY, and no secret of that name in this environment`, true},
		{"anthropic without a model", said("anthropic", "", ""), variables, "", `the provider "anthropic" (from vatio.yml) needs the name of a model`, false},
		{"nowhere", said("nowhere", "", ""), variables, "", `there is no model provider "nowhere" (from vatio.yml)`, false},
	}
	for _, test := range tests {
		a := &app{IO: &iox.IO{Now: time.Now, Getenv: func(name string) string { return test.variables[name] }}}
		model, err := modelOf(viper.New(), &workspace.Workspace{Model: test.model}, a, func(string) (string, bool) { return "", false })
		got, wrong := "", ""
		if err != nil {
			wrong = err.Error()
		} else {
			provider, name := model.Name()
			got = provider + " " + name
		}
		if got != test.want || wrong != test.wrong || noKey(err) != test.unkept {
			t.Errorf("%s: %q, %q, %v\nwant %q, %q, %v", test.name, got, wrong, noKey(err), test.want, test.wrong, test.unkept)
		}
	}
}

// The key of the process does not go to an address that only the files name.
func TestKeyGoesNowhereElse(t *testing.T) {
	const (
		ofProcess   = "of-the-process"
		ofWorkspace = "of-the-workspace"
		withheld    = "" // an error
		elsewhere   = "https://gateway.example/api/v1"
	)
	missing := func(provider, address, variable string) [2]string {
		return [2]string{
			`the provider "` + provider + `" (from vatio.yml) has no key for ` + address + `, an address that only vatio.yml names: the variable ` + variable + ` does not count for it, and there is no secret of that name in this environment`,
			"run: vatio secrets set " + variable + ", or name the address yourself: add --model-url " + address + ", or set VATIO_MODEL_BASE_URL",
		}
	}
	tests := []struct {
		name                 string
		file                 workspace.Model
		flag, variable, user workspace.Model
		secret               string
		want                 string
		wrong                [2]string // the error and its hint
	}{
		{name: "no address", file: said("openai", "m", ""), want: ofProcess},
		{name: "the provider's own", file: said("openai", "m", "https://API.openai.com/v1/"), want: ofProcess},
		{name: "the provider's own, the other one", file: said("anthropic", "m", "https://api.anthropic.com"), want: ofProcess},
		{name: "the other provider's own", file: said("anthropic", "m", "https://api.openai.com"), wrong: missing("anthropic", "https://api.openai.com/v1", "ANTHROPIC_API_KEY")},
		{name: "the provider's own, without TLS", file: said("openai", "m", "http://api.openai.com"), wrong: missing("openai", "http://api.openai.com/v1", "OPENAI_API_KEY")},
		{name: "the provider's own, another port", file: said("openai", "m", "https://api.openai.com:8443"), wrong: missing("openai", "https://api.openai.com:8443/v1", "OPENAI_API_KEY")},
		{name: "almost the provider's own", file: said("openai", "m", "https://api.openai.com.example"), wrong: missing("openai", "https://api.openai.com.example/v1", "OPENAI_API_KEY")},
		{name: "this machine", file: said("openai", "m", "http://[::1]:8080"), want: ofProcess},
		{name: "elsewhere", file: said("openai", "m", elsewhere), wrong: missing("openai", elsewhere, "OPENAI_API_KEY")},
		{name: "elsewhere, anthropic", file: said("anthropic", "m", elsewhere), wrong: missing("anthropic", elsewhere, "ANTHROPIC_API_KEY")},
		{name: "elsewhere, with a secret", file: said("openai", "m", elsewhere), secret: ofWorkspace, want: ofWorkspace},
		{name: "here, with a secret", file: said("openai", "m", ""), secret: ofWorkspace, want: ofProcess},
		{name: "the flag names it", file: said("openai", "m", elsewhere), flag: said("", "", elsewhere), want: ofProcess},
		{name: "the variable names it, written otherwise", file: said("openai", "m", elsewhere), variable: said("", "", "https://Gateway.example/api/v1/"), want: ofProcess},
		{name: "the user names it", file: said("openai", "m", elsewhere), user: said("openai", "", elsewhere), want: ofProcess},
		{name: "the user names it for another provider", file: said("openai", "m", elsewhere), user: said("anthropic", "", elsewhere), wrong: missing("openai", elsewhere, "OPENAI_API_KEY")},
		{name: "the user names another place", file: said("openai", "m", elsewhere), user: said("openai", "", "https://gateway.example/v1"), wrong: missing("openai", elsewhere, "OPENAI_API_KEY")},
		{name: "the flag names another place, which goes first", file: said("openai", "m", elsewhere), flag: said("", "", "https://mine.example"), want: ofProcess},
		{name: "only the user", user: said("openai", "m", elsewhere), want: ofProcess},
	}
	for _, test := range tests {
		v := viper.New()
		set := func(layer string, m workspace.Model) {
			v.Set(layer+"model.provider", m.Provider)
			v.Set(layer+"model.name", m.Name)
			v.Set(layer+"model.base_url", m.BaseURL)
		}
		set(flagLayer, test.flag)
		set(variableLayer, test.variable)
		set(userLayer, test.user)
		all := choices(v, &workspace.Workspace{Model: test.file})
		p := keyed{all, choose(all), openai.KeyName, openai.BaseURL}
		if p.chosen.Provider == "anthropic" {
			p.keyName, p.baseURL = anthropic.KeyName, anthropic.BaseURL
		}
		lookup := func(want, value string) func(string) string {
			return func(name string) string {
				if name != want {
					t.Errorf("%s: %s was read", test.name, name)
				}
				return value
			}
		}
		got := withheld
		_, err := p.model(lookup(p.keyName, ofProcess), func(name string) (string, bool) {
			return lookup(p.keyName, test.secret)(name), test.secret != ""
		}, func(key string) (chat.Model, error) {
			got = key
			return nil, nil
		})
		var wrong [2]string
		if err != nil {
			wrong[0] = err.Error()
			if hinted, ok := errors.AsType[*hintError](err); ok {
				wrong[1] = hinted.hint
			}
		}
		if got != test.want || wrong != test.wrong || noKey(err) != (test.want == withheld) {
			t.Errorf("%s: %q, %q\nwant %q, %q", test.name, got, wrong, test.want, test.wrong)
		}
	}
}
