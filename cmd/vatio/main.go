// Command vatio checks, keeps, exercises and deploys the tools of a
// customer-facing AI agent.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/vatio-dev/vatio/internal/cli"
	"github.com/vatio-dev/vatio/internal/iox"
)

func main() {
	// net/http logs bytes that a server sends without being asked, and they may
	// hold a secret that it echoes.
	log.SetOutput(io.Discard)
	os.Exit(cli.Main(context.Background(), os.Args[1:], iox.System()))
}
