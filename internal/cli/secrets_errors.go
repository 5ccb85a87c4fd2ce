package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/secrets"
)

// secretError says on a line of its own what to do about an error of the store.
func secretError(err error) error {
	var open *secrets.OpenError
	var identity *secrets.IdentityError
	switch {
	// What the operating system refuses has a reason there, not a remedy.
	case errors.As(err, &open) && open.Cause != secrets.Unreadable:
		return withHint(fmt.Errorf("%s %s", open.File, open.Detail), "%s", open.Hint)
	case errors.As(err, &identity) && identity.Cause != secrets.IdentityUnusable:
		return withHint(fmt.Errorf("%s %s", identity.Source, identity.Detail), "%s", identity.Hint)
	}
	return err
}

// secretUsageError is secretError, but what is refused as it stands is wrong
// usage.
func secretUsageError(cmd *cobra.Command, err error) error {
	var invalid *secrets.InvalidError
	if errors.As(err, &invalid) {
		return usagef(cmd, "%s", invalid.Message)
	}
	return secretError(err)
}
