package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/openapi"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

type openapiOptions struct {
	*app
	operations, tags            []string
	all, dryRun, enable, asJSON bool
}

// maxImported is how many tools one run writes; more would be of no use to a model.
const maxImported = 500

func (a *app) toolsImportCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "import",
		Short:   "Make tools of an API's description",
		Example: `  vatio tools import openapi api.yml`,
	}, a.toolsImportOpenAPICommand())
}

func (a *app) toolsImportOpenAPICommand() *cobra.Command {
	o := &openapiOptions{app: a}
	cmd := &cobra.Command{
		Use:   "openapi FILE|URL",
		Short: "Make tools of the operations of an OpenAPI document",
		Long: `Make tools of the operations of an OpenAPI 3 or Swagger 2 document. Without a
choice the operations are listed. Each chosen one becomes tools/KEY.yml, which
checks clean; comments that begin with "decide:" say where you have to decide.
Files that exist are never changed. A tool is of use once agent.tools in
vatio.yml lists it: --enable adds it there.`,
		Example: `  vatio tools import openapi api.yml
  vatio tools import openapi api.yml --operation getOrder --enable
  vatio tools import openapi api.yml --operation 'GET /orders' --dry-run`,
		Args: argCount(1, 1, "one FILE or URL"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	cmd.Flags().StringArrayVar(&o.operations, "operation", nil, "import the `OPERATION`: its key, its id, or \"GET /path\"; repeatable")
	cmd.Flags().StringArrayVar(&o.tags, "tag", nil, "import every operation that has the `TAG`; repeatable")
	cmd.Flags().BoolVar(&o.all, "all", false, fmt.Sprintf("import every operation, %d at most", maxImported))
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the files and write none")
	cmd.Flags().BoolVar(&o.enable, "enable", false, "list the tools in agent.tools of vatio.yml")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "list the operations as a JSON array")
	return cmd
}

func (o *openapiOptions) run(cmd *cobra.Command, source string) error {
	choosing := o.all || len(o.operations) > 0 || len(o.tags) > 0
	switch {
	case choosing && o.asJSON:
		return usagef(cmd, "--json lists the operations, so it does not go with a choice of them")
	case !choosing && (o.enable || o.dryRun):
		return usagef(cmd, "--enable and --dry-run need a choice: --operation, --tag or --all")
	case o.enable && o.dryRun:
		return usagef(cmd, "--enable changes vatio.yml, so it does not go with --dry-run")
	}
	root := ""
	if choosing && !o.dryRun {
		var err error
		if root, err = o.workspaceRoot(); err != nil {
			return err
		}
	}
	ctx, stop := o.interruptible(cmd.Context())
	defer stop()
	d, err := o.read(ctx, source)
	if err != nil {
		return err
	}
	if !choosing {
		return o.list(d)
	}
	chosen, err := o.choose(cmd, d)
	if err != nil {
		return err
	}
	return o.write(d, chosen, root)
}

func (o *openapiOptions) read(ctx context.Context, source string) (*openapi.Document, error) {
	if strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://") {
		data, shown, err := fetchDocument(ctx, source)
		if err != nil {
			return nil, err
		}
		return openapi.Parse(shown, data, nil)
	}
	if strings.Contains(source, "://") {
		return nil, fmt.Errorf("%q is neither a file nor an http or https address", source)
	}
	path := o.path(source)
	data, err := readDocument(os.Open, path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", source, err)
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("the directory of %s cannot be read", source)
	}
	// Documents are spread over files that are read while tools are made of them;
	// the process ends soon after.
	return openapi.Parse(source, data, func(name string) ([]byte, error) {
		return readDocument(dir.Open, filepath.FromSlash(name))
	})
}

func readDocument(open func(string) (*os.File, error), name string) ([]byte, error) {
	f, err := open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("there is no such file")
		}
		return nil, errors.New("it cannot be opened")
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	return readWithin(f)
}

func readWithin(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, openapi.MaxSize+1))
	if err != nil {
		return nil, errors.New("it broke off")
	}
	if len(data) > openapi.MaxSize {
		return nil, fmt.Errorf("it is larger than %d MiB", openapi.MaxSize>>20)
	}
	return data, nil
}

// fetchDocument gets a document. shown is its address after redirects, without
// what could be a credential in it.
func fetchDocument(ctx context.Context, address string) (data []byte, shown string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, "", fmt.Errorf("the address of the document cannot be read: write it as https://host/path")
	}
	shown = withoutQuery(u)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", fmt.Errorf("%s cannot be asked", shown)
	}
	request.Header.Set("Accept", "application/json, application/yaml, */*;q=0.5")
	client := http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) == 10 || before[0].URL.Scheme == "https" && next.URL.Scheme != "https" {
			return errors.New("it redirects to where it should not")
		}
		return nil
	}}
	answer, err := client.Do(request)
	switch {
	case ctx.Err() != nil:
		return nil, "", fmt.Errorf("%s did not answer in time", shown)
	case err != nil:
		return nil, "", withHint(fmt.Errorf("%s cannot be reached", shown), "check the address, or save the document and name the file")
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, "", withHint(fmt.Errorf("%s answered HTTP %d", shown, answer.StatusCode), "check the address, or save the document and name the file")
	}
	if data, err = readWithin(answer.Body); err != nil {
		return nil, "", fmt.Errorf("%s cannot be read: %w", shown, err)
	}
	return data, withoutQuery(answer.Request.URL), nil
}

func withoutQuery(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// importedOperation is an operation as the list shows it.
type importedOperation struct {
	Key         string   `json:"key"`
	ID          string   `json:"operation_id,omitempty"`
	Method      string   `json:"method"`
	Path        string   `json:"path"`
	Summary     string   `json:"summary"`
	Tags        []string `json:"tags"`
	Deprecated  bool     `json:"deprecated"`
	Unsupported string   `json:"unsupported,omitempty"`
}

func (o *openapiOptions) list(d *openapi.Document) error {
	list := []importedOperation{}
	rows := [][]string{{"KEY", "METHOD", "PATH", "SUMMARY", "TAGS"}}
	for _, op := range d.Operations() {
		list = append(list, importedOperation{op.Key, op.ID, op.Method, op.Path, op.Summary, op.Tags, op.Deprecated, op.Unsupported})
		summary := op.Summary
		if op.Unsupported != "" {
			summary = "not supported: " + op.Unsupported
		}
		rows = append(rows, []string{op.Key, op.Method, diag.Printable(op.Path), diag.Printable(summary), diag.Printable(strings.Join(op.Tags, ", "))})
	}
	if o.asJSON {
		return writeJSON(o.app, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(o.Err, "the document describes no operation")
		return nil
	}
	if err := writeTable(o.Out, rows); err != nil {
		return err
	}
	fmt.Fprintln(o.Err, "\nchoose with --operation KEY, --tag TAG or --all")
	return nil
}

func (o *openapiOptions) choose(cmd *cobra.Command, d *openapi.Document) ([]*openapi.Operation, error) {
	var chosen []*openapi.Operation
	add := func(op *openapi.Operation) {
		if !slices.Contains(chosen, op) {
			chosen = append(chosen, op)
		}
	}
	ops := d.Operations()
	for _, wanted := range o.operations {
		i := slices.IndexFunc(ops, func(op *openapi.Operation) bool {
			return op.ID == wanted && wanted != "" || op.Key == wanted || op.Method+" "+op.Path == wanted
		})
		if i < 0 {
			err := usagef(cmd, "the document has no operation %q", wanted)
			var names []string
			for _, op := range ops {
				names = append(names, op.Key)
			}
			if near := diag.Nearest(wanted, names); near != "" {
				return nil, withHint(err, "did you mean %q?", near)
			}
			return nil, withHint(err, "without --operation they are listed")
		}
		if ops[i].Unsupported != "" {
			return nil, fmt.Errorf("%s %s cannot be imported: %s", ops[i].Method, ops[i].Path, ops[i].Unsupported)
		}
		add(ops[i])
	}
	for _, op := range ops {
		tagged := slices.ContainsFunc(o.tags, func(t string) bool { return slices.Contains(op.Tags, t) })
		if !o.all && !tagged {
			continue
		}
		if op.Unsupported != "" {
			fmt.Fprintf(o.Err, "skipped %s %s: %s\n", op.Method, diag.Printable(op.Path), op.Unsupported)
			continue
		}
		if len(chosen) > maxImported {
			break
		}
		chosen = append(chosen, op)
	}
	slices.SortStableFunc(chosen, func(a, b *openapi.Operation) int { return strings.Compare(a.Key, b.Key) })
	chosen = slices.Compact(chosen)
	switch {
	case len(chosen) == 0:
		return nil, withHint(errors.New("nothing that can be imported was chosen"), "without a choice the operations are listed with their tags")
	case len(chosen) > maxImported:
		return nil, withHint(fmt.Errorf("more than %d operations were chosen", maxImported), "choose by --tag or --operation")
	}
	return chosen, nil
}

func (o *openapiOptions) write(d *openapi.Document, chosen []*openapi.Operation, root string) error {
	var tools []*openapi.Tool
	for _, op := range chosen {
		t, err := d.Make(op)
		if err != nil {
			if len(o.operations) > 0 && !o.all && len(o.tags) == 0 {
				return err
			}
			fmt.Fprintf(o.Err, "skipped %s\n", diag.Printable(err.Error()))
			continue
		}
		tools = append(tools, t)
	}
	var needed []openapi.Secret
	var keys []string
	failed := false
	for _, t := range tools {
		name := "tools/" + t.Key + ".yml"
		if o.dryRun {
			fmt.Fprintf(o.Out, "# %s\n%s\n", name, t.YAML)
		} else {
			path := filepath.Join(root, filepath.FromSlash(name))
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(o.Err, "kept %s: it exists already\n", name)
				failed = true
				continue
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return errors.New("the directory tools cannot be made")
			}
			if err := writeFile(path, t.YAML, 0o644); err != nil {
				return err
			}
			fmt.Fprintf(o.Out, "wrote %s, with %s to make\n", name, count(t.Decide, "decision"))
		}
		keys = append(keys, t.Key)
		for _, s := range t.Secrets {
			if !slices.ContainsFunc(needed, func(other openapi.Secret) bool { return other.Key == s.Key }) {
				needed = append(needed, s)
			}
		}
	}
	if o.dryRun {
		return nil
	}
	if len(keys) > 0 {
		for _, s := range needed {
			fmt.Fprintf(o.Err, "%s: run: vatio secrets set %s\n", diag.Printable(strings.TrimSpace(s.Note+" "+s.Example)), s.Key)
		}
		if err := o.enableTools(root, keys); err != nil {
			return err
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

func (o *openapiOptions) enableTools(root string, keys []string) error {
	if !o.enable {
		fmt.Fprintf(o.Err, "list what the agent is to use in agent.tools of %s: %s\n", workspace.FileName, strings.Join(keys, ", "))
		return nil
	}
	path, err := filepath.EvalSymlinks(filepath.Join(root, workspace.FileName))
	if err != nil {
		return fmt.Errorf("%s cannot be read", workspace.FileName)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read", workspace.FileName)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read", workspace.FileName)
	}
	changed, ok := openapi.Enable(diag.NewFile(workspace.FileName, data), keys)
	if !ok {
		return withHint(fmt.Errorf("%s has no list agent.tools that can be extended", workspace.FileName), "add there: tools: [%s]", strings.Join(keys, ", "))
	}
	if err := writeFile(path, changed, info.Mode().Perm()); err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "listed in agent.tools: %s\n", strings.Join(keys, ", "))
	return nil
}
