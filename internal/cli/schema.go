package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/editorschema"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// schemaDir is where init writes the schemas, and where the first line of the
// files it writes looks for them. They are shared with the workspace, unlike
// what else is in .vatio: a line that points to a file only some have would be
// a fault in every other editor.
const schemaDir = ".vatio/schema"

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema tool|service|workspace|deployment",
		Short: "Print the JSON Schema of a kind of file, for editors",
		Long: `Print the JSON Schema (2020-12) of a kind of file:

  tool         tools/*.yml, HTTP tools
  service      tools/*.toml, service tools
  workspace    vatio.yml
  deployment   deployment.toml

Editors with yaml-language-server or taplo complete keys, explain them and
underline what does not fit. vatio init writes all four to .vatio/schema, and
names them in the first line of the files it writes. In other files write it
yourself:

  # yaml-language-server: $schema=../.vatio/schema/tool.json     tools/*.yml
  #:schema ../.vatio/schema/service.json                         tools/*.toml

vatio tools check needs none of this, and finds what no schema can say.`,
		Example: `  vatio schema tool
  vatio schema workspace > .vatio/schema/workspace.json`,
		ValidArgs: editorschema.Names[:],
		Args: func(cmd *cobra.Command, args []string) error {
			names := editorschema.Names[:]
			if len(args) != 1 {
				return usagef(cmd, "%q takes one of %s", cmd.CommandPath(), diag.Quoted(names))
			}
			if slices.Contains(names, args[0]) {
				return nil
			}
			err := usagef(cmd, "there is no schema %q, but %s", args[0], diag.Quoted(names))
			if near := diag.Nearest(args[0], names); near != "" {
				return withHint(err, "did you mean %q?", near)
			}
			return err
		},
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := editorschema.JSON(args[0])
			if err != nil {
				return err
			}
			_, err = a.Out.Write(data)
			return err
		},
	}
}
