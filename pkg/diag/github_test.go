package diag_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
)

func TestWriteGitHub(t *testing.T) {
	f := diag.NewFile("tools/a,b: 100%\r\n\x1b]0;x.yml", []byte("é: <x>\ny: z\n"))
	list := diag.List{
		diag.Errorf(diag.Span{File: f, Start: 4, End: 7}, "value", "50%% of \"é\"\x1b[31m::error::x\ry,z").WithHint("do this"),
		diag.Warningf(diag.Span{File: f, Start: 4, End: 9}, "type", "two lines"),
		diag.Errorf(diag.Span{File: diag.NewFile("../deployment.toml", nil)}, "file", "whole"),
	}
	for _, c := range []struct {
		base string
		want string
	}{
		{"", "::error file=tools/a%2Cb%3A 100%25\ufffd%0A\ufffd]0;x.yml,line=1,endLine=1,col=4,endColumn=7,title=vatio (value)::50%25 of \"é\"\ufffd[31m::error::x\ufffdy,z%0Ado this\n" +
			"::warning file=tools/a%2Cb%3A 100%25\ufffd%0A\ufffd]0;x.yml,line=1,endLine=2,title=vatio (type)::two lines\n" +
			"::error file=../deployment.toml,line=1,endLine=1,col=1,endColumn=1,title=vatio (file)::whole\n"},
		{"agents/shop", "::error file=agents/shop/tools/a%2Cb%3A 100%25\ufffd%0A\ufffd]0;x.yml,line=1,endLine=1,col=4,endColumn=7,title=vatio (value)::50%25 of \"é\"\ufffd[31m::error::x\ufffdy,z%0Ado this\n" +
			"::warning file=agents/shop/tools/a%2Cb%3A 100%25\ufffd%0A\ufffd]0;x.yml,line=1,endLine=2,title=vatio (type)::two lines\n" +
			"::error file=agents/deployment.toml,line=1,endLine=1,col=1,endColumn=1,title=vatio (file)::whole\n"},
	} {
		var b strings.Builder
		if err := diag.WriteGitHub(&b, list, diag.GitHub{Tool: "vatio", Base: c.base}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, b.String()); diff != "" {
			t.Errorf("base %q (-want +got):\n%s", c.base, diff)
		}
	}
}
