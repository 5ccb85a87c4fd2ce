package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what the Go toolchain has stamped into the program.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildInfo() build {
	b := build{Version: "dev", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		}
	}
	return b
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  vatio version --json",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.printVersion(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) printVersion(asJSON bool) error {
	b := buildInfo()
	if asJSON {
		return json.NewEncoder(a.Out).Encode(b)
	}
	line := "vatio " + b.Version
	if b.Commit != "" {
		line += fmt.Sprintf(" (%.12s, %s)", b.Commit, b.Date)
	}
	_, err := fmt.Fprintf(a.Out, "%s %s %s\n", line, b.Go, b.Platform)
	return err
}
