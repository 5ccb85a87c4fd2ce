package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/secrets"
)

// maxImport is the largest file that import reads, in bytes.
const maxImport = 16 << 20

// importReport is what import did, or with --dry-run would do.
type importReport struct {
	Set     []importedSecret `json:"set"`
	Refused []refusedLine    `json:"refused"`
	DryRun  bool             `json:"dry_run"`
}

type importedSecret struct {
	Key         string  `json:"key"`
	Environment *string `json:"environment"` // null: every environment
	Change      string  `json:"change"`      // "new", "changed" or "same"
}

type refusedLine struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

type importOptions struct {
	*app
	env    string
	dryRun bool
	asJSON bool
}

func (a *app) secretsImportCommand() *cobra.Command {
	o := &importOptions{app: a}
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Set the secrets of a .env file",
		Long: `Set the secrets of a file in the .env format, or of stdin (-). Quotes, comments,
export and values of several lines are read; nothing in a value is expanded.

Lines that are refused do not keep the others from being set, in one write; then
the exit code is 1.`,
		Example: `  vatio secrets import .env
  vatio secrets import --env live --dry-run - < live.env`,
		Args: argCount(1, 1, "one FILE, or -"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("env") {
				if err := a.validEnvironment(cmd, o.env); err != nil {
					return err
				}
			}
			return o.run(cmd.Context(), args[0])
		},
	}
	secretEnvironmentFlag(cmd, &o.env, "set the values that only the environment `NAME` uses")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be set, and set nothing")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print a JSON object")
	return cmd
}

func (o *importOptions) run(ctx context.Context, name string) error {
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	data, err := o.readFile(name)
	if err != nil {
		return err
	}
	assignments, refused := secrets.ParseEnvFile(data)
	assignments = o.lastOfEach(name, assignments)
	store := o.secretStore(root)
	before, err := store.Read()
	if err != nil {
		return secretError(err)
	}
	report := importReport{Set: []importedSecret{}, Refused: []refusedLine{}, DryRun: o.dryRun}
	for _, a := range assignments {
		report.Set = append(report.Set, imported(a, before))
	}
	for _, r := range refused {
		report.Refused = append(report.Refused, refusedLine{r.Line, r.Message})
	}
	if !o.dryRun && len(assignments) > 0 {
		if err := o.announce(store); err != nil {
			return secretError(err)
		}
		if err := store.SetAll(assignments); err != nil {
			return secretError(err)
		}
	}
	if err := o.print(name, report); err != nil {
		return err
	}
	o.noticeUnmerged(ctx, root)
	if len(refused) > 0 {
		return errFailed
	}
	return nil
}

func (o *importOptions) readFile(name string) ([]byte, error) {
	in := o.In
	if name != "-" {
		f, err := os.Open(o.path(name))
		if err != nil {
			return nil, fileError(name, err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxImport+1))
	switch {
	case err != nil:
		return nil, fileError(name, err)
	case len(data) > maxImport:
		return nil, fmt.Errorf("%s is larger than 16 MiB, which is all that is read", importName(name))
	}
	return data, nil
}

// lastOfEach drops the assignments to a key that comes again, and says so.
func (o *importOptions) lastOfEach(name string, all []secrets.Assignment) []secrets.Assignment {
	last := map[string]int{}
	for i, a := range all {
		if earlier, again := last[a.Key]; again {
			fmt.Fprintf(o.Err, "%s:%d: %s is assigned again in line %d, which counts\n", importName(name), all[earlier].Line, a.Key, a.Line)
		}
		last[a.Key] = i
	}
	var kept []secrets.Assignment
	for i, a := range all {
		if last[a.Key] == i {
			a.Environment = o.env
			kept = append(kept, a)
		}
	}
	return kept
}

// imported says what an assignment does to the store.
func imported(a secrets.Assignment, before *secrets.Snapshot) importedSecret {
	s := importedSecret{Key: a.Key, Change: "new"}
	if a.Environment != "" {
		s.Environment = &a.Environment
	}
	own := func(e secrets.Entry) bool { return e.Key == a.Key && e.Environment == a.Environment }
	if slices.ContainsFunc(before.Entries(), own) {
		s.Change = "changed"
		if v, ok := before.Lookup(a.Key, a.Environment); ok && v.Equal(a.Value) {
			s.Change = "same"
		}
	}
	return s
}

func (o *importOptions) print(name string, report importReport) error {
	for _, r := range report.Refused {
		fmt.Fprintf(o.Err, "%s:%d: %s\n", importName(name), r.Line, r.Message)
	}
	if o.asJSON {
		return writeJSON(o.app, report)
	}
	if len(report.Set) > 0 {
		rows := [][]string{{"KEY", "CHANGE"}}
		for _, s := range report.Set {
			rows = append(rows, []string{s.Key, s.Change})
		}
		if err := writeTable(o.Out, rows); err != nil {
			return err
		}
	}
	verb := "set"
	if report.DryRun {
		verb = "would set"
	}
	text := fmt.Sprintf("%s %s %s", verb, count(len(report.Set), "secret"), inEnvironment(o.env))
	if n := len(report.Refused); n > 0 {
		text += ", refused " + count(n, "line")
	}
	fmt.Fprintln(o.Err, text)
	return nil
}

func importName(name string) string {
	if name == "-" {
		return "stdin"
	}
	return name
}
