// Package workspace finds a workspace and loads it once: vatio.yml, every file
// in tools/, and the grants of a deployment.toml. What it returns is data and
// safe for concurrent use.
package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/shape"
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
	Deployment *Deployment  // nil: there is no deployment.toml

	File   *diag.File
	Config *syntax.Node // vatio.yml; nil when it cannot be read
	Known  Known
}

// Known says which parts of vatio.yml could be read, so that a fault in one
// place is not reported a second time elsewhere.
type Known struct {
	Tools, Knowledge, Auth bool
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

var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidSlug reports whether s can name a workspace.
func ValidSlug(s string) bool { return len(s) <= 40 && slug.MatchString(s) }

func (w *Workspace) loadConfig(dir *os.Root) diag.List {
	w.Agent = Agent{ToolTimeout: DefaultToolTimeout, ToolBudget: DefaultToolBudget}
	file, faults := readFile(dir, FileName)
	w.File = file
	if faults != nil {
		return faults
	}
	root, faults := syntax.ParseYAML(file)
	if root == nil {
		return faults
	}
	w.Config = root
	r := &shape.Reader{Faults: faults}
	m := r.Map(root, diag.Span{File: file}, "", "workspace", "agent", "auth", "model", "registry")
	if text, node := m.Text("workspace"); node != nil {
		w.Slug = text
		if !ValidSlug(text) {
			d := diag.Errorf(node.Span(), "value", `"workspace" must be a-z and 0-9 in words joined by -, 40 characters at most, not %q`, text)
			if better := Slugify(text); better != "" {
				d = d.WithHint("write %s", better)
			}
			r.Add(d)
		}
	}
	m.Require("agent")
	w.loadAgent(m)
	w.loadAuth(m)
	model := m.Child("model", "provider", "name", "base_url")
	w.Model.Provider, _ = model.OneOf("provider", Providers[:]...)
	w.Model.Name, _ = model.String("name")
	w.Model.BaseURL, _ = model.String("base_url")
	w.Registry, _ = m.String("registry")
	return r.Faults
}

// Slugify turns a name into a slug, "" when nothing of it is left.
func Slugify(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	s := strings.Join(words, "-")
	return strings.TrimRight(s[:min(len(s), 40)], "-")
}

func (w *Workspace) loadAgent(root *shape.Map) {
	m := root.Child("agent", "instructions", "tools", "knowledge", "handoff", "tool_timeout_seconds", "tool_budget")
	w.Agent.Instructions, _ = m.Text("instructions")
	w.Agent.Tools = listed(m.Strings("tools"))
	w.Agent.Knowledge = listed(m.Strings("knowledge"))
	w.Known.Tools = !root.Misspelt("agent") && !m.Misspelt("tools") && isSeqOrAbsent(m.Get("tools"))
	w.Known.Knowledge = !m.Misspelt("knowledge") && isSeqOrAbsent(m.Get("knowledge"))
	if m.Get("handoff") != nil {
		h := m.Child("handoff", "when", "message")
		w.Agent.Handoff = &Handoff{}
		w.Agent.Handoff.When, _ = h.Text("when")
		w.Agent.Handoff.Message, _ = h.Text("message")
	}
	seconds := m.Int("tool_timeout_seconds", tool.MinTimeout, tool.MaxTimeout, int(DefaultToolTimeout/time.Second))
	w.Agent.ToolTimeout = time.Duration(seconds) * time.Second
	w.Agent.ToolBudget = m.Int("tool_budget", 1, MaxToolBudget, DefaultToolBudget)
}

func isSeqOrAbsent(n *syntax.Node) bool { return n == nil || n.Kind == syntax.Seq }

func listed(nodes []*syntax.Node) []Listed {
	var list []Listed
	for _, n := range nodes {
		list = append(list, Listed{Name: n.Text, Node: n})
	}
	return list
}

func (w *Workspace) loadAuth(root *shape.Map) {
	w.Known.Auth = !root.Misspelt("auth")
	if root.Get("auth") == nil {
		return
	}
	m := root.Child("auth", "public_key", "algorithm", "issuer")
	w.Auth = &Auth{}
	w.Auth.PublicKey, w.Auth.KeyNode = m.Text("public_key")
	if m.Require("algorithm") != nil {
		w.Auth.Algorithm, _ = m.OneOf("algorithm", Algorithms[:]...)
	}
	w.Auth.Issuer, _ = m.String("issuer")
}

// loadTools reads the files of tools/ side by side.
func (w *Workspace) loadTools(dir *os.Root) diag.List {
	const folder = "tools"
	entries, err := fs.ReadDir(dir.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return diag.List{diag.Errorf(diag.Span{File: diag.NewFile(folder, nil)}, "file", "the directory cannot be read: %s", cause(err))}
	}
	type loaded struct {
		tool   *tool.Tool
		faults diag.List
	}
	results := make([]loaded, len(entries))
	work := make(chan int)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(entries)) {
		group.Go(func() {
			for i := range work {
				results[i].tool, results[i].faults = loadTool(dir, path.Join(folder, entries[i].Name()), entries[i])
			}
		})
	}
	for i := range entries {
		work <- i
	}
	close(work)
	group.Wait()
	var faults diag.List
	for _, r := range results {
		faults = append(faults, r.faults...)
		if r.tool != nil {
			w.Tools = append(w.Tools, r.tool)
		}
	}
	slices.SortStableFunc(w.Tools, func(a, b *tool.Tool) int { return cmp.Compare(a.File.Name, b.File.Name) })
	return faults
}

// loadTool reads one entry of tools/. The tool is nil for what is none.
func loadTool(dir *os.Root, name string, entry fs.DirEntry) (*tool.Tool, diag.List) {
	if strings.HasPrefix(entry.Name(), ".") {
		return nil, nil
	}
	load := tool.LoadHTTP
	switch path.Ext(name) {
	case ".yml", ".yaml":
	case ".toml":
		load = tool.LoadService
	default:
		what := "file"
		if entry.IsDir() {
			what = "directory"
		}
		return nil, diag.List{diag.Warningf(diag.Span{File: diag.NewFile(name, nil)}, "ignored", "this %s is no tool and is ignored", what).
			WithHint("a tool is a .yml, .yaml or .toml file directly in tools/")}
	}
	file, faults := readFile(dir, name)
	if faults != nil {
		return &tool.Tool{Key: strings.TrimSuffix(entry.Name(), path.Ext(name)), File: file}, faults
	}
	return load(file)
}
