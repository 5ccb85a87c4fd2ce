package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/internal/deploy/bundle"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

type pullOptions struct{ deployOptions }

func (a *app) pullCommand() *cobra.Command {
	o := &pullOptions{deployOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "pull DEPLOYMENT DIR",
		Short: "Unpack a deployment into a directory",
		Long: `Unpack a deployment into DIR, which must be empty or not exist. DEPLOYMENT is an
environment or the first digits of a digest. What was granted to the agent's
services stands in a deployment.toml beside the files; secrets are in no
deployment.`,
		Example: `  vatio pull live ./as-it-runs
  vatio pull 4f1c2a9be0d3 /tmp/before --to oci://registry.example/acme/agent`,
		Args: argCount(2, 2, "a DEPLOYMENT and a DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0], args[1]) },
	}
	o.flags(cmd)
	return cmd
}

func (o *pullOptions) run(cmd *cobra.Command, name, dir string) error {
	store, _, err := o.where(cmd)
	if err != nil {
		return err
	}
	target := dir
	if !filepath.IsAbs(target) {
		target = filepath.Join(o.Dir, target)
	}
	ctx, stop := o.context(cmd)
	defer stop()
	d, err := store.Resolve(ctx, name)
	if err != nil {
		return err
	}
	files, err := unpacked(ctx, store, d)
	if err != nil {
		return err
	}
	if err := bundle.Write(target, files); err != nil {
		return err
	}
	if o.json {
		return writeJSON(o.app, struct {
			Digest string `json:"digest"`
			Dir    string `json:"dir"`
			Files  int    `json:"files"`
		}{d.Digest, target, len(files)})
	}
	_, err = fmt.Fprintf(o.Out, "unpacked %s into %s: %s\n", shortDigest(d.Digest), dir, count(len(files), "file"))
	return err
}

// unpacked returns the files of a deployment, with its grants as a
// deployment.toml.
func unpacked(ctx context.Context, store *deploy.Store, d deploy.Deployment) ([]bundle.File, error) {
	config, layer, err := store.Fetch(ctx, d.Digest)
	if err != nil {
		return nil, err
	}
	files, err := bundle.Unpack(layer)
	if err != nil {
		return nil, fmt.Errorf("the deployment %s cannot be unpacked: %w", shortDigest(d.Digest), err)
	}
	grants, ok, err := bundle.Grants(config)
	if err != nil {
		return nil, fmt.Errorf("the deployment %s cannot be read: %w", shortDigest(d.Digest), err)
	}
	if ok {
		files = append(files, bundle.File{Path: workspace.DeploymentName, Data: grants})
	}
	return files, nil
}
