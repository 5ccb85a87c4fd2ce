package executor

import (
	"time"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/placeholder"
)

// DefaultTimeout is the time limit where neither the tool nor the scope has one.
const DefaultTimeout = 20 * time.Second

// A Scope is what surrounds one call: the values that placeholders draw from
// and, for a service tool, the grant. Its functions are called from the
// goroutine that runs Call.
type Scope struct {
	Env       func(key string) (value string, ok bool) // nil: no secrets
	Principal *Principal                               // nil: nobody was verified
	Contact   Contact
	Timeout   time.Duration // for tools without their own; 0: DefaultTimeout

	Grant        *Grant // service tools
	Owner, Agent string // service tools: X-Vessel-Owner and X-Vessel-Agent
}

// A Principal is who a verified token speaks for.
type Principal struct {
	Subject, Issuer, Token string
	Claims                 jsondoc.Value
}

// A Contact is what is known of the person in the conversation; "" is unknown.
type Contact struct{ Name, Email, PhoneNumber string }

// A Header is one header field.
type Header struct{ Name, Value string }

// values answers placeholders for one call.
type values struct {
	scope     Scope
	arguments jsondoc.Value
	kept      []keptValue
	room      [4]keptValue // for kept, while there are no more
	scratch   []byte
	write     func(dst []byte, p placeholder.Part) ([]byte, error) // appends text(p)
}

func newValues(s Scope) *values {
	v := &values{scope: s}
	v.kept = v.room[:0]
	v.scratch = make([]byte, 0, 128)
	v.write = func(dst []byte, p placeholder.Part) ([]byte, error) { return append(dst, v.text(p)...), nil }
	return v
}

// A keptValue is one that would otherwise be quoted at each look-up.
type keptValue struct {
	source placeholder.Source
	name   string
	raw    string // byte for byte; JSON can hold UTF-8 only
	value  jsondoc.Value
}

func (v *values) Lookup(r *placeholder.Ref) jsondoc.Value {
	switch r.Source {
	case placeholder.Params:
		return descend(v.arguments, r.Path)
	case placeholder.Auth:
		if r.Path[0] == "claims" {
			if v.scope.Principal == nil {
				return jsondoc.Value{}
			}
			return descend(v.scope.Principal.Claims, r.Path[1:])
		}
	}
	return v.keep(r).value
}

// text returns a piece of a template byte for byte.
func (v *values) text(p placeholder.Part) string {
	if p.Ref != nil && p.Ref.Source == placeholder.Env {
		return v.keep(p.Ref).raw
	}
	return p.Text
}

func (v *values) keep(r *placeholder.Ref) *keptValue {
	name := r.Path[0]
	for i := range v.kept {
		if k := &v.kept[i]; k.source == r.Source && k.name == name {
			return k
		}
	}
	k := keptValue{source: r.Source, name: name}
	if raw, ok := v.fetch(r.Source, name); ok {
		k.raw, k.value = raw, jsondoc.Quote(raw)
	}
	v.kept = append(v.kept, k)
	return &v.kept[len(v.kept)-1]
}

func (v *values) fetch(source placeholder.Source, name string) (string, bool) {
	switch source {
	case placeholder.Env:
		if v.scope.Env != nil {
			return v.scope.Env(name)
		}
	case placeholder.Auth:
		if p := v.scope.Principal; p != nil && name == "subject" {
			return p.Subject, true
		} else if p != nil && name == "token" {
			return p.Token, true
		}
	case placeholder.Contact:
		switch name {
		case "name":
			return v.scope.Contact.Name, true
		case "email":
			return v.scope.Contact.Email, true
		case "phone_number":
			return v.scope.Contact.PhoneNumber, true
		}
	}
	return "", false
}

// descend follows names and array indexes.
func descend(v jsondoc.Value, path []string) jsondoc.Value {
	for _, segment := range path {
		if v.Kind() != jsondoc.Array {
			v = v.Get(segment)
			continue
		}
		i, ok := arrayIndex(segment)
		if !ok {
			return jsondoc.Value{}
		}
		v = v.Index(i)
	}
	return v
}

func arrayIndex(segment string) (int, bool) {
	if len(segment) > 9 || segment == "" {
		return 0, false
	}
	i := 0
	for _, c := range []byte(segment) {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, true
}
