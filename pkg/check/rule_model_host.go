package check

import (
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// modelHost: a base_url that the model or the visitor has a say in. It is an
// error where a credential would travel there.
func modelHost(r *run, t *tool.Tool) {
	if t.HTTP == nil || t.HTTP.BaseURL.Template == nil {
		return
	}
	credential := ""
	for _, text := range t.Templates() {
		for _, ref := range text.Refs() {
			if credential == "" && (ref.Source == placeholder.Env || ref.Source == placeholder.Auth && ref.Path[0] == "token") {
				credential = "$" + ref.String()
			}
		}
	}
	for _, ref := range t.HTTP.BaseURL.Refs() {
		if !chosenOutside(ref) {
			continue
		}
		at, who := t.HTTP.BaseURL.Span(ref), "$"+ref.String()
		if credential != "" {
			r.add(diag.Errorf(at, "model-host", "%q decides where the call goes, and %q would travel there", who, credential).
				WithHint("name the host in the file or in a secret"))
		} else {
			r.add(diag.Warningf(at, "model-host", "%q decides where the call goes: the model could name any host", who).
				WithHint("name the host in the file or in a secret"))
		}
	}
}

// chosenOutside reports whether somebody outside the business has a say in a value.
func chosenOutside(ref placeholder.Ref) bool {
	switch ref.Source {
	case placeholder.Params, placeholder.Contact:
		return true
	case placeholder.Auth:
		return ref.Path[0] == "claims"
	}
	return false
}
