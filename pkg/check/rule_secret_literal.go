package check

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/syntax"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// secretLiteral: a credential that stands in a tool instead of a secret.
func secretLiteral(r *run, t *tool.Tool) {
	hint := "run: vatio secrets set NAME, and write $env.NAME here"
	if t.Service != nil {
		hint = "remove it here: what a service needs stands in its grant, as env:NAME"
	}
	l := credentials{file: t.File, hint: hint}
	l.shaped()
	l.schemes(t.Root)
	if t.HTTP != nil {
		l.named(t.HTTP.Headers)
		l.named(t.HTTP.Query)
		if t.HTTP.Body != nil {
			l.named(t.HTTP.Body.Fields)
		}
	}
	r.faults = append(r.faults, l.found...)
}

// secretLiteralElsewhere: the same for vatio.yml and deployment.toml.
func secretLiteralElsewhere(r *run) {
	config := credentials{file: r.File, hint: "remove it here, and run: vatio secrets set NAME"}
	config.shaped()
	config.schemes(r.Config)
	r.faults = append(r.faults, config.found...)
	if r.Deployment == nil {
		return
	}
	granted := credentials{file: r.Deployment.File, hint: "run: vatio secrets set NAME, and write env:NAME here"}
	granted.shaped()
	granted.schemes(r.Deployment.Root)
	if agent := r.Deployment.Agent; agent != nil {
		for _, s := range agent.Services {
			for _, h := range s.Headers {
				granted.field(h.Name, h.Node)
			}
		}
	}
	r.faults = append(r.faults, granted.found...)
}

// credentials collects the credentials of one file. Where two of its rules see one
// in the same place, the first one counts.
type credentials struct {
	file  *diag.File
	hint  string
	found diag.List // by place
}

func (l *credentials) add(at diag.Span, what string) {
	i, _ := slices.BinarySearchFunc(l.found, at.End, func(d diag.Diagnostic, end int) int { return cmp.Compare(d.Span.Start, end) })
	if i > 0 && l.found[i-1].Span.End > at.Start {
		return
	}
	d := diag.Warningf(at, "secret-literal", "this looks like %s: files are read by many, secrets by few", what).WithHint("%s", l.hint)
	l.found = slices.Insert(l.found, i, d)
}

// A shape is what credentials of one kind look like.
type shape struct {
	what   string
	digits bool     // a match without a digit is a word
	signs  [][]byte // one of them stands in every text that matches
	expr   func() *regexp.Regexp
}

// shapes are made when the first file is read, and compiled when one has a sign
// of them.
var shapes = sync.OnceValue(func() []shape {
	var list []shape
	add := func(what, pattern string, digits bool, signs ...string) {
		s := shape{what: what, digits: digits, expr: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
		for _, sign := range signs {
			s.signs = append(s.signs, []byte(sign))
		}
		list = append(list, s)
	}
	add("a private key", `-----BEGIN [A-Z ]*PRIVATE KEY-----`, false, "PRIVATE KEY-----")
	add("an age identity", `AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}`, false, "AGE-SECRET-KEY-")
	add("an API key", `\b[srp]k_(?:live|test)_[0-9A-Za-z]{8,}`, false, "k_live_", "k_test_")
	add("an API key", `\bsk-[0-9A-Za-z_-]{20,}|\bAIza[0-9A-Za-z_-]{35}`, true, "sk-", "AIza")
	add("a GitHub token", `\bgh[pousr]_[0-9A-Za-z]{20,}|\bgithub_pat_[0-9A-Za-z_]{20,}`, true, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_")
	add("a Slack token", `\bxox[abeoprs]-[0-9A-Za-z-]{10,}`, true, "xox")
	add("an AWS access key", `\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`, true, "AKIA", "ASIA")
	add("a JSON Web Token", `\beyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*`, false, "eyJ")
	return list
})

// shaped looks for credentials that show by themselves, in comments too.
func (l *credentials) shaped() {
	for _, s := range shapes() {
		if !slices.ContainsFunc(s.signs, func(sign []byte) bool { return bytes.Contains(l.file.Data, sign) }) {
			continue
		}
		for _, at := range s.expr().FindAllIndex(l.file.Data, -1) {
			if !s.digits || bytes.ContainsAny(l.file.Data[at[0]:at[1]], "0123456789") {
				l.add(diag.Span{File: l.file, Start: at[0], End: at[1]}, s.what)
			}
		}
	}
}

// schemes looks for what follows the name of an authentication scheme.
func (l *credentials) schemes(n *syntax.Node) {
	if n != nil {
		l.scheme(n)
	}
}

func (l *credentials) scheme(n *syntax.Node) {
	for _, p := range n.Pairs {
		l.scheme(p.Value)
	}
	for _, item := range n.Items {
		l.scheme(item)
	}
	if n.Kind != syntax.String || !strings.Contains(n.Text, "earer") && !strings.Contains(n.Text, "EARER") &&
		!strings.Contains(n.Text, "asic") && !strings.Contains(n.Text, "ASIC") {
		return
	}
	words := fields(n.Text)
	for i := 0; i+1 < len(words); i++ {
		token := strings.TrimRight(words[i+1].text, "\"'`,;:)]}>.")
		end := words[i+1].end - len(words[i+1].text) + len(token)
		whole := len(words) == 2
		switch scheme := strings.ToLower(words[i].text); {
		case strings.HasSuffix(scheme, "bearer") && strings.Trim(token, tokenCharacters) == "" &&
			(whole && len(token) >= 8 || len(token) >= 16 && mixed(token)):
			l.add(n.SpanOf(words[i].end-len("bearer"), end), "a bearer token")
		case strings.HasSuffix(scheme, "basic") && isUserAndPassword(token):
			l.add(n.SpanOf(words[i].end-len("basic"), end), "a user and a password")
		}
	}
}

const tokenCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

type word struct {
	text string
	end  int // offset behind it
}

// fields splits a text at white space.
func fields(text string) []word {
	var words []word
	at := 0
	for w := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], w) + len(w)
		words = append(words, word{w, at})
	}
	return words
}

// isUserAndPassword reports whether s is the base64 of user:password.
func isUserAndPassword(s string) bool {
	decoded, err := base64.StdEncoding.DecodeString(s)
	return err == nil && len(decoded) >= 5 && bytes.IndexByte(decoded, ':') > 0
}

// mixed reports whether s has letters and digits.
func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

// named looks for literal values of fields that are called like a credential.
func (l *credentials) named(fields []tool.Field) {
	for _, f := range fields {
		if f.Value.Kind == tool.Object {
			l.named(f.Value.Fields)
		} else if f.Value.Kind == tool.Literal {
			l.field(f.Name, f.Value.Node)
		}
	}
}

func (l *credentials) field(name string, node *syntax.Node) {
	if node.Kind != syntax.String || len(node.Text) < shortest || !namesCredential(name) {
		return
	}
	words := fields(node.Text)
	if len(words) == 0 || len(words) > 2 || strings.HasPrefix(words[0].text, "env:") {
		return
	}
	last := words[len(words)-1]
	if len(last.text) >= shortest && mixed(last.text) && !strings.Contains(last.text, "://") {
		l.add(node.SpanOf(last.end-len(last.text), last.end), "a credential")
	}
}

// shortest is the length in bytes from which on a value may be a credential.
const shortest = 12

func namesCredential(name string) bool {
	if len(name) < len("token") {
		return false
	}
	plain := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "-", ""), "_", "")
	return slices.ContainsFunc([]string{"authorization", "apikey", "accesstoken", "authtoken", "internaltoken", "secret", "password"}, func(end string) bool {
		return strings.HasSuffix(plain, end)
	}) || plain == "token" || plain == "xtoken"
}
