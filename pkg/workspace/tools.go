package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// loadTools reads the files of tools/ side by side.
func (w *Workspace) loadTools(dir *os.Root) diag.List {
	const folder = "tools"
	entries, err := fs.ReadDir(dir.FS(), folder)
	w.Known.Files = err == nil || errors.Is(err, fs.ErrNotExist) && !isLink(dir, folder)
	if err != nil && w.Known.Files {
		return nil
	}
	if err != nil {
		at := diag.Span{File: diag.NewFile(folder, nil)}
		if isLink(dir, folder) {
			return diag.List{diag.Errorf(at, "file", "this link leads out of the workspace, or to nothing").WithHint("replace the link by the directory")}
		}
		return diag.List{diag.Errorf(at, "file", "the directory cannot be read: %s", cause(err))}
	}
	type loaded struct {
		tool   *tool.Tool
		faults diag.List
		strays []Stray
	}
	results := make([]loaded, len(entries))
	// Files are opened from the directory they are in, links from the workspace.
	near, err := dir.OpenRoot(folder)
	if err != nil {
		near = dir
	} else {
		defer near.Close()
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(entries)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(entries); i = int(next.Add(1)) - 1 {
				r, name := &results[i], path.Join(folder, entries[i].Name())
				if r.tool, r.faults = loadTool(dir, near, name, entries[i]); r.tool == nil && r.faults != nil {
					r.strays = strays(dir, r.faults[0].Span.File, entries[i])
				}
			}
		})
	}
	group.Wait()
	var faults diag.List
	for _, r := range results {
		faults = append(faults, r.faults...)
		w.Strays = append(w.Strays, r.strays...)
		if r.tool != nil {
			w.Tools = append(w.Tools, r.tool)
		}
	}
	slices.SortStableFunc(w.Tools, func(a, b *tool.Tool) int { return cmp.Compare(a.File.Name, b.File.Name) })
	return faults
}

// loadTool reads one entry of tools/. The tool is nil for what is none.
func loadTool(dir, near *os.Root, name string, entry fs.DirEntry) (*tool.Tool, diag.List) {
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
	from, local := dir, name
	if near != dir && entry.Type().IsRegular() {
		from, local = near, entry.Name()
	}
	file, faults := readFile(from, local)
	file.Name = name
	if faults != nil {
		return &tool.Tool{Key: strings.TrimSuffix(entry.Name(), path.Ext(name)), File: file}, faults
	}
	return load(file)
}

// maxStrays is how many files of a directory in tools/ are looked at.
const maxStrays = 1000

// strays lists the files that an entry of tools/, which is no tool, consists of.
func strays(dir *os.Root, ignored *diag.File, entry fs.DirEntry) []Stray {
	var list []Stray
	add := func(name string) {
		base := path.Base(name)
		list = append(list, Stray{Key: strings.TrimSuffix(base, path.Ext(base)), Path: name, Ignored: ignored})
	}
	if !entry.IsDir() {
		add(ignored.Name)
		return list
	}
	_ = fs.WalkDir(dir.FS(), ignored.Name, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && e != nil && e.IsDir():
			return fs.SkipDir
		case len(list) == maxStrays:
			return fs.SkipAll
		case err == nil && e.Type().IsRegular():
			add(name)
		}
		return nil
	})
	return list
}
