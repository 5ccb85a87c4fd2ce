package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/vatio-dev/vatio/internal/secrets"
)

// readSecrets reads the store of the workspace at root.
func (a *app) readSecrets(ctx context.Context, root string) (*secrets.Snapshot, error) {
	snapshot, err := a.secretStore(root).Read()
	if err != nil {
		return nil, secretError(err)
	}
	a.noticeUnmerged(ctx, root)
	return snapshot, nil
}

// announce makes the identity before the store is, and says where it is kept.
func (a *app) announce(store *secrets.Store) error {
	if store.Exists() {
		return nil
	}
	identity, err := store.Identity()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "the secrets of this workspace are opened by the identity in %s\n", identity.Source)
	return nil
}

// fileError names a file as the user did.
func fileError(name string, err error) error {
	if name == "-" {
		name = "stdin"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s cannot be read: %w", name, err)
}
