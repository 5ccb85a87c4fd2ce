package knowledge

import (
	"bytes"

	"gopkg.in/yaml.v3"
)

// frontMatter returns the title that the YAML front matter of src names, ""
// for none, and what follows it. A file that merely starts with a thematic
// break has no front matter: what stands between the lines must be a map.
func frontMatter(src []byte) (title string, body []byte) {
	first, rest, ok := bytes.Cut(src, []byte("\n"))
	if !ok || string(bytes.TrimRight(first, " \t")) != "---" {
		return "", src
	}
	for at := 0; at < len(rest); {
		line, _, _ := bytes.Cut(rest[at:], []byte("\n"))
		next := min(at+len(line)+1, len(rest))
		if end := string(bytes.TrimRight(line, " \t")); end == "---" || end == "..." {
			title, ok := frontTitle(rest[:at])
			if !ok {
				return "", src
			}
			return title, rest[next:]
		}
		at = next
	}
	return "", src
}

func frontTitle(front []byte) (title string, ok bool) {
	if len(bytes.TrimSpace(front)) == 0 {
		return "", true
	}
	var doc yaml.Node
	if yaml.Unmarshal(front, &doc) != nil || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return "", false
	}
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i].Value == "title" && pairs[i+1].Kind == yaml.ScalarNode && pairs[i+1].Tag != "!!null" {
			return string(bytes.Join(bytes.Fields([]byte(pairs[i+1].Value)), []byte(" "))), true
		}
	}
	return "", true
}
