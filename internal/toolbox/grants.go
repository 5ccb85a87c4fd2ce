package toolbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// A Grant is a service with everything resolved.
type Grant struct {
	executor.Grant
	Keys []string // for each header the NAME of its env:NAME; "" for a literal
}

// EnvNames lists the NAMEs of an agent's grants, each once, in the file's order.
func EnvNames(agent *workspace.Grants) []string {
	var names []string
	add := func(text string) {
		if name, isEnv := workspace.EnvName(text); isEnv && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, s := range agent.Services {
		add(s.URL)
		for _, h := range s.Headers {
			add(h.Value)
		}
	}
	return names
}

// ResolveGrants replaces every env:NAME of an agent's grants by what lookup
// gives for NAME. The error lists all names without a value, or says which grant
// cannot be used.
func ResolveGrants(agent *workspace.Grants, lookup func(name string) (string, bool)) (map[string]Grant, error) {
	values := map[string]string{}
	var missing []string
	for _, name := range EnvNames(agent) {
		value, ok := lookup(name)
		if !ok {
			missing = append(missing, name)
		}
		values[name] = value
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("the deployment needs %s, in the environment or as secrets", strings.Join(missing, ", "))
	}
	resolve := func(text string) string {
		if name, isEnv := workspace.EnvName(text); isEnv {
			return values[name]
		}
		return text
	}
	grants := map[string]Grant{}
	for _, s := range agent.Services {
		g := Grant{Grant: executor.Grant{URL: resolve(s.URL)}}
		for _, h := range s.Headers {
			g.Headers = append(g.Headers, executor.Header{Name: h.Name, Value: resolve(h.Value)})
			key, isEnv := workspace.EnvName(h.Value)
			if !isEnv {
				key = ""
			}
			g.Keys = append(g.Keys, key)
		}
		if err := g.Check(); err != nil {
			return nil, fmt.Errorf("the service %q cannot be called: %w", s.Name, err)
		}
		grants[s.Name] = g
	}
	return grants, nil
}
