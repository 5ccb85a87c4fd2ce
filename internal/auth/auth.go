// Package auth makes key pairs, signs tokens for development and verifies the
// tokens that say who is talking. A token is a JSON Web Token (RFC 7519); its
// algorithm is pinned by the workspace and never read from the token.
package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// Leeway is how far the clocks of signer and verifier may be apart.
const Leeway = 60 * time.Second

// MaxToken is the longest token that is looked at, in bytes.
const MaxToken = 16 << 10

// NewKey makes a key pair for one of the algorithms ES256, ES384, ES512, RS256
// and EdDSA: the private key in PKCS #8 and the public key in PKIX form, both
// as PEM.
func NewKey(algorithm string) (private, public []byte, err error) {
	var key crypto.Signer
	switch algorithm {
	case "ES256":
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ES384":
		key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "ES512":
		key, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	case "RS256":
		key, err = rsa.GenerateKey(rand.Reader, 3072)
	case "EdDSA":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		err = fmt.Errorf("unknown algorithm %q", algorithm)
	}
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	pub, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub}), nil
}

// fits reports whether a public key is of an algorithm. An RSA key has at least
// 2048 bits (RFC 7518 section 3.3).
func fits(key crypto.PublicKey, algorithm string) bool {
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return algorithm == map[elliptic.Curve]string{elliptic.P256(): "ES256", elliptic.P384(): "ES384", elliptic.P521(): "ES512"}[k.Curve]
	case *rsa.PublicKey:
		return algorithm == "RS256" && k.N.BitLen() >= 2048
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}

// Sign returns a token with these claims, a JSON object, signed with a private
// key in PEM form.
func Sign(private []byte, algorithm string, claims map[string]any) (string, error) {
	block, _ := pem.Decode(private)
	if block == nil {
		return "", errors.New("the private key is not in PEM form")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", errors.New("the private key cannot be read: it must be in PKCS #8 form, as vatio auth new-key writes it")
	}
	signer, isSigner := key.(crypto.Signer)
	if !isSigner || !fits(signer.Public(), algorithm) {
		return "", fmt.Errorf("the private key does not fit the algorithm %s", algorithm)
	}
	token, err := jwt.NewWithClaims(jwt.GetSigningMethod(algorithm), jwt.MapClaims(claims)).SignedString(key)
	if err != nil {
		return "", fmt.Errorf("the private key does not fit the algorithm %s", algorithm)
	}
	return token, nil
}

// A Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	key    crypto.PublicKey
	parser *jwt.Parser
}

// NewVerifier returns a verifier for a public key in PEM form. Tokens must be
// signed with the algorithm, name audience among their `aud`, name issuer as
// their `iss` unless that is "", and have `exp` and `sub`.
func NewVerifier(public []byte, algorithm, audience, issuer string, now func() time.Time) (*Verifier, error) {
	block, _ := pem.Decode(public)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("the public key is not in PEM form")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the public key cannot be read")
	}
	if !fits(key, algorithm) {
		return nil, fmt.Errorf("the public key does not fit the algorithm %s", algorithm)
	}
	options := []jwt.ParserOption{
		jwt.WithValidMethods([]string{algorithm}), jwt.WithLeeway(Leeway), jwt.WithExpirationRequired(),
		jwt.WithAudience(audience), jwt.WithTimeFunc(now), jwt.WithStrictDecoding(), jwt.WithJSONNumber(),
	}
	if issuer != "" {
		options = append(options, jwt.WithIssuer(issuer))
	}
	return &Verifier{key: key, parser: jwt.NewParser(options...)}, nil
}

// Verify returns the principal that a token stands for. The error says in plain
// words what is wrong and holds no part of the token.
func (v *Verifier) Verify(token string) (*executor.Principal, error) {
	if len(token) > MaxToken {
		return nil, fmt.Errorf("the token is too long: %d bytes, %d are allowed", len(token), MaxToken)
	}
	claims := jwt.MapClaims{}
	if _, err := v.parser.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return v.key, nil }); err != nil {
		return nil, plain(err)
	}
	parts := strings.Split(token, ".")
	header, err := readPart(parts[0], "header")
	if err != nil {
		return nil, err
	}
	// Extensions that must be understood: none is (RFC 7515 section 4.1.11).
	if header.Get("crit").Exists() {
		return nil, errors.New(`the token's header has "crit", which is not supported`)
	}
	document, err := readPart(parts[1], "claims")
	if err != nil {
		return nil, err
	}
	if err := checkDates(document); err != nil {
		return nil, err
	}
	subject, issuer := document.Get("sub"), document.Get("iss")
	switch {
	case subject.Kind() != jsondoc.String || strings.TrimSpace(subject.Text()) == "":
		return nil, errors.New(`the token has no subject: the claim "sub" must be a string that is not blank`)
	case issuer.Exists() && (issuer.Kind() != jsondoc.String || strings.TrimSpace(issuer.Text()) == ""):
		return nil, errors.New(`the token's claim "iss" must be a string that is not blank`)
	}
	return &executor.Principal{Subject: subject.Text(), Issuer: issuer.Text(), Token: token, Claims: document}, nil
}

// readPart reads a part of a token that has been verified.
func readPart(text, what string) (jsondoc.Value, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return jsondoc.Value{}, fmt.Errorf("the token's %s cannot be decoded", what)
	}
	document, err := jsondoc.Parse(data)
	if err != nil || document.Kind() != jsondoc.Object {
		return jsondoc.Value{}, fmt.Errorf("the token's %s must be a JSON object", what)
	}
	// Two readers of a name that stands twice may read different values.
	if name, twice := repeated(data); twice {
		return jsondoc.Value{}, fmt.Errorf("the token has %q twice in its %s", name, what)
	}
	return document, nil
}

// lastDate is the end of the year 9999, in seconds. Libraries turn what lies far
// beyond into a date of the past.
const lastDate = 253402300799

func checkDates(claims jsondoc.Value) error {
	for _, name := range []string{"exp", "nbf", "iat"} {
		claim := claims.Get(name)
		if !claim.Exists() {
			continue
		}
		seconds, err := strconv.ParseFloat(claim.Text(), 64)
		if claim.Kind() != jsondoc.Number || err != nil || seconds < 0 || seconds > lastDate {
			return fmt.Errorf("the token's claim %q must be a number of seconds since 1970", name)
		}
	}
	return nil
}

// Scopes returns the scopes of a principal: its scope claim, separated by
// spaces (RFC 8693 section 4.2).
func Scopes(p *executor.Principal) []string {
	claim := p.Claims.Get("scope")
	if claim.Kind() != jsondoc.String {
		return nil
	}
	return strings.FieldsFunc(claim.Text(), func(r rune) bool { return r == ' ' })
}

// plain turns the library's errors into one sentence.
func plain(err error) error {
	for _, c := range []struct {
		is   error
		text string
	}{
		{jwt.ErrTokenExpired, `the token has expired (claim "exp")`},
		{jwt.ErrTokenNotValidYet, `the token is not valid yet (claim "nbf")`},
		{jwt.ErrTokenInvalidAudience, `the token is for somebody else: its claim "aud" does not name this workspace`},
		{jwt.ErrTokenInvalidIssuer, `the token is from somebody else: its claim "iss" is not auth.issuer`},
		{jwt.ErrTokenRequiredClaimMissing, `the token lacks a claim: "exp", "sub" and "aud" are required`},
		{jwt.ErrTokenSignatureInvalid, "the token's signature does not fit auth.public_key and auth.algorithm"},
		{jwt.ErrTokenUnverifiable, "the token cannot be verified with auth.public_key"},
	} {
		if errors.Is(err, c.is) {
			return errors.New(c.text)
		}
	}
	if errors.Is(err, jwt.ErrTokenInvalidClaims) {
		return errors.New("the token has a claim of a wrong type")
	}
	return errors.New("this is no JSON Web Token")
}
