// Command manpages writes the manual pages of vatio, one a command, into a
// directory. It is run when packages are built.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra/doc"

	"github.com/vatio-dev/vatio/internal/cli"
	"github.com/vatio-dev/vatio/internal/iox"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manpages DIR")
		os.Exit(2)
	}
	root := cli.Command(iox.System())
	root.DisableAutoGenTag = true
	// No date of today: the same source gives the same pages.
	date := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	header := &doc.GenManHeader{Section: "1", Source: "vatio", Manual: "vatio manual", Date: &date}
	if err := doc.GenManTree(root, header, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}
