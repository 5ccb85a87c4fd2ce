package scaffold

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"

	"github.com/vatio-dev/vatio/internal/toolfile"
)

// A Tool is a GET request that an address stands for.
type Tool struct {
	Key         string
	Description string // "": one that says what is got
	WhenToUse   string // "": one that says who asks
	Origin      string // scheme and host: the value of API_URL
	Bearer      bool   // the backend asks for API_TOKEN
	Params      []Param
	Secrets     []Secret // credentials that stood in the address

	path    []segment
	query   []entry
	noun    string // what the address is about, such as products
	answer  []field
	counted bool // the first field is a list
}

// A Param is a part of the address that the model fills in.
type Param struct {
	Name    string
	Type    string // string, integer, number or boolean
	Example string // what stood in the address; "" where it only named a place
}

// A Secret is a part of the address that no file may hold.
type Secret struct{ Key, Value string }

// A segment is a piece of the path: text as it stands in an address, or a
// placeholder.
type segment struct{ text, ref string }

type entry struct{ name, ref string }

// The secrets that every backend has.
const (
	URLSecret   = "API_URL"
	TokenSecret = "API_TOKEN"
)

// FromAddress reads an address such as https://api.example.com/orders/1042?full=true
// as the request of a tool: what looks like a value becomes a parameter, what
// looks like a credential a secret. A segment that is {name} or :name is a
// parameter without an example.
func FromAddress(address string) (*Tool, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is no address: write all of it, such as https://api.example.com/products?name=picker", address)
	case u.User != nil:
		return nil, errors.New("the address holds a user or a password: leave them out, and set them as a secret later")
	}
	t := &Tool{Origin: u.Scheme + "://" + u.Host}
	if err := t.readPath(u.EscapedPath()); err != nil {
		return nil, err
	}
	if err := t.readQuery(u.RawQuery); err != nil {
		return nil, err
	}
	t.Key = t.name()
	return t, nil
}

func (t *Tool) readPath(escaped string) error {
	before := ""
	for _, s := range strings.Split(strings.Trim(escaped, "/"), "/") {
		text, err := url.PathUnescape(s)
		if err != nil {
			text = s
		}
		name, example, isValue := valueSegment(text)
		switch {
		case s == "":
		case text == "." || strings.Contains(text, ".."):
			return fmt.Errorf("the path of the address holds %q: write where it leads to", s)
		case isValue:
			if name == "" {
				if name = "id"; before != "" {
					name = singular(before) + "_id"
				}
			}
			t.path = append(t.path, segment{ref: t.param(name, example)})
		default:
			t.path = append(t.path, segment{text: strings.ReplaceAll(s, "$", "$$")})
			if !isVersion(text) {
				before, t.noun = toolfile.Identifier(text), toolfile.Identifier(text)
			}
		}
	}
	return nil
}

// valueSegment tells whether a segment names one thing among many: a place for a
// name, or something with a digit that is no version.
func valueSegment(s string) (name, example string, ok bool) {
	if inner, cut := strings.CutPrefix(s, "{"); cut && strings.HasSuffix(inner, "}") {
		return toolfile.Identifier(strings.TrimSuffix(inner, "}")), "", true
	}
	if rest, cut := strings.CutPrefix(s, ":"); cut && rest != "" {
		return toolfile.Identifier(rest), "", true
	}
	return "", s, strings.ContainsAny(s, "0123456789") && !isVersion(s)
}

// isVersion recognises v1, v2.1, 2024-01 and api.
func isVersion(s string) bool {
	if s == "api" {
		return true
	}
	rest, _ := strings.CutPrefix(strings.ToLower(s), "v")
	if len(rest) == len(s) {
		return len(s) >= 7 && strings.HasPrefix(s, "20") && s[4] == '-' && strings.Trim(s, "0123456789-") == ""
	}
	return rest != "" && strings.Trim(rest, "0123456789.") == ""
}

func (t *Tool) readQuery(raw string) error {
	if raw == "" {
		return nil
	}
	for pair := range strings.SplitSeq(raw, "&") {
		k, v, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(k)
		value, err2 := url.QueryUnescape(v)
		if err = errors.Join(err, err2); err != nil || name == "" || len(name) > 200 || !utf8.ValidString(name+value) {
			return fmt.Errorf("the query of the address cannot be read at %q", pair)
		}
		if template, faults := placeholder.Compile(name); len(faults) > 0 || len(template.Refs()) > 0 {
			return fmt.Errorf("the query of the address has the name %q, which reads as a placeholder: leave it out", name)
		}
		if slices.ContainsFunc(t.query, func(e entry) bool { return e.name == name }) {
			continue // the model gives one value, or a list of them
		}
		if isCredential(name) {
			t.query = append(t.query, entry{name, t.secret(name, value)})
			continue
		}
		t.query = append(t.query, entry{name, t.param(toolfile.Identifier(name), value)})
	}
	return nil
}

// isCredential tells by the name of a query entry whether its value is one.
func isCredential(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(toolfile.Snake(name)), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for _, w := range words {
		switch w {
		case "key", "apikey", "token", "secret", "password", "pwd", "signature", "sig", "auth", "credential", "appid":
			return true
		}
	}
	return false
}

// secret notes a credential, under a key that no other has, and returns its
// placeholder.
func (t *Tool) secret(name, value string) string {
	key := "API_" + strings.TrimPrefix(strings.ToUpper(toolfile.Identifier(name)), "API_")
	if key == URLSecret || key == TokenSecret || !placeholder.ValidKey(key) {
		key = "API_KEY"
	}
	unique := key
	for n := 2; slices.ContainsFunc(t.Secrets, func(s Secret) bool { return s.Key == unique }); n++ {
		unique = fmt.Sprintf("%s_%d", key, n)
	}
	t.Secrets = append(t.Secrets, Secret{unique, value})
	return "$env." + unique
}

// param notes a parameter, under a name that no other has, and returns its
// placeholder.
func (t *Tool) param(name, example string) string {
	if name == "" {
		name = "value"
	}
	unique := name
	for n := 2; slices.ContainsFunc(t.Params, func(p Param) bool { return p.Name == unique }); n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	t.Params = append(t.Params, Param{Name: unique, Type: typeOf(example), Example: example})
	return "$params." + unique
}

// name makes a key of what the address is about.
func (t *Tool) name() string {
	verb, noun := "get_", t.noun
	if n := len(t.path); n > 0 && t.path[n-1].ref != "" {
		noun = singular(noun)
	} else if len(t.query) > 0 {
		verb = "find_"
	}
	key := strings.ToLower(verb + noun)
	if key = strings.Trim(key[:min(len(key), 64)], "_"); noun == "" || !tool.ValidKey(key) {
		return "first_tool"
	}
	return key
}
