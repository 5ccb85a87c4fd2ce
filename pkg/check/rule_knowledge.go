package check

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// knowledge: a base that is no directory of knowledge/, or has no page.
func knowledge(r *run) {
	seen := map[string]bool{}
	for _, base := range r.Agent.Knowledge {
		at := base.Node.Span()
		switch {
		case base.Name == "" || base.Name == "." || base.Name == ".." || strings.ContainsAny(base.Name, `/\`):
			r.add(diag.Errorf(at, "knowledge", "%q is no knowledge base: a base is the name of a directory in knowledge/", base.Name))
		case seen[base.Name]:
			r.add(diag.Errorf(at, "knowledge", "the knowledge base %q is listed twice", base.Name))
		default:
			r.base(base.Name, at)
		}
		seen[base.Name] = true
	}
}

func (r *run) base(name string, at diag.Span) {
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return
	}
	defer root.Close()
	folder := path.Join("knowledge", name)
	info, err := root.Stat(filepath.FromSlash(folder))
	if err != nil || !info.IsDir() {
		d := diag.Errorf(at, "knowledge", "there is no directory %s/", folder)
		if near := diag.Nearest(name, directories(root, "knowledge")); near != "" {
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
		r.add(diag.Errorf(at, "knowledge", "%s/ has no Markdown file (.md)", folder))
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
