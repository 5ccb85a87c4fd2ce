package remote

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const longestName = 64

// rename finds the names of parameters that providers refuse, and others for
// them that the schema does not use.
func (a *adapter) rename() {
	used := map[string]bool{}
	var names []string
	note := func(name string) {
		if !used[name] {
			used[name] = true
			names = append(names, name)
		}
	}
	collectNames(a.root, note)
	for _, name := range names {
		if acceptable(name) {
			continue
		}
		plain := plainName(name)
		other := plain
		for n := 2; used[other]; n++ {
			end := "_" + strconv.Itoa(n)
			other = plain[:min(len(plain), longestName-len(end))] + end
		}
		used[other] = true
		if a.theirs == nil {
			a.theirs, a.ours = map[string]string{}, map[string]string{}
		}
		a.theirs[name], a.ours[other] = other, name
	}
}

// collectNames notes the names of all properties in v, a schema or a part of one.
func collectNames(v jsondoc.Value, note func(name string)) {
	for e := range v.Elements() {
		collectNames(e, note)
	}
	for word, value := range v.Members() {
		switch word {
		case "const", "enum", "default", "examples", "required":
			continue
		case "properties", "dependentSchemas":
			for name, schema := range value.Members() {
				note(name)
				collectNames(schema, note)
			}
		case "$defs", "definitions", "patternProperties":
			for _, schema := range value.Members() {
				collectNames(schema, note)
			}
		default:
			collectNames(value, note)
		}
	}
}

// acceptable reports whether every provider takes a parameter of that name.
func acceptable(name string) bool {
	return name != "" && len(name) <= longestName && !strings.ContainsFunc(name, refusedRune)
}

func refusedRune(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
}

// plainName makes an acceptable name that still reads like the one given.
func plainName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case !refusedRune(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() >= longestName {
			break
		}
	}
	if plain := strings.TrimRight(b.String(), "_"); plain != "" {
		return plain
	}
	return "parameter"
}

// unescapePointer reads one token of a JSON Pointer in a URI's fragment.
func unescapePointer(token string) string {
	if plain, err := url.PathUnescape(token); err == nil {
		token = plain
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
