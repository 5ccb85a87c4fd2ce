package check

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// knowledge: a base that is no directory of knowledge/, or has no page.
func knowledge(r *run) {
	if len(r.Agent.Knowledge) == 0 {
		return
	}
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return
	}
	defer root.Close()
	var bases []string // the directories there are
	if r.missesBase(root) {
		bases = directories(root, "knowledge")
	}
	seen := map[string]bool{}
	for _, base := range r.Agent.Knowledge {
		at := base.Node.Span()
		switch {
		case base.Name == "" || base.Name == "." || base.Name == ".." || strings.ContainsAny(base.Name, `/\`):
			r.add(diag.Errorf(at, "knowledge", "%q is no knowledge base: a base is the name of a directory in knowledge/", base.Name))
		case seen[base.Name]:
			r.add(diag.Errorf(at, "knowledge", "the knowledge base %q is listed twice", base.Name).WithHint("remove one of the two"))
		default:
			r.base(root, bases, base.Name, at)
		}
		seen[base.Name] = true
	}
}

// missesBase reports whether a base of the list is no directory.
func (r *run) missesBase(root *os.Root) bool {
	return slices.ContainsFunc(r.Agent.Knowledge, func(l workspace.Listed) bool {
		info, err := root.Stat(filepath.Join("knowledge", l.Name))
		return err != nil || !info.IsDir()
	})
}

func (r *run) base(root *os.Root, bases []string, name string, at diag.Span) {
	folder := path.Join("knowledge", name)
	info, err := root.Stat(filepath.FromSlash(folder))
	if err != nil || !info.IsDir() {
		d := diag.Errorf(at, "knowledge", "there is no directory %s/", folder)
		if near := diag.Nearest(name, bases); near != "" {
			d = d.WithHint("did you mean %q?", near)
		} else {
			d = d.WithHint("create it and put Markdown files (.md) there")
		}
		r.add(d)
		return
	}
	found := false
	_ = fs.WalkDir(root.FS(), folder, func(p string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.EqualFold(path.Ext(p), ".md") {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	if !found {
		r.add(diag.Errorf(at, "knowledge", "%s/ has no Markdown file (.md)", folder).WithHint("put the pages there, or remove the base"))
	}
}

func directories(root *os.Root, folder string) []string {
	entries, _ := fs.ReadDir(root.FS(), folder)
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
