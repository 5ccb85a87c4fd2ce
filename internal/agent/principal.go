package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// KeyFile is the path of the public key that Caller verifies with; "" where
// vatio.yml has no auth.
func (a *Agent) KeyFile() string { return a.keyFile }

// Caller verifies a JWT and returns who it is from. The key is read once.
func (a *Agent) Caller(token string) (toolbox.Caller, error) {
	if a.verifier == nil {
		return toolbox.Caller{}, fmt.Errorf("%s has no auth block, which says how tokens are verified", workspace.FileName)
	}
	verifier, err := a.verifier()
	if err != nil {
		return toolbox.Caller{}, err
	}
	principal, err := verifier.Verify(token)
	if err != nil {
		return toolbox.Caller{}, err
	}
	owner, err := toolbox.TokenOwner(principal, a.Slug)
	return toolbox.Caller{Owner: owner, Principal: principal}, err
}

func keyPath(w *workspace.Workspace) string {
	return filepath.Join(w.Root, filepath.FromSlash(w.Auth.PublicKey))
}

// Verifier reads the key of a workspace that has an auth block.
func Verifier(w *workspace.Workspace, now func() time.Time) (*auth.Verifier, error) {
	public, err := os.ReadFile(keyPath(w))
	if err != nil {
		return nil, fmt.Errorf("the public key %s cannot be read", w.Auth.PublicKey)
	}
	verifier, err := auth.NewVerifier(public, w.Auth.Algorithm, w.Slug, w.Auth.Issuer, now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Auth.PublicKey, err)
	}
	return verifier, nil
}
