package toolbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// ResolveGrants replaces every env:NAME of an agent's grants by what lookup
// gives for NAME. The error lists all names without a value.
func ResolveGrants(agent *workspace.Grants, lookup func(name string) (string, bool)) (map[string]executor.Grant, error) {
	grants := map[string]executor.Grant{}
	var missing []string
	resolve := func(text string) string {
		name, isEnv := workspace.EnvName(text)
		if !isEnv {
			return text
		}
		value, ok := lookup(name)
		if !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
		return value
	}
	for _, s := range agent.Services {
		g := executor.Grant{URL: resolve(s.URL)}
		for _, h := range s.Headers {
			g.Headers = append(g.Headers, executor.Header{Name: h.Name, Value: resolve(h.Value)})
		}
		grants[s.Name] = g
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("the deployment needs %s, in the environment or as secrets", strings.Join(missing, ", "))
	}
	return grants, nil
}
