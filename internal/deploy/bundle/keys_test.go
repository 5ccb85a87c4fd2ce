package bundle

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// TestWrappedKeys wraps keys in what carries them unseen, and looks for them; and
// for nothing where only the public half is wrapped in the same way.
func TestWrappedKeys(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	const identity = "AGE-SECRET-KEY-1GFPYYSJLXYN5Z5N0XKQ0L7Z8Q9V2K3C4M5N6P7Q8R9S0T2U3V4W5X6Y7Z8\n"
	secrets := map[string]string{
		"PEM": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		"age": identity,
	}
	harmless := map[string]string{
		"PEM": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
		"age": "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\n",
	}
	units := func(order binary.AppendByteOrder, width int) func(string) string {
		return func(s string) string {
			var out []byte
			for _, u := range utf16.Encode([]rune(s)) {
				if width == 4 {
					out = order.AppendUint32(out, uint32(u))
				} else {
					out = order.AppendUint16(out, u)
				}
			}
			return string(out)
		}
	}
	base64Of := func(before string, width int, indent string) func(string) string {
		return func(s string) string {
			var out strings.Builder
			encoded := base64.StdEncoding.EncodeToString([]byte(before + s))
			for len(encoded) > width {
				out.WriteString(indent + encoded[:width] + "\n")
				encoded = encoded[width:]
			}
			return out.String() + indent + encoded + "\n"
		}
	}
	wraps := map[string]func(string) string{
		"UTF-16LE": units(binary.LittleEndian, 2), "UTF-16BE": units(binary.BigEndian, 2), "UTF-32LE": units(binary.LittleEndian, 4),
		"base64": base64Of("", 1<<20, ""), "base64 behind one byte": base64Of("#", 1<<20, ""), "base64 behind two bytes": base64Of("# ", 76, ""),
		"base64 in short lines": base64Of("# created\n", 20, "    "),
		"hexadecimal":           func(s string) string { return hex.EncodeToString([]byte(s)) },
		"upper hexadecimal":     func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"an address":            url.PathEscape, "a query": url.QueryEscape,
		"CR": func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
	}
	for how, wrap := range wraps {
		for what, text := range secrets {
			if privateKeys("x", []byte(wrap(text))) == nil {
				t.Errorf("%s in %s is not found", what, how)
			}
		}
		for what, text := range harmless {
			if got := privateKeys("x", []byte(wrap(text))); got != nil {
				t.Errorf("the public half of %s in %s: %v", what, how, got)
			}
		}
	}
}

func TestKeysWithoutPEM(t *testing.T) {
	private, public := []byte(derOf(t)), []byte(nil)
	if parsed, err := x509.ParsePKCS8PrivateKey(private); err != nil {
		t.Fatal(err)
	} else if public, err = x509.MarshalPKIXPublicKey(&parsed.(*ecdsa.PrivateKey).PublicKey); err != nil {
		t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString
	for _, tt := range []struct {
		name, data, want string
	}{
		{"base64", "a\nkey: \"" + text(private) + "\"\n", "x:2: a private key in base64"},
		{"base64 in lines", text(private)[:64] + "\r\n  " + text(private)[64:], "x:1: a private key in base64"},
		{"a public key in base64", text(public), ""},
		{"a JWK", `{"keys":[{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`, "x:1: a private key as a JWK"},
		{"a public JWK", `{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`, ""},
		{"text about a JWK", `The field "kty" says of which kind a key is, "d" holds the private part.`, ""},
		{"PKCS 12", "\x30\x82\x03\x00\x02\x01\x03\x30\x82\x02\xc0\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01\xa0\x82", "x: a key store (PKCS #12)"},
		{"encrypted DER", "\x30\x81\x9b\x30\x57\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d\x30\x4a\x30\x29\x06\x09", "x: an encrypted private key"},
		{"Java", "\xfe\xed\xfe\xed\x00\x00\x00\x02\x00\x00\x00\x01", "x: a key store of Java"},
		{"words", strings.Repeat("MIT MICHAEL MCMAHON\nMIIE/abc+def= ", 20), ""},
	} {
		var got []string
		for _, r := range privateKeys("x", []byte(tt.data)) {
			got = append(got, r.String())
		}
		var want []string
		if tt.want != "" {
			want = []string{tt.want + ": it must not travel. Remove it, or name the file in .vatioignore"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := privateKeys("x", bytes.Repeat([]byte(`"kty"{M`), 1000)); got != nil {
		t.Errorf("signs without keys: %v", got)
	}
}
