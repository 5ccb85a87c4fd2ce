package credential

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/check"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func TestRedact(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"Look up an order by its number, such as 100-2345678.", "Look up an order by its number, such as 100-2345678."},
		{"/v1/products/$params.id/prices", "/v1/products/$params.id/prices"},
		{"https://api.acme.example:8443/v2", "https://api.acme.example:8443/v2"},
		{"https://user:hunter2@api.example/v2", "https://[redacted]@api.example/v2"},
		{"Bearer $env.ACME_TOKEN", "Bearer $env.ACME_TOKEN"},
		{"Bearer ${env.ACME_TOKEN_0123456789a1b2c3d4e5}", "Bearer ${env.ACME_TOKEN_0123456789a1b2c3d4e5}"},
		{"Bearer abcdefgh", "Bearer [redacted]"},
		{"The bearer token is kept by the visitor.", "The bearer token is kept by the visitor."},
		{"Basic dXNlcjpwYXNzd29yZA==", "Basic [redacted]"},
		{"use sk_live_abcdefghij012345 here", "use [redacted] here"},
		{"sk-proj-abcdefghij0123456789", "[redacted]"},
		{"ghp_0123456789abcdefghijABCDEFGHIJ", "[redacted]"},
		{"AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQ", "[redacted]"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[redacted]"},
		{"password: hunter2hunter2", "password: [redacted]"},
		{"https://a.example/x?api_key=abc12345&q=shoes", "https://a.example/x?api_key=[redacted]&q=shoes"},
		{"d1f0a8c3b7e94d25a6f8", "[redacted]"},
		{"a\n-----BEGIN EC PRIVATE KEY-----\nMIG\n-----END EC PRIVATE KEY-----\nb", "a\n[redacted]\nb"},
		{"-----BEGIN PUBLIC KEY-----\nMFk\n-----END PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\nMFk\n-----END PUBLIC KEY-----"},
		{"-----BEGIN PRIVATE KEY-----\nMIG never ends", "[redacted]"},
	} {
		if diff := cmp.Diff(tt.want, Redact(tt.text)); diff != "" {
			t.Errorf("Redact(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestIn(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        bool
	}{
		{"X-Internal-Token", "env:RECORDS_TOKEN", false},
		{"X-Internal-Token", "abc123def456", true},
		{"Authorization", "ApiKey abc123def456", true},
		{"X-Team", "blue", false},
		{"X-Team", "ghp_0123456789abcdefghijABCDEFGHIJ", true},
		{"X-Api-Key", "short1", false},
		{"Cookie", "", false},
	} {
		if got := In(tt.name, tt.value); got != tt.want {
			t.Errorf("In(%q, %q) = %t, want %t", tt.name, tt.value, got, tt.want)
		}
	}
}

// TestCovers holds the package to what it promises: it hides everything that the
// checker calls a credential.
func TestCovers(t *testing.T) {
	for _, header := range []string{
		"Authorization: Bearer s3cr3t-token-0123", "Authorization: Bearer abcdefghijkl", "Authorization: Basic dXNlcjpwYXNzd29yZA==",
		"X-Api-Key: a1b2c3d4e5f6", "X-Key: sk_test_abcdefgh", "X-Key: AKIA0123456789ABCDEF", "X-Key: xoxb-0123456789-abc",
		"X-Key: sk-abcdefghij0123456789", "X-Key: AIzaSyA0123456789abcdefghijklmnopqrstuv0", "X-Key: eyJhbGciOiJI.eyJzdWIiOiIx.c2ln",
		"X-Key: github_pat_0123456789abcdefghij", "X-Key: AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQ", "X-Password: correct-h0rse-battery",
		"Client-Secret: 0123456789ab",
	} {
		name, value, _ := strings.Cut(header, ": ")
		file := diag.NewFile("tools/x.yml", []byte("description: d\nwhen_to_use: w\nrequest:\n  method: GET\n  base_url: https://a.example\n  path: /\n  headers:\n    "+name+": \""+value+"\"\n"))
		loaded, _ := tool.LoadHTTP(file)
		w := &workspace.Workspace{Root: t.TempDir(), File: diag.NewFile("vatio.yml", nil), Tools: []*tool.Tool{loaded}}
		warned := false
		for _, d := range check.Run(w, nil, check.Options{}) {
			warned = warned || d.Code == "secret-literal"
		}
		if !warned {
			t.Errorf("the checker does not warn about %q: it tests nothing", header)
		}
		if !In(name, value) {
			t.Errorf("In(%q, %q) = false, but the checker warns about it", name, value)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("Bearer abc https://u:p@h/x?token=abc12345")
	f.Add("-----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		once := Redact(text)
		if twice := Redact(once); strings.Count(twice, Redacted) < strings.Count(once, Redacted) {
			t.Errorf("Redact(%q) = %q, and again %q", text, once, twice)
		}
	})
}
