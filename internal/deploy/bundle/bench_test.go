package bundle

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkPack packs the largest workspace there may be; BenchmarkTarGzip is
// what a shell needs for the same files.
func BenchmarkPack(b *testing.B) {
	dir := benchDir(b)
	w := load(b, dir)
	b.ReportAllocs()
	for b.Loop() {
		files, _, err := Collect(w)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Pack(files); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTarGzip(b *testing.B) {
	for _, program := range []string{"sh", "tar", "gzip", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			b.Skipf("%s is not installed", program)
		}
	}
	dir := benchDir(b)
	for b.Loop() {
		cmd := exec.Command("sh", "-c", "tar -cf - . | gzip | sha256sum")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}

func benchDir(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	files := benchFiles()
	files[0] = File{"vatio.yml", []byte(config)}
	files[1] = File{"tools/check_stock.yml", []byte(stock)}
	for _, f := range files {
		full := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(full, f.Data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// benchFiles are as many files as may travel, and as many bytes, of text that
// compresses like prose.
func benchFiles() []File {
	var files []File
	word := uint32(1)
	for i := range MaxFiles {
		var text strings.Builder
		for text.Len() < MaxSize/MaxFiles-12 {
			word = word*1664525 + 1013904223
			text.WriteString([]string{"stock ", "order ", "the ", "visitor ", "asks ", "a ", "price ", "of ", "returned ", "goods\n"}[word>>24%10])
			text.WriteByte("abcdefghijklmnopqrstuvwxyz"[word>>16%26])
		}
		files = append(files, File{fmt.Sprintf("knowledge/faq/%03d.md", i), []byte(text.String())})
	}
	return files
}
