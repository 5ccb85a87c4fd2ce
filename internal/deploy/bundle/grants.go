package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode"

	"github.com/pelletier/go-toml/v2"

	"github.com/vatio-dev/vatio/pkg/tool"
)

// Grants renders the deployment.toml that grants an unpacked deployment what was
// granted where it was pushed, for the directory it stands in itself. It is not
// ok where nothing was granted.
func Grants(config []byte) (text []byte, ok bool, err error) {
	var d Description
	if err := json.Unmarshal(config, &d); err != nil {
		return nil, false, errors.New("the description of the deployment is damaged")
	}
	if d.Grants == nil {
		return nil, false, nil
	}
	type service struct {
		URL     string            `toml:"url"`
		Headers map[string]string `toml:"headers,omitempty,inline"`
	}
	type agent struct {
		ID       string             `toml:"id"`
		Package  string             `toml:"package"`
		Services map[string]service `toml:"services,omitempty"`
	}
	one := agent{ID: d.Grants.ID, Package: "."}
	if !plain(one.ID) {
		return nil, false, errors.New("the description of the deployment has an agent id that is not plain text")
	}
	for name, s := range d.Grants.Services {
		if !tool.ValidServiceName(name) {
			return nil, false, fmt.Errorf("the description of the deployment grants %q, which is no name of a service", printable(name))
		}
		for header, value := range s.Headers {
			if !plain(header) || !plain(value) {
				return nil, false, fmt.Errorf("the description of the deployment has a header for %q that is not plain text", name)
			}
		}
		if !plain(s.URL) {
			return nil, false, fmt.Errorf("the description of the deployment has an address for %q that is not plain text", name)
		}
		if one.Services == nil {
			one.Services = make(map[string]service)
		}
		one.Services[name] = service(s)
	}
	text, err = toml.Marshal(map[string][]agent{"agents": {one}})
	if err != nil {
		return nil, false, fmt.Errorf("the grants of the deployment cannot be written: %w", err)
	}
	return text, true, nil
}

func plain(s string) bool {
	for _, r := range s {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return false
		}
	}
	return true
}
