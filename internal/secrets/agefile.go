package secrets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
)

const (
	// FileName and LockName are relative to the workspace, with slashes.
	FileName = ".vatio/secrets.age"
	LockName = ".vatio/secrets.lock"

	byteOrderMark = "\uFEFF"
	binaryHeader  = "age-encryption.org/v1\n"
	maxFile       = 64 << 20
)

type ageKind uint8

const (
	notAge ageKind = iota + 1
	binary
	armored
)

// unarmor returns the binary age file in data. Line ends of an armored file may
// have become CRLF, and an editor may have put a byte order mark before it.
func unarmor(data []byte) (io.Reader, ageKind) {
	if bytes.HasPrefix(data, []byte(binaryHeader)) {
		return bytes.NewReader(data), binary
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte(byteOrderMark)), " \t\r\n")
	if !bytes.HasPrefix(text, []byte(armor.Header)) {
		return nil, notAge
	}
	if bytes.IndexByte(text, '\r') >= 0 {
		text = bytes.ReplaceAll(text, []byte("\r"), nil)
	}
	return armor.NewReader(bytes.NewReader(text)), armored
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// encrypt writes text to dst as a binary age file.
func encrypt(dst io.Writer, text []byte, recipients ...age.Recipient) error {
	w, err := age.Encrypt(dst, recipients...)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Close())
}

// seal returns p as an armored age file for its recipients.
func seal(p *payload) ([]byte, error) {
	recipients, err := compile(p.recipients)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	a := armor.NewWriter(&out)
	if err := errors.Join(encrypt(a, p.encode(), recipients...), a.Close()); err != nil {
		return nil, fmt.Errorf("cannot encrypt %s: %w", FileName, err)
	}
	if out.Len() > maxFile {
		return nil, &InvalidError{Message: fmt.Sprintf("%s would have %d bytes: %d (64 MiB) are allowed", FileName, out.Len(), maxFile)}
	}
	return out.Bytes(), nil
}

const restore = "take it back from git (`git checkout -- " + FileName + "`) or a copy, or delete it and set the secrets again"

func damaged(detail string) error {
	return &OpenError{File: FileName, Cause: Damaged, Detail: detail, Hint: restore}
}

// open decrypts what seal has written. Errors are *OpenError.
func open(data []byte, ids *identities) (*payload, error) {
	if conflicted(data) {
		return nil, &OpenError{File: FileName, Cause: MergeConflict,
			Detail: "holds the marks of a merge conflict",
			Hint:   "keep one side (`git checkout --ours " + FileName + "`, or --theirs), set what the other side had changed again, and `git add` it"}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, damaged("is empty")
	}
	file, kind := unarmor(data)
	if kind == notAge {
		return nil, damaged("is not an age file")
	}
	if kind == armored && !bytes.Contains(data, []byte(armor.Footer)) {
		return nil, damaged("was cut off")
	}
	text, err := age.Decrypt(file, ids.keys...)
	var mismatch *age.NoIdentityMatchError
	if errors.As(err, &mismatch) {
		return nil, wrongIdentity(ids, mismatch.StanzaTypes)
	}
	if err != nil {
		return nil, damaged("cannot be decrypted, it was changed or cut off")
	}
	var plain bytes.Buffer
	plain.Grow(len(data)) // an age file is larger than what is in it
	if _, err := plain.ReadFrom(text); err != nil {
		return nil, damaged("cannot be decrypted, it was changed or cut off")
	}
	return decodePayload(plain.Bytes())
}

func wrongIdentity(ids *identities, stanzas []string) error {
	e := &OpenError{File: FileName, Cause: WrongIdentity, Detail: "was encrypted for another identity"}
	if len(stanzas) > 1 {
		e.Detail = "was encrypted for other identities"
	}
	for _, kind := range stanzas {
		if kind == "scrypt" {
			e.Detail = "was encrypted with a passphrase"
			e.Hint = "encrypt it for a key instead (`age -a -r " + ids.recipients[0] + "`)"
			return e
		}
	}
	e.Detail += " than yours (" + ids.source + ")"
	e.Hint = "ask someone who can open it to run `vatio secrets recipients add " + ids.recipients[0] + "` and to share the file again"
	return e
}

func noIdentity(path string) error {
	return &OpenError{File: FileName, Cause: NoIdentity,
		Detail: "cannot be opened, there is no identity at " + path,
		Hint: "run `vatio secrets recipients list` to make one and ask someone who can open the file to add it, " +
			"or set " + identityVariable + " or " + identityFileVariable}
}

// conflicted reports whether git has left its marks in data.
func conflicted(data []byte) bool {
	for line := range bytes.Lines(data) {
		if mark := strings.TrimRight(string(line[:min(len(line), 8)]), "\r\n"); mark == "<<<<<<<" || mark == ">>>>>>>" ||
			mark == "<<<<<<< " || mark == ">>>>>>> " {
			return true
		}
	}
	return false
}
