package check_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// benchTool is a tool of some twenty lines; benchFault makes two of its lines
// faulty.
const benchTool = `description: Check the stock of a product
when_to_use: The customer asks whether something is available
access: public
parameters:
  type: object
  properties:
    product:
      type: string
      description: "The product's name"
  required: [product]
request:
  method: GET
  base_url: "$env.SHOP_API"
  path: /v1/stock
  requires: [params.product]
  query:
    name: "$params.product"
  headers:
    Authorization: "Bearer $env.SHOP_TOKEN"
respond:
  data:
    items: "$.items"
  message:
    when_empty: Nothing matched.
    default: "Found {{count}} products."
`

func benchFault(text string) string {
	return strings.Replace(strings.Replace(text, "$params.product", "$param.product", 1), "when_to_use", "when_to_us", 1)
}

// largeWorkspace writes a workspace of 1,000 tools, one in ten of them faulty.
func largeWorkspace(b *testing.B) (root string, files [][]byte) {
	root = b.TempDir()
	var list strings.Builder
	for i := range 1000 {
		text := benchTool
		if i%10 == 0 {
			text = benchFault(text)
		}
		files = append(files, []byte(text))
		write(b, filepath.Join(root, "tools", fmt.Sprintf("tool_%03d.yml", i)), []byte(text))
		fmt.Fprintf(&list, "    - tool_%03d\n", i)
	}
	write(b, filepath.Join(root, "vatio.yml"), []byte("workspace: acme\nagent:\n  instructions: Help.\n  tools:\n"+list.String()))
	return root, files
}

// BenchmarkThousandTools loads and checks 1,000 tools, and beside it lets
// yaml.v3 alone parse the same bytes into nodes on one core. The ratio of the
// two is what checking costs over reading. On a busy machine the ratio of the
// processor time that both took says more; GC counts to whoever is running.
func BenchmarkThousandTools(b *testing.B) {
	root, files := largeWorkspace(b)
	var checking, parsing, checkingCPU, parsingCPU time.Duration
	defer debug.SetGCPercent(debug.SetGCPercent(2000)) // as tools check has it at first, for both sides
	for b.Loop() {
		start, cpu := time.Now(), processorTime(b)
		w, faults, err := workspace.Load(root)
		if err != nil {
			b.Fatal(err)
		}
		found := check.Run(w, faults, check.Options{Builtins: builtins, HasSecret: func(string) bool { return true }})
		checking += time.Since(start)
		checkingCPU += processorTime(b) - cpu
		if len(found) != 200 {
			b.Fatalf("%d diagnostics, want 200", len(found))
		}

		start, cpu = time.Now(), processorTime(b)
		for _, data := range files {
			var n yaml.Node
			if err := yaml.Unmarshal(data, &n); err != nil {
				b.Fatal(err)
			}
		}
		parsing += time.Since(start)
		parsingCPU += processorTime(b) - cpu
	}
	b.ReportMetric(float64(checking.Microseconds())/float64(b.N)/1000, "check-ms/op")
	b.ReportMetric(float64(parsing.Microseconds())/float64(b.N)/1000, "yaml-ms/op")
	b.ReportMetric(float64(checking)/float64(parsing), "ratio")
	b.ReportMetric(float64(checkingCPU)/float64(parsingCPU), "cpu-ratio")
	b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "cores")
}

// processorTime is the time that this process has spent on all cores.
func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkRules measures the rules alone, on a workspace that is loaded.
func BenchmarkRules(b *testing.B) {
	root, _ := largeWorkspace(b)
	w, faults, err := workspace.Load(root)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		check.Run(w, faults, check.Options{Builtins: builtins, HasSecret: func(string) bool { return true }})
	}
}
