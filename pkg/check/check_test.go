package check_test

import (
	"os"
	"testing"

	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func TestTmp(t *testing.T) {
	w, faults, err := workspace.Load("../../tools-examples/acme-store")
	if err != nil {
		t.Fatal(err)
	}
	l := check.Run(w, faults, check.Options{Builtins: []string{"knowledge_lookup", "identify_contact", "request_contact_info"}, HasSecret: func(string) bool { return true }})
	diag.WriteText(os.Stdout, l, diag.Style{})
}
