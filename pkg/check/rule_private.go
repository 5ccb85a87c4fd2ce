package check

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// private: $auth in a public tool, and a parameter of a private tool that
// names a user: the model fills parameters, so it could name anybody.
func private(r *run, t *tool.Tool) {
	if t.HTTP == nil || t.Unread("access") {
		return
	}
	if t.Private {
		r.userParameters(t)
		return
	}
	for _, text := range t.Templates() {
		for _, ref := range text.Refs() {
			if ref.Source == placeholder.Auth {
				r.authInPublic(text.Span(ref), "$"+ref.String())
			}
		}
	}
	for _, required := range t.HTTP.Requires {
		if required.Ref.Source == placeholder.Auth {
			r.authInPublic(required.Node.Span(), required.Ref.String())
		}
	}
}

func (r *run) authInPublic(at diag.Span, what string) {
	r.add(diag.Errorf(at, "private", "%q in a public tool: there is no principal", what).WithHint("add access: private to the tool"))
}

func (r *run) userParameters(t *tool.Tool) {
	properties := t.Root.Get("parameters").Get("properties")
	if properties == nil {
		return
	}
	for _, p := range properties.Pairs {
		if namesUser(p.Key.Text) {
			r.add(diag.Warningf(p.Key.Span(), "private", "the model fills the parameter %q, so it could ask for anybody's records", p.Key.Text).
				WithHint("take the user from $auth.subject"))
		}
	}
}

// namesUser reports whether a parameter is called like the id of a user.
func namesUser(name string) bool {
	switch strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "_", ""), "-", "") {
	case "user", "userid", "username", "uid", "sub", "subject", "subjectid", "customer", "customerid", "client", "clientid",
		"account", "accountid", "member", "memberid", "patient", "patientid", "owner", "ownerid", "principal", "principalid":
		return true
	}
	return false
}

// privateNeedsAuth: a private tool in a workspace that verifies no tokens.
func privateNeedsAuth(r *run) {
	if r.Auth != nil || r.Config == nil || !r.Known.Auth {
		return
	}
	for _, t := range r.Tools {
		if t.Private {
			r.add(diag.Errorf(t.Root.Get("access").Span(), "private", "a private tool needs an auth block in vatio.yml").
				WithHint("run: vatio auth new-key"))
		}
	}
}
