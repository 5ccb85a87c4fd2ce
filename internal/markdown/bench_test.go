package markdown

import (
	"os"
	"strings"
	"testing"
)

// A text that arrives in small pieces costs a small multiple of the same text in
// one piece, and that multiple does not grow with the text.
func BenchmarkStream(b *testing.B) {
	source, err := os.ReadFile("testdata/answer.md")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		text string
		size int
	}{
		{"answer/whole", string(source), 1 << 20},
		{"answer/pieces", string(source), 5},
		{"list/whole", strings.Repeat("- an item of a list that is long\n", 5000), 1 << 20},
		{"list/pieces", strings.Repeat("- an item of a list that is long\n", 5000), 5},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				s := NewStream(func() Options { return Options{Width: 80, Palette: colors(true), KeepBreaks: true} })
				for rest := c.text; rest != ""; {
					n := min(c.size, len(rest))
					s.Write(rest[:n])
					rest = rest[n:]
				}
				s.Close()
			}
		})
	}
}
