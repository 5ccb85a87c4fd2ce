package check

import (
	"regexp"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// Shapes of credentials that have no business in a file.
var credentials = [...]struct {
	what  string
	shape *regexp.Regexp
}{
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	{"an age identity", regexp.MustCompile(`AGE-SECRET-KEY-1[0-9A-Z]{20,}`)},
	{"a live API key", regexp.MustCompile(`\b[srp]k_(?:live|test)_[0-9A-Za-z]{8,}`)},
	{"an API key", regexp.MustCompile(`\bsk-[0-9A-Za-z_-]{20,}`)},
	{"a GitHub token", regexp.MustCompile(`\bgh[pousr]_[0-9A-Za-z]{20,}|\bgithub_pat_[0-9A-Za-z_]{20,}`)},
	{"a Slack token", regexp.MustCompile(`\bxox[abeoprs]-[0-9A-Za-z-]{10,}`)},
	{"an AWS access key", regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a Google API key", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
	{"a JSON Web Token", regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*`)},
	{"a bearer token", regexp.MustCompile(`(?i)\bbearer\s+[0-9A-Za-z._~+/-]{8,}=*`)},
	{"basic credentials", regexp.MustCompile(`(?i)^basic\s+[0-9A-Za-z+/]{8,}=*$`)},
}

// secretLiteral: a credential that stands in a file instead of a secret.
func secretLiteral(r *run, t *tool.Tool) { r.literalsIn(t.Root) }

func secretLiteralElsewhere(r *run) {
	r.literalsIn(r.Config)
	if r.Deployment != nil {
		r.literalsIn(r.Deployment.Root)
	}
}

func (r *run) literalsIn(n *syntax.Node) {
	if n == nil {
		return
	}
	for _, p := range n.Pairs {
		r.literalsIn(p.Value)
	}
	for _, item := range n.Items {
		r.literalsIn(item)
	}
	if n.Kind != syntax.String || len(n.Text) < 12 {
		return
	}
	for _, c := range credentials {
		if at := c.shape.FindStringIndex(n.Text); at != nil {
			r.add(diag.Warningf(n.SpanOf(at[0], at[1]), "secret-literal", "this looks like %s: files are read by many, secrets by few", c.what).
				WithHint("run: vatio secrets set NAME, and write $env.NAME here"))
			return
		}
	}
}
