// Package examples holds complete example workspaces, each a directory that
// can be copied and used as it is.
package examples

import "embed"

// FS holds every example below a directory of its name. Files are named one by
// one or by directory, so that what working in an example leaves behind, such as
// a private key or a cache, never gets into the program.
//
//go:embed acme-store/.gitignore acme-store/vatio.yml acme-store/identity.pub
//go:embed acme-store/tools acme-store/knowledge
var FS embed.FS
