package secrets

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"golang.org/x/crypto/ssh"
)

// A Recipient is someone a store is encrypted for.
type Recipient struct {
	Key     string // "age1…", "ssh-ed25519 AAAA…" or "ssh-rsa AAAA…"
	Comment string // what stood after the key: "alice@laptop"; may be empty
	Own     bool   // belongs to an identity of the user
}

const postQuantum = "age1pq1"

// ParseRecipient reads an age recipient or an SSH public key as it stands in a
// .pub file. What follows the key is its comment. The error is an
// *InvalidError.
func ParseRecipient(line string) (Recipient, error) {
	r, _, err := parseRecipient(line)
	return r, err
}

func parseRecipient(line string) (Recipient, age.Recipient, error) {
	const allowed = "a recipient is an age public key (age1…) or an SSH public key (ssh-ed25519 … or ssh-rsa …)"
	line = strings.TrimSpace(line)
	refuse := func(format string, args ...any) (Recipient, age.Recipient, error) {
		return Recipient{}, nil, &InvalidError{Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case line == "":
		return refuse("a recipient is missing: %s", allowed)
	case isPrivate(line):
		// Not repeated: it is a secret.
		return refuse("this is a private key, which nobody else may have: %s", allowed)
	case strings.ContainsAny(line, "\r\n"):
		return refuse("these are several lines: give one recipient at a time")
	case strings.HasPrefix(line, "age1"):
		key, comment, _ := strings.Cut(line, " ")
		if strings.HasPrefix(key, postQuantum) {
			r, err := age.ParseHybridRecipient(key)
			if err != nil {
				return refuse("%q is not an age public key: it was cut off or mistyped", clip(key))
			}
			return Recipient{Key: r.String(), Comment: strings.TrimSpace(comment)}, r, nil
		}
		r, err := age.ParseX25519Recipient(key)
		if err != nil {
			if i := strings.LastIndexByte(key, '1'); i > len("age") {
				return refuse("%q needs an age plugin, which is not supported: %s", clip(key), allowed)
			}
			return refuse("%q is not an age public key: it was cut off or mistyped", clip(key))
		}
		return Recipient{Key: r.String(), Comment: strings.TrimSpace(comment)}, r, nil
	}
	public, comment, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return refuse("%q is not a recipient: %s", clip(line), allowed)
	}
	key := public.Type() + " " + base64.StdEncoding.EncodeToString(public.Marshal())
	if t := public.Type(); t != ssh.KeyAlgoED25519 && t != ssh.KeyAlgoRSA {
		return refuse("an SSH key of type %q cannot be encrypted for: %s", t, allowed)
	}
	r, err := agessh.ParseRecipient(key)
	if err != nil {
		return refuse("%q cannot be encrypted for: the key is damaged, or an RSA key of less than 2048 bits", clip(key))
	}
	return Recipient{Key: key, Comment: strings.TrimSpace(strings.ToValidUTF8(comment, "\uFFFD"))}, r, nil
}

// isPrivate reports whether text is likely a private key, which no message may
// repeat.
func isPrivate(text string) bool {
	text = strings.ToUpper(text)
	return strings.Contains(text, "AGE-SECRET-KEY-") || strings.Contains(text, "AGE-PLUGIN-") || strings.Contains(text, "PRIVATE KEY")
}

// compile returns what age encrypts to. Post-quantum recipients stand alone:
// one classic recipient beside them would undo what they are for.
func compile(recipients []Recipient) ([]age.Recipient, error) {
	compiled := make([]age.Recipient, len(recipients))
	for i, r := range recipients {
		var err error
		if _, compiled[i], err = parseRecipient(r.Key); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(recipients, isPostQuantum) {
		if i := slices.IndexFunc(recipients, func(r Recipient) bool { return !isPostQuantum(r) }); i >= 0 {
			return nil, &InvalidError{Message: fmt.Sprintf(
				"post-quantum recipients (age1pq1…) cannot share a file with others: %q is none", clip(recipients[i].Key))}
		}
	}
	return compiled, nil
}

func isPostQuantum(r Recipient) bool { return strings.HasPrefix(r.Key, postQuantum) }

// indexRecipient finds a recipient by its key, or by its comment where only one
// has it.
func indexRecipient(recipients []Recipient, text string) int {
	text = strings.TrimSpace(text)
	if r, err := ParseRecipient(text); err == nil {
		return slices.IndexFunc(recipients, func(have Recipient) bool { return have.Key == r.Key })
	}
	found := -1
	for i, r := range recipients {
		if r.Comment == text && text != "" {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}
