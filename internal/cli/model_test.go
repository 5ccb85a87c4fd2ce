package cli

import (
	"testing"
	"time"

	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/iox"
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
	keys := map[string]string{"OPENAI_API_KEY": "sk-1\n", "ANTHROPIC_API_KEY": "sk-ant-1"}
	none := map[string]string{}
	tests := []struct {
		name   string
		model  workspace.Model
		keys   map[string]string
		want   string // provider and model
		wrong  string
		unkept bool
	}{
		{"default", workspace.Model{}, none, "offline offline", "", false},
		{"openai", said("openai", "gpt", ""), keys, "openai gpt", "", false},
		{"openai elsewhere", said("openai", "gpt", "https://openrouter.ai/api/v1"), keys, "openai gpt", "", false},
		{"openai here, without a key", said("openai", "qwen3", "http://localhost:11434"), none, "openai qwen3", "", false},
		{"openai without a key", said("openai", "gpt", ""), none, "", `the provider "openai" (from vatio.yml) has no key: there is no variable OPENAI_API_KEY, and no secret of that name in this environment`, true},
		{"openai elsewhere without a key", said("openai", "gpt", "http://10.0.0.1"), none, "", `the provider "openai" (from vatio.yml) has no key: there is no variable OPENAI_API_KEY, and no secret of that name in this environment`, true},
		{"openai without a model", said("openai", "", ""), keys, "", `the provider "openai" (from vatio.yml) needs the name of a model`, false},
		{"openai with an address that is none", said("openai", "gpt", "here"), keys, "", `the model's address "here" begins with neither http:// nor https://: write --model-url as in http://localhost:11434/v1`, false},
		{"openai with a key that is none", said("openai", "gpt", ""), map[string]string{"OPENAI_API_KEY": "sk 1"}, "", "the key has a space, a line break or a character beyond ASCII in it: set it anew", false},
		{"nowhere", said("nowhere", "", ""), keys, "", `there is no model provider "nowhere" (from vatio.yml)`, false},
	}
	a := &app{IO: &iox.IO{Now: time.Now}}
	for _, test := range tests {
		model, err := modelOf(viper.New(), &workspace.Workspace{Model: test.model}, a, func(name string) (string, bool) {
			value, ok := test.keys[name]
			return value, ok
		})
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
