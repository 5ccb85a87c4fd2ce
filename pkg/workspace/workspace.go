// Package workspace finds a workspace and loads it once: vatio.yml, every file
// in tools/, and the grants of a deployment.toml. What it returns is data and
// safe for concurrent use.
package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// FileName is the file that makes a directory a workspace.
const FileName = "vatio.yml"

// MaxFileSize is the largest file that is read, in bytes.
const MaxFileSize = 1 << 20

// Defaults and limits of an agent.
const (
	DefaultToolTimeout = 20 * time.Second
	DefaultToolBudget  = 8
	MaxToolBudget      = 50
)

// A Workspace is what the files of one directory say.
type Workspace struct {
	Root string // absolute path of the directory

	Slug       string
	Agent      Agent
	Auth       *Auth // nil: the file has no auth
	Model      Model
	Registry   string
	Tools      []*tool.Tool // of every file in tools/, by file name
	Strays     []Stray      // files in and below tools/ that are no tools
	Deployment *Deployment  // nil: there is no deployment.toml

	File   *diag.File
	Config *syntax.Node // vatio.yml; nil when it cannot be read
	Known  Known
}

// Known says which parts of a workspace could be read, so that a fault in one
// place is not reported a second time elsewhere.
type Known struct {
	Tools, Knowledge, Auth bool // agent.tools, agent.knowledge and auth in vatio.yml
	Files                  bool // the directory tools/
}

// An Agent is the agent block of vatio.yml.
type Agent struct {
	Instructions string
	Tools        []Listed
	Knowledge    []Listed
	Handoff      *Handoff
	ToolTimeout  time.Duration
	ToolBudget   int
}

// A Stray is a file that is ignored, where a tool may have been meant.
type Stray struct {
	Key     string     // the name without its extension
	Path    string     // from the workspace, with slashes
	Ignored *diag.File // what was reported: the file, or the directory that it is in
}

// Listed is a name in a list and where it stands.
type Listed struct {
	Name string
	Node *syntax.Node
}

// Handoff is when a person takes over and what the visitor is told.
type Handoff struct {
	When    string
	Message string
}

// Auth is how the tokens of principals are verified.
type Auth struct {
	PublicKey string // path inside the workspace, with slashes
	Algorithm string
	Issuer    string // "" for any
	KeyNode   *syntax.Node
}

// Algorithms are the signature algorithms of RFC 7518 and RFC 8037 that
// auth.algorithm may pin.
var Algorithms = [...]string{"ES256", "ES384", "ES512", "RS256", "EdDSA"}

// Providers are the values of model.provider.
var Providers = [...]string{"offline", "openai", "anthropic"}

// Model is which language model answers.
type Model struct {
	Provider string
	Name     string
	BaseURL  string
}

// ErrNone says that there is no workspace at or above a directory.
var ErrNone = errors.New("no " + FileName + " here or in any directory above")

// Find returns the nearest directory at or above dir that has a vatio.yml, as
// an absolute path, or ErrNone.
func Find(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, FileName)); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ErrNone
		}
		dir = parent
	}
}

// Load reads the workspace at root, a directory. It returns an error only when
// the directory itself cannot be opened; everything else is a diagnostic.
func Load(root string) (*Workspace, diag.List, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	w := &Workspace{Root: root}
	faults := w.loadConfig(dir)
	faults = append(faults, w.loadTools(dir)...)
	faults = append(faults, w.loadDeployment()...)
	faults.Sort()
	return w, faults, nil
}
