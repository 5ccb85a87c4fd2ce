package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/internal/deploy/bundle"
	"github.com/vatio-dev/vatio/internal/deploy/changes"
	"github.com/vatio-dev/vatio/internal/deploy/compose"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// printLeft says what stays behind.
func printLeft(a *app, left []bundle.Left) {
	for _, l := range left {
		fmt.Fprintf(a.Err, "left out: %s (%s)\n", diag.Printable(l.Path), diag.Printable(l.Reason))
	}
}

// A pushedFile is a file that travels, as --json prints it.
type pushedFile struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

// A leftFile is one that does not.
type leftFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// printDryRun lists what would go.
func (o *pushOptions) printDryRun(p *packed) error {
	if o.json {
		out := struct {
			Environment string         `json:"environment"`
			DryRun      bool           `json:"dry_run"`
			Size        int64          `json:"size"`
			Files       []pushedFile   `json:"files"`
			LeftOut     []leftFile     `json:"left_out"`
			Changes     []changes.File `json:"changes"`
		}{o.env, true, p.size(), []pushedFile{}, []leftFile{}, reported(p.report)}
		for _, f := range p.side.Files {
			out.Files = append(out.Files, pushedFile{f.Path, len(f.Data)})
		}
		for _, l := range p.left {
			out.LeftOut = append(out.LeftOut, leftFile{l.Path, l.Reason})
		}
		return writeJSON(o.app, out)
	}
	rows := [][]string{}
	for _, f := range p.side.Files {
		rows = append(rows, []string{diag.Printable(f.Path), humanize.IBytes(uint64(len(f.Data)))})
	}
	if err := writeTable(o.Out, rows); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "%s, %s, would go to %s\n", count(len(p.side.Files), "file"), humanize.IBytes(uint64(p.size())), o.env)
	return o.printChanges(p.report)
}

// printPush says what was done.
func (o *pushOptions) printPush(p *packed, d deploy.Deployment, pushed bool) error {
	if o.json {
		return writeJSON(o.app, struct {
			deployed
			Pushed       bool           `json:"pushed"`
			ConfigDigest string         `json:"config_digest"`
			LayerDigest  string         `json:"layer_digest"`
			Files        int            `json:"files"`
			Size         int64          `json:"size"`
			Changes      []changes.File `json:"changes"`
		}{deployedAs(o.env, d), pushed, d.ConfigDigest, d.LayerDigest, len(p.side.Files), d.Size, reported(p.report)})
	}
	if !pushed {
		_, err := fmt.Fprintf(o.Out, "nothing has changed: %s is %s already\n", o.env, shortDigest(d.Digest))
		return err
	}
	if err := p.report.WriteShort(o.Out, o.Colors()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.Out, "%s is %s now: %s, %s\n", o.env, shortDigest(d.Digest), count(len(p.side.Files), "file"), humanize.IBytes(uint64(d.Size)))
	return err
}

func (o *pushOptions) printChanges(r *changes.Report) error {
	if r.Empty() {
		_, err := fmt.Fprintf(o.Out, "nothing has changed: %s runs this already\n", o.env)
		return err
	}
	return r.WriteShort(o.Out, o.Colors())
}

func reported(r *changes.Report) []changes.File {
	if r.Files == nil {
		return []changes.File{}
	}
	return r.Files
}

// writeCompose writes compose.yaml beside the deployment.toml, if there is one.
func (o *pushOptions) writeCompose(w *workspace.Workspace) error {
	if w.Deployment == nil {
		return nil
	}
	agents, err := compose.Agents(w)
	if err != nil {
		return err
	}
	fresh, err := compose.File(agents, compose.Options{Version: imageTag(), Environment: liveEnvironment, To: o.to})
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(filepath.Join(w.Root, filepath.FromSlash(w.Deployment.File.Name))), compose.Name)
	switch old, err := os.ReadFile(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("%s cannot be read", compose.Name)
	case bytes.Equal(old, fresh):
		return nil
	case !o.force:
		replace, err := compose.Replace(old, fresh)
		if err != nil {
			fmt.Fprintf(o.Err, "vatio: the push stands, but %s\n", printableLines(err.Error()))
		}
		if !replace {
			return nil
		}
	}
	if err := writeFile(path, fresh, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "wrote %s\n", compose.Name)
	return nil
}

// imageTag is the tag of the image that has this version.
func imageTag() string {
	if v := buildInfo().Version; json.Valid([]byte(`"`+v+`"`)) && v != "dev" {
		return v
	}
	return "latest"
}
