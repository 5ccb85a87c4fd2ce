// Package arrows keeps the import arrows of the house: which room may use
// which. It has no code of its own.
package arrows

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/vatio-dev/vatio/"

// allowed lists, for each package, what it may import of this module. A room
// that is not listed fails the test: decide where it stands first.
var allowed = map[string]string{
	// A JSON text, and the languages written in tool files. They know no files.
	"pkg/jsondoc":     "",
	"pkg/diag":        "",
	"pkg/jsonschema":  "pkg/jsondoc pkg/diag",
	"pkg/placeholder": "pkg/jsondoc pkg/diag",
	// Files, and what they say.
	"pkg/syntax":    "pkg/diag pkg/jsondoc",
	"pkg/shape":     "pkg/diag pkg/syntax",
	"pkg/tool":      "pkg/diag pkg/jsondoc pkg/jsonschema pkg/placeholder pkg/shape pkg/syntax",
	"pkg/workspace": "pkg/diag pkg/shape pkg/syntax pkg/tool",
	// What is done with them: never with one another's help.
	"pkg/check":    "pkg/diag pkg/jsonschema pkg/placeholder pkg/syntax pkg/tool pkg/workspace",
	"pkg/executor": "pkg/diag pkg/jsondoc pkg/jsonschema pkg/placeholder pkg/syntax pkg/tool",

	"internal/arrows":                  "",
	"internal/docs":                    "",
	"internal/toolfile":                "pkg/jsondoc",
	"internal/openapi":                 "internal/toolfile pkg/diag pkg/jsondoc pkg/jsonschema pkg/syntax pkg/tool",
	"internal/scaffold":                "internal/toolfile pkg/jsondoc pkg/placeholder pkg/tool",
	"internal/editorschema":            "pkg/diag pkg/tool pkg/workspace",
	"internal/iox":                     "pkg/diag",
	"internal/atomicfile":              "",
	"internal/userconfig":              "internal/atomicfile",
	"internal/doctor":                  "",
	"internal/markdown":                "internal/iox pkg/diag",
	"internal/secrets":                 "internal/atomicfile pkg/placeholder pkg/diag pkg/jsondoc",
	"internal/auth":                    "pkg/executor pkg/jsondoc",
	"internal/chat":                    "pkg/diag pkg/executor pkg/jsondoc",
	"internal/model/offline":           "internal/chat pkg/jsondoc",
	"internal/model/remote":            "internal/chat pkg/executor pkg/jsondoc",
	"internal/model/openai":            "internal/chat internal/model/remote pkg/jsondoc",
	"internal/model/remote/remotetest": "internal/model/remote",
	"internal/model/anthropic":         "internal/chat internal/model/remote pkg/jsondoc",
	"internal/knowledge":               "",
	"internal/builtin":                 "internal/chat internal/knowledge pkg/executor pkg/jsondoc pkg/jsonschema",
	"internal/toolbox":                 "internal/auth internal/builtin internal/chat pkg/executor pkg/jsondoc pkg/placeholder pkg/tool pkg/workspace",
	"internal/agent":                   "internal/auth internal/builtin internal/chat internal/knowledge internal/toolbox pkg/diag pkg/executor pkg/tool pkg/workspace",
	"internal/repl":                    "internal/atomicfile internal/chat internal/iox internal/markdown pkg/diag pkg/executor pkg/jsondoc",
	"internal/deploy":                  "internal/atomicfile",
	"internal/deploy/ignore":           "",
	"internal/deploy/credential":       "",
	"internal/deploy/bundle":           "internal/deploy/credential internal/deploy/ignore pkg/diag pkg/syntax pkg/tool pkg/workspace",
	"internal/deploy/changes":          "internal/deploy/bundle internal/deploy/credential internal/iox pkg/diag pkg/jsondoc pkg/syntax pkg/workspace",
	"internal/deploy/compose":          "pkg/workspace",
	"internal/serve":                   "internal/builtin internal/chat internal/serve/store internal/toolbox pkg/diag pkg/executor pkg/jsondoc",
	"internal/serve/page":              "",
	"internal/serve/store":             "internal/chat pkg/executor",
	"internal/serve/store/storetest":   "",
	"internal/demo":                    "tools-examples",
	"tools-examples":                   "",

	// Only cli knows everything.
	"internal/cli": "*",
	"cmd/vatio":    "internal/cli internal/iox",
	"cmd/manpages": "internal/cli internal/iox",
	"cmd/pictures": "internal/demo",
}

func TestArrows(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module)
		may, listed := allowed[name]
		if !listed {
			t.Errorf("%s is not in the table of arrows", name)
			continue
		}
		for _, imported := range fields[1:] {
			other, own := strings.CutPrefix(imported, module)
			if own && may != "*" && !slices.Contains(strings.Fields(may), other) {
				t.Errorf("%s imports %s", name, other)
			}
		}
	}
}
