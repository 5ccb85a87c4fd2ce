package bundle

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf16"
)

// privateKeys returns the lines of data that hold a private key or an age
// identity, in whatever text they are wrapped.
func privateKeys(path string, data []byte) []Refusal {
	if what := binaryKey(data); what != "" {
		return []Refusal{{path, 0, what + ": it must not travel. " + leaveOut}}
	}
	data = fromUTF16(data)
	if bytes.IndexByte(data, 0) >= 0 {
		// UTF-16 and UTF-32 without a byte order mark: bytes between are zero.
		data = bytes.ReplaceAll(data, []byte{0}, nil)
	}
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
	for _, sign := range []string{"PRIVATE%20KEY-----", "PRIVATE+KEY-----"} {
		each(data, sign, func(at int) { add(at, "a private key") })
	}
	each(data, `"kty"`, func(at int) {
		if jwkKey(data, at) {
			add(at, "a private key as a JWK")
		}
	})
	encodedKeys(data, add)
	if len(list) == 0 { // else it is the body of what was found
		base64DER(data, add)
	}
	return list
}

// jwkKey reports whether the JSON object around at has the private part of a key
// (RFC 7518, sections 6.2.2 and 6.3.2).
func jwkKey(data []byte, at int) bool {
	const longest = 8 << 10
	start := bytes.LastIndexByte(data[max(0, at-longest):at], '{')
	if start < 0 {
		return false
	}
	var key struct {
		Kind    string `json:"kty"`
		Private string `json:"d"`
	}
	err := json.NewDecoder(bytes.NewReader(clip(data[max(0, at-longest)+start:], 2*longest))).Decode(&key)
	const shortest = 20
	return err == nil && key.Kind != "" && len(key.Private) >= shortest
}

// encodedKeys finds keys in base64, as in the secrets of Kubernetes, and in
// hexadecimal digits, whatever stands before them and however lines are broken.
func encodedKeys(data []byte, add func(at int, what string)) {
	var places []int // where lines end, in text
	text := make([]byte, 0, len(data))
	for line := range bytes.Lines(data) {
		if len(text) > 0 {
			line = bytes.TrimLeft(line, " \t")
		}
		text = append(text, bytes.TrimRight(line, "\r\n")...)
		places = append(places, len(text))
	}
	found := func(sign, what string) {
		each(text, sign, func(at int) {
			// The same line of data.
			line, _ := slices.BinarySearch(places, at+1)
			start := 0
			for range line {
				start += bytes.IndexByte(data[start:], '\n') + 1
			}
			add(start, what)
		})
	}
	for _, key := range [...]struct{ sign, what string }{{"PRIVATE KEY-----", "a private key in "}, {"AGE-SECRET-KEY-1", "an age identity in "}} {
		for shift := range 3 {
			encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + key.sign))
			// The first and the last digits hold bits of what stands beside.
			skip := []int{0, 2, 3}[shift]
			whole := (shift + len(key.sign)) / 3 * 4
			found(encoded[skip:whole], key.what+"base64")
		}
		digits := hex.EncodeToString([]byte(key.sign))
		found(digits, key.what+"hexadecimal digits")
		found(strings.ToUpper(digits), key.what+"hexadecimal digits")
	}
}

// base64DER finds keys whose PEM lost its first and last line.
func base64DER(data []byte, add func(at int, what string)) {
	const shortest = 60
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("M"))
		if i < 0 {
			return
		}
		at += i
		if at > 0 && isBase64(data[at-1]) || at+1 == len(data) || data[at+1] != 'I' && data[at+1] != 'C' && data[at+1] != 'F' && data[at+1] != 'G' && data[at+1] != 'H' {
			at++
			continue
		}
		end := at
		var text []byte
		for end < len(data) && (isBase64(data[end]) || data[end] == '\n' || data[end] == '\r' || data[end] == ' ' && data[end-1] <= ' ') {
			if isBase64(data[end]) {
				text = append(text, data[end])
			}
			end++
		}
		if len(text) >= shortest {
			decoded := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
			n, err := base64.RawStdEncoding.Decode(decoded, bytes.TrimRight(text, "="))
			if err == nil && binaryKey(decoded[:n]) != "" {
				add(at, "a private key in base64")
			}
		}
		at = end
	}
}

func isBase64(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}

// binaryKey says what kind of private key data is without any wrapping, "" for
// none.
func binaryKey(data []byte) string {
	var (
		javaStores = [...]string{"\xfe\xed\xfe\xed\x00\x00\x00", "\xce\xce\xce\xce\x00\x00\x00"}
		// Version 3, and what holds the data; PBES2.
		pkcs12  = []byte("\x02\x01\x03\x30")
		content = []byte("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07")
		pbes    = []byte("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05")
	)
	for _, sign := range javaStores {
		if bytes.HasPrefix(data, []byte(sign)) {
			return "a key store of Java"
		}
	}
	if len(data) < 16 || data[0] != 0x30 {
		return ""
	}
	head := clip(data, 40)
	switch {
	case derKey(data):
		return "a private key in DER form"
	case bytes.Contains(clip(data, 12), pkcs12) && bytes.Contains(head, content):
		return "a key store (PKCS #12)"
	case bytes.Contains(clip(data, 20), pbes):
		return "an encrypted private key"
	}
	return ""
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
