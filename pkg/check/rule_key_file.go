package check

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/workspace"
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
	if errors.Is(err, errLink) {
		r.add(diag.Errorf(at, "key-file", "%q is a link that leads out of the workspace, or to nothing", name).WithHint("replace the link by the file"))
		return
	}
	if err != nil {
		r.add(diag.Errorf(at, "key-file", "there is no readable file %q in the workspace", name).WithHint("run: vatio auth new-key"))
		return
	}
	block, _ := pem.Decode(data)
	switch {
	case bytes.Contains(data, []byte("PRIVATE KEY-----")):
		r.add(diag.Errorf(at, "key-file", "%q holds a private key: only the public key belongs into a workspace", name).
			WithHint("put the public key there, and keep the private one where tokens are signed"))
		return
	case block == nil:
		r.add(diag.Errorf(at, "key-file", "%q holds no key in PEM form", name).WithHint("a public key starts with -----BEGIN PUBLIC KEY-----"))
		return
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		d := diag.Errorf(at, "key-file", "%q holds no public key that can be read, but a %q", name, block.Type)
		if block.Type == "PUBLIC KEY" {
			r.add(diag.Errorf(at, "key-file", "the public key in %q is damaged, or of a kind that no algorithm takes", name).WithHint("run: vatio auth new-key"))
			return
		}
		r.add(d.WithHint("a public key starts with -----BEGIN PUBLIC KEY-----, as openssl pkey -pubout and vatio auth new-key write it"))
		return
	}
	if r.Auth.Algorithm != "" && !fits(key, r.Auth.Algorithm) {
		d := diag.Errorf(at, "key-file", "the key in %q is %s, which does not fit auth.algorithm %s", name, describeKey(key), r.Auth.Algorithm)
		if k, ok := key.(*rsa.PublicKey); ok && k.N.BitLen() < minRSABits {
			d = d.WithHint("make a key of 2048 bits or more")
		} else if other := algorithmOf(key); other != "" {
			d = d.WithHint("write algorithm: %s, or put another key there", other)
		}
		r.add(d)
	}
}

// algorithmOf returns the algorithm that a key fits, "" for none.
func algorithmOf(key any) string {
	for _, algorithm := range workspace.Algorithms {
		if fits(key, algorithm) {
			return algorithm
		}
	}
	return ""
}

var errLink = errors.New("a link out of the workspace")

func readKey(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Stat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() {
		if link, lerr := root.Lstat(filepath.FromSlash(name)); err != nil && lerr == nil && link.Mode()&fs.ModeSymlink != 0 {
			return nil, errLink
		}
		return nil, os.ErrNotExist
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 64<<10))
}

// minRSABits is the least that RFC 7518 section 3.3 allows for RS256.
const minRSABits = 2048

func fits(key any, algorithm string) bool {
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return algorithm == "ES256" && k.Curve == elliptic.P256() ||
			algorithm == "ES384" && k.Curve == elliptic.P384() ||
			algorithm == "ES512" && k.Curve == elliptic.P521()
	case *rsa.PublicKey:
		return algorithm == "RS256" && k.N.BitLen() >= minRSABits
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
		if k.N.BitLen() < minRSABits {
			return "an RSA key of fewer than 2048 bits"
		}
		return "an RSA key"
	case ed25519.PublicKey:
		return "an Ed25519 key"
	}
	return "of another kind"
}
