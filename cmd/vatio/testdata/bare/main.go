// Command bare is the smallest program with cobra: what the start of vatio is
// measured against.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "bare"}
	root.AddCommand(&cobra.Command{Use: "version", Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintln(os.Stdout, "bare") }})
	if root.Execute() != nil {
		os.Exit(1)
	}
}
