package toolbox_test

import (
	"testing"

	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/executor"
)

func TestParseOwner(t *testing.T) {
	for _, test := range []struct{ text, wrong string }{
		{"web/alice", ""},
		{"front-desk2/ana maría", ""},
		{"web/a/b", ""},
		{"alice", `"alice" is no caller: write APP/USER, such as web/alice`},
		{"", `"" is no caller: write APP/USER, such as web/alice`},
		{"/alice", `"/alice" is no caller: write APP/USER, such as web/alice`},
		{"web/", `"web/" is no caller: write APP/USER, such as web/alice`},
		{"Web/alice", `"Web" is no name of an app: a-z, 0-9 and - are allowed, and it starts with a letter`},
		{"2web/alice", `"2web" is no name of an app: a-z, 0-9 and - are allowed, and it starts with a letter`},
		{"web app/alice", `"web app" is no name of an app: a-z, 0-9 and - are allowed, and it starts with a letter`},
		{"https://x|a/alice", `"https:" is no name of an app: a-z, 0-9 and - are allowed, and it starts with a letter`},
		{"web/a\nb", "the user of a caller must not hold control characters"},
		{"web/a\u0085", "the user of a caller must not hold control characters"},
		{"web/a\tb", "the user of a caller must not hold control characters"},
		{"web/x|alice", `the user of a caller must not hold a |: "x|alice"`},
		{"web/alice ", `the user of a caller must be text without white space around it: "alice "`},
		{"web/ alice", `the user of a caller must be text without white space around it: " alice"`},
		{"web/\xff", `the user of a caller must be text without white space around it: "\xff"`},
		{"web/\uFFFD", `the user of a caller must be text without white space around it: "�"`},
	} {
		owner, err := toolbox.ParseOwner(test.text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.wrong || err == nil && owner != test.text {
			t.Errorf("%q: %q, %s\nwant %s", test.text, owner, got, test.wrong)
		}
	}
}

func TestTokenOwner(t *testing.T) {
	const blank = "the token's subject and issuer must be text without white space around it"
	for _, test := range []struct{ issuer, subject, want, wrong string }{
		{"https://id.example", "alice", "https://id.example|alice", ""},
		{"", "alice", "acme|alice", ""},
		{"https://id.example", "auth0|123", "https://id.example|auth0|123", ""},
		{"https://id.example|auth0", "123", "", `the token's issuer must not hold a |: "https://id.example|auth0"`},
		{"https://id.example", "a\x00", "", "the token's subject or issuer holds control characters"},
		{"https://id\n.example", "a", "", "the token's subject or issuer holds control characters"},
		{"https://id.example", "alice ", "", blank},
		{" https://id.example", "alice", "", blank},
		{"https://id.example", "a\uFFFD", "", blank},
	} {
		owner, err := toolbox.TokenOwner(&executor.Principal{Issuer: test.issuer, Subject: test.subject}, "acme")
		got := ""
		if err != nil {
			got = err.Error()
		}
		if owner != test.want || got != test.wrong {
			t.Errorf("%q %q: %q, %s\nwant %q, %s", test.issuer, test.subject, owner, got, test.want, test.wrong)
		}
	}
}
