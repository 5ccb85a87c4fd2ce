package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) toolsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "tools",
		Short: "Check and list the agent's tools",
		Example: `  vatio tools check
  vatio tools list --json`,
	}, a.toolsCheckCommand(), a.toolsImportCommand(), a.toolsListCommand())
}
