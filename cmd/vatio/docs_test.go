package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/docs"
	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// TestDocs executes every example of every page.
func TestDocs(t *testing.T) {
	for _, language := range docs.Languages {
		for _, topic := range docs.Topics(language) {
			t.Run(language+"/"+topic.Name, func(t *testing.T) {
				t.Parallel()
				text, _ := docs.Page(language, topic.Name)
				if topic.Name == docs.CodesTopic {
					runCodes(t, text)
					return
				}
				s := newShell(t)
				for _, b := range blocksOf(text) {
					switch {
					case b.language == "console":
						s.console(b)
					case b.rest != "":
						s.write(b.rest, b.text)
					default:
						checkExcerpt(t, b)
					}
				}
			})
		}
	}
}

// checkExcerpt wants a block that is not executed to be well-formed at least.
func checkExcerpt(t *testing.T, b block) {
	t.Helper()
	var faults diag.List
	switch b.language {
	case "yaml":
		_, faults = syntax.ParseYAML(diag.NewFile("example.yml", []byte(b.text)))
	case "toml":
		_, faults = syntax.ParseTOML(diag.NewFile("example.toml", []byte(b.text)))
	case "json":
		if !json.Valid([]byte(b.text)) {
			t.Errorf("line %d: no JSON", b.line)
		}
	case "text", "sh", "http", "dotenv":
	default:
		t.Errorf("line %d: what is done with a block in %q?", b.line, b.language)
	}
	for _, d := range faults {
		t.Errorf("line %d: %s", b.line, d.Message)
	}
}

// runCodes gives each example of a code a workspace of its own: what init writes,
// with values for its secrets.
func runCodes(t *testing.T, page string) {
	var have []string
	for _, section := range strings.Split(page, "\n## ")[1:] {
		code, text, _ := strings.Cut(section, "\n")
		have = append(have, code)
		shown := map[string]int{}
		for _, kind := range []string{"bad", "good"} {
			s := newShell(t)
			for _, command := range []string{"vatio init shop", "vatio secrets set API_URL https://api.example.com", "vatio secrets set API_TOKEN < token.txt"} {
				if status, _, errs := s.run(command); status != 0 {
					t.Fatal(errs)
				}
			}
			for _, b := range blocksOf(text) {
				switch {
				case b.kind != kind:
				case b.language == "sh":
					shown[kind]++
					if status, _, errs := s.run(b.text); status != 0 {
						t.Fatalf("%s: %s", code, errs)
					}
				case b.rest != "":
					shown[kind]++
					s.write(b.rest, b.text)
				}
			}
			_, out, errs := s.run("vatio tools check --format json")
			var list []struct{ Code, Message string }
			if err := json.Unmarshal([]byte(out), &list); err != nil {
				t.Fatalf("%s: %v\n%s%s", code, err, out, errs)
			}
			if kind == "bad" && len(list) == 0 {
				t.Errorf("%s: the bad example gives nothing", code)
			}
			for _, d := range list {
				if kind == "good" || d.Code != code {
					t.Errorf("%s: the %s example gives %s: %s", code, kind, d.Code, d.Message)
				}
			}
		}
		if shown["bad"] == 0 || shown["good"] == 0 {
			t.Errorf("%s needs an example that is bad and one that is good", code)
		}
	}
	var want []string
	for _, c := range check.Codes() {
		want = append(want, c.Name)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("the codes (-checker +page)\n%s", diff)
	}
}

// Every page exists in every language, with the same examples in the same order.
func TestDocsAreTheSame(t *testing.T) {
	kinds := func(language, topic string) (list []string) {
		text, ok := docs.Page(language, topic)
		if !ok {
			t.Errorf("%s has no page %q", language, topic)
		}
		for _, b := range blocksOf(text) {
			list = append(list, strings.Join([]string{b.language, b.kind, b.rest}, " "))
		}
		return list
	}
	for _, language := range docs.Languages {
		entries, err := os.ReadDir(filepath.Join("..", "..", "internal", "docs", language))
		if err != nil {
			t.Fatal(err)
		}
		if topics := docs.Topics(language); len(topics) != len(entries) {
			t.Errorf("%s: %d pages are listed, there are %d", language, len(topics), len(entries))
		}
		for _, topic := range docs.Topics(docs.Languages[0]) {
			if diff := cmp.Diff(kinds(docs.Languages[0], topic.Name), kinds(language, topic.Name)); diff != "" {
				t.Errorf("%s: the examples (-%s +%s)\n%s", topic.Name, docs.Languages[0], language, diff)
			}
		}
	}
}
