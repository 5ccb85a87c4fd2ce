package knowledge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// old is a time of change that can be trusted.
var old = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// write makes or replaces a file of the workspace, changed at the time given.
func write(t testing.TB, root, name, content string, changed time.Time) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, root, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(root, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// workspace makes one with the files given as name, content, name, content …
func workspace(t testing.TB, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		write(t, root, files[i], files[i+1], old)
	}
	return root
}

// corpus writes files of some 4 KiB each, the same for the same seed.
func corpus(t testing.TB, root, base string, files int, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range files {
		write(t, root, fmt.Sprintf("knowledge/%s/%02d/article-%04d.md", base, i%50, i), article(r, i), old)
	}
}

// article is a document in English or Spanish, with 20,000 words to draw from.
func article(r *rand.Rand, n int) string {
	frequent := [2][]string{
		strings.Fields("the of and to in is that for it with as order orders returned shipping warranty customers delivery refund"),
		strings.Fields("el la de que y en un los se del con pedido pedidos devoluciones envío garantía clientes entrega reembolso"),
	}[n%2]
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: Article %d\n---\n", n)
	for b.Len() < 4100 {
		fmt.Fprintf(&b, "\n## Part %d of %s\n\n", b.Len(), word(r))
		for w := range 130 {
			switch r.IntN(10) {
			case 0, 1, 2, 3:
				b.WriteString(frequent[r.IntN(len(frequent))])
			case 4:
				fmt.Fprintf(&b, "[%s](https://acme.example/%s)", word(r), word(r))
			default:
				b.WriteString(word(r))
			}
			if w%13 == 12 {
				b.WriteString(".\n")
			} else {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

func word(r *rand.Rand) string {
	const consonants, vowels = "bcdfglmnprst", "aeiou"
	n := int(20000 * r.Float64() * r.Float64()) // some are more frequent than others
	var b strings.Builder
	for ; n > 0 || b.Len() == 0; n /= len(consonants) * len(vowels) {
		b.WriteByte(consonants[n%len(consonants)])
		b.WriteByte(vowels[n/len(consonants)%len(vowels)])
	}
	return b.String() + []string{"", "s", "ción", "ing", "ado", "r"}[r.IntN(6)]
}

func open(t testing.TB, o Options) *Index {
	t.Helper()
	x, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func search(t testing.TB, x *Index, query string, limit int) []Passage {
	t.Helper()
	found, err := x.Search(context.Background(), query, limit)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
