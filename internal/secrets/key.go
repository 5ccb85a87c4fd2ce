package secrets

import (
	"fmt"
	"strings"

	"github.com/vatio-dev/vatio/pkg/placeholder"
)

const (
	// MaxKey and MaxEnvironment are the longest names, in bytes.
	MaxKey         = 64
	MaxEnvironment = 40
	// MaxValue is the largest value, in bytes.
	MaxValue = 64 << 10

	keyRule = "use A to Z, 0 to 9 and _, beginning with a letter, at most 64 characters"
)

// ValidKey returns nil for ^[A-Z][A-Z0-9_]{0,63}$, and otherwise an error that
// says what a key looks like and, where there is one, the key that was likely
// meant.
func ValidKey(key string) error {
	if placeholder.ValidKey(key) {
		return nil
	}
	name, _, assigned := strings.Cut(key, "=")
	switch {
	case key == "":
		return &InvalidError{Message: "a key is missing: " + keyRule}
	case assigned && placeholder.ValidKey(name):
		// What follows the `=` is a value: it must not be repeated.
		return &InvalidError{Message: fmt.Sprintf("%q must not be joined to its value by `=`: give the value as the next argument", name)}
	case assigned:
		return &InvalidError{Message: "a key holds no `=`: " + keyRule}
	}
	if len(key) > 20 && strings.ContainsAny(key, "0123456789") {
		// Likely the value, given in the key's place.
		return &InvalidError{Message: "this is not a key: " + keyRule}
	}
	message := fmt.Sprintf("%q is not a key: %s", clip(key), keyRule)
	if s := strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(strings.ToUpper(key)); placeholder.ValidKey(s) {
		message += fmt.Sprintf("; did you mean %q?", s)
	}
	return &InvalidError{Message: message}
}

// ValidEnvironment returns nil for ^[a-z0-9]+([-_][a-z0-9]+)*$ of at most 40
// characters, and otherwise an error that says so. The empty name, which means
// everywhere, is no environment.
func ValidEnvironment(name string) error {
	if isEnvironment(name) {
		return nil
	}
	const rule = "use a to z and 0 to 9, joined by single - or _, at most 40 characters"
	if name == "" {
		return &InvalidError{Message: "the name of an environment is missing: " + rule}
	}
	message := fmt.Sprintf("%q is not an environment: %s", clip(name), rule)
	if s := strings.ToLower(name); s != name && ValidEnvironment(s) == nil {
		message += fmt.Sprintf("; did you mean %q?", s)
	}
	return &InvalidError{Message: message}
}

func isEnvironment(s string) bool {
	if len(s) > MaxEnvironment {
		return false
	}
	joined := true // nothing has been read that a - or _ could follow
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			joined = false
		case (c == '-' || c == '_') && !joined:
			joined = true
		default:
			return false
		}
	}
	return !joined
}

// validPlace checks where a value is to stand; an empty environment is everywhere.
func validPlace(key, environment string) error {
	if err := ValidKey(key); err != nil {
		return err
	}
	if environment == "" {
		return nil
	}
	return ValidEnvironment(environment)
}

// ValidValue returns nil for a value of 1 to MaxValue bytes.
func ValidValue(v Value) error {
	switch n := v.Len(); {
	case n == 0:
		return &InvalidError{Message: "the value is empty: a secret needs at least one byte"}
	case n > MaxValue:
		return &InvalidError{Message: fmt.Sprintf("the value has %d bytes: %d (64 KiB) are allowed", n, MaxValue)}
	}
	return nil
}

// clip keeps a message short whatever was typed.
func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
