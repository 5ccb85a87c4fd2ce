// Package changes says what differs between two deployments, in words for a
// reviewer: which files, and in tools, vatio.yml and grants which fields.
//
// It promises that the same two deployments give the same report, that no value
// which looks like a credential is part of it, and that its size is bounded
// whatever the deployments hold.
package changes

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/deploy/bundle"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// A Side is one of the two deployments. The zero Side is none at all.
type Side struct {
	Files  []bundle.File
	Config []byte // as bundle.Describe returns it
}

// A Report is what changed, by path.
type Report struct {
	Files []File `json:"files"`
}

// A File is one file that differs.
type File struct {
	Status string  `json:"status"` // A added, M changed, D removed
	Path   string  `json:"path"`   // deployment.toml stands for the grants
	Fields []Field `json:"fields"`
	// Note says what no field does, "" for nothing, as in "2 lines added".
	Note string `json:"note,omitempty"`
}

// A Field is one difference inside a file.
type Field struct {
	Field  string `json:"field"`  // as in request.path
	Change string `json:"change"` // added, removed, changed or reordered
	// Before and After are what stood there, as JSON writes it, shortened; "" where
	// there was nothing or where a list or a map is too long to be shown.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Lines are those that differ in a text of several, each after a + or a -.
	Lines []string `json:"lines,omitempty"`
}

// Empty reports whether nothing changed.
func (r *Report) Empty() bool { return len(r.Files) == 0 }

// Compare returns what changes when after takes the place of before.
func Compare(before, after Side) *Report {
	r := &Report{Files: []File{}}
	old, fresh := byPath(before.Files), byPath(after.Files)
	var paths []string
	for p := range old {
		paths = append(paths, p)
	}
	for p := range fresh {
		if _, both := old[p]; !both {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		was, had := old[p]
		is, has := fresh[p]
		switch {
		case !had:
			r.Files = append(r.Files, File{Status: "A", Path: p, Fields: []Field{}})
		case !has:
			r.Files = append(r.Files, File{Status: "D", Path: p, Fields: []Field{}})
		case !bytes.Equal(was, is):
			r.Files = append(r.Files, compareFile(p, was, is))
		}
	}
	if f, changed := compareGrants(before.Config, after.Config); changed {
		r.Files = append(r.Files, f)
	}
	slices.SortStableFunc(r.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return r
}

func byPath(files []bundle.File) map[string][]byte {
	m := make(map[string][]byte, len(files))
	for _, f := range files {
		m[f.Path] = f.Data
	}
	return m
}

// read reports whether the fields of a file are compared, and as which syntax.
func read(name string) (yaml, toml bool) {
	if name == workspace.FileName {
		return true, false
	}
	if path.Dir(name) != "tools" {
		return false, false
	}
	switch path.Ext(name) {
	case ".yml", ".yaml":
		return true, false
	case ".toml":
		return false, true
	}
	return false, false
}

func compareFile(name string, was, is []byte) File {
	f := File{Status: "M", Path: name, Fields: []Field{}}
	old, fresh := parse(name, was), parse(name, is)
	if old == nil || fresh == nil {
		f.Note = lineNote(was, is)
		return f
	}
	c := &comparison{}
	c.compare(nil, old, fresh)
	f.Fields = c.list()
	if c.cut() {
		f.Note = "and more"
	} else if len(f.Fields) == 0 {
		f.Note = "comments or layout only"
	}
	return f
}

func compareGrants(before, after []byte) (File, bool) {
	old, fresh := grantsOf(before), grantsOf(after)
	f := File{Path: workspace.DeploymentName, Fields: []Field{}}
	switch {
	case old == nil && fresh == nil:
		return f, false
	case old == nil:
		f.Status = "A"
	case fresh == nil:
		f.Status = "D"
	default:
		f.Status = "M"
	}
	f.Fields = grantFields(old, fresh)
	return f, f.Status != "M" || len(f.Fields) > 0
}

func grantsOf(config []byte) *bundle.DescribedGrants {
	var d bundle.Description
	if len(config) == 0 || json.Unmarshal(config, &d) != nil {
		return nil
	}
	return d.Grants
}
