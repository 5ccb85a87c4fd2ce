package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/vatio-dev/vatio/internal/deploy/ignore"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// ignoreNames are the files that name what stays behind.
var ignoreNames = [...]string{".gitignore", ".vatioignore"}

// Collect reads the files of a workspace that travel, by path, and says what is
// left behind and why. A *RefusedError holds everything that must be put right
// first; what is left is known then too, for a person who looks for the reason.
//
// The ignore files of the directories above count as well, up to the top of the
// git repository that the workspace is in. A link to a file or directory inside
// the workspace travels as what it leads to.
func Collect(w *workspace.Workspace) ([]File, []Left, error) {
	root, err := os.OpenRoot(w.Root)
	if err != nil {
		return nil, nil, fmt.Errorf("the workspace cannot be read: %s", cause(err))
	}
	defer root.Close()
	c := &collector{root: root, loaded: map[string]bool{}}
	if err := c.above(w.Root); err != nil {
		return nil, nil, err
	}
	c.walk(".", nil)
	c.needs(w)
	c.limits()
	slices.SortFunc(c.files, byPath)
	slices.SortFunc(c.left, func(a, b Left) int { return strings.Compare(a.Path, b.Path) })
	if err := refused(c.refusals); err != nil {
		return nil, c.left, err
	}
	return c.files, c.left, nil
}

type collector struct {
	root   *os.Root
	prefix string // the workspace, seen from the top of the repository; "" or with a / at its end
	rules  [len(ignoreNames)]ignore.Rules
	loaded map[string]bool // directories whose ignore files were read
	names  names

	files    []File
	left     []Left
	refusals []Refusal
	count    int
	size     int
}

func (c *collector) refuse(path string, line int, format string, args ...any) {
	c.refusals = append(c.refusals, Refusal{path, line, fmt.Sprintf(format, args...)})
}

// above reads the ignore files between the top of the repository and the workspace.
func (c *collector) above(dir string) error {
	top := dir
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		parent := filepath.Dir(top)
		if parent == top {
			return nil // no repository
		}
		top = parent
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil || rel == "." {
		return nil
	}
	c.prefix = filepath.ToSlash(rel) + "/"
	at := ""
	for part := range strings.SplitSeq(strings.TrimSuffix(c.prefix, "/"), "/") {
		full := filepath.Join(top, filepath.FromSlash(at))
		for i, name := range ignoreNames {
			info, err := os.Stat(filepath.Join(full, name))
			if err != nil || !info.Mode().IsRegular() || info.Size() > MaxFileSize {
				continue
			}
			data, err := os.ReadFile(filepath.Join(full, name))
			if err != nil {
				return fmt.Errorf("%s cannot be read: %s", filepath.Join(full, name), cause(err))
			}
			shown, err := filepath.Rel(dir, filepath.Join(full, name))
			if err != nil {
				shown = filepath.Join(full, name)
			}
			c.rules[i].Add(at, filepath.ToSlash(shown), data)
		}
		at = path.Join(at, part)
	}
	return nil
}

// load reads the ignore files of a directory of the workspace.
func (c *collector) load(dir string) {
	if c.loaded[dir] {
		return
	}
	c.loaded[dir] = true
	for i, base := range ignoreNames {
		name := path.Join(dir, base)
		info, err := c.root.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !info.Mode().IsRegular() {
			c.refuse(name, 0, "this is no file that can be read: what it names would travel")
			continue
		}
		data, err := c.read(name)
		if err != nil {
			c.refuse(name, 0, "the file cannot be read: %s", cause(err))
			continue
		}
		at := strings.TrimSuffix(c.prefix, "/")
		if dir != "." {
			at = path.Join(at, dir)
		}
		c.rules[i].Add(at, name, data)
	}
}

// reason returns why the file or directory at name, whose parent travels, stays
// behind, "" if it travels.
func (c *collector) reason(name string, dir bool) string {
	base := path.Base(name)
	switch {
	case base[0] == '.':
		return "hidden"
	case dir && (base == "node_modules" || base == "tmp" || base == "log"):
		return "directories called " + base + " stay behind"
	case name == workspace.DeploymentName:
		return "what it grants travels in the description"
	case name == "compose.yaml":
		return "says how the agent is run, not what it is"
	case name == "identity.pem":
		return "the private key of vatio auth"
	}
	for i := range c.rules {
		if source, yes := c.rules[i].Match(c.prefix+name, dir); yes {
			return fmt.Sprintf("%s:%d names it", source.File, source.Line)
		}
	}
	return ""
}

// reasonOf is reason for a name whose parents may stay behind too.
func (c *collector) reasonOf(name string, dir bool) string {
	for i := 0; i < len(name); i++ {
		if name[i] == '/' {
			c.load(path.Dir(name[:i]))
			if reason := c.reason(name[:i], true); reason != "" {
				return reason
			}
		}
	}
	c.load(path.Dir(name))
	return c.reason(name, dir)
}

// tooMany is how many entries are looked at before a workspace is given up on.
const tooMany = 20 * MaxFiles

// walk looks at a directory. Within lists the real directories that it was reached
// through, so that links which lead in a circle are noticed.
func (c *collector) walk(dir string, within []os.FileInfo) {
	info, err := c.root.Stat(dir)
	if err == nil {
		for _, outer := range within {
			if os.SameFile(outer, info) {
				c.refuse(dir, 0, "this link leads in a circle")
				return
			}
		}
	}
	within = append(slices.Clone(within), info)
	entries, err := fs.ReadDir(c.root.FS(), dir)
	if err != nil {
		c.refuse(dir, 0, "the directory cannot be read: %s", cause(err))
		return
	}
	c.load(dir)
	for _, entry := range entries {
		if c.count > tooMany {
			return
		}
		c.entry(path.Join(dir, entry.Name()), entry, within)
	}
}

func (c *collector) entry(name string, entry fs.DirEntry, within []os.FileInfo) {
	mode := entry.Type()
	isDir := mode.IsDir()
	if reason := c.reason(name, isDir); reason != "" {
		if isDir {
			name += "/"
		}
		c.left = append(c.left, Left{name, reason})
		return
	}
	if mode&fs.ModeSymlink != 0 {
		info, ok := c.follow(name)
		if !ok {
			return
		}
		mode, isDir = info.Mode().Type(), info.IsDir()
		// A link to a directory is a file to git, and may be called tmp.
		if reason := c.reason(name, isDir); reason != "" {
			c.left = append(c.left, Left{name, reason})
			return
		}
	}
	switch {
	case isDir:
		c.walk(name, within)
	case mode.IsRegular():
		c.file(name)
	default:
		c.refuse(name, 0, "this is not a regular file: remove it, or name it in .vatioignore")
	}
}

// follow looks where a link leads.
func (c *collector) follow(name string) (os.FileInfo, bool) {
	info, err := c.root.Stat(name)
	if err != nil {
		c.refuse(name, 0, "this link leads out of the workspace, or to nothing: replace it by the file")
		return nil, false
	}
	target, err := filepath.EvalSymlinks(filepath.Join(c.root.Name(), filepath.FromSlash(name)))
	base, baseErr := filepath.EvalSymlinks(c.root.Name())
	if err != nil || baseErr != nil {
		c.refuse(name, 0, "this link cannot be followed: replace it by the file")
		return nil, false
	}
	rel, err := filepath.Rel(base, target)
	if err != nil || !filepath.IsLocal(rel) {
		c.refuse(name, 0, "this link leads out of the workspace: replace it by the file")
		return nil, false
	}
	if rel == "." {
		c.refuse(name, 0, "this link leads in a circle")
		return nil, false
	}
	rel = filepath.ToSlash(rel)
	if reason := c.reasonOf(rel, info.IsDir()); reason != "" {
		c.refuse(name, 0, "this link leads to %s, which stays behind (%s)", printable(rel), reason)
		return nil, false
	}
	return info, true
}

func (c *collector) file(name string) {
	c.count++
	if fault := c.names.add(name); fault != "" {
		c.refuse(name, 0, "%s", fault)
		return
	}
	if c.count > MaxFiles {
		return
	}
	data, err := c.read(name)
	var large *tooLargeError
	switch {
	case errors.As(err, &large):
		c.size += int(min(large.size, MaxSize))
		c.refuse(name, 0, "the file has %d bytes (at most %d, %s). Make it smaller, or name it in .vatioignore", large.size, MaxFileSize, mebibytes(MaxFileSize))
		return
	case err != nil:
		c.refuse(name, 0, "the file cannot be read: %s", cause(err))
		return
	}
	c.size += len(data)
	c.refusals = append(c.refusals, privateKeys(name, data)...)
	if c.size > MaxSize {
		data = nil // refused in the end: its size is all that matters
	}
	c.files = append(c.files, File{name, data})
}

type tooLargeError struct{ size int64 }

func (e *tooLargeError) Error() string { return fmt.Sprintf("%d bytes", e.size) }

// read reads a regular file. Without O_NONBLOCK opening a named pipe would wait
// for its writer.
func (c *collector) read(name string) ([]byte, error) {
	f, err := c.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > MaxFileSize {
		return nil, &tooLargeError{info.Size()}
	}
	var buf bytes.Buffer
	buf.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(f, MaxFileSize+1)); err != nil {
		return nil, err
	}
	if buf.Len() > MaxFileSize { // it grew
		return nil, &tooLargeError{int64(buf.Len())}
	}
	return buf.Bytes(), nil
}

// needs refuses a workspace that would not run without what is left behind, and
// one whose files changed after they were loaded.
func (c *collector) needs(w *workspace.Workspace) {
	have := make(map[string]File, len(c.files))
	for _, f := range c.files {
		have[f.Path] = f
	}
	reasons := make(map[string]bool, len(c.refusals))
	for _, r := range c.refusals {
		reasons[r.Path] = true
	}
	need := func(name, what string, loaded []byte) {
		f, there := have[name]
		switch {
		case reasons[name] || c.count > MaxFiles || c.size > MaxSize:
		case !there:
			reason := c.reasonOf(name, false)
			if reason == "" {
				reason = "it is not there any more"
			}
			c.refuse(name, 0, "this file stays behind (%s), but %s", reason, what)
		case loaded != nil && !bytes.Equal(f.Data, loaded):
			c.refuse(name, 0, "the file was changed while it was being packed: try again")
		}
	}
	need(workspace.FileName, "there is no workspace without it", w.File.Data)
	for _, t := range Enabled(w) {
		need(t.File.Name, fmt.Sprintf("agent.tools lists %q: name it no longer, or take it off the list", t.Key), t.File.Data)
	}
	if w.Auth != nil && w.Auth.PublicKey != "" && filepath.IsLocal(filepath.FromSlash(w.Auth.PublicKey)) {
		need(path.Clean(w.Auth.PublicKey), "auth.public_key needs it: name it no longer", nil)
	}
	for _, base := range w.Agent.Knowledge {
		folder := path.Join("knowledge", base.Name)
		if c.count > MaxFiles || slices.ContainsFunc(c.files, func(f File) bool { return strings.HasPrefix(f.Path, folder+"/") }) {
			continue
		}
		if info, err := c.root.Stat(folder); err == nil && info.IsDir() {
			if reason := c.reasonOf(folder, true); reason != "" {
				c.refuse(folder, 0, "this directory stays behind (%s), but agent.knowledge lists %q", reason, base.Name)
			}
		}
	}
}

// Enabled returns the tools that agent.tools lists, in its order.
func Enabled(w *workspace.Workspace) []*tool.Tool {
	var list []*tool.Tool
	for _, listed := range w.Agent.Tools {
		i := slices.IndexFunc(w.Tools, func(t *tool.Tool) bool { return t.Key == listed.Name })
		if i >= 0 && !slices.Contains(list, w.Tools[i]) {
			list = append(list, w.Tools[i])
		}
	}
	return list
}

func (c *collector) limits() {
	switch {
	case c.count > tooMany:
		c.refuse("", 0, "more than %d files (at most %d): name what need not travel in .vatioignore", tooMany, MaxFiles)
	case c.count > MaxFiles:
		c.refuse("", 0, "%d files (at most %d): name what need not travel in .vatioignore", c.count, MaxFiles)
	case c.size > MaxSize:
		c.refuse("", 0, "the files have more than %d bytes together (%s): name what need not travel in .vatioignore", MaxSize, mebibytes(MaxSize))
	}
}

// cause strips what an error of the file system says about the call and the path.
func cause(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}
