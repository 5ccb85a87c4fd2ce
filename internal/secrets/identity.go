package secrets

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"filippo.io/age"
)

const (
	identityVariable     = "VATIO_IDENTITY"
	identityFileVariable = "VATIO_IDENTITY_FILE"
)

// An Identity is what the user can tell others about their key.
type Identity struct {
	Recipient string // the public key, "age1…"
	Source    string // the path of the file, or "VATIO_IDENTITY"
}

// identities are the private keys of the user, the one that new stores are
// encrypted for first.
type identities struct {
	source     string
	keys       []age.Identity
	recipients []string // of keys, in the same order
}

func (ids *identities) own(key string) bool {
	for _, r := range ids.recipients {
		if r == key {
			return true
		}
	}
	return false
}

// mark returns a copy of recipients with Own set.
func (ids *identities) mark(recipients []Recipient) []Recipient {
	marked := make([]Recipient, len(recipients))
	for i, r := range recipients {
		r.Own = ids.own(r.Key)
		marked[i] = r
	}
	return marked
}

// parseIdentities reads age identities, one a line, with comments and empty
// lines, as age-keygen writes them. Errors never repeat what stands there.
func parseIdentities(source string, text []byte) (*identities, error) {
	ids := &identities{source: source}
	invalid := func(line int, what string) error {
		detail := what
		if line > 0 {
			detail = fmt.Sprintf("%s in line %d", what, line)
		}
		return &IdentityError{Source: source, Cause: IdentityInvalid, Detail: detail,
			Hint: "an identity is a line that begins with AGE-SECRET-KEY-1, as age-keygen writes it"}
	}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte(byteOrderMark))))
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "AGE-SECRET-KEY-PQ-1"):
			id, err := age.ParseHybridIdentity(line)
			if err != nil {
				return nil, invalid(n, "holds a damaged key")
			}
			ids.keys, ids.recipients = append(ids.keys, id), append(ids.recipients, id.Recipient().String())
		case strings.HasPrefix(line, "AGE-SECRET-KEY-1"):
			id, err := age.ParseX25519Identity(line)
			if err != nil {
				return nil, invalid(n, "holds a damaged key")
			}
			ids.keys, ids.recipients = append(ids.keys, id), append(ids.recipients, id.Recipient().String())
		case strings.HasPrefix(line, "AGE-PLUGIN-"):
			return nil, invalid(n, "holds a plugin identity, which is not supported,")
		case strings.HasPrefix(line, "age1"):
			return nil, invalid(n, "holds a public key instead of the private one")
		case strings.Contains(line, "PRIVATE KEY"):
			return nil, invalid(n, "holds an SSH or PEM key, which cannot be used as an identity,")
		default:
			return nil, invalid(n, "holds something that is no identity")
		}
	}
	if lines.Err() != nil {
		return nil, invalid(0, "holds a line that is too long")
	}
	if len(ids.keys) == 0 {
		return nil, invalid(0, "holds no identity")
	}
	return ids, nil
}

// newIdentity makes a key and the lines that keep it in an identity file.
func (s *Store) newIdentity(quantum bool) (lines []byte, recipient string, err error) {
	var secret string
	if quantum {
		id, err := age.GenerateHybridIdentity()
		if err != nil {
			return nil, "", err
		}
		secret, recipient = id.String(), id.Recipient().String()
	} else {
		id, err := age.GenerateX25519Identity()
		if err != nil {
			return nil, "", err
		}
		secret, recipient = id.String(), id.Recipient().String()
	}
	return fmt.Appendf(nil, "# created: %s\n# public key: %s\n%s\n", s.timestamp(), recipient, secret), recipient, nil
}
