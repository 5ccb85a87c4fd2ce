package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestSettingCheck(t *testing.T) {
	tests := []struct{ key, value, want, hint string }{
		{"model.provider", "openai", "", ""},
		{"model.provider", "opnai", `model.provider must be "offline", "openai" or "anthropic", not "opnai"`, `did you mean "openai"?`},
		{"model.provider", "zzz", `model.provider must be "offline", "openai" or "anthropic", not "zzz"`, ""},
		{"model.name", "gpt-5-mini", "", ""},
		{"model.name", "claude-sonnet-4-5-20250929", "", ""},
		{"model.name", "meta-llama/llama-4-maverick-17b-128e-instruct", "", ""},
		{"model.name", "accounts/fireworks/models/qwen3-235b-a22b-instruct-2507", "", ""},
		{"model.name", "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", "", ""},
		{"model.name", "deepseek-r1:1.5b", "", ""},
		{"model.name", "ft:gpt-4.1-mini-2025-04-14:acme:support:BpQx7Rz2", "", ""},
		{"model.name", "us.anthropic.claude-3-5-haiku-20241022-v1:0", "", ""},
		{"model.name", "sk-proj-0123456789abcdefghij", "the value for model.name looks like a secret, which has no place in a configuration", "run: vatio secrets set KEY"},
		{"model.name", "sk-0123", "the value for model.name looks like a secret, which has no place in a configuration", "run: vatio secrets set KEY"},
		{"model.name", "ghp_0123456789abcdefghijklmnopqrstuvwxyz", "the value for model.name looks like a secret, which has no place in a configuration", "run: vatio secrets set KEY"},
		{"model.name", " ", "the value for model.name is empty", "run: vatio config unset model.name"},
		{"model.name", "a\nb", "the value for model.name has a control character in it", ""},
		{"model.base_url", "http://localhost:11434/v1", "", ""},
		{"model.base_url", "localhost:11434", `model.base_url: the model's address "localhost:11434" begins with neither http:// nor https://`, "write it as in http://localhost:11434/v1"},
		{"model.base_url", "https://me:pass@host/v1", "the value for model.base_url looks like a secret, which has no place in a configuration", "run: vatio secrets set KEY"},
		{"registry", "oci://registry.example/acme/agent", "", ""},
		{"registry", "registry.example/acme/agent", `registry: "registry.example/acme/agent" is no address of a registry: it does not begin with oci://`, "write it as in oci://registry.example/acme/agent"},
		{"lang", "es", "", ""},
		{"lang", "de", `lang must be "en" or "es", not "de"`, ""},
		{"lang", "ES", `lang must be "en" or "es", not "ES"`, `did you mean "es"?`},
	}
	for _, test := range tests {
		s, ok := findSetting(test.key)
		if !ok {
			t.Errorf("there is no setting %q", test.key)
			continue
		}
		got, hint := "", ""
		if err := s.check(test.value); err != nil {
			got = err.Error()
			if hinted := (*hintError)(nil); errors.As(err, &hinted) {
				hint = hinted.hint
			}
		}
		if got != test.want || hint != test.hint {
			t.Errorf("%s %.12q: %q, %q\nwant %q, %q", test.key, test.value, got, hint, test.want, test.hint)
		}
	}
}

func TestSettingVariables(t *testing.T) {
	want := "VATIO_MODEL_PROVIDER VATIO_MODEL_NAME VATIO_MODEL_BASE_URL VATIO_REGISTRY VATIO_LANG"
	var got []string
	for _, s := range settings() {
		got = append(got, s.variable())
	}
	if text := strings.Join(got, " "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}
