package secrets

import (
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// A Value is the content of a secret. Whatever prints, formats, logs or
// marshals it writes "[redacted]"; only Reveal gives the content. The zero
// Value is empty.
//
// The content sits behind a function: fmt prints unexported fields of other
// structs without asking their methods, and of a function it can print nothing
// but an address.
type Value struct{ reveal func() string }

// NewValue returns a Value with a copy of b.
func NewValue(b []byte) Value { return valueOf(string(b)) }

func valueOf(s string) Value { return Value{reveal: func() string { return s }} }

// Reveal returns the content, byte for byte; it need not be UTF-8.
func (v Value) Reveal() string {
	if v.reveal == nil {
		return ""
	}
	return v.reveal()
}

// Len returns how many bytes the content has.
func (v Value) Len() int { return len(v.Reveal()) }

// Equal reports whether v and w have the same content.
func (v Value) Equal(w Value) bool { return v.Reveal() == w.Reveal() }

func (Value) String() string   { return redacted }
func (Value) GoString() string { return redacted }

// Format writes "[redacted]" for every verb and flag.
func (Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

func (Value) LogValue() slog.Value           { return slog.StringValue(redacted) }
func (Value) MarshalText() ([]byte, error)   { return []byte(redacted), nil }
func (Value) MarshalJSON() ([]byte, error)   { return []byte(`"` + redacted + `"`), nil }
func (Value) MarshalBinary() ([]byte, error) { return []byte(redacted), nil }
