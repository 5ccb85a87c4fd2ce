package secrets

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
)

const example = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"

// sshKey returns a public key as it stands in a .pub file, without a comment,
// and the private key.
func sshKey(t *testing.T, key crypto.Signer) (public string, private []byte) {
	t.Helper()
	pub, err := ssh.NewPublicKey(key.Public())
	must(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	must(t, err)
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(pub))), pem.EncodeToMemory(block)
}

func TestParseRecipient(t *testing.T) {
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	ed, _ := sshKey(t, edKey)
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	ec, _ := sshKey(t, ecKey)
	quantum, err := age.GenerateHybridIdentity()
	must(t, err)
	pq := quantum.Recipient().String()
	const allowed = "a recipient is an age public key (age1…) or an SSH public key (ssh-ed25519 … or ssh-rsa …)"
	for _, test := range []struct {
		line string
		want Recipient
		err  string
	}{
		{line: example, want: Recipient{Key: example}},
		{line: "  " + example + "  alice's laptop \n", want: Recipient{Key: example, Comment: "alice's laptop"}},
		{line: pq, want: Recipient{Key: pq}},
		{line: ed, want: Recipient{Key: ed}},
		{line: ed + " alice@laptop", want: Recipient{Key: ed, Comment: "alice@laptop"}},
		{line: `no-pty,command="x y" ` + ed + " a b", want: Recipient{Key: ed, Comment: "a b"}},
		{line: "", err: "a recipient is missing: " + allowed},
		{line: "alice", err: `"alice" is not a recipient: ` + allowed},
		{line: example[:60], err: `"` + example[:60] + `" is not an age public key: it was cut off or mistyped`},
		{line: pq[:100], err: `"` + pq[:80] + `…" is not an age public key: it was cut off or mistyped`},
		{line: "age1yubikey1qwerty", err: `"age1yubikey1qwerty" needs an age plugin, which is not supported: ` + allowed},
		{line: ec, err: `an SSH key of type "ecdsa-sha2-nistp256" cannot be encrypted for: ` + allowed},
		{line: "AGE-SECRET-KEY-1QQQ", err: "this is a private key, which nobody else may have: " + allowed},
		{line: "age-secret-key-1qqq", err: "this is a private key, which nobody else may have: " + allowed},
		{line: "-----BEGIN OPENSSH PRIVATE KEY-----\nabc", err: "this is a private key, which nobody else may have: " + allowed},
		{line: example + "\n" + example, err: "these are several lines: give one recipient at a time"},
	} {
		got, err := ParseRecipient(test.line)
		if diff := cmp.Diff(test.want, got); diff != "" || message(err) != test.err {
			t.Errorf("%q: error\n %v, want\n %s; (-want +got):\n%s", test.line, err, test.err, diff)
		}
	}
}

func TestARSAKeyThatIsTooShort(t *testing.T) {
	// A public exponent of 3 and a modulus of 1024 bits.
	n, ok := new(big.Int).SetString("1"+strings.Repeat("0", 254)+"1", 16)
	if !ok {
		t.Fatal("no number")
	}
	key := &rsa.PublicKey{N: n, E: 3}
	pub, err := ssh.NewPublicKey(key)
	must(t, err)
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(pub)))
	_, err = ParseRecipient(line)
	if want := `"` + line[:80] + `…" cannot be encrypted for: the key is damaged, or an RSA key of less than 2048 bits`; message(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestRecipients(t *testing.T) {
	p := newPlace(t)
	alice, bob := p.store(), p.as("bob").store()
	aliceKey, bobKey := recipient(t, alice), recipient(t, bob)
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	edPublic, edPrivate := sshKey(t, edKey)
	rsaPublic, rsaPrivate := sshKey(t, rsaKey)

	// Before there is a store: one is made.
	added, err := alice.AddRecipients(bobKey+" bob", edPublic+" carol@laptop", aliceKey)
	must(t, err)
	if diff := cmp.Diff([]Recipient{{Key: bobKey, Comment: "bob"}, {Key: edPublic, Comment: "carol@laptop"}}, added); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
	must(t, alice.Set("A", "", NewValue([]byte("1"))))
	must(t, bob.Set("B", "", NewValue([]byte("2"))))
	added, err = bob.AddRecipients(rsaPublic)
	must(t, err)
	if diff := cmp.Diff([]Recipient{{Key: rsaPublic}}, added); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
	before := readFile(t, p.file())
	if added, err = bob.AddRecipients(rsaPublic + " again"); err != nil || added != nil || readFile(t, p.file()) != before {
		t.Errorf("added again: %v, %v", added, err)
	}
	if _, err = alice.AddRecipients(example, "age1x"); err == nil || readFile(t, p.file()) != before {
		t.Errorf("one of two is wrong: %v", err)
	}

	snapshot, err := bob.Read()
	must(t, err)
	want := []Recipient{{Key: aliceKey}, {Key: bobKey, Comment: "bob", Own: true}, {Key: edPublic, Comment: "carol@laptop"}, {Key: rsaPublic}}
	if diff := cmp.Diff(want, snapshot.Recipients()); diff != "" {
		t.Errorf("recipients (-want +got):\n%s", diff)
	}
	for name, private := range map[string][]byte{"ed25519": edPrivate, "rsa": rsaPrivate} {
		id, err := agessh.ParseIdentity(private)
		must(t, err)
		file, _ := unarmor([]byte(before))
		r, err := age.Decrypt(file, id)
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		if !strings.Contains(string(text), `"value": "2"`) {
			t.Errorf("%s does not open the file", name)
		}
	}

	const list = ": name one by its key or by a comment that only it has, see `vatio secrets recipients list`"
	for name, want := range map[string]string{
		"dave":               `"dave" is no recipient of .vatio/secrets.age` + list,
		"":                   `"" is no recipient of .vatio/secrets.age` + list,
		example:              `"` + example + `" is no recipient of .vatio/secrets.age` + list,
		"AGE-SECRET-KEY":     `"AGE-SECRET-KEY" is no recipient of .vatio/secrets.age` + list,
		"AGE-SECRET-KEY-1QQ": `a private key is no recipient of .vatio/secrets.age` + list,
		aliceKey:             "this is your own key, and without it you could not open .vatio/secrets.age any more: to replace it run `vatio secrets rotate`",
	} {
		if _, err := alice.RemoveRecipient(name); message(err) != want {
			t.Errorf("removing %q\n got %v\nwant %s", name, err, want)
		}
	}
	for name, want := range map[string]Recipient{
		"carol@laptop":         {Key: edPublic, Comment: "carol@laptop"},
		rsaPublic + " comment": {Key: rsaPublic},
		bobKey:                 {Key: bobKey, Comment: "bob"},
	} {
		removed, err := alice.RemoveRecipient(name)
		must(t, err)
		if diff := cmp.Diff(want, removed); diff != "" {
			t.Errorf("removed (-want +got):\n%s", diff)
		}
	}
	var e *OpenError
	if _, err := bob.Read(); !errors.As(err, &e) || e.Cause != WrongIdentity {
		t.Errorf("bob still reads: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"A": "1", "B": "2"}, content(t, alice)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPostQuantumRecipientsStandAlone(t *testing.T) {
	p := newPlace(t)
	own, err := age.GenerateHybridIdentity()
	must(t, err)
	other, err := age.GenerateHybridIdentity()
	must(t, err)
	write(t, p.identity(), own.String()+"\n")
	p.set("A", "", "1")
	_, err = p.store().AddRecipients(other.Recipient().String())
	must(t, err)
	before := readFile(t, p.file())
	_, err = p.store().AddRecipients(example)
	if want := `post-quantum recipients (age1pq1…) cannot share a file with others: "` + example + `" is none`; message(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if readFile(t, p.file()) != before {
		t.Error("the file was written")
	}
	done, err := p.store().Rotate()
	must(t, err)
	if !strings.HasPrefix(done.New.Recipient, "age1pq1") || done.Others != 1 {
		t.Errorf("rotated to %+v", done)
	}
	if diff := cmp.Diff(map[string]string{"A": "1"}, content(t, p.store())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParseRecipient(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRecipient(string(data))
		if err != nil {
			return
		}
		again, err := ParseRecipient(strings.TrimSpace(r.Key + " " + r.Comment))
		if diff := cmp.Diff(r, again); diff != "" || err != nil {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}
