package knowledge

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// The corpus is 5,000 files, 20 MiB.
func BenchmarkBuild(b *testing.B) {
	root := b.TempDir()
	corpus(b, root, "catalog", 5000, 1)
	for b.Loop() {
		cache := b.TempDir()
		x := open(b, Options{Root: root, Bases: []string{"catalog"}, CacheDir: cache})
		if info, err := os.Stat(filepath.Join(cache, cacheName)); err == nil {
			b.ReportMetric(float64(info.Size())/(1<<20), "MiB")
		}
		x.Close()
	}
}

func BenchmarkOpenAndSearch(b *testing.B) {
	root, cache := b.TempDir(), b.TempDir()
	corpus(b, root, "catalog", 5000, 1)
	o := Options{Root: root, Bases: []string{"catalog"}, CacheDir: cache}
	open(b, o).Close()
	for b.Loop() {
		x := open(b, o)
		if len(search(b, x, "how are the babedu and babedos sent", 5)) == 0 {
			b.Fatal("nothing found")
		}
		x.Close()
	}
}

func BenchmarkSearch(b *testing.B) {
	root := b.TempDir()
	corpus(b, root, "catalog", 5000, 1)
	x := open(b, Options{Root: root, Bases: []string{"catalog"}, CacheDir: b.TempDir()})
	for _, q := range []struct{ name, text string }{
		{"rare", "how are the babedu and babedos sent"},
		{"InHalfOfAllPassages", "garantía"},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				if len(search(b, x, q.text, 5)) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}

func BenchmarkRefreshAfterOneEdit(b *testing.B) {
	root := b.TempDir()
	corpus(b, root, "catalog", 5000, 1)
	x := open(b, Options{Root: root, Bases: []string{"catalog"}, CacheDir: b.TempDir()})
	when := old
	for b.Loop() {
		when = when.AddDate(0, 0, 1)
		write(b, root, "knowledge/catalog/00/article-0000.md", "# New\n\n"+when.String(), when)
		if changed, err := x.Refresh(context.Background()); err != nil || !changed {
			b.Fatal(changed, err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	root := b.TempDir()
	corpus(b, root, "catalog", 1, 1)
	data, err := os.ReadFile(filepath.Join(root, "knowledge/catalog/00/article-0000.md"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	r, s := newReader(), newStemmer()
	var buf []byte
	for b.Loop() {
		for _, p := range r.read(data) {
			buf = s.append(buf[:0], p.words)
		}
	}
}
