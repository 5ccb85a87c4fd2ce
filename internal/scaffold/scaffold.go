// Package scaffold writes the files of a new workspace: vatio.yml, a first tool,
// the notes for coding agents, and what keeps git from harm. The first tool is
// a sample or made from an address, and from what that answered.
package scaffold

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed template
var template embed.FS

// Languages are those that the files can be written in, the default first.
var Languages = [...]string{"en", "es"}

// A File is one file of a workspace.
type File struct {
	Path string // relative, with slashes
	Data []byte
}

// A Workspace is what the files are about.
type Workspace struct {
	Slug     string
	Language string // one of Languages
	Tool     *Tool  // nil: the sample
}

// Files returns the files, sorted by path.
func (w Workspace) Files() ([]File, error) {
	key, use := "check_stock", map[string]string{
		"en": "Use check_stock for questions about availability and never guess a number.",
		"es": "Usa check_stock para preguntas sobre existencias y nunca inventes un número.",
	}[w.Language]
	if w.Tool != nil {
		key, use = w.Tool.Key, w.Tool.instruction(w.Language)
	}
	fill := strings.NewReplacer("@SLUG@", w.Slug, "@TOOL@", key, "@USE@", use)
	var files []File
	for _, dir := range []string{"template/all", "template/" + w.Language} {
		err := fs.WalkDir(template, dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := template.ReadFile(name)
			rel := strings.TrimPrefix(name, dir+"/")
			if path.Dir(rel) == "." { // a dot in front would hide them from go:embed
				rel = strings.Replace(rel, "dot-", ".", 1)
			}
			if w.Tool == nil || path.Dir(rel) != "tools" {
				files = append(files, File{rel, []byte(fill.Replace(string(data)))})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if w.Tool != nil {
		files = append(files, File{"tools/" + key + ".yml", w.Tool.YAML(w.Language)})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}
