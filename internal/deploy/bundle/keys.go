package bundle

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"unicode/utf16"
)

// privateKeys returns the lines of data that hold a private key or an age
// identity, in whatever text they are wrapped.
func privateKeys(path string, data []byte) []Refusal {
	if derKey(data) {
		return []Refusal{{path, 0, "a private key in DER form: it must not travel. " + leaveOut}}
	}
	data = fromUTF16(data)
	var list []Refusal
	add := func(at int, what string) {
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		list = append(list, Refusal{path, line, what + ": it must not travel. " + leaveOut})
	}
	each(data, "PRIVATE KEY", func(at int) {
		// -----BEGIN … PRIVATE KEY-----, and of OpenPGP and SSH2 what is like it.
		start := bytes.LastIndexByte(data[:at], '\n') + 1
		head := bytes.LastIndex(data[start:at], []byte("BEGIN"))
		rest := bytes.TrimPrefix(data[at+len("PRIVATE KEY"):], []byte(" BLOCK"))
		if head < 0 || !bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("----")) {
			return
		}
		before := bytes.TrimRight(data[start:start+head], " ")
		label := data[start+head+len("BEGIN") : at]
		if bytes.HasSuffix(before, []byte("----")) && len(bytes.Trim(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ")) == 0 {
			add(start+head, "a private key")
		}
	})
	each(data, "PuTTY-User-Key-File-", func(at int) { add(at, "a private key of PuTTY") })
	for _, sign := range []string{"AGE-SECRET-KEY-", "age-secret-key-"} {
		each(data, sign, func(at int) {
			if isBech32(bytes.TrimPrefix(bytes.ToUpper(clip(data[at+len(sign):], 64)), []byte("PQ-"))) {
				add(at, "an age identity")
			}
		})
	}
	each(data, "AGE-PLUGIN-", func(at int) {
		rest := clip(data[at+len("AGE-PLUGIN-"):], 128)
		if i := bytes.Index(rest, []byte("-1")); i > 0 && isBech32(rest[i+1:]) {
			add(at, "an age identity")
		}
	})
	// PEM in base64, as in the secrets of Kubernetes.
	each(data, "LS0tLS1CRUdJTi", func(at int) {
		text := clip(data[at:], 96)
		decoded := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, _ := base64.StdEncoding.Decode(decoded, text)
		if bytes.Contains(decoded[:n], []byte("PRIVATE KEY")) {
			add(at, "a private key in base64")
		}
	})
	return list
}

const leaveOut = "Remove it, or name the file in .vatioignore"

func each(data []byte, sign string, found func(at int)) {
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(sign))
		if i < 0 {
			return
		}
		found(at + i)
		at += i + len(sign)
	}
}

func clip(data []byte, n int) []byte { return data[:min(n, len(data))] }

// isBech32 reports whether what follows the name of an identity looks like one,
// and not like the dots of a text about it.
func isBech32(rest []byte) bool {
	rest, one := bytes.CutPrefix(rest, []byte("1"))
	const shortest = 8
	if !one || len(rest) < shortest {
		return false
	}
	for _, c := range rest[:shortest] {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// fromUTF16 returns what a file says that starts with the byte order mark of
// UTF-16, as PowerShell writes; other files are left as they are.
func fromUTF16(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// derKey reports whether data is a private key without any wrapping.
func derKey(data []byte) bool {
	const sequence, longest = 0x30, 32 << 10
	if len(data) < 16 || len(data) > longest || data[0] != sequence {
		return false
	}
	if _, err := x509.ParsePKCS8PrivateKey(data); err == nil {
		return true
	}
	if _, err := x509.ParsePKCS1PrivateKey(data); err == nil {
		return true
	}
	_, err := x509.ParseECPrivateKey(data)
	return err == nil
}
