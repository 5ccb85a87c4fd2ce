package cli

import (
	"cmp"
	"context"
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
	"github.com/vatio-dev/vatio/internal/scaffold"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

type initOptions struct {
	*app
	dir, slug, language, url string
	bearer, call             bool

	tool    *scaffold.Tool
	secrets []secrets.Assignment
}

func (a *app) initCommand() *cobra.Command {
	o := &initOptions{app: a}
	cmd := &cobra.Command{
		Use:   "init [SLUG]",
		Short: "Make a workspace in this directory",
		Long: `Make a workspace in this directory: vatio.yml, one tool to start from, a note for
coding agents (AGENTS.md), the files that keep secrets out of git's way, and the
schemas that editors help with (see vatio schema). Files that exist are never
changed.

On a terminal, without SLUG and flags, it asks. SLUG names the workspace; without
it the directory's name does.

With --url the first tool is made of an address of your backend: what looks like a
value in it becomes a parameter, a credential a secret. With --call the address is
asked once, as the tool will ask it, and the shape of the answer becomes
respond.data. --bearer says that the backend wants a bearer token, which is then
asked for on a terminal, or read from stdin elsewhere.`,
		Example: `  vatio init
  vatio init acme
  vatio init acme --lang es --url 'https://api.example.com/products?name=picker'`,
		Args: argCount(0, 1, "at most one SLUG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.slug = args[0]
			}
			return o.run(cmd, len(args) == 0 && cmd.Flags().NFlag() == 0 && a.InTerminal)
		},
	}
	cmd.Flags().StringVar(&o.language, "lang", "", "write the files in the `LANGUAGE` en or es (default: what vatio config says, else your locale's)")
	cmd.Flags().StringVar(&o.url, "url", "", "make the first tool of this `ADDRESS` of your backend")
	cmd.Flags().BoolVar(&o.bearer, "bearer", false, "with --url: the backend asks for a bearer token")
	cmd.Flags().BoolVar(&o.call, "call", false, "with --url: ask the address once and learn from the answer")
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(scaffold.Languages[:], cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *initOptions) run(cmd *cobra.Command, interactive bool) error {
	dir, err := o.startDir()
	if err != nil {
		return err
	}
	o.dir = dir
	ctx := cmd.Context()
	if interactive || o.call {
		var stop context.CancelFunc
		ctx, stop = o.interruptible(ctx)
		defer stop()
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
	o.slug = cmp.Or(o.slug, workspace.Slugify(filepath.Base(dir)))
	if o.language, err = o.app.language(cmd); err != nil {
		return err
	}
	switch {
	case interactive:
		if err := o.interview(ctx); err != nil {
			return err
		}
	case o.url == "" && (o.bearer || o.call):
		return usagef(cmd, "--bearer and --call go with --url")
	}
	if !workspace.ValidSlug(o.slug) {
		return withHint(usagef(cmd, "%s", badSlug(o.slug)), "run: vatio init %s", cmp.Or(workspace.Slugify(o.slug), "my-shop"))
	}
	if o.url != "" && o.tool == nil {
		if err := o.fromFlags(ctx, cmd); err != nil {
			return err
		}
	}
	return o.write()
}

func badSlug(slug string) string {
	return fmt.Sprintf("a workspace is named in a-z and 0-9, in words joined by -, 40 characters at most, not %q", slug)
}

// locale is the language of the user's locale (POSIX) where files can be
// written in it, else the default.
func (a *app) locale() string {
	set := cmp.Or(a.Getenv("LC_ALL"), a.Getenv("LC_MESSAGES"), a.Getenv("LANG"))
	for _, l := range scaffold.Languages {
		if rest, ok := strings.CutPrefix(strings.ToLower(set), l); ok && (rest == "" || strings.ContainsRune("_.@-", rune(rest[0]))) {
			return l
		}
	}
	return scaffold.Languages[0]
}

func (o *initOptions) fromFlags(ctx context.Context, cmd *cobra.Command) error {
	var err error
	if o.tool, err = scaffold.FromAddress(o.url); err != nil {
		return usagef(cmd, "--url: %s", err)
	}
	if o.tool.Bearer = o.bearer; o.bearer && (o.call || !o.InTerminal) {
		token, err := (&setOptions{app: o.app, key: scaffold.TokenSecret}).read()
		if err == nil {
			err = secrets.ValidValue(token)
		}
		if err != nil {
			return fmt.Errorf("--bearer: %w", err)
		}
		o.secrets = append(o.secrets, secrets.Assignment{Key: scaffold.TokenSecret, Value: token})
	}
	o.collect()
	if o.call {
		return o.learn(ctx)
	}
	return nil
}

// collect notes the secrets that stood in the address.
func (o *initOptions) collect() {
	o.secrets = append(o.secrets, secrets.Assignment{Key: scaffold.URLSecret, Value: secrets.NewValue([]byte(o.tool.Origin))})
	for _, s := range o.tool.Secrets {
		if s.Value != "" {
			o.secrets = append(o.secrets, secrets.Assignment{Key: s.Key, Value: secrets.NewValue([]byte(s.Value))})
		}
	}
}

// learn asks the address once and tells what came of it.
func (o *initOptions) learn(ctx context.Context) error {
	said, err := o.try(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(o.Err, said)
	return nil
}

// write writes the files and stores the secrets.
func (o *initOptions) write() error {
	files, err := scaffold.Workspace{Slug: o.slug, Language: o.language, Tool: o.tool}.Files()
	if err != nil {
		return err
	}
	for _, name := range editorschema.Names {
		data, err := editorschema.JSON(name)
		if err != nil {
			return err
		}
		files = append(files, scaffold.File{Path: path.Join(schemaDir, name+".json"), Data: data})
	}
	slices.SortFunc(files, func(a, b scaffold.File) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range files {
		if err := o.writeNew(f); err != nil {
			return err
		}
	}
	if len(o.secrets) > 0 {
		store := o.secretStore(o.dir)
		if err := o.announce(store); err != nil {
			return secretError(err)
		}
		if err := store.SetAll(o.secrets); err != nil {
			return secretError(err)
		}
		for _, s := range o.secrets {
			fmt.Fprintf(o.Err, "set %s in every environment\n", s.Key)
		}
	}
	fmt.Fprint(o.Err, "\nnext:\n"+o.next())
	return nil
}

// writeNew writes a file that does not exist yet.
func (o *initOptions) writeNew(f scaffold.File) error {
	target := filepath.Join(o.dir, filepath.FromSlash(f.Path))
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	mode := fs.FileMode(0o755)
	if strings.HasPrefix(f.Path, ".vatio/") { // what chat and serve keep there is nobody else's
		mode = 0o700
	}
	if err := os.MkdirAll(filepath.Dir(target), mode); err != nil {
		return err
	}
	if err := writeFile(target, f.Data, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "wrote %s\n", f.Path)
	return nil
}

// next lists the commands that are left to run.
func (o *initOptions) next() string {
	var b strings.Builder
	has := func(key string) bool {
		return slices.ContainsFunc(o.secrets, func(s secrets.Assignment) bool { return s.Key == key })
	}
	step := func(command, why string) { fmt.Fprintf(&b, "  %-50s  %s\n", command, why) }
	if !has(scaffold.URLSecret) {
		step("vatio secrets set API_URL https://api.example.com", "where your backend answers")
	}
	if !has(scaffold.TokenSecret) && (o.tool == nil || o.tool.Bearer) {
		step("vatio secrets set API_TOKEN", "what it asks for as bearer token")
	}
	step("vatio tools check", "is every file right?")
	step("vatio chat", "talk to the agent")
	return b.String()
}
