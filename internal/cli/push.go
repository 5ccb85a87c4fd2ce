package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/internal/deploy/bundle"
	"github.com/vatio-dev/vatio/internal/deploy/changes"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

type pushOptions struct {
	deployOptions
	env    string
	dryRun bool
	force  bool
}

func (a *app) pushCommand() *cobra.Command {
	o := &pushOptions{deployOptions: deployOptions{app: a}}
	cmd := &cobra.Command{
		Use:   "push",
		Short: "Check, pack and deploy this workspace",
		Long: `Check the workspace as vatio tools check does, pack its files into one OCI
artifact, store it, and point an environment at it: preview, or that of --env. A
push that cannot be right is refused, and on any failure the environment runs what
it ran before.

Deployments are kept in .vatio/deployments, an OCI image layout, or in the registry
of --to or of vatio.yml, with the logins of Docker. Hidden files, node_modules, tmp,
log and what .gitignore or .vatioignore name stay behind; secrets are in no
deployment. --dry-run lists what would go, and what would not.

Beside a deployment.toml a compose.yaml is written that runs its agents.`,
		Example: `  vatio push
  vatio push --dry-run
  vatio push --env staging --to oci://registry.example/acme/agent`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.flags(cmd)
	o.environment(cmd, &o.env, previewEnvironment, "point the environment `NAME` at it")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only list what would go")
	cmd.Flags().BoolVar(&o.force, "force", false, "write compose.yaml even over one that was edited")
	return cmd
}

func (o *pushOptions) run(cmd *cobra.Command) error {
	if err := validDeployEnvironment(cmd, o.env); err != nil {
		return err
	}
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	w, err := o.checked(root)
	if err != nil {
		return err
	}
	progress, finish := o.uploadBar()
	defer finish()
	store, err := o.store(cmd, w, progress)
	if err != nil {
		return err
	}
	ctx, stop := o.context(cmd)
	defer stop()
	files, left, err := bundle.Collect(w)
	if o.dryRun && !o.json {
		printLeft(o.app, left)
	}
	if err != nil {
		return o.refused(err)
	}
	config, err := bundle.Describe(w)
	if err != nil {
		return o.refused(err)
	}
	p := &packed{side: changes.Side{Files: files, Config: config}, left: left}
	var layer []byte
	switch p.report, layer, err = compareLayer(ctx, store, o.env, p.side); {
	case deploy.IsDamaged(err):
		// A push is what sets it right.
		fmt.Fprintf(o.Err, "vatio: what %s runs cannot be compared: %s\n", o.env, printableLines(err.Error()))
		p.report = changes.Compare(changes.Side{}, p.side)
	case err != nil:
		return err
	}
	if o.dryRun {
		return o.printDryRun(p)
	}
	if layer == nil {
		if layer, err = bundle.Pack(files); err != nil {
			return o.refused(err)
		}
	}
	made := commitOf(ctx, root)
	d, pushed, err := store.Push(ctx, o.env, deploy.Artifact{
		Config: config, Layer: layer, Created: o.Now(), GitCommit: made.hash, GitBranch: made.branch, Dirty: made.dirty,
		Author: o.author(ctx, root), Version: buildInfo().Version,
	})
	finish()
	if err != nil {
		return err
	}
	if err := o.printPush(p, d, pushed); err != nil {
		return err
	}
	return o.writeCompose(w)
}

// A packed is a workspace on its way.
type packed struct {
	side   changes.Side
	left   []bundle.Left
	report *changes.Report // against what the environment runs
}

func (p *packed) size() (total int64) {
	for _, f := range p.side.Files {
		total += int64(len(f.Data))
	}
	return total
}

// checked runs the whole check and refuses what has errors. A service tool that
// nothing grants is a warning until it is deployed.
func (o *pushOptions) checked(root string) (*workspace.Workspace, error) {
	w, faults, err := o.checkWorkspace(root, o.env)
	if err != nil {
		return nil, err
	}
	var refused diag.List
	for _, d := range faults {
		if d.Severity == diag.Error || d.Code == "grant" {
			refused = append(refused, d)
		}
	}
	others, err := o.ungrantedElsewhere(w)
	if err != nil {
		return nil, err
	}
	if refused = append(refused, others...); len(refused) == 0 {
		return w, nil
	}
	if err := diag.WriteText(o.Err, refused, o.ErrColors().DiagStyle()); err != nil {
		return nil, err
	}
	return nil, withHint(fmt.Errorf("nothing was pushed: the workspace has %s", count(len(refused), "error")), "run: vatio tools check")
}

// ungrantedElsewhere lists what the other agents of the deployment.toml lack or
// have too much.
func (o *pushOptions) ungrantedElsewhere(w *workspace.Workspace) (diag.List, error) {
	if w.Deployment == nil {
		return nil, nil
	}
	var list diag.List
	dir := filepath.Dir(filepath.Join(w.Root, filepath.FromSlash(w.Deployment.File.Name)))
	for _, entry := range w.Deployment.Root.Get("agents").Items {
		root := filepath.Join(dir, filepath.FromSlash(entry.Get("package").Text))
		if root == w.Root {
			continue
		}
		_, faults, err := o.checkWorkspace(root, o.env)
		if err != nil {
			return nil, err
		}
		for _, d := range faults {
			if d.Code == "grant" {
				list = append(list, d)
			}
		}
	}
	return list, nil
}

// refused says why the files cannot travel, a line each.
func (o *pushOptions) refused(err error) error {
	var list *bundle.RefusedError
	if !errors.As(err, &list) {
		return err
	}
	for _, r := range list.Refusals {
		fmt.Fprintln(o.Err, diag.Printable(r.String()))
	}
	return fmt.Errorf("nothing was pushed: %s", count(len(list.Refusals), "problem"))
}
