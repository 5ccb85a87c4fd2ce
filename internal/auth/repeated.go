package auth

import (
	"bytes"
	"encoding/json"
)

// repeated returns the first name that an object, at any depth, has twice. The
// text is valid JSON.
func repeated(text []byte) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	type level struct {
		names map[string]bool // nil in an array
		value bool            // the next token is a member's value
	}
	var open []*level
	for {
		token, err := d.Token()
		if err != nil {
			return "", false
		}
		var top *level
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		if name, ok := token.(string); ok && top != nil && top.names != nil && !top.value {
			if top.names[name] {
				return name, true
			}
			top.names[name] = true
			top.value = true
			continue
		}
		if top != nil {
			top.value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &level{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, &level{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
	}
}
