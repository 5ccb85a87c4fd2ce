package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/iox"
)

// A token counts as long as it is valid and its key is the workspace's, however
// long the conversation goes on.
func TestTokenDuringAConversation(t *testing.T) {
	root := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	newKey := func() (private []byte) {
		t.Helper()
		private, public, err := auth.NewKey("EdDSA")
		if err != nil {
			t.Fatal(err)
		}
		write("identity.pub", public)
		return private
	}
	write("vatio.yml", []byte("workspace: shop\nagent:\n  instructions: Be brief.\n  handoff: {when: Always., message: Wait.}\nauth: {public_key: identity.pub, algorithm: EdDSA}\n"))
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	token, err := auth.Sign(newKey(), "EdDSA", map[string]any{"sub": "alice", "aud": "shop", "iss": "https://id.example", "exp": now.Add(time.Hour).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	a := &app{IO: &iox.IO{
		Out: io.Discard, Err: io.Discard, Dir: root,
		Now:    func() time.Time { return now },
		Getenv: func(key string) string { return map[string]string{"VATIO_HOME": home, "USER": "tester"}[key] },
	}}
	s := newSession(a.newLoader(root, viper.New()), "local")
	defer s.close()
	s.token = token
	begin := func(owner, wrong string, reloaded bool) {
		t.Helper()
		before := s.engine
		_, err := s.Begin(t.Context())
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != wrong || s.Owner() != owner || (s.engine != before) != reloaded {
			t.Errorf("%s: %s, reloaded: %v\nwant %s: %s, %v", s.Owner(), got, s.engine != before, owner, wrong, reloaded)
		}
	}
	begin("https://id.example|alice", "", true)
	begin("https://id.example|alice", "", false)
	now = now.Add(time.Hour + auth.Leeway - time.Second)
	begin("https://id.example|alice", "", false)
	now = now.Add(2 * time.Second)
	begin("https://id.example|alice", `--token: the token has expired (claim "exp")`, false)
	now = now.Add(-time.Hour)
	begin("https://id.example|alice", "", false)
	newKey()
	begin("https://id.example|alice", "--token: the token's signature does not fit auth.public_key and auth.algorithm", false)
	if err := s.SetOwner("web/bruno"); err != nil {
		t.Fatal(err)
	}
	begin("web/bruno", "", true)
	newKey()
	begin("web/bruno", "", false)
}
