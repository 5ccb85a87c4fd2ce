package check_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// TestLargeFiles checks files as large as allowed that are faulty throughout:
// the time must not explode, and a hundred faults and a count are listed.
func TestLargeFiles(t *testing.T) {
	fill := func(format string, size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
	repeat := func(format string) string { return fill(format, workspace.MaxFileSize-20_000) }
	half := func(format string) string { return fill(format, workspace.MaxFileSize/2-20_000) }
	for name, c := range map[string]struct{ file, text string }{
		"unknown keys":       {"tools/look.yml", plainTool + repeat("k#: 1\n")},
		"duplicate keys":     {"tools/look.yml", plainTool + repeat("path: 1\n")},
		"schemas":            {"tools/look.yml", plainTool + "parameters:\n  type: object\n  properties:\n" + repeat("    p#: x\n")},
		"required":           {"tools/look.yml", plainTool + "parameters:\n  type: object\n  properties: { a: {} }\n  required:\n" + repeat("  - p#\n")},
		"placeholders":       {"tools/look.yml", strings.Replace(plainTool, "respond:", "  query:\n"+repeat("    q#: $parms.x\n")+"respond:", 1)},
		"one text":           {"tools/look.yml", strings.Replace(plainTool, "respond:", "  query:\n    q: "+repeat("$parms.x ")+"\nrespond:", 1)},
		"one block":          {"tools/look.yml", strings.Replace(plainTool, "respond:", "  query:\n    q: |\n"+repeat("      $parms.x é\n")+"\nrespond:", 1)},
		"secrets":            {"tools/look.yml", plainTool + repeat("# sk_live_0123456789\n")},
		"bearers":            {"tools/look.yml", strings.Replace(plainTool, "Look up", repeat("Bearer 0123456789abcdef "), 1)},
		"messages":           {"tools/look.yml", strings.Replace(plainTool, "Done.", `"`+repeat("{{x#}}")+`"`, 1)},
		"headers":            {"tools/look.yml", strings.Replace(plainTool, "respond:", "  headers:\n"+repeat("    é#: x\n")+"respond:", 1)},
		"requires":           {"tools/look.yml", strings.Replace(plainTool, "respond:", "  requires:\n"+repeat("  - parms.x#\n")+"respond:", 1)},
		"unknown parameters": {"tools/look.yml", strings.Replace(plainTool, "respond:", "  query:\n"+half("    q#: $params.q#\n")+"parameters:\n  type: object\n  properties:\n"+half("    p#: {}\n")+"respond:", 1)},
		"tools":              {"vatio.yml", plainConfig[:strings.Index(plainConfig, "[look]")] + "\n    - look\n" + repeat("    - t#\n")},
		"bases":              {"vatio.yml", plainConfig + "  knowledge:\n" + repeat("    - k#\n")},
		"services":           {"deployment.toml", "[[agents]]\nid = \"a\"\npackage = \".\"\n" + repeat("[agents.services.s#]\n")},
		"services twice":     {"deployment.toml", "[[agents]]\nid = \"a\"\npackage = \".\"\n" + repeat("[agents.services.s]\n")},
		"service parameters": {"tools/look.toml", "name = \"look\"\n" + repeat("[parameters.properties.p#]\ntype = 1\n")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "vatio.yml"), []byte(plainConfig))
			if c.file != "tools/look.toml" {
				write(t, filepath.Join(dir, "tools/look.yml"), []byte(plainTool))
			}
			if len(c.text) > workspace.MaxFileSize {
				t.Fatalf("%d bytes are too many", len(c.text))
			}
			write(t, filepath.Join(dir, c.file), []byte(c.text))
			start := time.Now()
			list := workspaceDir{root: dir}.run(t)
			took := time.Since(start)
			t.Logf("%d diagnostics of %d bytes in %v", len(list), len(c.text), took)
			if took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			n := 0
			for _, d := range list {
				if d.Span.File.Name == c.file {
					n++
				}
			}
			if n != check.MaxPerFile+1 {
				for _, d := range list[:min(len(list), 3)] {
					t.Logf("%s: %s", d.Span.File.Name, d.Message)
				}
				t.Errorf("%d diagnostics, want %d", n, check.MaxPerFile+1)
			}
		})
	}
}
