package markdown

import (
	"strings"
	"testing"
)

// Whatever a text is and however it arrives, what is shown keeps to the width
// and moves no cursor.
func FuzzStream(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string, size, width uint8, color, keep bool) {
		o := Options{Width: int(width), Palette: colors(color), KeepBreaks: keep}
		bound := max(int(width), leastWidth)
		if width == 0 {
			bound = usualWidth
		}
		whole := Render(text, o)
		checkShown(t, whole, bound)
		s := NewStream(func() Options { return o })
		var got strings.Builder
		for rest := text; rest != ""; {
			n := min(int(size)+1, len(rest))
			got.WriteString(s.Write(rest[:n]))
			rest = rest[n:]
		}
		got.WriteString(s.Close())
		if strings.Contains(text, "\n") {
			return // a line may have changed what those before are
		}
		if a, b := visible(whole), visible(got.String()); a != b {
			t.Errorf("in one piece %q, in pieces %q", a, b)
		}
	})
}
