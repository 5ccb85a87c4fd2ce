package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// listedSecret is one value as `secrets list` shows it, or one that is used and
// has none; the value itself is never shown.
type listedSecret struct {
	Key         string     `json:"key"`
	Environment *string    `json:"environment"` // null: every environment
	Changed     *time.Time `json:"changed"`     // null: not set
	UsedBy      []string   `json:"used_by"`
	Set         bool       `json:"set"`
}

// minutes is how times are shown to people.
const minutes = "2006-01-02 15:04"

type listSecretsOptions struct {
	*app
	env    string
	asJSON bool
}

func (a *app) secretsListCommand() *cobra.Command {
	o := &listSecretsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the names of the secrets, where they count, when they changed and what uses them",
		Long: `List the names of the secrets: where each counts, when it changed and which tools
use it. What a tool uses and has no value anywhere is listed as unset.`,
		Example: `  vatio secrets list
  vatio secrets list --env live --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("env") {
				if err := a.validEnvironment(cmd, o.env); err != nil {
					return err
				}
			}
			return o.run(cmd.Context())
		},
	}
	secretEnvironmentFlag(cmd, &o.env, "list the values that the environment `NAME` uses, and what it lacks")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print a JSON array")
	return cmd
}

func (o *listSecretsOptions) run(ctx context.Context) error {
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	// The list is of the store: files with faults only take from what is known.
	var uses []secretUse
	var broken []string
	var loading sync.WaitGroup
	loading.Go(func() {
		if w, faults, err := workspace.Load(root); err == nil {
			uses, broken = secretUses(w), brokenFiles(faults)
		}
	})
	snapshot, err := o.readSecrets(ctx, root)
	loading.Wait()
	if err != nil {
		return err
	}
	o.noticeBroken(broken)
	list := o.list(snapshot, uses)
	if o.asJSON {
		return writeJSON(o.app, list)
	}
	return o.print(list)
}

func (o *listSecretsOptions) list(snapshot *secrets.Snapshot, uses []secretUse) []listedSecret {
	usedBy := map[string][]string{}
	for _, u := range uses {
		usedBy[u.key] = u.by
	}
	list := []listedSecret{}
	set := map[string]bool{}
	entries := snapshot.Entries()
	for i, e := range entries {
		if o.env != "" {
			own := func(other secrets.Entry) bool { return other.Key == e.Key && other.Environment == o.env }
			if e.Environment != o.env && (e.Environment != "" || slices.ContainsFunc(entries[i:], own)) {
				continue
			}
		}
		set[e.Key] = true
		s := listedSecret{Key: e.Key, Changed: &e.Changed, UsedBy: append([]string{}, usedBy[e.Key]...), Set: true}
		if e.Environment != "" {
			s.Environment = &e.Environment
		}
		list = append(list, s)
	}
	for _, u := range uses {
		if !set[u.key] && !o.fromProcess(u) {
			list = append(list, listedSecret{Key: u.key, UsedBy: u.by})
		}
	}
	slices.SortStableFunc(list, func(a, b listedSecret) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// fromProcess reports whether the environment of the process gives the value.
func (a *app) fromProcess(u secretUse) bool { return u.grant && a.Getenv(u.key) != "" }

func (o *listSecretsOptions) print(list []listedSecret) error {
	unset := 0
	rows := make([][]string, 0, len(list)+1)
	if len(list) > 0 {
		rows = append(rows, []string{"KEY", "ENVIRONMENT", "CHANGED", "USED BY"})
	}
	for _, s := range list {
		env, changed, by := "every", "unset", "-"
		if s.Environment != nil {
			env = *s.Environment
		}
		if s.Set {
			changed = s.Changed.Local().Format(minutes)
		} else {
			unset++
			env = "-"
		}
		if len(s.UsedBy) > 0 {
			by = strings.Join(s.UsedBy, ", ")
		}
		rows = append(rows, []string{diag.Printable(s.Key), env, changed, diag.Printable(by)})
	}
	if err := writeTable(o.Out, rows); err != nil {
		return err
	}
	if len(list) == unset {
		fmt.Fprintln(o.Err, "no secrets yet: vatio secrets set KEY sets one")
	}
	return nil
}
