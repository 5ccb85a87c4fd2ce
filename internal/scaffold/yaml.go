package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/toolfile"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// wording is what a tool says in one language. %s is what it is about.
type wording struct {
	get, ask, use, empty, found, done string
	urlNote, tokenNote, dataNote      string
}

func words(language string) wording {
	if language == "es" {
		return wording{
			get: "Consulta: %s.", ask: "El visitante pregunta por: %s.", use: "Usa %s cuando corresponda y nunca inventes un dato.",
			empty: "No se encontró nada.", found: "Resultados: {{count}}.", done: "Consulta hecha.",
			urlNote: "dónde responde tu backend", tokenNote: "se omite mientras el secreto no tenga valor",
			dataNote: "Lo que recibe el modelo, por JSONPath.",
		}
	}
	return wording{
		get: "Get %s.", ask: "The visitor asks for %s.", use: "Use %s where it helps and never guess what it knows.",
		empty: "Nothing was found.", found: "Found {{count}}.", done: "Here is what was found.",
		urlNote: "where your backend answers", tokenNote: "left out while the secret has no value",
		dataNote: "What the model gets, by JSONPath.",
	}
}

func (t *Tool) instruction(language string) string { return fmt.Sprintf(words(language).use, t.Key) }

// about is what the tool gets, for people.
func (t *Tool) about() string {
	if n := len(t.path); n > 0 && t.path[n-1].ref != "" && t.noun != "" {
		return "one " + spaced(singular(t.noun))
	}
	return spaced(t.listName())
}

// Describe returns the description and when_to_use that the tool has where
// nobody gave others.
func (t *Tool) Describe(language string) (description, whenToUse string) {
	w, about := words(language), t.about()
	if language == "es" {
		about = strings.TrimPrefix(about, "one ")
	}
	return fmt.Sprintf(w.get, about), fmt.Sprintf(w.ask, about)
}

// YAML returns the tool's file, which checks clean.
func (t *Tool) YAML(language string) []byte {
	w := words(language)
	description, whenToUse := t.Describe(language)
	if t.Description != "" {
		description = t.Description
	}
	if t.WhenToUse != "" {
		whenToUse = t.WhenToUse
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# yaml-language-server: $schema=../.vatio/schema/tool.json")
	line("description: %s", toolfile.Scalar(description))
	line("when_to_use: %s", toolfile.Scalar(whenToUse))
	if len(t.Params) > 0 {
		line("\nparameters:\n  type: object\n  properties:")
		for _, p := range t.Params {
			example := ""
			if p.Example != "" {
				example = ", examples: [" + exampleOf(p) + "]"
			}
			line("    %s: { type: %s%s }", toolfile.Key(p.Name), p.Type, example)
		}
		if required := t.required(); len(required) > 0 {
			line("  required: [%s]", strings.Join(required, ", "))
		}
	}
	line("\nrequest:\n  method: GET")
	line("  base_url: %q # %s", "$env."+URLSecret, w.urlNote)
	line("  path: %s", toolfile.Scalar(t.Path()))
	if t.Bearer {
		line("  headers:\n    Authorization: %q # %s", "Bearer $env."+TokenSecret, w.tokenNote)
	}
	if len(t.query) > 0 {
		line("  query:")
		for _, e := range t.query {
			line("    %s: %q", toolfile.Key(e.name), e.ref)
		}
	}
	line("\nrespond:")
	if len(t.answer) == 0 {
		line("  message: %s", toolfile.Scalar(w.done))
		return []byte(b.String())
	}
	line("  # %s\n  data:", w.dataNote)
	for i, f := range t.answer {
		name := f.name
		if slices.ContainsFunc(t.answer[:i], func(other field) bool { return other.name == name }) {
			name = fmt.Sprintf("%s_%d", name, i+1)
		}
		line("    %s: %s", toolfile.Key(name), toolfile.Scalar(f.path))
	}
	line("  message:\n    when_empty: %s", toolfile.Scalar(w.empty))
	if t.counted {
		line("    default: %s", toolfile.Scalar(w.found))
	} else {
		line("    default: %s", toolfile.Scalar(w.done))
	}
	return []byte(b.String())
}

// Path is the request's path, with its placeholders.
func (t *Tool) Path() string {
	if len(t.path) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, s := range t.path {
		b.WriteString("/" + s.text + s.ref)
	}
	return b.String()
}

// required are the parameters that the path cannot be written without, and the
// first of the query where it has none.
func (t *Tool) required() []string {
	var list []string
	for _, s := range t.path {
		if name, ok := strings.CutPrefix(s.ref, "$params."); ok {
			list = append(list, toolfile.Key(name))
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, e := range t.query {
		if name, ok := strings.CutPrefix(e.ref, "$params."); ok {
			return []string{toolfile.Key(name)}
		}
	}
	return nil
}

// Arguments are those of the address, as a JSON object. ok is false when a
// parameter of the path has no example.
func (t *Tool) Arguments() (arguments []byte, ok bool) {
	b := []byte{'{'}
	for _, p := range t.Params {
		if p.Example == "" {
			ok = !slices.ContainsFunc(t.path, func(s segment) bool { return s.ref == "$params."+p.Name })
			if !ok {
				return nil, false
			}
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = jsondoc.AppendQuote(b, p.Name)
		b = append(b, ':')
		b = append(b, exampleOf(p)...)
	}
	return append(b, '}'), true
}

// exampleOf is the example as JSON.
func exampleOf(p Param) string {
	if p.Type == "string" {
		return toolfile.Quote(p.Example)
	}
	return p.Example
}
