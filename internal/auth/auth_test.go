package auth_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
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

func TestScopes(t *testing.T) {
	for claim, want := range map[string]string{
		`{"scope":"tools:read tools:write"}`:    "tools:read|tools:write",
		`{"scope":"  a   b "}`:                  "a|b",
		`{"scope":"a\tb,c\nd"}`:                 "a\tb,c\nd",
		`{"scope":""}`:                          "",
		`{"scope":["a","b"]}`:                   "",
		`{"scope":null,"scp":"a","scopes":"a"}`: "",
		`{}`:                                    "",
	} {
		if got := strings.Join(auth.Scopes(&executor.Principal{Claims: jsondoc.MustParse(claim)}), "|"); got != want {
			t.Errorf("%s: %q, want %q", claim, got, want)
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

	parts := strings.Split(sign(t, private, "ES256", good), ".")
	unsigned := parts[0] + "." + parts[1] + "."
	changed := parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"root","aud":"acme","iss":"https://acme.example","exp":9999999999}`)) + "." + parts[2]

	const (
		signature  = "the token's signature does not fit auth.public_key and auth.algorithm"
		lacks      = `the token lacks a claim: "exp", "sub" and "aud" are required`
		audience   = `the token is for somebody else: its claim "aud" does not name this workspace`
		issuer     = `the token is from somebody else: its claim "iss" is not auth.issuer`
		subject    = `the token has no subject: the claim "sub" must be a string that is not blank`
		wrongType  = "the token has a claim of a wrong type"
		verifiable = "the token cannot be verified with auth.public_key"
		noToken    = "this is no JSON Web Token"
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
		"alg twice":         {raw(`{"alg":"none","alg":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999}`), `the token has "alg" twice in its header`},
		"crit":              {raw(`{"alg":"ES256","crit":["exp"]}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999}`), `the token's header has "crit", which is not supported`},
		"unencoded payload": {raw(`{"alg":"ES256","b64":false,"crit":["b64"]}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999}`), `the token's header has "crit", which is not supported`},
		"Alg in capitals":   {raw(`{"ALG":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999}`), verifiable},
		"exp as text":       {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":"9999999999"}`), wrongType},
		"exp beyond time":   {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":1e400}`), `the token has expired (claim "exp")`},
		"exp null":          {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":null}`), wrongType},
		"nbf beyond time":   {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999,"nbf":1e30}`), `the token's claim "nbf" must be a number of seconds since 1970`},
		"nbf as text":       {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999,"nbf":"x"}`), wrongType},
		"iat as text":       {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999,"iat":"x"}`), `the token's claim "iat" must be a number of seconds since 1970`},
		"exp with a part":   {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":"acme","iss":"https://acme.example","exp":9999999999.5}`), ""},
		"empty aud":         {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":[],"iss":"https://acme.example","exp":9999999999}`), lacks},
		"aud with a number": {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":["acme",1],"iss":"https://acme.example","exp":9999999999}`), wrongType},
		"aud in an object":  {raw(`{"alg":"ES256"}`, `{"sub":"a","aud":{"acme":1},"iss":"https://acme.example","exp":9999999999}`), lacks},
		"aud in capitals":   {with("aud", "ACME"), audience},
		"escaped twice":     {raw(`{"alg":"ES256"}`, `{"sub":"alice","aud":"acme","iss":"https://acme.example","exp":9999999999,"\u0073ub":"bob"}`), `the token has "sub" twice in its claims`},
		"invalid UTF-8":     {raw(`{"alg":"ES256"}`, "{\"sub\":\"a\xff\",\"aud\":\"acme\",\"iss\":\"https://acme.example\",\"exp\":9999999999}"), "the token's claims must be a JSON object"},
		"changed claims":    {changed, signature},
		"no signature":      {unsigned, signature},
		"a fourth part":     {sign(t, private, "ES256", good) + ".x", noToken},
		"padded":            {sign(t, private, "ES256", good) + "=", noToken},
		"a word before":     {"Bearer " + sign(t, private, "ES256", good), noToken},
		"claims twice":      {raw(`{"alg":"ES256"}`, `{"sub":"alice","aud":"acme","iss":"https://acme.example","exp":9999999999,"sub":"bob"}`), `the token has "sub" twice in its claims`},
		"deep twice":        {raw(`{"alg":"ES256"}`, `{"sub":"alice","aud":"acme","iss":"https://acme.example","exp":9999999999,"x":[{"a":1,"a":2}]}`), `the token has "a" twice in its claims`},
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

// Only the pinned algorithm counts, whatever a token says and whoever signed it.
func TestAnotherAlgorithmIsRefused(t *testing.T) {
	const want = "the token's signature does not fit auth.public_key and auth.algorithm"
	private, public := key(t, "RS256")
	v, err := auth.NewVerifier(public, "RS256", "acme", "", clock)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []jwt.SigningMethod{jwt.SigningMethodRS512, jwt.SigningMethodRS384, jwt.SigningMethodPS256} {
		token, err := jwt.NewWithClaims(method, jwt.MapClaims(claims())).SignedString(parsePrivate(t, private))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify(token); err == nil || err.Error() != want {
			t.Errorf("%s with the same key: %v", method.Alg(), err)
		}
	}
	for _, algorithm := range []string{"ES256", "ES384", "ES512", "EdDSA"} {
		other, _ := key(t, algorithm)
		if _, err := v.Verify(sign(t, other, algorithm, claims())); err == nil || err.Error() != want {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
	// HMAC with what everybody can read: the key's PEM, with and without its last
	// line break, and its DER.
	block, _ := pem.Decode(public)
	for _, secret := range [][]byte{public, bytes.TrimSpace(public), block.Bytes, {}} {
		for _, method := range []jwt.SigningMethod{jwt.SigningMethodHS256, jwt.SigningMethodHS512} {
			token, err := jwt.NewWithClaims(method, jwt.MapClaims(claims())).SignedString(secret)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Verify(token); err == nil || err.Error() != want {
				t.Errorf("%s: %v", method.Alg(), err)
			}
		}
	}
}

// A key must be a public one, and of the algorithm.
func TestNewVerifierRefuses(t *testing.T) {
	es256, es256Public := key(t, "ES256")
	_, es384Public := key(t, "ES384")
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(small.Public())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key             []byte
		algorithm, want string
	}{
		"no PEM":            {[]byte("not a key"), "ES256", "the public key is not in PEM form"},
		"empty":             {nil, "ES256", "the public key is not in PEM form"},
		"a private key":     {es256, "ES256", "the public key is not in PEM form"},
		"no key in the PEM": {pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")}), "ES256", "the public key cannot be read"},
		"another curve":     {es384Public, "ES256", "the public key does not fit the algorithm ES256"},
		"another kind":      {es256Public, "RS256", "the public key does not fit the algorithm RS256"},
		"HMAC":              {es256Public, "HS256", "the public key does not fit the algorithm HS256"},
		"none":              {es256Public, "none", "the public key does not fit the algorithm none"},
		"no algorithm":      {es256Public, "", "the public key does not fit the algorithm "},
		"a small RSA key":   {pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), "RS256", "the public key does not fit the algorithm RS256"},
	} {
		if _, err := auth.NewVerifier(c.key, c.algorithm, "acme", "", clock); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestSignRefuses(t *testing.T) {
	private, public := key(t, "ES256")
	for name, c := range map[string]struct {
		key             []byte
		algorithm, want string
	}{
		"no PEM":          {[]byte("x"), "ES256", "the private key is not in PEM form"},
		"a public key":    {public, "ES256", "the private key cannot be read: it must be in PKCS #8 form, as vatio auth new-key writes it"},
		"another curve":   {private, "ES384", "the private key does not fit the algorithm ES384"},
		"another kind":    {private, "EdDSA", "the private key does not fit the algorithm EdDSA"},
		"none":            {private, "none", "the private key does not fit the algorithm none"},
		"no such one":     {private, "ES1", "the private key does not fit the algorithm ES1"},
		"not for signing": {private, "HS256", "the private key does not fit the algorithm HS256"},
	} {
		if token, err := auth.Sign(c.key, c.algorithm, claims()); err == nil || err.Error() != c.want || token != "" {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Whatever a token is, verifying it neither panics nor lets it in.
func FuzzVerify(f *testing.F) {
	private, public, err := auth.NewKey("EdDSA")
	if err != nil {
		f.Fatal(err)
	}
	v, err := auth.NewVerifier(public, "EdDSA", "acme", "", clock)
	if err != nil {
		f.Fatal(err)
	}
	good, err := auth.Sign(private, "EdDSA", claims())
	if err != nil {
		f.Fatal(err)
	}
	f.Add("")
	f.Add("..")
	f.Add("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.")
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := v.Verify(token); err == nil {
			t.Errorf("%q was accepted", token)
		}
		// One byte of a good token in another place.
		if token != "" {
			at := len(token) % len(good)
			forged := good[:at] + token[:1] + good[at+1:]
			if _, err := v.Verify(forged); err == nil && forged != good {
				t.Errorf("%q was accepted", forged)
			}
		}
	})
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

func parsePrivate(t *testing.T, text []byte) any {
	t.Helper()
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
