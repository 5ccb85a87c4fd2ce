package openapi_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/openapi"
)

// TestRealDocuments imports every operation of the documents in the directory
// that VATIO_OPENAPI_DIR names.
func TestRealDocuments(t *testing.T) {
	dir := os.Getenv("VATIO_OPENAPI_DIR")
	if dir == "" {
		t.Skip("VATIO_OPENAPI_DIR names no directory of OpenAPI documents")
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		start := time.Now()
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		d, err := openapi.Parse(path, data, nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		parsed := time.Since(start)
		made, unsupported, tools := 0, map[string]int{}, []*openapi.Tool{}
		for _, op := range d.Operations() {
			if op.Unsupported != "" {
				unsupported[op.Unsupported]++
				continue
			}
			tool, err := d.Make(op)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			made++
			tools = append(tools, tool)
		}
		t.Logf("%s: %d bytes, read in %v, %d operations, %d tools in %v, unsupported %v", filepath.Base(path), len(data), parsed, len(d.Operations()), made, time.Since(start), unsupported)
		for len(tools) > 0 {
			n := min(len(tools), 200)
			checksClean(t, tools[:n])
			tools = tools[n:]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
