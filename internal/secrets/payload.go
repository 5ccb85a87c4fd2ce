package secrets

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const (
	formatName    = "vatio-secrets"
	formatVersion = 1
	idBytes       = 16
)

// A payload is the decrypted store. Its entries are sorted and unique.
type payload struct {
	id         string
	recipients []Recipient
	entries    []entry
}

type entry struct {
	key, environment string
	value            Value
	changed          time.Time
}

func (e entry) compare(key, environment string) int {
	return cmp.Or(cmp.Compare(e.key, key), cmp.Compare(e.environment, environment))
}

func (p *payload) find(key, environment string) (int, bool) {
	return slices.BinarySearchFunc(p.entries, entry{key: key, environment: environment}, func(e, want entry) int {
		return e.compare(want.key, want.environment)
	})
}

// The payload as JSON, in the order in which its members stand.
type payloadJSON struct {
	Format     string          `json:"format"`
	Version    int             `json:"version"`
	Store      string          `json:"store"`
	Recipients []recipientJSON `json:"recipients"`
	Entries    []entryJSON     `json:"entries"`
}

type recipientJSON struct {
	Key     string `json:"key"`
	Comment string `json:"comment,omitempty"`
}

type entryJSON struct {
	Key         string  `json:"key"`
	Environment string  `json:"environment,omitempty"`
	Value       *string `json:"value,omitempty"`
	Base64      *string `json:"value_base64,omitempty"`
	Changed     string  `json:"changed"`
}

func (p *payload) encode() []byte {
	j := payloadJSON{
		Format: formatName, Version: formatVersion, Store: p.id,
		Recipients: make([]recipientJSON, len(p.recipients)),
		Entries:    make([]entryJSON, len(p.entries)),
	}
	for i, r := range p.recipients {
		j.Recipients[i] = recipientJSON{Key: r.Key, Comment: r.Comment}
	}
	for i, e := range p.entries {
		out := entryJSON{Key: e.key, Environment: e.environment, Changed: e.changed.UTC().Format(time.RFC3339)}
		text := e.value.Reveal()
		if utf8.ValidString(text) {
			out.Value = &text
		} else {
			text = base64.StdEncoding.EncodeToString([]byte(text))
			out.Base64 = &text
		}
		j.Entries[i] = out
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(j) // strings, numbers and a buffer: it cannot fail
	return out.Bytes()
}

// decodePayload reads what encode has written. What the JSON parser says is not
// passed on: it may quote what it has read.
func decodePayload(text []byte) (*payload, error) {
	// Not encoding/json: of every command that reads secrets it would take the
	// most time.
	root, err := jsondoc.Parse(text)
	version, _ := strconv.Atoi(string(root.Get("version").Raw()))
	switch {
	case err != nil || root.Get("format").Text() != formatName || version < 1:
		return nil, damaged("was decrypted, but holds no store of secrets")
	case version > formatVersion:
		return nil, &OpenError{File: FileName, Cause: FutureVersion,
			Detail: fmt.Sprintf("has the format version %d, and this vatio knows %d", version, formatVersion),
			Hint:   "install a newer vatio"}
	}
	j, ok := parsePayload(root)
	if !ok {
		return nil, damaged(fmt.Sprintf("was decrypted, but its content is not of format version %d", formatVersion))
	}
	if id, err := hex.DecodeString(j.Store); err != nil || len(id) != idBytes {
		return nil, damaged("was decrypted, but its store id is not 32 hexadecimal digits")
	}
	p := &payload{id: j.Store}
	for i, r := range j.Recipients {
		parsed, err := ParseRecipient(r.Key)
		if err != nil || parsed.Key != r.Key {
			return nil, damaged(fmt.Sprintf("was decrypted, but its recipient %d is not one", i+1))
		}
		p.recipients = append(p.recipients, Recipient{Key: r.Key, Comment: r.Comment})
	}
	p.entries = make([]entry, len(j.Entries))
	for i, e := range j.Entries {
		var problem string
		if p.entries[i], problem = e.decode(); problem != "" {
			return nil, damaged(fmt.Sprintf("was decrypted, but its entry %d %s", i+1, problem))
		}
	}
	slices.SortStableFunc(p.entries, func(a, b entry) int { return a.compare(b.key, b.environment) })
	for i := 1; i < len(p.entries); i++ {
		if e := p.entries[i]; p.entries[i-1].compare(e.key, e.environment) == 0 {
			return nil, damaged(fmt.Sprintf("was decrypted, but %q stands twice in it", e.key))
		}
	}
	return p, nil
}

// parsePayload reports false where a member is unknown or of another type.
func parsePayload(root jsondoc.Value) (payloadJSON, bool) {
	var j payloadJSON
	for name, v := range root.Members() {
		ok := true
		switch name {
		case "format", "version":
		case "store":
			j.Store, ok = v.Text(), v.Kind() == jsondoc.String
		case "recipients":
			j.Recipients, ok = parseList(v, func(r *recipientJSON, name, text string) bool {
				switch name {
				case "key":
					r.Key = text
				case "comment":
					r.Comment = text
				default:
					return false
				}
				return true
			})
		case "entries":
			j.Entries, ok = parseList(v, func(e *entryJSON, name, text string) bool {
				switch name {
				case "key":
					e.Key = text
				case "environment":
					e.Environment = text
				case "value":
					e.Value = &text
				case "value_base64":
					e.Base64 = &text
				case "changed":
					e.Changed = text
				default:
					return false
				}
				return true
			})
		default:
			ok = false
		}
		if !ok {
			return payloadJSON{}, false
		}
	}
	return j, true
}

// parseList reads a list of objects whose members are all strings; set gives
// one its member, and reports false for one that it does not know.
func parseList[T any](v jsondoc.Value, set func(to *T, name, text string) bool) ([]T, bool) {
	if v.Kind() != jsondoc.Array {
		return nil, false
	}
	list := make([]T, v.Len())
	i := 0
	for element := range v.Elements() {
		if element.Kind() != jsondoc.Object {
			return nil, false
		}
		for name, member := range element.Members() {
			if member.Kind() != jsondoc.String || !set(&list[i], name, member.Text()) {
				return nil, false
			}
		}
		i++
	}
	return list, true
}

func (e entryJSON) decode() (entry, string) {
	if validPlace(e.Key, e.Environment) != nil {
		return entry{}, "has no valid key and environment"
	}
	out := entry{key: e.Key, environment: e.Environment}
	switch {
	case e.Value != nil && e.Base64 == nil:
		out.value = valueOf(*e.Value)
	case e.Base64 != nil && e.Value == nil:
		b, err := base64.StdEncoding.DecodeString(*e.Base64)
		if err != nil {
			return entry{}, "has a value_base64 that is not base64"
		}
		out.value = NewValue(b)
	default:
		return entry{}, "needs either value or value_base64"
	}
	if ValidValue(out.value) != nil {
		return entry{}, "has an empty value or one over 64 KiB"
	}
	var err error
	if out.changed, err = time.Parse(time.RFC3339, e.Changed); err != nil {
		return entry{}, "has no valid time"
	}
	out.changed = out.changed.UTC()
	return out, ""
}
