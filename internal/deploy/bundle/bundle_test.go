package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/workspace"
)

const config = `workspace: acme
agent:
  instructions: Help.
  tools: [check_stock]
`

const stock = `description: Check stock.
when_to_use: Always.
parameters:
  type: object
  properties: { product: { type: string } }
request:
  method: GET
  base_url: "https://api.acme.example"
  path: /products
  query: { name: "$params.product" }
respond:
  message: Done.
`

// lay writes files into a new directory, beside vatio.yml and one tool. A value
// that starts with "-> " makes a link.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"vatio.yml": config, "tools/check_stock.yml": stock}
	for name, data := range files {
		all[name] = data
	}
	for name, data := range all {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, link := strings.CutPrefix(data, "-> "); link {
			err = os.Symlink(target, full)
		} else {
			err = os.WriteFile(full, []byte(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t testing.TB, dir string) *workspace.Workspace {
	t.Helper()
	w, _, err := workspace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func paths(files []File) []string {
	var list []string
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}

func TestCollect(t *testing.T) {
	big := strings.Repeat("x", MaxFileSize)
	many := make(map[string]string)
	for i := range MaxFiles - 1 {
		many[fmt.Sprintf("knowledge/a/%03d.md", i)] = "x"
	}
	for _, tt := range []struct {
		name    string
		files   map[string]string
		want    []string // beside the two that are always there
		left    []Left
		refused string
	}{
		{name: "what travels", files: map[string]string{"identity.pub": "x", "knowledge/a/b/c.md": "x", "README.md": "x"},
			want: []string{"README.md", "identity.pub", "knowledge/a/b/c.md"}},
		{name: "what stays", files: map[string]string{
			".env": "A=1", ".vatio/secrets.age": "x", "knowledge/.hidden/a.md": "x", "node_modules/a/b.js": "x", "knowledge/tmp/a.md": "x", "log/a": "x",
			"tmp": "a file of that name", "deployment.toml": "", "compose.yaml": "x", "identity.pem": "-----BEGIN PRIVATE KEY-----",
		}, want: []string{"tmp"}, left: []Left{
			{".env", "hidden"}, {".vatio/", "hidden"}, {"compose.yaml", "says how the agent is run, not what it is"},
			{"deployment.toml", "what it grants travels in the description"}, {"identity.pem", "the private key of vatio auth"},
			{"knowledge/.hidden/", "hidden"}, {"knowledge/tmp/", "directories called tmp stay behind"},
			{"log/", "directories called log stay behind"}, {"node_modules/", "directories called node_modules stay behind"},
		}},
		{name: "ignored", files: map[string]string{
			".gitignore": "*.bak\n/knowledge/a/x.md\n", "knowledge/.vatioignore": "# drafts\ndraft/\n", "knowledge/draft/a.md": "x", "a.bak": "x",
			"knowledge/a/x.md": "x", "knowledge/b/x.md": "x",
		}, want: []string{"knowledge/b/x.md"}, left: []Left{
			{".gitignore", "hidden"}, {"a.bak", ".gitignore:1 names it"}, {"knowledge/.vatioignore", "hidden"},
			{"knowledge/a/x.md", ".gitignore:2 names it"}, {"knowledge/draft/", "knowledge/.vatioignore:2 names it"},
		}},
		{name: "not brought back by the other ignore file", files: map[string]string{".gitignore": "a.md\n", ".vatioignore": "!a.md\n", "a.md": "x"},
			left: []Left{{".gitignore", "hidden"}, {".vatioignore", "hidden"}, {"a.md", ".gitignore:1 names it"}}},
		{name: "a tool is ignored", files: map[string]string{".vatioignore": "tools/\n"},
			left:    []Left{{".vatioignore", "hidden"}, {"tools/", ".vatioignore:1 names it"}},
			refused: `tools/check_stock.yml: this file stays behind (.vatioignore:1 names it), but agent.tools lists "check_stock": name it no longer, or take it off the list`},
		{name: "vatio.yml is ignored", files: map[string]string{".gitignore": "*.yml\n!tools/*.yml\n"},
			left:    []Left{{".gitignore", "hidden"}, {"vatio.yml", ".gitignore:1 names it"}},
			refused: `vatio.yml: this file stays behind (.gitignore:1 names it), but there is no workspace without it`},
		{name: "links inside", files: map[string]string{"knowledge/a.md": "x", "b.md": "-> knowledge/a.md", "k": "-> knowledge"},
			want: []string{"b.md", "k/a.md", "knowledge/a.md"}},
		{name: "links that are not followed", files: map[string]string{
			"a": "-> /etc/passwd", "b": "-> ../x", "c": "-> nothing", "d": "-> .env", ".env": "A=1", "e/f": "-> ..", "g": "-> .", "h": "-> .vatio/x/y", ".vatio/x/y": "1", ".i": "-> /etc",
		}, left: []Left{{".env", "hidden"}, {".i", "hidden"}, {".vatio/", "hidden"}}, refused: `a: this link leads out of the workspace, or to nothing: replace it by the file
b: this link leads out of the workspace, or to nothing: replace it by the file
c: this link leads out of the workspace, or to nothing: replace it by the file
d: this link leads to .env, which stays behind (hidden)
e/f: this link leads in a circle
g: this link leads in a circle
h: this link leads to .vatio/x/y, which stays behind (hidden)`},
		{name: "keys", files: map[string]string{
			"a.yml": "a: 1\nkey: |\n  -----BEGIN RSA PRIVATE KEY-----\n  x\n", "b.json": `{"a":"x\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3"}`,
			"c.md": "one\n-----BEGIN ENCRYPTED PRIVATE KEY-----\ntwo\n\n-----BEGIN PRIVATE KEY-----\n", "d.txt": "# created\n# public key: age1x\nAGE-SECRET-KEY-1QQQQQQQQQQQQ\n",
			"e.txt": "key AGE-SECRET-KEY-PQ-1QQQQQQQQQQQQ", "f.asc": "-----BEGIN PGP PRIVATE KEY BLOCK-----", "g.ppk": "PuTTY-User-Key-File-3: ssh-ed25519",
			"h.yml": "tls.key: " + base64.StdEncoding.EncodeToString([]byte("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEI\n")),
			"i.pem": utf16LE("a\n-----BEGIN PRIVATE KEY-----\n"), "j.der": derOf(t), "k.txt": "AGE-PLUGIN-YUBIKEY-1QQQQQQQQQQQQ", "l.pem": "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
			"ok.md": "The file has -----BEGIN PUBLIC KEY----- in it, or AGE-SECRET-KEY-1..., and PRIVATE KEY----- too.\n",
		}, refused: `a.yml:3: a private key: it must not travel. Remove it, or name the file in .vatioignore
b.json:1: a private key: it must not travel. Remove it, or name the file in .vatioignore
c.md:2: a private key: it must not travel. Remove it, or name the file in .vatioignore
c.md:5: a private key: it must not travel. Remove it, or name the file in .vatioignore
d.txt:3: an age identity: it must not travel. Remove it, or name the file in .vatioignore
e.txt:1: an age identity: it must not travel. Remove it, or name the file in .vatioignore
f.asc:1: a private key: it must not travel. Remove it, or name the file in .vatioignore
g.ppk:1: a private key of PuTTY: it must not travel. Remove it, or name the file in .vatioignore
h.yml:1: a private key in base64: it must not travel. Remove it, or name the file in .vatioignore
i.pem:2: a private key: it must not travel. Remove it, or name the file in .vatioignore
j.der: a private key in DER form: it must not travel. Remove it, or name the file in .vatioignore
k.txt:1: an age identity: it must not travel. Remove it, or name the file in .vatioignore
l.pem:1: a private key: it must not travel. Remove it, or name the file in .vatioignore`},
		{name: "names", files: map[string]string{"a:b": "x", "A.md": "x", "a.md": "x", "nul.txt": "x", "x.": "x", "\xff": "x", "tab\t": "x", "Dir/a": "x", "dir/b": "x", "é": "x", "e\u0301": "x"},
			refused: `a.md: differs from "A.md" in case or accents only: many file systems take both for one
a:b: "a:b" has a ':', which not every system can have in a name: rename it
dir/b: differs from "Dir" in case or accents only: many file systems take both for one
nul.txt: "nul.txt" is the name of a device on Windows: rename it
tab` + "\uFFFD" + `: "tab` + "\uFFFD" + `" has a control or format character in its name: rename it
x.: "x." ends in '.', which Windows drops: rename it
é: differs from "` + "e\u0301" + `" in case or accents only: many file systems take both for one
` + "\uFFFD" + `: the name is not UTF-8`},
		{name: "a file too large", files: map[string]string{"a.md": big + "x", "b.md": big}, refused: `a.md: the file has 2097153 bytes (at most 2097152, 2 MiB). Make it smaller, or name it in .vatioignore`},
		{name: "too large together", files: map[string]string{"a": big, "b": big, "c": big, "d": big}, refused: `the files have more than 8388608 bytes together (8 MiB): name what need not travel in .vatioignore`},
		{name: "too many", files: many, refused: `501 files (at most 500): name what need not travel in .vatioignore`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, left, err := Collect(load(t, lay(t, tt.files)))
			if tt.refused != "" {
				var refusal *RefusedError
				if !errors.As(err, &refusal) {
					t.Fatalf("Collect: %v, want a *RefusedError", err)
				}
				if diff := cmp.Diff(tt.refused, err.Error()); diff != "" {
					t.Errorf("refused (-want +got):\n%s", diff)
				}
			} else if err != nil {
				t.Fatal(err)
			} else {
				want := append([]string{}, tt.want...)
				want = append(want, "tools/check_stock.yml", "vatio.yml")
				sortStrings(want)
				if diff := cmp.Diff(want, paths(files)); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(tt.left, left); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}

func sortStrings(s []string) {
	for i := range s {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

func utf16LE(s string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

func derOf(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(der)
}

// TestCollectInRepository: ignore files above the workspace count, up to the top
// of the repository.
func TestCollectInRepository(t *testing.T) {
	dir := lay(t, map[string]string{
		"../.gitignore": "*\n", // above the repository
	})
	top := filepath.Join(dir, "repo")
	inner := filepath.Join(top, "agents", "one")
	for name, data := range map[string]string{
		filepath.Join(top, ".git", "HEAD"):            "x",
		filepath.Join(top, ".gitignore"):              "*.bak\n/agents/one/secret.md\n/agents\n",
		filepath.Join(top, "agents", ".vatioignore"):  "drafts/\n",
		filepath.Join(inner, "vatio.yml"):             config,
		filepath.Join(inner, "tools/check_stock.yml"): stock,
		filepath.Join(inner, "a.bak"):                 "x",
		filepath.Join(inner, "secret.md"):             "x",
		filepath.Join(inner, "drafts", "a.md"):        "x",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, left, err := Collect(load(t, inner))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tools/check_stock.yml", "vatio.yml"}, paths(files)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	want := []Left{{"a.bak", "../../.gitignore:1 names it"}, {"drafts/", "../.vatioignore:1 names it"}, {"secret.md", "../../.gitignore:2 names it"}}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// golden is the digest of the layer of the files below. It changes only with the
// format, and never with a library, a system or a version of Go.
const golden = "sha256:8849a3373da28d6917f912a5f88a8c975635188772b8b30c158452885ab261d3"

func goldenFiles() []File {
	return []File{
		{"vatio.yml", []byte(config)},
		{"tools/check_stock.yml", []byte(stock)},
		{"knowledge/faq/öffnungszeiten.md", []byte(strings.Repeat("Mo–Fr 9–17 Uhr\n", 400))},
		{"knowledge/" + strings.Repeat("long/", 40) + "name.md", []byte("x")},
		{"knowledge/empty.md", nil},
	}
}

func TestPackIsDeterministic(t *testing.T) {
	first, err := Pack(goldenFiles())
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("sha256:%x", sha256.Sum256(first)); got != golden {
		t.Errorf("the layer has the digest %s, want %s", got, golden)
	}
	// The same files, whatever their times, modes, place and order of creation.
	dir := t.TempDir()
	for i, f := range goldenFiles() {
		full := filepath.Join(dir, "w", filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, f.Data, fs.FileMode(0o600|i)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(full, time.Time{}, time.Unix(int64(i)*1e8, 7)); err != nil {
			t.Fatal(err)
		}
	}
	files, _, err := Collect(load(t, filepath.Join(dir, "w")))
	if err != nil {
		t.Fatal(err)
	}
	second, err := Pack(files)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the layer depends on more than the files")
	}
}

func TestRoundTrip(t *testing.T) {
	layer, err := Pack(goldenFiles())
	if err != nil {
		t.Fatal(err)
	}
	files, err := Unpack(layer)
	if err != nil {
		t.Fatal(err)
	}
	for _, existing := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "new")
		if existing {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(dir, files); err != nil {
			t.Fatal(err)
		}
		again, left, err := Collect(load(t, dir))
		if err != nil {
			t.Fatal(err)
		}
		if left != nil {
			t.Errorf("left behind: %v", left)
		}
		repacked, err := Pack(again)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(layer, repacked) {
			t.Error("the layer of the unpacked files differs")
		}
		info, err := os.Stat(filepath.Join(dir, "tools", "check_stock.yml"))
		if err != nil || info.Mode() != 0o644 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		info, err = os.Stat(filepath.Join(dir, "tools"))
		if err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		if err := Write(dir, files); err == nil {
			t.Error("Write wrote into a directory that is not empty")
		}
	}
}

// TestWriteLeavesNothing: what fails at the first file, or in the middle, leaves
// the directory as it was.
func TestWriteLeavesNothing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(dir string, files []File) error
		files []File
		dir   bool // it is there before
		want  string
	}{
		{"refused", Write, []File{{"a", nil}, {"..", nil}}, false, `..: the path has a part ".."`},
		{"refused, into a directory", Write, []File{{"a", nil}, {"b", nil}, {"B", nil}}, true, `B: differs from "b" in case or accents only: many file systems take both for one`},
		// No file system takes these names; Write itself refuses them.
		{"fails", writeNew, []File{{"a/b", []byte("1")}, {"a/c\x00", nil}}, false, "DIR cannot be written: invalid argument"},
		{"fails, into a directory", writeInto, []File{{"a/b", []byte("1")}, {"a/c\x00", nil}}, true, "DIR cannot be written: invalid argument"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "new")
			var want []string
			if tt.dir {
				want = []string{"new"}
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			err := tt.write(dir, tt.files)
			if err == nil {
				t.Fatal("it was written")
			}
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(err.Error(), dir, "DIR")); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			var got []string
			walked := filepath.WalkDir(parent, func(name string, _ fs.DirEntry, err error) error {
				if name != parent {
					got = append(got, strings.TrimPrefix(name, parent+"/"))
				}
				return err
			})
			if diff := cmp.Diff(want, got); diff != "" || walked != nil {
				t.Errorf("left, %v (-want +got):\n%s", walked, diff)
			}
		})
	}
}

type entry struct {
	tar.Header
	data string
}

func layerOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	return zipped(tarOf(t, entries...))
}

func zipped(data []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(data)
	_ = z.Close()
	return out.Bytes()
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := e.Header
		if h.Size == 0 {
			h.Size = int64(len(e.data))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func file(name, data string) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}, data}
}

func bomb(n int) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	zeros := make([]byte, 1<<20)
	for range n {
		_, _ = z.Write(zeros)
	}
	_ = z.Close()
	return out.Bytes()
}

func TestUnpackRefuses(t *testing.T) {
	many := make([]entry, MaxFiles+1)
	for i := range many {
		many[i] = file(fmt.Sprint(i), "x")
	}
	four := strings.Repeat("x", MaxFileSize)
	good := layerOf(t, file("a", "x"))
	cut := layerOf(t, file("a", strings.Repeat("x", 4000)))
	flipped := bytes.Clone(good)
	flipped[len(flipped)-6] ^= 1
	for _, tt := range []struct {
		name  string
		layer []byte
		want  string
	}{
		{"nothing", nil, "the layer is not gzip"},
		{"no tar", []byte("hello"), "the layer is not gzip"},
		{"absolute", layerOf(t, file("/etc/passwd", "x")), "/etc/passwd: an absolute path"},
		{"above", layerOf(t, file("../x", "x")), `../x: the path has a part ".."`},
		{"above inside", layerOf(t, file("a/../../x", "x")), `a/../../x: the path has a part ".."`},
		{"dot", layerOf(t, file("./x", "x")), `./x: the path has a part "."`},
		{"empty part", layerOf(t, file("a//x", "x")), `a//x: the path has a part ""`},
		{"backslash", layerOf(t, file(`a\..\x`, "x")), `a\..\x: "a\\..\\x" has a '\\', which not every system can have in a name: rename it`},
		{"drive", layerOf(t, file("c:x", "x")), `c:x: "c:x" has a ':', which not every system can have in a name: rename it`},
		{"control", layerOf(t, file("a\x1b[2Jb", "x")), "a\uFFFD[2Jb: \"a\uFFFD[2Jb\" has a control or format character in its name: rename it"},
		{"device", layerOf(t, file("tools/COM1.yml", "x")), `tools/COM1.yml: "COM1.yml" is the name of a device on Windows: rename it`},
		{"hidden", layerOf(t, file(".git/hooks/pre-commit", "x")), `.git/hooks/pre-commit: ".git" is hidden: hidden files do not travel`},
		{"grants", layerOf(t, file("Deployment.toml", "x")), "Deployment.toml: this file says how an agent is run and is not part of a deployment"},
		{"not UTF-8", layerOf(t, entry{tar.Header{Typeflag: tar.TypeReg, Name: "a\xff", Format: tar.FormatGNU}, "x"}), "a\uFFFD: the name is not UTF-8"},
		{"twice", layerOf(t, file("a", "x"), file("a", "y")), "a: stands twice"},
		{"case", layerOf(t, file("tools/a", "x"), file("Tools/b", "y")), `Tools/b: differs from "tools" in case or accents only: many file systems take both for one`},
		{"file and directory", layerOf(t, file("a", "x"), file("a/b", "y")), `a/b: "a" is a file and a directory`},
		{"directory and file", layerOf(t, file("a/b", "x"), file("a", "y")), `a: "a" is a file and a directory`},
		{"link", layerOf(t, entry{tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/etc"}, ""}), "a: this is a link: a deployment has regular files only"},
		{"hard link", layerOf(t, file("a", "x"), entry{tar.Header{Typeflag: tar.TypeLink, Name: "b", Linkname: "a"}, ""}), "b: this is a link: a deployment has regular files only"},
		{"directory", layerOf(t, entry{tar.Header{Typeflag: tar.TypeDir, Name: "a/"}, ""}), "a/: this is a directory: a deployment has regular files only"},
		{"pipe", layerOf(t, entry{tar.Header{Typeflag: tar.TypeFifo, Name: "a"}, ""}), "a: this is not a regular file"},
		{"device file", layerOf(t, entry{tar.Header{Typeflag: tar.TypeChar, Name: "a"}, ""}), "a: this is not a regular file"},
		{"too many", layerOf(t, many...), "the layer has more than 500 files"},
		{"too large", layerOf(t, file("a", four+"x")), "a: the file has 2097153 bytes (at most 2097152)"},
		{"too large together", layerOf(t, file("a", four), file("b", four), file("c", four), file("d", four), file("e", "x")), "the files of the layer have more than 8388608 bytes together"},
		{"bomb of zeros", bomb(64), fmt.Sprintf("the layer unpacks to more than %d bytes", maxTar)},
		{"more behind it", append(bytes.Clone(good), good...), fmt.Sprintf("the layer has %d bytes behind its end", len(good))},
		{"cut short", cut[:len(cut)-12], "the layer is damaged"},
		{"ends within a file", zipped(tarOf(t, file("a", strings.Repeat("x", 4000)))[:1024]), "the layer is damaged: it ends within a file"},
		{"ends within a header", zipped(tarOf(t, file("a", "x"))[:300]), "the layer is damaged, or not a tar"},
		{"wrong checksum", flipped, "the layer is damaged"},
		{"long name", layerOf(t, file(strings.Repeat("x/", 600)+"x", "x")), strings.Repeat("x/", 600) + "x: a path of 1201 bytes (at most 1000)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, err := Unpack(tt.layer)
			if err == nil {
				t.Fatalf("Unpack took it: %v", paths(files))
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(layerOf(f, file("vatio.yml", "x"), file("tools/a.yml", "y")))
	f.Add(layerOf(f, file(strings.Repeat("long/", 40)+"a", "x")))
	f.Add(layerOf(f, entry{tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/etc"}, ""}))
	f.Add(layerOf(f, entry{tar.Header{Typeflag: tar.TypeReg, Name: "a", PAXRecords: map[string]string{"comment": "x"}}, "x"}))
	f.Add(bomb(2))
	f.Fuzz(func(t *testing.T, layer []byte) {
		files, err := Unpack(layer)
		if err != nil {
			return
		}
		packed, err := Pack(files)
		if err != nil {
			t.Fatalf("what was unpacked cannot be packed: %v", err)
		}
		again, err := Unpack(packed)
		if err != nil {
			t.Fatalf("what was packed cannot be unpacked: %v", err)
		}
		if diff := cmp.Diff(files, again, cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) })); diff != "" {
			t.Errorf("files (-first +again):\n%s", diff)
		}
	})
}

// FuzzTar is FuzzUnpack behind the compression, which no mutation survives.
func FuzzTar(f *testing.F) {
	f.Add(tarOf(f, file("vatio.yml", "x"), file("tools/a.yml", "y")))
	f.Add(tarOf(f, entry{tar.Header{Typeflag: tar.TypeReg, Name: "a", PAXRecords: map[string]string{"comment": "x"}}, "x"}))
	f.Add(tarOf(f, entry{tar.Header{Typeflag: tar.TypeReg, Name: strings.Repeat("g", 120), Format: tar.FormatGNU}, "x"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := untar(tar.NewReader(bytes.NewReader(data)))
		if err != nil {
			return
		}
		size := 0
		for _, f := range files {
			size += len(f.Data)
			if !filepath.IsLocal(filepath.FromSlash(f.Path)) || strings.HasPrefix(f.Path, ".") {
				t.Errorf("path %q", f.Path)
			}
		}
		if len(files) > MaxFiles || size > MaxSize {
			t.Errorf("%d files of %d bytes", len(files), size)
		}
		if err := checkFiles(files); err != nil {
			t.Errorf("what was unpacked cannot be packed: %v", err)
		}
	})
}
