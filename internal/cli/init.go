package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/editorschema"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

//go:embed template
var template embed.FS

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [SLUG]",
		Short: "Make a workspace in this directory",
		Long: `Make a workspace in this directory: vatio.yml, one tool to start from, the files
that keep secrets out of git's way, and the schemas that editors help with (see
vatio schema). Files that exist are never changed.
SLUG names the workspace; without it the directory's name does.`,
		Example: "  vatio init acme",
		Args:    argCount(0, 1, "at most one SLUG"),
		RunE:    a.runInit,
	}
}

func (a *app) runInit(cmd *cobra.Command, args []string) error {
	dir, err := a.startDir()
	if err != nil {
		return err
	}
	root, err := workspace.Find(dir)
	switch {
	case err == nil && root == filepath.Clean(dir):
		return withHint(fmt.Errorf("this directory is a workspace already: %s is here", workspace.FileName), "run: vatio tools check")
	case err == nil:
		return withHint(fmt.Errorf("this directory is inside the workspace %s", root), "make the new one outside of it")
	case !errors.Is(err, workspace.ErrNone):
		return err
	}
	slug := workspace.Slugify(filepath.Base(dir))
	if len(args) == 1 {
		slug = args[0]
	}
	if !workspace.ValidSlug(slug) {
		err := usagef(cmd, "a workspace is named in a-z and 0-9, in words joined by -, 40 characters at most, not %q", slug)
		if better := workspace.Slugify(slug); better != "" {
			return withHint(err, "run: vatio init %s", better)
		}
		return withHint(err, "run: vatio init my-shop")
	}
	written, err := writeWorkspace(dir, slug)
	if err != nil {
		return err
	}
	for _, name := range written {
		fmt.Fprintf(a.Err, "wrote %s\n", name)
	}
	fmt.Fprint(a.Err, `
next:
  vatio secrets set API_URL https://api.example.com   where your backend answers
  vatio secrets set API_TOKEN                         what it asks for as bearer token
  vatio tools check                                   is every file right?
  vatio chat                                          talk to the agent
`)
	return nil
}

// writeWorkspace writes the files of a new workspace, those that exist aside,
// and returns the names of those it wrote, sorted.
func writeWorkspace(dir, slug string) (written []string, err error) {
	write := func(rel string, data []byte) error {
		target := filepath.Join(dir, filepath.FromSlash(rel))
		if _, err := os.Lstat(target); err == nil {
			return nil
		}
		mode := fs.FileMode(0o755)
		if strings.HasPrefix(rel, ".vatio/") { // what chat and serve keep there is nobody else's
			mode = 0o700
		}
		if err := os.MkdirAll(filepath.Dir(target), mode); err != nil {
			return err
		}
		written = append(written, rel)
		return writeFile(target, data, 0o644)
	}
	err = fs.WalkDir(template, "template", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := template.ReadFile(name)
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(name, "template/")
		if path.Dir(rel) == "." { // a dot in front would hide them from go:embed
			rel = strings.Replace(rel, "dot-", ".", 1)
		}
		return write(rel, []byte(strings.ReplaceAll(string(data), "@SLUG@", slug)))
	})
	if err != nil {
		return nil, err
	}
	for _, name := range editorschema.Names {
		data, err := editorschema.JSON(name)
		if err != nil {
			return nil, err
		}
		if err := write(path.Join(schemaDir, name+".json"), data); err != nil {
			return nil, err
		}
	}
	slices.Sort(written)
	return written, nil
}
