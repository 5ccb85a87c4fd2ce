package check

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// keyFile: auth.public_key must be a public key in PEM, inside the workspace,
// of the kind that auth.algorithm names.
func keyFile(r *run) {
	if r.Auth == nil || r.Auth.KeyNode == nil {
		return
	}
	at := r.Auth.KeyNode.Span()
	name := r.Auth.PublicKey
	if filepath.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		r.add(diag.Errorf(at, "key-file", "the key must lie inside the workspace, not at %q", name))
		return
	}
	data, err := readKey(r.Root, name)
	if err != nil {
		r.add(diag.Errorf(at, "key-file", "there is no readable file %q in the workspace", name).WithHint("run: vatio auth new-key"))
		return
	}
	block, _ := pem.Decode(data)
	switch {
	case block == nil:
		r.add(diag.Errorf(at, "key-file", "%q holds no key in PEM form", name).WithHint("a public key starts with -----BEGIN PUBLIC KEY-----"))
		return
	case strings.Contains(block.Type, "PRIVATE KEY"):
		r.add(diag.Errorf(at, "key-file", "%q holds a private key: only the public key belongs into a workspace", name).
			WithHint("write the public half here, and keep the private one where tokens are signed"))
		return
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		r.add(diag.Errorf(at, "key-file", "%q holds no public key that can be read, but a %q", name, block.Type))
		return
	}
	if r.Auth.Algorithm != "" && !fits(key, r.Auth.Algorithm) {
		r.add(diag.Errorf(at, "key-file", "the key in %q is %s, which does not fit auth.algorithm %s", name, describeKey(key), r.Auth.Algorithm))
	}
}

func readKey(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Stat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrNotExist
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 64<<10))
}

func fits(key any, algorithm string) bool {
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return algorithm == "ES256" && k.Curve == elliptic.P256() ||
			algorithm == "ES384" && k.Curve == elliptic.P384() ||
			algorithm == "ES512" && k.Curve == elliptic.P521()
	case *rsa.PublicKey:
		return algorithm == "RS256" && k.N.BitLen() >= 2048
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}

func describeKey(key any) string {
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return "an ECDSA key on " + k.Curve.Params().Name
	case *rsa.PublicKey:
		if k.N.BitLen() < 2048 {
			return "an RSA key of fewer than 2048 bits"
		}
		return "an RSA key"
	case ed25519.PublicKey:
		return "an Ed25519 key"
	}
	return "of another kind"
}
