package openapi

import (
	"bytes"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// Enable returns the text of vatio.yml with keys added to agent.tools; every
// other byte stays as it is. Keys that are listed already are left out. ok is false where the list is missing or
// written in a way that is for a person to extend.
func Enable(f *diag.File, keys []string) (changed []byte, ok bool) {
	root, faults := syntax.ParseYAML(f)
	if faults.Err() != nil {
		return nil, false
	}
	list := root.Get("agent").Get("tools")
	if list == nil || list.Kind != syntax.Seq {
		return nil, false
	}
	listed := map[string]bool{}
	for _, item := range list.Items {
		listed[item.Text] = true
	}
	var missing []string
	for _, k := range keys {
		if !listed[k] {
			missing = append(missing, k)
		}
	}
	if len(missing) == 0 {
		return f.Data, true
	}
	edit := diag.Edit{}
	start := list.Span().Start
	switch {
	case len(list.Items) == 0 && f.Data[start] == '[':
		edit = diag.Edit{Span: diag.Span{File: f, Start: start + 1, End: start + 1}, Text: strings.Join(missing, ", ")}
	case len(list.Items) == 0:
		return nil, false
	case f.Data[start] == '[':
		at := list.Items[len(list.Items)-1].Span().End
		edit = diag.Edit{Span: diag.Span{File: f, Start: at, End: at}, Text: ", " + strings.Join(missing, ", ")}
	default:
		last := list.Items[len(list.Items)-1].Span()
		line := f.LineStart(f.Position(last.Start).Line)
		dash := bytes.LastIndexByte(f.Data[line:last.Start], '-')
		if dash < 0 || strings.TrimLeft(string(f.Data[line:line+dash]), " ") != "" {
			return nil, false
		}
		at, newline := last.End, "\n"
		if i := bytes.IndexAny(f.Data[at:], "\r\n"); i < 0 {
			at = len(f.Data)
		} else {
			at += i
			if f.Data[at] == '\r' {
				newline = "\r\n"
			}
		}
		var b strings.Builder
		for _, k := range missing {
			b.WriteString(newline + string(f.Data[line:line+dash]) + "- " + k)
		}
		edit = diag.Edit{Span: diag.Span{File: f, Start: at, End: at}, Text: b.String()}
	}
	changed = diag.Apply(f.Data, []diag.Edit{edit})
	again, faults := syntax.ParseYAML(diag.NewFile(f.Name, changed))
	now := again.Get("agent").Get("tools")
	return changed, faults.Err() == nil && now != nil && len(now.Items) == len(list.Items)+len(missing)
}
