// Package docs is the reference for those who write tools: one page of Markdown
// a topic, in each language. A page begins with its title and a sentence that
// says what it is about. The examples of every page are executed by the tests of
// cmd/vatio, which says how they are marked.
package docs

import (
	"embed"
	"strings"
)

//go:embed en es
var pages embed.FS

// Languages are those that every page is written in, the default first.
var Languages = [...]string{"en", "es"}

// CodesTopic is the page that has a section for each diagnostic code.
const CodesTopic = "codes"

// topics is the order in which they are best read.
var topics = [...]string{
	"start", "workspace", "tools", "placeholders", "responses", "private", "service",
	"secrets", "chat", "push", "deploy", "serve", CodesTopic,
}

// A Topic is one page.
type Topic struct {
	Name    string // what it is asked for by
	Title   string
	Summary string // one sentence
}

// Topics lists the pages of a language in the order in which they are best read.
func Topics(language string) []Topic {
	list := make([]Topic, 0, len(topics))
	for _, name := range topics {
		text, ok := Page(language, name)
		if !ok {
			continue
		}
		title, rest, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		summary, _, _ := strings.Cut(strings.TrimSpace(rest), "\n\n")
		list = append(list, Topic{name, title, strings.ReplaceAll(summary, "\n", " ")})
	}
	return list
}

// Page returns the Markdown of a topic.
func Page(language, topic string) (text string, ok bool) {
	data, err := pages.ReadFile(language + "/" + topic + ".md")
	return string(data), err == nil
}

// Code returns the section of the codes page about one diagnostic code.
func Code(language, code string) (text string, ok bool) {
	page, _ := Page(language, CodesTopic)
	_, section, ok := strings.Cut(page, "\n## "+code+"\n")
	if !ok {
		return "", false
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return "# " + code + "\n" + strings.TrimRight(section, "\n") + "\n", true
}
