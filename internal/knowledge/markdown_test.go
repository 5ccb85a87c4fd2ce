package knowledge

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	type want struct{ Heading, Text, Words string }
	for _, tt := range []struct {
		name, in string
		want     []want
	}{
		{"empty", "", nil},
		{"white space", " \n\n\t\n", nil},
		{"no heading", "Just *text*.\nOver two lines.\n", []want{{"", "Just *text*.\nOver two lines.", "Just text. Over two lines."}}},
		{"sections", "# Shop\n\nHello.\n\n## Returns ##\n\nThirty days.\n\n### Boxes\nOpened `box`.\n\n## Shipping\n\nFast.\n", []want{
			{"Shop", "Hello.", "Hello."},
			{"Shop > Returns", "Thirty days.", "Thirty days."},
			{"Shop > Returns > Boxes", "Opened `box`.", "Opened box."},
			{"Shop > Shipping", "Fast.", "Fast."},
		}},
		{"setext headings", "Shop\n====\n\nHello.\n\nReturns *now*\n-----\n\nThirty days.\n", []want{
			{"Shop", "Hello.", "Hello."},
			{"Shop > Returns now", "Thirty days.", "Thirty days."},
		}},
		{"front matter title", "\ufeff---\r\ntitle: 'The  shop'\r\ntags: [a]\r\n---\r\n# Hours\r\n\r\nNine to five.\r\n", []want{
			{"The shop > Hours", "Nine to five.", "Nine to five."},
		}},
		{"title repeated as heading", "---\ntitle: Shop\n---\n# Shop\n\nHello.\n", []want{{"Shop", "Hello.", "Hello."}}},
		{"front matter without a title, ended by dots", "---\ntags: x\n...\nHello.\n", []want{{"", "Hello.", "Hello."}}},
		{"a thematic break is no front matter", "---\n\nHello there.\n\n---\n\nBye.\n", []want{
			{"", "---\n\nHello there.\n\n---\n\nBye.", "Hello there. Bye."},
		}},
		{"front matter never ended", "---\ntitle: x\n", []want{{"", "---\ntitle: x", "title: x"}}},
		{"links", "See [our *terms*](https://x.example/secret \"tip\"), [ref][r] and <https://a.example>. ![a photo](p.png)\n\n[r]: https://y.example/hidden\n", []want{
			{"", "See [our *terms*](https://x.example/secret \"tip\"), [ref][r] and <https://a.example>. ![a photo](p.png)\n\n[r]: https://y.example/hidden",
				"See our terms, ref and https://a.example. a photo"},
		}},
		{"entities and escapes", "Devoluci&oacute;n &#65; 1\\*2 `&amp;`\n", []want{{"", "Devoluci&oacute;n &#65; 1\\*2 `&amp;`", "Devolución A 1*2 &amp;"}}},
		{"code is text, not headings", "# A\n\n```sh\n# no heading\n\nrun x\n```\n\n    # indented\n", []want{
			{"A", "```sh\n# no heading\n\nrun x\n```\n\n    # indented", "# no heading run x # indented"},
		}},
		{"html", "<!-- note to self -->\n\n<div class=\"big\">\nShown\n</div>\n\nA <b>bold</b> word.\n", []want{
			{"", "<div class=\"big\">\nShown\n</div>\n\nA <b>bold</b> word.", "Shown A bold word."},
		}},
		{"only a comment", "# A\n\n<!-- x -->\n", []want{{"A", "A", ""}}},
		{"headings over nothing", "# FAQ\n## We ship on Mondays\n## Open daily\n# End\n", []want{
			{"FAQ > We ship on Mondays", "We ship on Mondays", ""},
			{"FAQ > Open daily", "Open daily", ""},
			{"End", "End", ""},
		}},
		{"list and quote", "- one\n- two\n\n  more\n\n> said\n", []want{{"", "- one\n- two\n\n  more\n\n> said", "one two more said"}}},
		{"nul", "a\x00b\n", []want{{"", "a\ufffdb", "a\ufffdb"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []want
			for _, p := range newReader().read([]byte(tt.in)) {
				got = append(got, want{p.heading, p.text, strings.Join(strings.Fields(p.words), " ")})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("passages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadSplitsLongSections(t *testing.T) {
	p := strings.TrimSpace(strings.Repeat("word ", 170)) // 849 bytes
	code := "```\n" + strings.Repeat("line\n\n", 600) + "```"
	items := func(n int) string { return strings.TrimSpace(strings.Repeat("- "+p+"\n", n)) }
	line := strings.TrimSpace(strings.Repeat("abcd ", 1000))
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"short enough", p + "\n\n" + p, []string{p + "\n\n" + p}},
		{"at paragraphs", strings.Join([]string{p, p, p, p, p}, "\n\n"), []string{p + "\n\n" + p, p + "\n\n" + p, p}},
		{"code stays whole", p + "\n\n" + code + "\n\n" + p, []string{p, code, p}},
		{"at items", items(3), []string{items(2), items(1)}},
		{"one paragraph, at words", line, []string{line[:1999], line[2000:3999], line[4000:]}},
		{"one word", strings.Repeat("é", 1500), []string{strings.Repeat("é", 999), strings.Repeat("é", 501)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			var words, all []string
			for _, p := range newReader().read([]byte("# H\n\n" + tt.in)) {
				if p.heading != "H" {
					t.Errorf("heading %q", p.heading)
				}
				got = append(got, p.text)
				words = append(words, strings.Fields(p.words)...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
			for _, s := range tt.want {
				for _, w := range strings.Fields(s) {
					if w != "```" && w != "-" {
						all = append(all, w)
					}
				}
			}
			if diff := cmp.Diff(all, words); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadCostlyText(t *testing.T) {
	for _, tt := range []struct{ name, unit string }{
		{"emphasis", "_a*"}, {"brackets", "[a](b"}, {"images", "![a]("}, {"quotes", "> "}, {"numbers", "1. "}, {"lists", "- > "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := "# Heading\n\nfindme\n\n" + strings.Repeat(tt.unit, maxFile/len(tt.unit)-10) + "\n"
			start := time.Now()
			got := newReader().read([]byte(in))
			if took := time.Since(start); took > 30*time.Second { // what is quadratic takes many minutes
				t.Errorf("took %v", took)
			}
			if len(got) == 0 || !strings.Contains(got[0].words, "findme") {
				t.Errorf("%d passages", len(got))
			}
		})
	}
	for _, tt := range []string{
		strings.Repeat("see [a](b) and *c*\n\n", 9000),
		"```\n" + strings.Repeat("a[0] * b_c\n", 9000) + "```\n",
		strings.Repeat("-", 300) + "\n",
		strings.Repeat("* ", 100) + "\n",
		strings.Repeat("---+", 100) + "\n",
		strings.Repeat("1.5 ", 100) + "\n",
	} {
		if costly([]byte(tt)) {
			t.Errorf("%.30q is taken for costly", tt)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("---\ntitle: x\n---\n# A\n\ntext [a](b)\n\n```\ncode\n```\n- x\n\n  y\n"))
	f.Add([]byte("> > - a\n> ```\n<!-- x\n-->\n[a]: b\n\n1) x\n\ta\r\nb\n===\n"))
	f.Add([]byte(strings.Repeat("- a b c\n  > "+strings.Repeat("x ", 200)+"\n", 8)))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStemmer()
		for _, p := range newReader().read(data) {
			if p.text == "" {
				t.Errorf("a passage without text: %+v", p)
			}
			for term := range strings.FieldsSeq(string(s.append(nil, p.words))) {
				if strings.ContainsAny(term, "\"'*():^-+{}\x00") {
					t.Errorf("term %q", term)
				}
			}
		}
	})
}
