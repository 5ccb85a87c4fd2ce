package secrets

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/vatio-dev/vatio/internal/atomicfile"
)

const (
	identityFile    = "identity.txt"
	maxIdentityFile = 1 << 20
)

// cachedIdentities remembers what was read, so that a passphrase is asked for
// once and a pipe read once.
type cachedIdentities struct {
	path       string
	raw        []byte // the content of the file, which may have been rotated since
	pipe       bool   // cannot be read again
	passphrase string // "" unless the file is protected
	armored    bool   // the protected file is armored
	text       []byte // unprotected content
	ids        *identities
}

// loadIdentities returns the user's keys. Where they are in a file of their own
// that does not exist yet, it makes it, or returns nil when create is false.
func (s *Store) loadIdentities(create bool) (*identities, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := s.getenv(identityVariable); text != "" {
		return parseIdentities(identityVariable, []byte(text))
	}
	path, named, err := s.identityPath()
	if err != nil {
		return nil, err
	}
	if c := s.cached; c != nil && c.pipe && c.path == path {
		return c.ids, nil
	}
	c, err := s.readIdentities(path)
	if errors.Is(err, fs.ErrNotExist) {
		if named {
			return nil, &IdentityError{Source: path, Cause: IdentityMissing,
				Detail: "does not exist", Hint: identityFileVariable + " must name an age identity file, as age-keygen writes it"}
		}
		if !create {
			return nil, nil
		}
		if err := s.createIdentity(path); err != nil {
			return nil, err
		}
		if c, err = s.readIdentities(path); errors.Is(err, fs.ErrNotExist) {
			return nil, &IdentityError{Source: path, Cause: IdentityUnusable,
				Detail: "is a link to a file that does not exist", Hint: "remove the link, or make the file"}
		}
	}
	if err != nil {
		return nil, err
	}
	s.cached = c
	if create && !c.pipe && len(atomicfile.Temps(path)) > 0 {
		// A rotation that was killed has left keys behind. That they stay is no
		// reason to fail.
		_ = s.withHome(path, func() error { return nil })
	}
	return c.ids, nil
}

// identityPath returns the absolute path of the identity file, and whether the
// user named it.
func (s *Store) identityPath() (path string, named bool, err error) {
	if path := s.getenv(identityFileVariable); path != "" {
		path, err := filepath.Abs(path)
		return path, true, err
	}
	home, err := s.home()
	if err != nil {
		return "", false, err
	}
	return filepath.Join(home, identityFile), false, nil
}

// readIdentities reads the file at path, asking for its passphrase where it is
// protected and the content is new. The error is fs.ErrNotExist where there is
// no file. The caller holds s.mu.
func (s *Store) readIdentities(path string) (*cachedIdentities, error) {
	unusable := func(err error) error {
		return &IdentityError{Source: path, Cause: IdentityUnusable, Detail: "cannot be read", Hint: atomicfile.Reason(err).Error()}
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, unusable(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, unusable(err)
	}
	if info.IsDir() {
		return nil, unusable(errors.New("it is a directory"))
	}
	if command, yes := exposed(path, info); yes {
		return nil, &IdentityError{Source: path, Cause: IdentityExposed,
			Detail: "can be read or changed by others than you, so it is not used", Hint: "run `" + command + "`"}
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxIdentityFile+1))
	if err != nil {
		return nil, unusable(err)
	}
	if len(raw) > maxIdentityFile {
		return nil, unusable(errors.New("it is larger than 1 MiB"))
	}
	if c := s.cached; c != nil && c.path == path && bytes.Equal(c.raw, raw) {
		return c, nil
	}
	c := &cachedIdentities{path: path, raw: raw, pipe: !info.Mode().IsRegular(), text: raw}
	if data, kind := unarmor(raw); kind != notAge {
		c.armored = kind == armored
		if c.text, c.passphrase, err = s.unprotect(path, data); err != nil {
			return nil, err
		}
	}
	if c.ids, err = parseIdentities(path, c.text); err != nil {
		return nil, err
	}
	return c, nil
}

// unprotect decrypts an identity file that `age -p` has written.
func (s *Store) unprotect(path string, data io.Reader) (text []byte, passphrase string, err error) {
	sealed, err := io.ReadAll(data)
	if err != nil {
		return nil, "", damagedIdentity(path)
	}
	decrypt := func(passphrase string) ([]byte, error) {
		id, err := age.NewScryptIdentity(passphrase)
		if err != nil {
			return nil, age.ErrIncorrectIdentity // empty
		}
		r, err := age.Decrypt(bytes.NewReader(sealed), id)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(io.LimitReader(r, maxIdentityFile))
	}
	if s.cached != nil && s.cached.path == path && s.cached.passphrase != "" {
		if text, err := decrypt(s.cached.passphrase); err == nil {
			return text, s.cached.passphrase, nil
		}
	}
	if header, err := age.ExtractHeader(bytes.NewReader(sealed)); err != nil {
		return nil, "", damagedIdentity(path)
	} else if !bytes.Contains(header, []byte("\n-> scrypt ")) {
		return nil, "", &IdentityError{Source: path, Cause: IdentityInvalid,
			Detail: "is encrypted for a key", Hint: "an identity file is plain, or protected by a passphrase (`age -p`)"}
	}
	err = ErrNobodyToAsk
	if s.passphrase != nil {
		passphrase, err = s.passphrase()
	}
	if errors.Is(err, ErrNobodyToAsk) {
		return nil, "", &IdentityError{Source: path, Cause: PassphraseMissing,
			Detail: "is protected by a passphrase and there is no terminal to ask for it",
			Hint:   "run this in a terminal, or give the key itself in " + identityVariable}
	}
	if err != nil {
		return nil, "", err
	}
	text, err = decrypt(passphrase)
	var mismatch *age.NoIdentityMatchError
	switch {
	case errors.Is(err, age.ErrIncorrectIdentity) || errors.As(err, &mismatch):
		return nil, "", &IdentityError{Source: path, Cause: PassphraseWrong,
			Detail: "does not open with this passphrase", Hint: "try again"}
	case err != nil:
		return nil, "", damagedIdentity(path)
	}
	return text, passphrase, nil
}

func writeIdentity(target, path string, raw []byte) error {
	if err := atomicfile.Write(target, raw, 0o600); err != nil {
		return &IdentityError{Source: path, Cause: IdentityUnusable, Detail: "cannot be written", Hint: err.Error()}
	}
	return nil
}

func damagedIdentity(path string) error {
	return &IdentityError{Source: path, Cause: IdentityInvalid,
		Detail: "is damaged", Hint: "take it back from a copy; without it, ask a teammate to add a new key of yours"}
}

// createIdentity makes the identity file, unless another process was faster.
func (s *Store) createIdentity(path string) error {
	return s.withHome(path, func() error {
		if _, err := os.Lstat(path); err == nil {
			return nil
		}
		lines, _, err := s.newIdentity(false)
		if err != nil {
			return err
		}
		return writeIdentity(path, path, lines)
	})
}

// prependIdentity makes a new key and writes it above those in the identity
// file, which is protected by the same passphrase as before.
func (s *Store) prependIdentity(quantum bool) (Identity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.getenv(identityVariable) != "" {
		return Identity{}, &IdentityError{Source: identityVariable, Cause: IdentityFixed,
			Detail: "is where your key comes from, so it cannot be rotated here",
			Hint:   "rotate where the key is kept in a file"}
	}
	path, _, err := s.identityPath()
	if err != nil {
		return Identity{}, err
	}
	if s.cached != nil && s.cached.pipe {
		return Identity{}, &IdentityError{Source: path, Cause: IdentityFixed,
			Detail: "is a pipe, so a new key cannot be kept in it", Hint: "rotate where the key is kept in a file"}
	}
	var made Identity
	// A link stays: what it points to is replaced.
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		target = path
	}
	err = s.withHome(target, func() error {
		old, err := s.readIdentities(path)
		if err != nil {
			return err
		}
		lines, recipient, err := s.newIdentity(quantum)
		if err != nil {
			return err
		}
		text := append(append(lines, '\n'), bytes.TrimPrefix(old.text, []byte(byteOrderMark))...)
		raw := text
		if old.passphrase != "" {
			if raw, err = s.protect(text, old.passphrase, old.armored); err != nil {
				return err
			}
		}
		made = Identity{Recipient: recipient, Source: path}
		if err := writeIdentity(target, path, raw); err != nil {
			return err
		}
		ids, err := parseIdentities(path, text)
		if err != nil {
			return err
		}
		s.cached = &cachedIdentities{path: path, raw: raw, passphrase: old.passphrase, armored: old.armored, text: text, ids: ids}
		return nil
	})
	return made, err
}

func (s *Store) protect(text []byte, passphrase string, armored bool) ([]byte, error) {
	r, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	if s.scryptWork > 0 {
		r.SetWorkFactor(s.scryptWork)
	}
	var out bytes.Buffer
	var dst io.WriteCloser = nopCloser{&out}
	if armored {
		dst = armor.NewWriter(&out)
	}
	if err := errors.Join(encrypt(dst, text, r), dst.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
