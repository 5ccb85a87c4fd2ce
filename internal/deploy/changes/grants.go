package changes

import (
	"maps"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/deploy/bundle"
	"github.com/vatio-dev/vatio/internal/deploy/credential"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// grantFields compares grants, either of which may be nil.
func grantFields(old, fresh *bundle.DescribedGrants) []Field {
	if old == nil {
		old = &bundle.DescribedGrants{}
	}
	if fresh == nil {
		fresh = &bundle.DescribedGrants{}
	}
	list := []Field{}
	// Of a header only the name is shown, and which variable its value comes from.
	value := func(field, was, is string, shown func(string) string) {
		switch {
		case was == is:
		case was == "":
			list = append(list, Field{Field: field, Change: "added", After: shown(is)})
		case is == "":
			list = append(list, Field{Field: field, Change: "removed", Before: shown(was)})
		default:
			list = append(list, Field{Field: field, Change: "changed", Before: shown(was), After: shown(is)})
		}
	}
	value("id", old.ID, fresh.ID, quoted)
	for _, name := range union(old.Services, fresh.Services) {
		was, is := old.Services[name], fresh.Services[name]
		at := "services." + key(name)
		value(at+".url", was.URL, is.URL, func(s string) string {
			if at := strings.LastIndexByte(s, '@'); at >= 0 {
				return quoted(credential.Redacted + s[at:])
			}
			return quoted(s)
		})
		for _, header := range union(was.Headers, is.Headers) {
			value(at+".headers."+key(header), was.Headers[header], is.Headers[header], func(s string) string {
				if _, env := workspace.EnvName(s); env {
					return quoted(s)
				}
				return credential.Redacted
			})
		}
	}
	if len(list) > maxFields {
		list = list[:maxFields]
	}
	return list
}

func union[V any](a, b map[string]V) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}
