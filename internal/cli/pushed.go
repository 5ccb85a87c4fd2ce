package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/internal/deploy/bundle"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/executor"
)

// pushedOptions choose a deployment instead of the files here.
type pushedOptions struct {
	deployOptions
	pushed bool
	pass   []string
}

// sourceFlags adds --to and --pass-env; --json is the command's own.
func (o *pushedOptions) sourceFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.to, "to", "", "take the deployment from the OCI repository `oci://HOST/NAME`")
	cmd.Flags().StringSliceVar(&o.pass, "pass-env", nil, "take the secrets `KEY,...` from variables of these names")
}

// deployment unpacks what env runs and returns its loader, with the secrets of
// the workspace here, if there is one. done removes what was unpacked.
func (o *pushedOptions) deployment(cmd *cobra.Command, env string, config *viper.Viper) (l *loader, done func(), err error) {
	if err := validDeployEnvironment(cmd, env); err != nil {
		return nil, nil, err
	}
	if err := o.passable(cmd); err != nil {
		return nil, nil, err
	}
	store, _, err := o.where(cmd)
	if err != nil {
		return nil, nil, err
	}
	d, err := store.Current(cmd.Context(), env)
	var unknown *deploy.UnknownError
	if errors.As(err, &unknown) {
		return nil, nil, withHint(err, "run: vatio status")
	}
	if err != nil {
		return nil, nil, err
	}
	return o.loaderOf(cmd, store, d, config)
}

// loaderOf unpacks a deployment and returns its loader. done removes what was
// unpacked.
func (o *pushedOptions) loaderOf(cmd *cobra.Command, store *deploy.Store, d deploy.Deployment, config *viper.Viper) (l *loader, done func(), err error) {
	files, err := unpacked(cmd.Context(), store, d)
	if err != nil {
		return nil, nil, err
	}
	w, err := o.maybeWorkspace()
	if err != nil {
		return nil, nil, err
	}
	scratch, err := os.MkdirTemp("", "vatio-deployment-")
	if err != nil {
		return nil, nil, fmt.Errorf("no temporary directory can be made: %w", err)
	}
	done = func() { _ = os.RemoveAll(scratch) }
	root := filepath.Join(scratch, "workspace")
	if err := bundle.Write(root, files); err != nil {
		done()
		return nil, nil, err
	}
	l = &loader{
		app: o.app, root: root, cache: filepath.Join(scratch, "cache"), passed: o.pass, config: config,
		client: executor.New(executor.Options{Version: buildInfo().Version}),
	}
	if w != nil {
		l.store = o.secretStore(w.Root)
	}
	return l, done, nil
}

// passable checks that every name of --pass-env is a key, and has a value.
func (o *pushedOptions) passable(cmd *cobra.Command) error {
	var missing []string
	for _, name := range o.pass {
		if err := secrets.ValidKey(name); err != nil {
			return usagef(cmd, "--pass-env: %s", err)
		}
		if o.Getenv(name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("--pass-env names variables that are not set: %s", strings.Join(missing, ", "))
	}
	return nil
}
