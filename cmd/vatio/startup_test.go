package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkStartup measures the whole process of `vatio version` and of a bare
// cobra program in turns, and reports the ratio of the medians.
func BenchmarkStartup(b *testing.B) {
	dir := b.TempDir()
	build := func(name, pkg string) string {
		path := filepath.Join(dir, name)
		if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, pkg).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		return path
	}
	vatio, bare := build("vatio", "."), build("bare", "./testdata/bare")
	var ours, theirs []time.Duration
	for b.Loop() {
		for range 25 {
			ours = append(ours, run(b, vatio))
			theirs = append(theirs, run(b, bare))
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mine, other := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(mine)/float64(other), "times-bare")
	b.ReportMetric(float64(mine.Microseconds())/1000, "ms-vatio")
	b.ReportMetric(float64(other.Microseconds())/1000, "ms-bare")
}

func run(b *testing.B, path string) time.Duration {
	start := time.Now()
	if err := exec.Command(path, "version").Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
