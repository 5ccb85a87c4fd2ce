package check_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/check"
)

// TestCountsTheRest wants, of 250 faults of any one kind, the first hundred and
// one more that counts the others.
func TestCountsTheRest(t *testing.T) {
	const faults = 250
	each := func(format string) string {
		var b strings.Builder
		for i := range faults {
			b.WriteString(strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
	inTool := func(before, what string) string { return strings.Replace(plainTool, before, what+before, 1) }
	const parameters = "parameters:\n  type: object\n"
	for name, c := range map[string]struct{ file, text, code string }{
		"agent-tool":       {"vatio.yml", plainConfig[:strings.Index(plainConfig, "[look]")] + "\n    - look\n" + each("    - t#\n"), "agent-tool"},
		"duplicate-key":    {"tools/look.yml", plainTool + each("access: public\n") + "access: public\n", "duplicate-key"},
		"foreign":          {"tools/look.yml", inTool("respond:", "  query:\n"+each("    q#: \"{a}\"\n")+parameters+"  properties: { a: {} }\n"), "placeholder"},
		"header":           {"tools/look.yml", inTool("respond:", "  headers:\n"+each("    é#: x\n")), "header"},
		"knowledge":        {"vatio.yml", plainConfig + "  knowledge:\n" + each("    - k#\n"), "knowledge"},
		"message":          {"tools/look.yml", strings.Replace(plainTool, "Done.", `"`+each("{{x#}}")+`"`, 1), "message"},
		"placeholder":      {"tools/look.yml", inTool("respond:", "  query:\n"+each("    q#: $parms.x\n")), "placeholder"},
		"provider-schema":  {"tools/look.yml", inTool("request:", parameters+"  properties:\n"+each("    p#: { type: array }\n")), "provider-schema"},
		"requires":         {"tools/look.yml", inTool("respond:", "  requires:\n"+each("    - params.x#\n")+parameters+"  properties: { a: {} }\n"), "requires"},
		"schema":           {"tools/look.yml", inTool("request:", parameters+"  properties:\n"+each("    p#: { type: txt }\n")), "schema"},
		"schema, required": {"tools/look.yml", inTool("request:", parameters+"  properties: { a: {} }\n  required:\n"+each("    - p#\n")), "schema"},
		"secret-literal":   {"tools/look.yml", strings.Replace(plainTool, "Look up", each("sk_live_0123456789# "), 1), "secret-literal"},
		"type":             {"tools/look.yml", inTool("respond:", "  headers:\n"+each("    h#: []\n")), "type"},
		"unknown-key":      {"tools/look.yml", plainTool + each("k#: 1\n"), "unknown-key"},
		"unknown-param":    {"tools/look.yml", inTool("respond:", "  query:\n"+each("    q#: $params.x#\n")+parameters+"  properties: { a: {} }\n"), "unknown-param"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "vatio.yml"), []byte(plainConfig))
			write(t, filepath.Join(dir, "tools/look.yml"), []byte(plainTool))
			write(t, filepath.Join(dir, c.file), []byte(c.text))
			got := map[string]int{}
			for _, d := range (workspaceDir{root: dir}).run(t) {
				if d.Code == "file" {
					got[d.Message]++
				} else {
					got[d.Code]++
				}
			}
			want := map[string]int{c.code: check.MaxPerFile, "150 more problems in this file are not listed": 1}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
