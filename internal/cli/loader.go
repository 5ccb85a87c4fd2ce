package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/agent"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// A loader makes agents of the files of one workspace, as often as they change.
type loader struct {
	*app
	root   string         // of the files
	cache  string         // directory for what can be made again
	store  *secrets.Store // one, so that a passphrase is asked for once; nil: none
	passed []string       // variables that are secrets, and go first
	config *viper.Viper   // which model answers, without what vatio.yml says
	client *executor.Client
}

func (a *app) newLoader(root string, config *viper.Viper) *loader {
	return &loader{
		app: a, root: root, cache: filepath.Join(root, ".vatio"), store: a.secretStore(root), config: config,
		client: executor.New(executor.Options{Version: buildInfo().Version}),
	}
}

func (l *loader) close() { l.client.Close() }

// A loadedAgent is an agent and what it was made of.
type loadedAgent struct {
	*agent.Agent
	env       string
	workspace *workspace.Workspace
	faults    diag.List
	unset     []string // secrets that its tools ask for and that have no value, sorted
	redact    func(text string) string
}

// brokenWorkspace says that vatio.yml has errors.
type brokenWorkspace struct{ faults diag.List }

func (e *brokenWorkspace) Error() string {
	return fmt.Sprintf("%s has %s", workspace.FileName, count(len(e.own()), "error"))
}

// tell prints what is wrong and returns the error for it.
func (a *app) tell(e *brokenWorkspace) error {
	_ = diag.WriteText(a.Err, e.own(), a.ErrColors().DiagStyle())
	return e
}

// own returns the errors of vatio.yml.
func (e *brokenWorkspace) own() diag.List {
	var own diag.List
	for _, d := range e.faults {
		if d.Span.File.Name == workspace.FileName && d.Severity == diag.Error {
			own = append(own, d)
		}
	}
	return own
}

// load checks the files and makes their agent; a tool whose file is broken now
// goes on as it was in last, which may be nil. The error is a *brokenWorkspace
// when vatio.yml has errors.
func (l *loader) load(env string, last *agent.Agent) (*loadedAgent, error) {
	var snapshot *secrets.Snapshot
	var unread error
	if l.store != nil {
		snapshot, unread = l.store.Read()
	}
	secret := func(key string) (string, bool) {
		if slices.Contains(l.passed, key) {
			return l.Getenv(key), true
		}
		if snapshot == nil {
			return "", false
		}
		v, ok := snapshot.Lookup(key, env)
		return v.Reveal(), ok
	}
	w, faults, notice, err := l.checkAgainst(func(key string) bool {
		_, ok := secret(key)
		return ok
	}, unread, l.root)
	if err != nil {
		return nil, err
	}
	fmt.Fprint(l.Err, notice)
	if agent.HasErrors(faults, w.File) {
		return nil, &brokenWorkspace{faults}
	}
	if unread != nil && l.needsSecrets(w) {
		return nil, unread
	}
	model, err := modelOf(l.config, w, l.app, secret)
	if noKey(err) && unread != nil {
		return nil, unread
	}
	if err != nil {
		return nil, err
	}
	made, err := agent.New(w, faults, agent.Options{
		Model: model, Client: l.client, Secret: secret, Variable: l.Getenv, Now: l.Now, CacheDir: l.cache, Last: last,
	})
	if err != nil {
		return nil, err
	}
	return &loadedAgent{
		Agent: made, env: env, workspace: w, faults: faults, unset: unsetSecrets(made, secret),
		redact: executor.NewRedactor(l.secretValues(w, snapshot, env)),
	}, nil
}

// unsetSecrets lists the secrets that the usable tools ask for in vain.
func unsetSecrets(made *agent.Agent, secret func(key string) (string, bool)) []string {
	var unset []string
	for _, t := range made.Tools {
		for _, text := range t.Templates() {
			for _, ref := range text.Refs() {
				if ref.Source != placeholder.Env || slices.Contains(unset, ref.Path[0]) {
					continue
				}
				if _, ok := secret(ref.Path[0]); !ok {
					unset = append(unset, ref.Path[0])
				}
			}
		}
	}
	slices.Sort(unset)
	return unset
}

// secretValues lists what must stand in no transcript: the secrets of the
// environment, the variables that grants use, and the keys of model providers. An
// address is no secret.
func (l *loader) secretValues(w *workspace.Workspace, snapshot *secrets.Snapshot, env string) []string {
	var values []string
	addresses := addressKeys(w)
	if snapshot != nil {
		for _, e := range snapshot.Entries() {
			if v, ok := snapshot.Lookup(e.Key, env); ok && !slices.Contains(addresses, e.Key) {
				values = append(values, v.Reveal())
			}
		}
	}
	names := append([]string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}, l.passed...)
	if w.Deployment != nil && w.Deployment.Agent != nil {
		names = append(names, toolbox.EnvNames(w.Deployment.Agent)...)
	}
	for _, name := range names {
		if value := l.Getenv(name); value != "" && !slices.Contains(addresses, name) {
			values = append(values, value)
		}
	}
	return values
}

// addressKeys lists the secrets that are used as addresses alone, in a base_url or
// as the url of a grant.
func addressKeys(w *workspace.Workspace) []string {
	var addresses, others []string
	for _, t := range w.Tools {
		for field, text := range t.Templates() {
			for _, ref := range text.Refs() {
				switch {
				case ref.Source != placeholder.Env:
				case field == "base_url":
					addresses = append(addresses, ref.Path[0])
				default:
					others = append(others, ref.Path[0])
				}
			}
		}
	}
	if w.Deployment != nil && w.Deployment.Agent != nil {
		for _, s := range w.Deployment.Agent.Services {
			if name, ok := workspace.EnvName(s.URL); ok {
				addresses = append(addresses, name)
			}
			for _, h := range s.Headers {
				if name, ok := workspace.EnvName(h.Value); ok {
					others = append(others, name)
				}
			}
		}
	}
	return slices.DeleteFunc(addresses, func(key string) bool { return slices.Contains(others, key) })
}

// needsSecrets reports whether a tool asks for a secret, or a grant for one that
// the environment does not have.
func (l *loader) needsSecrets(w *workspace.Workspace) bool {
	for _, t := range w.Tools {
		for _, text := range t.Templates() {
			for _, ref := range text.Refs() {
				if ref.Source == placeholder.Env && !slices.Contains(l.passed, ref.Path[0]) {
					return true
				}
			}
		}
	}
	if w.Deployment == nil || w.Deployment.Agent == nil {
		return false
	}
	return slices.ContainsFunc(toolbox.EnvNames(w.Deployment.Agent), func(name string) bool { return l.Getenv(name) == "" })
}

// filesStamp changes when a file that an agent is made of is written, added or
// removed.
func (l *loader) filesStamp() string {
	var b strings.Builder
	add := func(path string) { b.WriteString(stampOfFile(path)) }
	add(filepath.Join(l.root, workspace.FileName))
	add(filepath.Join(l.root, ".vatio", "secrets.age"))
	for dir := l.root; ; dir = filepath.Dir(dir) {
		add(filepath.Join(dir, workspace.DeploymentName))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	entries, _ := os.ReadDir(filepath.Join(l.root, "tools"))
	for _, e := range entries {
		add(filepath.Join(l.root, "tools", e.Name()))
	}
	return b.String()
}

func stampOfFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
}
