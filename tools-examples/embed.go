// Package examples holds complete examples, each a directory that can be copied
// and used as it is: acme-store is a workspace, records-agent a deployment with
// a workspace in it.
package examples

import "embed"

// FS holds every example below a directory of its name. Files are named one by
// one or by directory, so that what working in an example leaves behind, such as
// a private key or a cache, never gets into the program.
//
//go:embed acme-store/.gitignore acme-store/vatio.yml acme-store/identity.pub
//go:embed acme-store/tools acme-store/knowledge
//go:embed records-agent/deployment.toml
//go:embed records-agent/agents/records/.gitignore records-agent/agents/records/vatio.yml records-agent/agents/records/identity.pub
//go:embed records-agent/agents/records/tools
var FS embed.FS
