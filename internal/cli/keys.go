package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/pkg/diag"
)

type keysOptions struct {
	pushedOptions
	database, name string
	scopes         []string
}

func (a *app) keysCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "keys",
		Short: "Make and revoke the keys of apps that call vatio serve",
		Example: `  vatio keys create --app web
  vatio keys list
  vatio keys revoke 4f1c2a9b`,
	}, a.keysCreateCommand(), a.keysListCommand(), a.keysRevokeCommand())
}

func (o *keysOptions) databaseFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.database, "database", "", "the `DATABASE` of vatio serve (default: VATIO_DATABASE, else .vatio/serve.db)")
}

func (o *keysOptions) open(cmd *cobra.Command) (*store.Store, error) {
	if o.database == "" {
		o.database = o.Getenv(databaseVariable)
	}
	return o.openDatabase(cmd.Context(), o.database)
}

func (a *app) keysCreateCommand() *cobra.Command {
	o := &keysOptions{pushedOptions: pushedOptions{deployOptions: deployOptions{app: a}}}
	cmd := &cobra.Command{
		Use:   "create --app NAME",
		Short: "Make a key for an app, and show it once",
		Long: `Make a key for an app. It is shown once, on stdout; the database holds a hash of it
alone. The app sends it as Authorization: Bearer KEY, and says in X-Vatio-User which
of its users it speaks for. --scope limits the tools that its users are offered.`,
		Example: `  vatio keys create --app web
  vatio keys create --app kiosk --scope tools:read`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.name == "" {
				return usagef(cmd, "--app is required: it says which app the key is for")
			}
			if !isAppName(o.name) {
				return usagef(cmd, "--app: an app is named in a-z, 0-9 and -, beginning with a letter, not %q", o.name)
			}
			s, err := o.open(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			var scopes []string
			if cmd.Flags().Changed("scope") {
				scopes = append([]string{}, o.scopes...)
			}
			secret, key, err := s.CreateKey(cmd.Context(), o.name, scopes)
			if err != nil {
				return err
			}
			fmt.Fprintf(o.Err, "the key %s of %s is shown this once:\n", key.ID, key.App)
			_, err = fmt.Fprintln(o.Out, secret)
			return err
		},
	}
	cmd.Flags().StringVar(&o.name, "app", "", "the `NAME` of the app")
	cmd.Flags().StringSliceVar(&o.scopes, "scope", nil, "offer only the tools of these `SCOPES`")
	o.databaseFlag(cmd)
	return cmd
}

// isAppName follows the form of an owner's first part.
func isAppName(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// A listedKey is a key as --json prints it.
type listedKey struct {
	ID      string     `json:"id"`
	App     string     `json:"app"`
	Scopes  []string   `json:"scopes"`
	Created time.Time  `json:"created"`
	Revoked *time.Time `json:"revoked"`
}

func (a *app) keysListCommand() *cobra.Command {
	o := &keysOptions{pushedOptions: pushedOptions{deployOptions: deployOptions{app: a}}}
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the keys, never what they are",
		Example: "  vatio keys list\n  vatio keys list --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := o.open(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			keys, err := s.Keys(cmd.Context())
			if err != nil {
				return err
			}
			return o.printKeys(keys)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array")
	o.databaseFlag(cmd)
	return cmd
}

func (o *keysOptions) printKeys(keys []store.Key) error {
	list := []listedKey{}
	rows := [][]string{{"ID", "APP", "SCOPES", "CREATED", "REVOKED"}}
	for _, k := range keys {
		entry := listedKey{ID: k.ID, App: k.App, Scopes: k.Scopes, Created: k.Created.UTC()}
		scopes, revoked := "all", "-"
		if k.Scopes != nil {
			scopes = strings.Join(k.Scopes, ",")
		}
		if !k.Revoked.IsZero() {
			at := k.Revoked.UTC()
			entry.Revoked, revoked = &at, k.Revoked.Local().Format(minutes)
		}
		list = append(list, entry)
		rows = append(rows, []string{k.ID, k.App, diag.Printable(scopes), k.Created.Local().Format(minutes), revoked})
	}
	if o.json {
		return writeJSON(o.app, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(o.Err, "no keys yet: vatio keys create --app NAME makes one")
		return nil
	}
	return writeTable(o.Out, rows)
}

func (a *app) keysRevokeCommand() *cobra.Command {
	o := &keysOptions{pushedOptions: pushedOptions{deployOptions: deployOptions{app: a}}}
	cmd := &cobra.Command{
		Use:     "revoke ID",
		Short:   "Make a key count no longer",
		Example: "  vatio keys revoke 4f1c2a9b",
		Args:    argCount(1, 1, "the ID of a key (see vatio keys list)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.open(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if err := s.RevokeKey(cmd.Context(), args[0]); err != nil {
				return withHint(err, "run: vatio keys list")
			}
			fmt.Fprintf(o.Err, "revoked %s\n", diag.Printable(args[0]))
			return nil
		},
	}
	o.databaseFlag(cmd)
	return cmd
}
