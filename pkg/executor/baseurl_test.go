package executor

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

func text(t *testing.T, s string) tool.Text {
	t.Helper()
	template, faults := placeholder.Compile(s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return tool.Text{Template: template}
}

// Where a base URL and a path come to; "!" before a reason.
func TestTarget(t *testing.T) {
	v := &values{
		scope: Scope{Env: env(
			"URL", "https://acme.example:8443/v1", "HOST", "acme.example", "PORTED", "acme.example:81",
			"REGION", "eu", "SCHEME", "https", "PREFIX", "api/v1", "QUERY", "https://h/?a", "FRAGMENT", "https://h#a",
			"FTP", "ftp://h", "CAPS", "HTTPS://ACME.example", "DOTS", "https://h/a/../b", "V6", "http://[::1]:8080",
			"ORIGIN", "https://eu", "ORIGINPATH", "https://eu/x", "EMPTYHOST", "https:///x", "PORT", "8080", "AT", "a@b",
		)},
		arguments: jsondoc.MustParse(`{"x":"a/b","dot":".","dots":"..","up":"../..","back":"..\\..","url":"http://h/x","urldots":"http://h/../x","evil":"https://evil.example/","port":"80","ported":"h:80","bad":"h:80:1","sharp":"a#b","n":12,"under":"a_b","list":["a"],"dotx":".x","trail":"b/","enc":"%2e%2e"}`),
	}
	for _, test := range []struct{ base, path, want string }{
		{"$env.URL", "/p", "https://acme.example:8443/v1/p"},
		{"$env.URL/", "/p", "https://acme.example:8443/v1/p"},
		{"$env.URL/x//", "//p", "https://acme.example:8443/v1/x/p"},
		{"https://$env.HOST", "/p", "https://acme.example/p"},
		{"https://$env.PORTED/a", "/p", "https://acme.example:81/a/p"},
		{"https://$env.REGION.acme.com", "/p", "https://eu.acme.com/p"},
		{"$env.SCHEME://host", "/p", "https://host/p"},
		{"http${env.SCHEME}://host", "/p", `!the base_url that env.SCHEME gives cannot be used: it must start with http:// or https://`},
		{"$env.CAPS", "/p", "https://ACME.example/p"},
		{"$env.V6", "/p", "http://[::1]:8080/p"},
		{"http://h:$env.PORT", "/p", "http://h:8080/p"},
		{"$env.ORIGIN.acme.com", "/p", "https://eu.acme.com/p"},
		{"$env.NONE || $env.URL", "/p", "https://acme.example:8443/v1/p"},
		{"https://api.acme.com/$params.x", "/p", "https://api.acme.com/a%2Fb/p"},
		{"https://api.acme.com/$env.PREFIX", "/p", "https://api.acme.com/api%2Fv1/p"},
		{"https://h/lit é?", "/p", `!the base_url cannot be used: it must have no query and no fragment`},
		{"https://h/lit é", "/p", "https://h/lit%20%C3%A9/p"},
		{"$params.url", "/p", "http://h/x/p"},
		{"$env.DOTS", "/p", "https://h/a/../b/p"},
		{"$params.urldots", "/p", `!the base_url that params.urldots gives cannot be used: a value may not bring a "." or ".." segment into it`},
		{"https://h/$params.dots", "/p", `!the base_url that params.dots gives cannot be used: a value may not bring a "." or ".." segment into it`},
		{"$env.QUERY", "/p", `!the base_url that env.QUERY gives cannot be used: it must have no query and no fragment`},
		{"$env.FRAGMENT", "/p", `!the base_url that env.FRAGMENT gives cannot be used: it must have no query and no fragment`},
		{"$env.FTP", "/p", `!the base_url that env.FTP gives cannot be used: it must start with http:// or https://`},
		{"$env.EMPTYHOST", "/p", `!the base_url that env.EMPTYHOST gives cannot be used: it has no valid host`},
		{"https://$env.AT", "/p", "!the base_url cannot take the value of env.AT: a host may only hold A-Z, a-z, 0-9, dots and hyphens"},
		{"https://$env.HOST@b", "/p", "!the base_url must not hold a user name or password: send credentials in a header"},
		{"$params.evil://host", "/p", "!the base_url cannot take the value of params.evil: a host may only hold A-Z, a-z, 0-9, dots and hyphens"},
		{"${params.evil}.acme.com", "/p", "!the base_url cannot take the value of params.evil: a host may only hold A-Z, a-z, 0-9, dots and hyphens"},
		{"${env.ORIGINPATH}.acme.com", "/p", "!the base_url cannot take the value of env.ORIGINPATH: a host may only hold A-Z, a-z, 0-9, dots and hyphens"},
		{"http${params.evil}x", "/p", "!the base_url cannot take the value of params.evil: it would change the scheme or the host"},
		{"https://$params.ported", "/p", "https://h:80/p"},
		{"https://${params.ported}.acme.com", "/p", "!the base_url cannot take the value of params.ported: a host may only end in a :port and hold no other colon"},
		{"https://$params.bad", "/p", "!the base_url cannot take the value of params.bad: a host may only end in a :port and hold no other colon"},
		{"https://$params.sharp", "/p", "!the base_url cannot take the value of params.sharp: a host may only hold A-Z, a-z, 0-9, dots and hyphens"},
		{"https://$params.under", "/p", "!the base_url cannot take the value of params.under: a host may only hold A-Z, a-z, 0-9, dots and hyphens"},
		{"https://$params.list", "/p", "!the base_url cannot take the value of params.list: a host may only hold A-Z, a-z, 0-9, dots and hyphens"},
		{"https://s${params.n}.h", "/p", "https://s12.h/p"},

		{"http://h", "/$params.x", "http://h/a%2Fb"},
		{"http://h", "/a/$params.dot", `!the path cannot take the value of params.dot: it would bring a "." or ".." segment into it`},
		{"http://h", "/a/$params.dots/b", `!the path cannot take the value of params.dots: it would bring a "." or ".." segment into it`},
		{"http://h", "/a/$params.up", `!the path cannot take the value of params.up: it would bring a "." or ".." segment into it`},
		{"http://h", "/a/$params.back", `!the path cannot take the value of params.back: it would bring a "." or ".." segment into it`},
		{"http://h", "/a/.$params.dot/b", `!the path cannot take the value of params.dot: it would bring a "." or ".." segment into it`},
		{"http://h", "/a/%2e$params.dot", `!the path cannot take the value of params.dot: it would bring a "." or ".." segment into it`},
		{"http://h", "/a/${params.trail}..", `!the path cannot take the value of params.trail: it would bring a "." or ".." segment into it`},
		{"http://h", "/a/$params.dot$params.dot/c", `!the path cannot take the value of params.dot: it would bring a "." or ".." segment into it`},
		{"http://h", "/a/$params.dotx/..x/$params.enc", "http://h/a/.x/..x/%252e%252e"},
		{"http://h", "/./$params.n/../x", "http://h/./12/../x"},
		{"http://h", "/v${params.n}.json", "http://h/v12.json"},
		{"http://h", "/$params.list", "http://h/%5B%22a%22%5D"},
		{"http://h", "/$params.none || /fallback", "http://h/fallback"},
	} {
		got := ""
		b, f := resolveBase(text(t, test.base), v)
		if f == nil {
			f = appendPath(&b.path, text(t, test.path), v)
		}
		if f != nil {
			got = "!" + f.reason
		} else {
			u := b.url()
			got = u.Scheme + "://" + u.Host + u.RequestURI()
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s + %s (-want +got)\n%s", test.base, test.path, diff)
		}
	}
}
