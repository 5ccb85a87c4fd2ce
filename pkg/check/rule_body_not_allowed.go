package check

import (
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// bodyNotAllowed: a body with a method that sends none.
func bodyNotAllowed(r *run, t *tool.Tool) {
	if t.HTTP == nil || t.HTTP.Method != "GET" && t.HTTP.Method != "DELETE" {
		return
	}
	if body, ok := t.Root.Get("request").Pair("body"); ok {
		d := diag.Errorf(body.Key.Span(), "body-not-allowed", "a %s request has no body: only POST and PATCH send one", t.HTTP.Method)
		r.add(d.WithHint("move the values to query, or change the method"))
	}
}
