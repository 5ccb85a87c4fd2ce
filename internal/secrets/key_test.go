package secrets

import (
	"strings"
	"testing"
)

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestValidKey(t *testing.T) {
	const rule = "use A to Z, 0 to 9 and _, beginning with a letter, at most 64 characters"
	long := strings.Repeat("A", 64)
	for key, want := range map[string]string{
		"A":        "",
		"ACME_API": "",
		"A1__":     "",
		long:       "",
		"":         "a key is missing: " + rule,
		long + "A": `"` + long + `A" is not a key: ` + rule,
		"acme-api": `"acme-api" is not a key: ` + rule + `; did you mean "ACME_API"?`,
		"1A":       `"1A" is not a key: ` + rule,
		"_A":       `"_A" is not a key: ` + rule,
		"Ñ":        `"Ñ" is not a key: ` + rule,
		"A\n":      `"A\n" is not a key: ` + rule,
		// Likely a value: not repeated.
		"sk_live_4eC39HqLyjWDarjtT1zdp7dc": "this is not a key: " + rule,
		"TOKEN=sk_live_1":                  "\"TOKEN\" must not be joined to its value by `=`: give the value as the next argument",
		"token=sk_live_1":                  "a key holds no `=`: " + rule,
	} {
		if got := message(ValidKey(key)); got != want {
			t.Errorf("ValidKey(%q)\n got %q\nwant %q", key, got, want)
		}
	}
}

func TestValidEnvironment(t *testing.T) {
	const rule = "use a to z and 0 to 9, joined by single - or _, at most 40 characters"
	long := strings.Repeat("a", 40)
	for name, want := range map[string]string{
		"live":     "",
		"a-b_c-1":  "",
		"1":        "",
		long:       "",
		"":         "the name of an environment is missing: " + rule,
		long + "a": `"` + long + `a" is not an environment: ` + rule,
		"Live":     `"Live" is not an environment: ` + rule + `; did you mean "live"?`,
		"a--b":     `"a--b" is not an environment: ` + rule,
		"-a":       `"-a" is not an environment: ` + rule,
		"a_":       `"a_" is not an environment: ` + rule,
		"a/b":      `"a/b" is not an environment: ` + rule,
		"ñ":        `"ñ" is not an environment: ` + rule,
	} {
		if got := message(ValidEnvironment(name)); got != want {
			t.Errorf("ValidEnvironment(%q)\n got %q\nwant %q", name, got, want)
		}
	}
}

func TestValidValue(t *testing.T) {
	for n, want := range map[int]string{
		0:          "the value is empty: a secret needs at least one byte",
		1:          "",
		64 << 10:   "",
		64<<10 + 1: "the value has 65537 bytes: 65536 (64 KiB) are allowed",
	} {
		if got := message(ValidValue(NewValue(make([]byte, n)))); got != want {
			t.Errorf("%d bytes: got %q, want %q", n, got, want)
		}
	}
}
