package secrets

import (
	"errors"
	"fmt"
	"strings"
)

// An InvalidError is a key, an environment, a value or a recipient that is
// refused as it stands.
type InvalidError struct{ Message string }

func (e *InvalidError) Error() string { return e.Message }

// A Cause says why a store cannot be opened. The zero value is invalid.
type Cause uint8

const (
	WrongIdentity   Cause = iota + 1 // encrypted for others
	NoIdentity                       // there is no identity on this machine
	Damaged                          // not an age file, cut off or changed
	MergeConflict                    // git left its conflict markers in it
	FutureVersion                    // written by a later version of the program
	Unreadable                       // the operating system refuses it
	NotARegularFile                  // a directory, a link where none may be …
)

// An OpenError is a store that cannot be opened. The file stays as it is.
type OpenError struct {
	File   string // as it is called in messages: ".vatio/secrets.age"
	Cause  Cause
	Detail string // continues the file's name: "is empty"
	Hint   string // what to do
}

func (e *OpenError) Error() string { return e.File + " " + e.Detail + ": " + e.Hint }

// An IdentityCause says what is wrong with an identity. The zero value is
// invalid.
type IdentityCause uint8

const (
	IdentityMissing   IdentityCause = iota + 1 // VATIO_IDENTITY_FILE names no file
	IdentityExposed                            // others may read it
	IdentityInvalid                            // not an age identity
	IdentityFixed                              // comes from VATIO_IDENTITY, so it cannot be rotated
	IdentityUnusable                           // the operating system refuses it
	PassphraseMissing                          // protected, and nobody to ask
	PassphraseWrong
)

// An IdentityError is an identity that cannot be used.
type IdentityError struct {
	Source string // the path of the file, or "VATIO_IDENTITY"
	Cause  IdentityCause
	Detail string // continues the source
	Hint   string // what to do
}

func (e *IdentityError) Error() string { return e.Source + " " + e.Detail + ": " + e.Hint }

// ErrNobodyToAsk is what [Options].Passphrase returns where there is no terminal;
// the identity then is an *IdentityError with PassphraseMissing.
var ErrNobodyToAsk = errors.New("there is nobody to ask")

// An UntrustedStoreError is a file whose store is another one than those seen
// for this workspace before. Its values are not used until [Store.Trust].
type UntrustedStoreError struct {
	File       string
	ID         string // of the store that stands there now
	Entries    []Entry
	Recipients []Recipient
}

func (e *UntrustedStoreError) Error() string {
	return e.File + " was replaced as a whole by another store, so its values are not used: " +
		"see who changed it (`git log " + e.File + "`), and run `vatio secrets trust` if you expected it"
}

// A NotFoundError is a key that has no value where one was to be removed.
type NotFoundError struct {
	Key          string
	Environment  string   // "" = everywhere
	Elsewhere    []string // environments in which the key has a value, sorted; "" = everywhere
	Suggestion   string   // a key much like it, or ""
	NothingAtAll bool     // the store holds nothing
}

func (e *NotFoundError) Error() string {
	where := ""
	if e.Environment != "" {
		where = fmt.Sprintf(" for the environment %q", e.Environment)
	}
	message := fmt.Sprintf("%q has no value%s", clip(e.Key), where)
	switch {
	case len(e.Elsewhere) > 0:
		flags := make([]string, len(e.Elsewhere))
		for i, name := range e.Elsewhere {
			flags[i] = "without --env"
			if name != "" {
				flags[i] = "with --env " + name
			}
		}
		return message + ": it has one " + strings.Join(flags, ", ")
	case e.Suggestion != "":
		return message + fmt.Sprintf("; did you mean %q?", e.Suggestion)
	case e.NothingAtAll:
		return message + ": no secret is set in this workspace"
	}
	return message + ": `vatio secrets list` names those that have"
}

// A LockedError is a lock that another process held for too long.
type LockedError struct {
	Lock   string // the path of the lock file
	Waited string // for how long: "1m0s"
}

func (e *LockedError) Error() string {
	return "another process has held " + e.Lock + " for " + e.Waited + ": wait for it or stop it, and try again"
}
