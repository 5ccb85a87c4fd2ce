package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkCheckAgainstActionlint lets `vatio tools check` read 1,000 tools and
// actionlint, without the linters it can call, as many workflows of the same
// total size, as whole processes in turns. On either side one file in ten is
// faulty. It reports the ratio of the medians in time and in processor time, that
// of the quickest runs, which others on the machine disturb least, and what
// `vatio` takes of memory at most.
func BenchmarkCheckAgainstActionlint(b *testing.B) {
	actionlint, err := exec.LookPath("actionlint")
	if err != nil {
		b.Skip("actionlint is not on PATH: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12")
	}
	dir := b.TempDir()
	vatio := filepath.Join(dir, "bin", "vatio")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", vatio, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	tools, flows := filepath.Join(dir, "shop"), filepath.Join(dir, "flows")
	sizes := writeToolCorpus(b, tools)
	toolBytes := 0
	for _, size := range sizes {
		toolBytes += size
	}
	flowBytes := writeWorkflowCorpus(b, flows, sizes)
	if err := os.Mkdir(filepath.Join(flows, ".git"), 0o755); err != nil { // it looks for the repository's root
		b.Fatal(err)
	}
	for _, name := range [...]string{"SHOP_API", "SHOP_TOKEN", "REGION"} {
		set := exec.Command(vatio, "secrets", "set", name, "some-value")
		set.Dir, set.Env = tools, corpusEnv(dir)
		if out, err := set.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	ours, theirs := measured{env: corpusEnv(dir)}, measured{env: corpusEnv(dir)}
	for b.Loop() {
		for range 10 {
			ours.run(b, tools, vatio, "tools", "check")
			theirs.run(b, flows, actionlint, "-no-color", "-shellcheck=", "-pyflakes=")
		}
	}
	b.ReportMetric(median(ours.wall)/median(theirs.wall), "ratio")
	b.ReportMetric(slices.Min(ours.wall)/slices.Min(theirs.wall), "best-ratio")
	b.ReportMetric(median(ours.cpu)/median(theirs.cpu), "cpu-ratio")
	b.ReportMetric(median(ours.wall), "ms-vatio")
	b.ReportMetric(median(theirs.wall), "ms-actionlint")
	b.ReportMetric(slices.Max(ours.peak), "MiB-vatio")
	b.ReportMetric(float64(toolBytes)/1000, "kB-tools")
	b.ReportMetric(float64(flowBytes)/1000, "kB-workflows")
}

// corpusEnv is the environment of this process with a home of its own.
func corpusEnv(home string) []string {
	return append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home)
}

// measured is what the runs of one program took, in milliseconds and MiB.
type measured struct {
	env             []string
	wall, cpu, peak []float64
}

// run runs a program in a directory in which one file in ten has one fault.
func (m *measured) run(b *testing.B, dir, program string, args ...string) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, m.env
	var out bytes.Buffer
	cmd.Stdout = &out
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		b.Fatalf("%s: %v\n%s", program, err, out.Bytes())
	}
	if n := bytes.Count(out.Bytes(), []byte("]\n")); n != corpusFiles/10 { // each ends its first line with its code
		b.Fatalf("%s found %d faults\n%s", program, n, out.Bytes())
	}
	state := cmd.ProcessState
	m.wall = append(m.wall, float64(took.Microseconds())/1000)
	m.cpu = append(m.cpu, float64((state.UserTime()+state.SystemTime()).Microseconds())/1000)
	m.peak = append(m.peak, float64(state.SysUsage().(*syscall.Rusage).Maxrss)/1024)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
