package check

import (
	"path"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// names is what the files in tools/ are called, and what that makes of the
// names in agent.tools.
type names struct {
	files    map[string]int    // how many files have the key
	invalid  map[string]bool   // keys that are none, folded
	listable []string          // what agent.tools may list, sorted
	excused  map[string]bool   // unknown names that a file without a name may have
	joined   map[string]bool   // unknown names that hold keys, and these keys
	meant    map[string]string // for an unknown name the one it was probably meant to be, "" for none
}

func (r *run) learnNames() {
	n := &names{files: map[string]int{}, invalid: map[string]bool{}, excused: map[string]bool{}, joined: map[string]bool{}, meant: map[string]string{}}
	r.names = n
	n.listable = slices.Clone(r.Builtins)
	for _, t := range r.Tools {
		switch {
		case nameless(t):
		case tool.ValidKey(t.Key):
			n.files[t.Key]++
			n.listable = append(n.listable, t.Key)
		default:
			n.invalid[fold(t.Key)] = true
			n.listable = append(n.listable, t.Key)
		}
	}
	slices.Sort(n.listable)
	n.listable = slices.Compact(n.listable)
	r.excuse()
	for _, l := range r.Agent.Tools {
		if len(n.meant) < MaxPerFile && r.unknown(l.Name) { // of the rest none is listed
			n.meant[l.Name] = n.nearest(l.Name)
			n.learnJoined(l.Name)
		}
	}
}

// nearest returns the tool that an unknown name was probably meant to be: the one
// whose file it names, or whose name is alike.
func (n *names) nearest(name string) string {
	base := path.Base(name)
	if key := strings.TrimSuffix(base, path.Ext(base)); key != name && slices.Contains(n.listable, key) {
		return key
	}
	return diag.Nearest(name, n.listable)
}

// learnJoined looks for several names in one, as a lost line or comma leaves them.
func (n *names) learnJoined(name string) {
	words := strings.FieldsFunc(name, func(c rune) bool { return c == ' ' || c == ',' })
	for _, word := range words {
		if len(words) > 1 && n.files[word] > 0 {
			n.joined[word], n.joined[name] = true, true
		}
	}
}

// unknown reports whether a name in agent.tools is none of a tool, and no file
// can be meant to be it.
func (r *run) unknown(name string) bool {
	return r.Known.Files && !slices.Contains(r.Builtins, name) && name != handoffTool &&
		r.names.files[name] == 0 && !r.names.invalid[fold(name)] && !r.names.excused[name]
}

// nameless reports whether a file is a tool whose name could not be read.
func nameless(t *tool.Tool) bool {
	return strings.HasSuffix(t.File.Name, ".toml") && (t.Root == nil || t.Key == "")
}

// misnamed reports whether the name in a file is another tool's.
func (r *run) misnamed(t *tool.Tool) bool {
	return strings.HasSuffix(t.File.Name, ".toml") && (r.reserved(t.Key) || r.names.files[t.Key] > 1)
}

// reserved reports whether a key is the name of a built-in tool.
func (r *run) reserved(key string) bool {
	return key == handoffTool || slices.Contains(r.Builtins, key)
}

// excuse finds the names in agent.tools that files with a faulty name may have:
// for each file the one it is called like. A file without any name explains one
// more.
func (r *run) excuse() {
	folded := map[string]string{}
	for _, l := range r.Agent.Tools {
		folded[fold(l.Name)] = l.Name
	}
	free := 0
	for _, t := range r.Tools {
		if !nameless(t) && !r.misnamed(t) {
			continue
		}
		base := fold(strings.TrimSuffix(path.Base(t.File.Name), ".toml"))
		if name, ok := folded[base]; ok {
			r.names.excused[name] = true
			delete(folded, base)
		} else if nameless(t) {
			free++
		}
	}
	for _, l := range r.Agent.Tools {
		if free > 0 && r.unknown(l.Name) {
			r.names.excused[l.Name] = true
			free--
		}
	}
}

// fold makes names equal that differ in case and separators alone.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c == ' ' || c == '.' || c == '-':
			return '_'
		}
		return c
	}, s)
}
