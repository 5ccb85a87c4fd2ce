package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkPush measures the whole process of `vatio push` of the largest
// workspace there may be, first with a changed file and then unchanged, and in
// turns what a shell needs to pack and hash the same files. It reports the ratios
// of the medians.
func BenchmarkPush(b *testing.B) {
	for _, program := range []string{"sh", "tar", "gzip", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			b.Skipf("%s is not installed", program)
		}
	}
	vatio := filepath.Join(b.TempDir(), "vatio")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", vatio, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	dir := b.TempDir()
	layLargest(b, dir)
	timed := func(name string, args ...string) time.Duration {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+b.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null")
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return time.Since(start)
	}
	var changed, unchanged, shell []time.Duration
	n := 0
	for b.Loop() {
		n++
		if err := os.WriteFile(filepath.Join(dir, "knowledge", "faq", "000.md"), fmt.Appendf(nil, "%d\n", n), 0o644); err != nil {
			b.Fatal(err)
		}
		changed = append(changed, timed(vatio, "push"))
		unchanged = append(unchanged, timed(vatio, "push"))
		shell = append(shell, timed("sh", "-c", "tar --exclude=.vatio -cf - . | gzip | sha256sum"))
	}
	median := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2])
	}
	b.ReportMetric(median(changed)/median(shell), "changed/shell")
	b.ReportMetric(median(unchanged)/median(shell), "unchanged/shell")
	b.ReportMetric(median(unchanged)/1e6, "unchanged-ms")
	b.ReportMetric(median(changed)/1e6, "changed-ms")
}

// layLargest writes as many files as may travel, and nearly as many bytes, of
// text that compresses like prose.
func layLargest(b *testing.B, dir string) {
	b.Helper()
	const files, size = 500, 8<<20 - 64<<10
	write := func(name, text string) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("vatio.yml", "workspace: acme\nagent:\n  instructions: Be kind.\n  tools: [ping]\n")
	write("tools/ping.yml", "description: Ping.\nwhen_to_use: Somebody wants a ping.\nrequest:\n  method: GET\n  base_url: https://api.example.com\n  path: /ping\n")
	words := []string{"stock ", "order ", "the ", "visitor ", "asks ", "a ", "price ", "of ", "returned ", "goods\n"}
	random := uint32(1)
	for i := range files - 2 {
		var text strings.Builder
		for text.Len() < size/files-12 {
			random = random*1664525 + 1013904223
			text.WriteString(words[random>>24%10])
			text.WriteByte("abcdefghijklmnopqrstuvwxyz"[random>>16%26])
		}
		write(fmt.Sprintf("knowledge/faq/%03d.md", i), text.String())
	}
}
