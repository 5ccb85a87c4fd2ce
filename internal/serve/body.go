package serve

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// object reads the body of a request: a JSON object with no other members than
// these. An empty body is an empty object.
func object(r *http.Request, members ...string) (jsondoc.Value, error) {
	data, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return jsondoc.Value{}, refuse(http.StatusRequestEntityTooLarge, "body_too_large", "the body is too large: %d bytes are allowed", tooLarge.Limit)
	}
	if err != nil {
		return jsondoc.Value{}, invalid("the body cannot be read")
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		data = []byte("{}")
	}
	v, err := jsondoc.Parse(data)
	if err != nil {
		return v, invalid("the body is no JSON: %s", err)
	}
	return v, only(v, "the body", members...)
}

// only checks that v is an object with no other members than these.
func only(v jsondoc.Value, what string, members ...string) error {
	if v.Kind() != jsondoc.Object {
		return invalid("%s must be a JSON object", what)
	}
	for name := range v.Members() {
		switch {
		case slices.Contains(members, name):
		case len(members) == 0:
			return invalid("%s has the unknown member %q: there are none", what, name)
		default:
			return invalid("%s has the unknown member %q: it may have %s", what, name, diag.Quoted(members))
		}
	}
	return nil
}

// text returns a member that must be a string. It is nil when there is none, and
// empty when it is null.
func text(v jsondoc.Value, name string) (*string, error) {
	m := v.Get(name)
	switch m.Kind() {
	case 0:
		return nil, nil
	case jsondoc.Null:
		return new(string), nil
	case jsondoc.String:
		s := m.Text()
		return &s, nil
	}
	return nil, invalid("%q must be a string", name)
}

// said returns the member "text", which must be there.
func said(v jsondoc.Value) (string, error) {
	s, err := text(v, "text")
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", invalid(`"text" is missing: {"text": "…"}`)
	}
	return *s, nil
}

// A contact's fields as a request gives them; nil where it does not.
type contact struct{ name, email, phone *string }

func contactOf(v jsondoc.Value) (contact, error) {
	var c contact
	given := v.Get("contact")
	if !given.Exists() {
		return c, nil
	}
	if err := only(given, `"contact"`, "name", "email", "phone_number"); err != nil {
		return c, err
	}
	for _, field := range []struct {
		name string
		to   **string
	}{{"name", &c.name}, {"email", &c.email}, {"phone_number", &c.phone}} {
		s, err := text(given, field.name)
		if err != nil {
			return c, err
		}
		if s == nil {
			continue
		}
		*s = strings.TrimSpace(*s)
		switch {
		case utf8.RuneCountInString(*s) > 200:
			return c, invalid("%q is longer than 200 characters", field.name)
		case strings.ContainsFunc(*s, unicode.IsControl):
			return c, invalid("%q must not hold line breaks or other control characters", field.name)
		}
		*field.to = s
	}
	if c.phone != nil && *c.phone != "" {
		clean, err := (&chat.Conversation{}).Share(*c.phone)
		if err != nil {
			return c, invalid("\"phone_number\": %s", err)
		}
		c.phone = &clean
	}
	return c, nil
}

// value returns what a pointer points to, or "".
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
