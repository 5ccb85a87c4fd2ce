package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// listedTool is one tool as `tools list` shows it.
type listedTool struct {
	Key     string `json:"key"`
	Kind    string `json:"kind"`
	Method  string `json:"method"`
	Address string `json:"address"` // as the file writes it: a placeholder stays one
	Access  string `json:"access"`
	Enabled bool   `json:"enabled"`
	File    string `json:"file"`
	Errors  int    `json:"errors"`
	Warned  int    `json:"warnings"`
}

func (a *app) toolsListCommand() *cobra.Command {
	var asJSON bool
	var env string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools with their method, address, access and problems",
		Example: `  vatio tools list
  vatio tools list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.validEnvironment(cmd, env); err != nil {
				return err
			}
			root, err := a.workspaceRoot()
			if err != nil {
				return err
			}
			w, faults, err := a.checkWorkspace(root, env)
			if err != nil {
				return err
			}
			list := listTools(w, faults)
			if asJSON {
				return writeJSON(a, list)
			}
			return a.printTools(list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	a.environmentFlag(cmd, &env)
	return cmd
}

// writeJSON prints one indented JSON value.
func writeJSON(a *app, v any) error {
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func listTools(w *workspace.Workspace, faults diag.List) []listedTool {
	list := []listedTool{}
	for _, t := range w.Tools {
		entry := listedTool{Key: t.Key, Kind: "http", Access: "public", File: t.File.Name}
		if t.Private {
			entry.Access = "private"
		}
		switch {
		case t.Service != nil:
			entry.Kind, entry.Method = "service", "POST"
			entry.Address = t.Service.Name + t.Service.Path
			if entry.Access = "owner"; t.Scope != "" {
				entry.Access = "scope " + t.Scope
			}
		case t.HTTP != nil:
			entry.Method, entry.Address = t.HTTP.Method, sourceText(t.HTTP.BaseURL)+sourceText(t.HTTP.Path)
		}
		entry.Enabled = slices.ContainsFunc(w.Agent.Tools, func(l workspace.Listed) bool { return l.Name == t.Key })
		for _, d := range faults {
			if d.Span.File != t.File {
				continue
			}
			if d.Severity == diag.Error {
				entry.Errors++
			} else {
				entry.Warned++
			}
		}
		list = append(list, entry)
	}
	return list
}

func sourceText(t tool.Text) string {
	if t.Node == nil {
		return ""
	}
	return t.Node.Text
}

func (a *app) printTools(list []listedTool) error {
	if len(list) == 0 {
		fmt.Fprintln(a.Err, "no tools yet: add a file to tools/")
		return nil
	}
	table := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "TOOL\tKIND\tCALL\tACCESS\tENABLED\tPROBLEMS")
	for _, t := range list {
		enabled, problems := "no", "-"
		if t.Enabled {
			enabled = "yes"
		}
		if t.Errors+t.Warned > 0 {
			problems = count(t.Errors, "error") + ", " + count(t.Warned, "warning")
		}
		fmt.Fprintf(table, "%s\t%s\t%s %s\t%s\t%s\t%s\n", diag.Printable(t.Key), t.Kind, t.Method, diag.Printable(t.Address), t.Access, enabled, problems)
	}
	return table.Flush()
}
