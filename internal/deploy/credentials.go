package deploy

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// logins finds the login of a registry in Docker's configuration when the
// registry first asks for one, and asks each helper once.
type logins struct {
	mu    sync.Mutex
	known map[string]auth.Credential
}

// loginError says that Docker's configuration or a helper gives no login.
type loginError struct{ text string }

func (e *loginError) Error() string { return e.text }

func (l *logins) find(ctx context.Context, host string) (auth.Credential, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, found := l.known[host]; found {
		return c, nil
	}
	path := dockerConfig()
	store, err := credentials.NewStore(path, credentials.StoreOptions{})
	if err != nil {
		return auth.EmptyCredential, &loginError{fmt.Sprintf("cannot read Docker's configuration %s to log in to %s: %s", path, host, configFault(path))}
	}
	c, err := credentials.Credential(store)(ctx, host)
	if err != nil {
		if ctx.Err() != nil {
			return auth.EmptyCredential, ctx.Err()
		}
		helper := helperOf(path, credentials.ServerAddressFromHostname(host))
		if helper == "" {
			return auth.EmptyCredential, &loginError{fmt.Sprintf("the login for %s in %s cannot be read: log in again with \"docker login %s\"", host, path, host)}
		}
		return auth.EmptyCredential, &loginError{fmt.Sprintf("the credential helper docker-credential-%s, which %s names for %s, failed: %s", helper, path, host, helperFault(err))}
	}
	if l.known == nil {
		l.known = map[string]auth.Credential{}
	}
	l.known[host] = c
	return c, nil
}

// has reports whether a login was found for the host.
func (l *logins) has(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[host] != auth.EmptyCredential
}

// dockerConfig is where Docker keeps its configuration: in the directory that
// DOCKER_CONFIG names, or in ~/.docker.
func dockerConfig() string {
	dir := os.Getenv("DOCKER_CONFIG")
	if dir == "" {
		// Without a home there is no configuration.
		home, _ := os.UserHomeDir()
		dir = filepath.Join(home, ".docker")
	}
	return filepath.Join(dir, "config.json")
}

// configFault says what is wrong with a configuration that could not be read,
// without quoting it: it may hold passwords.
func configFault(path string) string {
	if _, err := os.ReadFile(path); err != nil {
		return "it cannot be opened"
	}
	return "it is not the JSON that Docker writes"
}

// helperOf is the helper that the configuration names for a server, "" for none.
func helperOf(path, server string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var config struct {
		Store   string            `json:"credsStore"`
		Helpers map[string]string `json:"credHelpers"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return ""
	}
	if helper := config.Helpers[server]; helper != "" {
		return legible(helper)
	}
	return legible(config.Store)
}

// helperFault is what a helper said, unless that may be a credential.
func helperFault(err error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "executable file not found"):
		return "it is not installed"
	case strings.ContainsAny(text, "{}"):
		return "its answer is not what a helper says"
	case strings.HasPrefix(text, "invalid character") || strings.HasPrefix(text, "unexpected end of JSON"):
		return "its answer is not JSON"
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return legible(line)
}
