package auth_test

import (
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/vatio-dev/vatio/internal/auth"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

func claims(change ...any) map[string]any {
	c := map[string]any{"sub": "alice", "aud": "acme", "exp": now.Add(time.Hour).Unix()}
	for i := 0; i < len(change); i += 2 {
		c[change[i].(string)] = change[i+1]
		if change[i+1] == nil {
			delete(c, change[i].(string))
		}
	}
	return c
}

func key(t *testing.T, algorithm string) (private, public []byte) {
	t.Helper()
	private, public, err := auth.NewKey(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	return private, public
}

func sign(t *testing.T, private []byte, algorithm string, c map[string]any) string {
	t.Helper()
	token, err := auth.Sign(private, algorithm, c)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestEveryAlgorithm(t *testing.T) {
	for _, algorithm := range []string{"ES256", "ES384", "ES512", "RS256", "EdDSA"} {
		private, public := key(t, algorithm)
		v, err := auth.NewVerifier(public, algorithm, "acme", "", clock)
		if err != nil {
			t.Fatal(err)
		}
		p, err := v.Verify(sign(t, private, algorithm, claims("iss", "https://x", "scope", "a b", "n", 12345678901234567)))
		if err != nil {
			t.Errorf("%s: %v", algorithm, err)
			continue
		}
		if p.Subject != "alice" || p.Issuer != "https://x" || p.Claims.Get("n").Text() != "12345678901234567" || strings.Join(auth.Scopes(p), "|") != "a|b" {
			t.Errorf("%s: %+v", algorithm, p)
		}
	}
}

func TestVerify(t *testing.T) {
	private, public := key(t, "ES256")
	otherPrivate, _ := key(t, "ES256")
	v, err := auth.NewVerifier(public, "ES256", "acme", "https://acme.example", clock)
	if err != nil {
		t.Fatal(err)
	}
	good := claims("iss", "https://acme.example")
	with := func(change ...any) string {
		return sign(t, private, "ES256", claims(append([]any{"iss", "https://acme.example"}, change...)...))
	}
	raw := func(header, payload string) string {
		text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
		return text + "." + signRaw(t, private, text)
	}
	hs256 := func() string {
		text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." +
			base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"alice","aud":"acme","iss":"https://acme.example","exp":9999999999}`))
		mac := hmac.New(sha256.New, public)
		mac.Write([]byte(text))
		return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}()
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"alice","aud":"acme","iss":"https://acme.example","exp":9999999999}`)) + "."

	const (
		signature = "the token's signature does not fit auth.public_key and auth.algorithm"
		lacks     = `the token lacks a claim: "exp", "sub" and "aud" are required`
		audience  = `the token is for somebody else: its claim "aud" does not name this workspace`
		issuer    = `the token is from somebody else: its claim "iss" is not auth.issuer`
		subject   = `the token has no subject: the claim "sub" must be a string that is not blank`
		noToken   = "this is no JSON Web Token"
	)
	for name, c := range map[string]struct{ token, want string }{
		"good":              {sign(t, private, "ES256", good), ""},
		"audience in list":  {with("aud", []string{"x", "acme"}), ""},
		"within the leeway": {with("exp", now.Add(-50*time.Second).Unix()), ""},
		"kid is ignored":    {raw(`{"alg":"ES256","kid":"../../x","jku":"http://evil","x5u":"http://evil","jwk":{}}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999}`), ""},
		"expired":           {with("exp", now.Add(-61*time.Second).Unix()), `the token has expired (claim "exp")`},
		"not yet":           {with("nbf", now.Add(61*time.Second).Unix()), `the token is not valid yet (claim "nbf")`},
		"no exp":            {with("exp", nil), lacks},
		"no aud":            {with("aud", nil), lacks},
		"wrong aud":         {with("aud", "other"), audience},
		"aud like a prefix": {with("aud", "acme-2"), audience},
		"wrong iss":         {with("iss", "https://evil"), issuer},
		"no iss":            {with("iss", nil), lacks},
		"no sub":            {with("sub", nil), subject},
		"blank sub":         {with("sub", " "), subject},
		"another key":       {sign(t, otherPrivate, "ES256", good), signature},
		"none":              {none, signature},
		"HS256":             {hs256, signature},
		"claims twice":      {raw(`{"alg":"ES256"}`, `{"sub":"alice","aud":"acme","iss":"https://acme.example","exp":9999999999,"sub":"bob"}`), `the token has the claim "sub" twice`},
		"deep twice":        {raw(`{"alg":"ES256"}`, `{"sub":"alice","aud":"acme","iss":"https://acme.example","exp":9999999999,"x":[{"a":1,"a":2}]}`), `the token has the claim "a" twice`},
		"number as sub":     {raw(`{"alg":"ES256"}`, `{"sub":5,"aud":"acme","iss":"https://acme.example","exp":9999999999}`), subject},
		"cut":               {strings.TrimSuffix(sign(t, private, "ES256", good), "A")[:60], noToken},
		"empty":             {"", noToken},
		"words":             {"alice", noToken},
		"too long":          {strings.Repeat("a", auth.MaxToken+1), "the token is too long: 16385 bytes, 16384 are allowed"},
	} {
		_, err := v.Verify(c.token)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAnotherAlgorithmOfTheSameKeyIsRefused(t *testing.T) {
	private, public := key(t, "RS256")
	v, _ := auth.NewVerifier(public, "RS256", "acme", "", clock)
	for _, algorithm := range []string{"RS512", "PS256"} {
		if _, err := v.Verify(sign(t, private, algorithm, claims())); err == nil {
			t.Errorf("a token signed with %s was accepted", algorithm)
		}
	}
}

// signRaw signs with ES256 whatever stands in the header.
func signRaw(t *testing.T, private []byte, text string) string {
	t.Helper()
	signature, err := jwt.SigningMethodES256.Sign(text, parsePrivate(t, private))
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(signature)
}

func parsePrivate(t *testing.T, text []byte) *ecdsa.PrivateKey {
	t.Helper()
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key.(*ecdsa.PrivateKey)
}
