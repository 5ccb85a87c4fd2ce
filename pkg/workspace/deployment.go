package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// DeploymentName is the file that grants services to agents.
const DeploymentName = "deployment.toml"

// A Deployment is a deployment.toml and what it grants to this workspace.
type Deployment struct {
	File  *diag.File
	Root  *syntax.Node // nil when the file cannot be read
	Dir   string       // absolute path of the directory it stands in
	Agent *Grants      // the entry whose package is this workspace; nil for none
	All   []*Grants    // every entry that names a package, in the file's order; Agent is one of them
	Known bool         // every entry could be read: where Agent is nil there is none
}

// Grants is one [[agents]] entry.
type Grants struct {
	ID       string
	Package  string    // the directory of its workspace, relative to the file's, with slashes
	Services []Service // in the file's order
	Known    bool      // these are all that was meant
	Node     *syntax.Node
}

// A Service is one granted service. URL and header values may be env:NAME.
type Service struct {
	Name    string
	URL     string
	URLNode *syntax.Node
	Headers []Header
	Key     *syntax.Node
	Node    *syntax.Node // the table
}

// Place returns where a fault of the whole grant stands: at the header that
// opens its table, or at its key.
func (s Service) Place() diag.Span {
	if at := s.Node.Span(); at.File.Data[at.Start] == '[' {
		return at
	}
	return s.Key.Span()
}

// A Header is one granted header.
type Header struct {
	Name  string
	Value string
	Key   *syntax.Node
	Node  *syntax.Node
}

// EnvName returns NAME of a value env:NAME.
func EnvName(value string) (string, bool) { return strings.CutPrefix(value, "env:") }

// loadDeployment looks for deployment.toml at or above the workspace.
func (w *Workspace) loadDeployment() diag.List {
	for dir := w.Root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, DeploymentName)); err == nil {
			return w.readDeployment(dir)
		}
		if filepath.Dir(dir) == dir {
			return nil
		}
	}
}

func (w *Workspace) readDeployment(dir string) diag.List {
	w.Deployment = &Deployment{Dir: dir}
	name := DeploymentName
	if rel, err := filepath.Rel(w.Root, filepath.Join(dir, DeploymentName)); err == nil {
		name = filepath.ToSlash(rel)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		w.Deployment.File = diag.NewFile(name, nil)
		return diag.List{diag.Errorf(diag.Span{File: w.Deployment.File}, "file", "the file cannot be read: %s", cause(err))}
	}
	defer root.Close()
	file, faults := readFile(root, DeploymentName)
	file.Name = name
	w.Deployment.File = file
	if faults != nil {
		return faults
	}
	tree, faults := syntax.ParseTOML(file)
	if tree == nil {
		return faults
	}
	w.Deployment.Root = tree
	r := &shape.Reader{Faults: faults}
	const list = "agents"
	m := r.Map(tree, diag.Span{File: file}, "", list)
	w.Deployment.Known = !m.Lost(list) && !m.Duplicated(list)
	if m.Get(list) == nil || m.Misspelt(list) {
		return r.Faults
	}
	if !m.Is(list, "an array of tables, [[agents]]", syntax.Seq) {
		w.Deployment.Known = false
		return r.Faults
	}
	for _, node := range m.Get(list).Items {
		w.readAgent(r, node, dir)
	}
	return r.Faults
}

func (w *Workspace) readAgent(r *shape.Reader, node *syntax.Node, dir string) {
	m := r.Map(node, keyOfHeader(node), "agents", "id", "package", "services")
	g := &Grants{Node: node}
	if id, idNode := m.Text("id"); idNode != nil {
		g.ID = id
		if strings.ContainsFunc(id, unicode.IsControl) {
			r.Add(diag.Errorf(idNode.Span(), "value", `"agents.id" must not hold control characters`))
		}
	}
	for _, p := range m.Pairs("services") {
		g.Services = append(g.Services, readService(r, p))
	}
	services := m.Get("services")
	g.Known = !m.Lost("services") && (services == nil || services.Kind == syntax.Map) && !m.Duplicated("services") &&
		!slices.ContainsFunc(g.Services, func(s Service) bool { return m.Duplicated(s.Name) })
	pkg, pkgNode := m.Text("package")
	if pkgNode == nil {
		w.Deployment.Known = false
		return
	}
	g.Package = pkg
	w.Deployment.All = append(w.Deployment.All, g)
	if !sameDir(filepath.Join(dir, filepath.FromSlash(pkg)), w.Root) {
		return
	}
	if w.Deployment.Agent != nil {
		r.Add(diag.Errorf(pkgNode.Span(), "grant", "another entry above has the package %q already", pkg).
			WithHint("put the grants of one workspace into one entry"))
		return
	}
	w.Deployment.Agent = g
}

// keyOfHeader returns where the key stands in the [[header]] that opens a table.
func keyOfHeader(table *syntax.Node) diag.Span {
	at := table.Span()
	text := at.Text()
	inner := strings.TrimLeft(text, "[ \t")
	if len(inner) == len(text) || !strings.HasPrefix(text, "[[") {
		return at
	}
	at.Start += len(text) - len(inner)
	at.End = at.Start + len(strings.TrimRight(inner, "] \t"))
	return at
}

func readService(r *shape.Reader, p syntax.Pair) Service {
	name := "agents.services." + p.Key.Text
	if !tool.ValidServiceName(p.Key.Text) {
		r.Add(diag.Errorf(p.Key.Span(), "value", "a service name must be a-z, 0-9 and - and start with a letter, not %q", p.Key.Text))
	}
	m := r.Map(p.Value, p.Key.Span(), name, "url", "headers")
	s := Service{Name: p.Key.Text, Key: p.Key, Node: p.Value}
	s.URL, s.URLNode = m.Text("url")
	for _, h := range m.Pairs("headers") {
		if h.Value.Kind != syntax.String {
			r.WrongType(h.Value, h.Key.Span(), name+".headers."+h.Key.Text, "a string")
			continue
		}
		s.Headers = append(s.Headers, Header{Name: h.Key.Text, Value: h.Value.Text, Key: h.Key, Node: h.Value})
	}
	return s
}

func sameDir(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
