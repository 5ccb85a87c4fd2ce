package markdown

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/iox"
)

// colors returns the palette of a terminal that has colours, or has none.
func colors(on bool) iox.Palette {
	s, _, _ := iox.Test("", "", map[string]string{"TERM": "xterm"})
	s.OutTerminal = on
	return s.Colors()
}

// shownStyles writes the palette's sequences so that they can be read.
func shownStyles(s string) string {
	return strings.NewReplacer(
		"\x1b[1m", "‹b›", "\x1b[3m", "‹i›", "\x1b[2m", "‹d›", "\x1b[36m", "‹c›",
		"\x1b[22m", "‹/›", "\x1b[23m", "‹/›", "\x1b[0m", "‹/›",
	).Replace(s)
}

func TestRender(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		for _, c := range []struct {
			name  string
			width int
			color bool
		}{{"60 columns, no colours", 60, false}, {"24 columns, no colours", 24, false}, {"60 columns, colours", 60, true}} {
			o := Options{Width: c.width, Palette: colors(c.color), KeepBreaks: true}
			got.WriteString("-- " + c.name + " --\n" + shownStyles(Render(string(source), o)))
		}
		golden := strings.TrimSuffix(file, ".md") + ".txt"
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s (-want +got)\n%s", golden, d)
		}
	}
}

// However a text is cut into pieces, the same is shown in the end.
func TestStreamPieces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{24, 60} {
			o := Options{Width: width, Palette: colors(true), KeepBreaks: true}
			want := Render(string(source), o)
			for _, size := range []int{1, 2, 3, 5, 8, 13, 40, 1000} {
				s := NewStream(func() Options { return o })
				var got strings.Builder
				for rest := string(source); rest != ""; {
					n := min(size, len(rest))
					got.WriteString(s.Write(rest[:n]))
					rest = rest[n:]
				}
				got.WriteString(s.Close())
				if d := cmp.Diff(want, got.String()); d != "" {
					t.Fatalf("%s in pieces of %d (-want +got)\n%s", file, size, d)
				}
			}
		}
	}
}

func TestRenderKeepsToTheWidth(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for width := leastWidth; width < 90; width++ {
			checkShown(t, Render(string(source), Options{Width: width, Palette: colors(true)}), width)
			checkShown(t, Render(string(source), Options{Width: width, Palette: colors(false), KeepBreaks: true}), width)
		}
	}
}

// checkShown fails for lines that are too wide, and for whatever could move a
// cursor.
func checkShown(t *testing.T, shown string, width int) {
	t.Helper()
	plain := visible(shown)
	if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 }) || !utf8.ValidString(plain) {
		t.Errorf("%q could move a cursor", plain)
	}
	for line := range strings.Lines(plain) {
		if n := columns(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%q is %d columns wide, more than %d", line, n, width)
		}
	}
	if shown != "" && !strings.HasSuffix(shown, "\n") {
		t.Errorf("%q does not end its line", shown)
	}
}

// A line that turns out to be the header of a table, or a heading, when it is
// shown already stays as it was shown, and nothing is lost or shown twice.
func TestStreamLater(t *testing.T) {
	for _, text := range []string{"no outer | pipes\n--- | ---\nleft | right\n", "Title\n=====\n\ntext\n", "two words\n---\n"} {
		o := Options{Width: 40, Palette: colors(true), KeepBreaks: true}
		s := NewStream(func() Options { return o })
		var got strings.Builder
		for _, c := range text {
			got.WriteString(s.Write(string(c)))
		}
		got.WriteString(s.Close())
		if d := cmp.Diff(visible(Render(text, o)), visible(got.String())); d != "" {
			t.Errorf("%q (-want +got)\n%s", text, d)
		}
	}
}
