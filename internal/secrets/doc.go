// Package secrets keeps the secrets of a workspace in .vatio/secrets.age, one
// armored age file (age-encryption.org/v1) that a team may share in git and
// that `age -d -i identity.txt .vatio/secrets.age` opens.
//
// It promises:
//
//   - A value comes back byte for byte, and is never part of an error or of
//     anything that prints a [Value].
//   - Any number of processes may write at once and lose nothing; a process
//     killed at any moment leaves the old or the new file, never another.
//   - A file that cannot be opened is an error that names the cause, and is
//     never overwritten.
//   - A file that was replaced as a whole by another store is not used until
//     [Store.Trust].
//   - Nothing is read, decrypted or asked for before it is needed: [New] touches
//     no file, and reading a store never makes an identity, nor needs one where
//     there is no file.
//
// # The encrypted payload
//
// The payload is indented JSON, members in this order:
//
//	{
//	  "format": "vatio-secrets",
//	  "version": 1,
//	  "store": "0f3a…",                 32 hexadecimal digits, chosen at random once
//	  "recipients": [
//	    { "key": "age1…", "comment": "…" }
//	  ],
//	  "entries": [
//	    { "key": "ACME_API", "environment": "live", "value": "…", "changed": "2026-01-02T15:04:05Z" },
//	    { "key": "RAW", "value_base64": "…", "changed": "2026-01-02T15:04:05Z" }
//	  ]
//	}
//
// Entries are sorted by key, then environment; one without an environment is
// the value everywhere. A value that is not UTF-8 stands in value_base64
// instead of value. Recipients are in the order in which they were added; every
// write encrypts to exactly these. Unknown members are refused, so that a
// rewrite never drops what a later version has put there.
//
// # Beside the file
//
// Writers hold a lock on .vatio/secrets.lock. The user's own directory
// ([HomeDir]) holds identity.txt and known-stores.json, which remembers the
// store ids seen for each workspace; each has a lock file beside it. Lock files
// are never deleted: deleting one lets two writers in.
package secrets
