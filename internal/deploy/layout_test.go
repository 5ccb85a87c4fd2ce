package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/oci"
)

// files maps the files below dir to their digests.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(name)] = digest.FromBytes(data).Encoded()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestLayoutOnDisk(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "deep", "deployments")
	s := openAt(t, dir, &clock{noon})
	d := mustPush(t, s, "preview", artifact("a"))
	if err := s.Point(ctx, "live", d.Digest); err != nil {
		t.Fatal(err)
	}
	found := files(t, dir)
	for name, sum := range found {
		if blob, ok := strings.CutPrefix(name, "blobs/sha256/"); ok && blob != sum {
			t.Errorf("%s holds %s", name, sum)
		}
	}
	encoded := func(digest string) string { return "blobs/sha256/" + digest[7:] }
	want := []string{".lock", encoded(d.Digest), encoded(d.ConfigDigest), encoded(d.LayerDigest), "index.json", "oci-layout"}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Error(diff)
	}
	// An unchanged push, and questions, write nothing.
	before := times(t, dir)
	if _, _, err := s.Push(ctx, "preview", artifact("a")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Rollback(ctx, "live"); err == nil {
		t.Fatal("there is nothing to roll back to")
	}
	if diff := cmp.Diff(before, times(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// times maps the files below dir to what would tell that they were replaced.
func times(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name := range files(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		found[name] = fmt.Sprint(info.ModTime(), info.Size(), info.Mode())
	}
	return found
}

func TestNothingIsMadeWhereNothingIs(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "deployments")
	s := OpenLayout(dir, Options{})
	_, _ = s.Environments(ctx)
	_, _, _ = s.Rollback(ctx, "live")
	_ = s.Point(ctx, "live", digest.FromString("x").String())
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s was made: %v", dir, err)
	}
}

// The layout is read by the library that other tools are made of, and theirs here.
func TestLayoutIsReadByOthers(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := openAt(t, dir, &clock{noon})
	a := mustPush(t, s, "preview", artifact("a"))
	b := mustPush(t, s, "preview", artifact("b"))
	if err := s.Point(ctx, "live", a.Digest); err != nil {
		t.Fatal(err)
	}
	theirs, err := oci.NewFromFS(ctx, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]Deployment{"preview": b, "live": a} {
		desc, err := theirs.Resolve(ctx, tag)
		if err != nil || desc.Digest.String() != want.Digest || desc.ArtifactType != ArtifactType {
			t.Fatalf("%s: %+v, %v", tag, desc, err)
		}
		raw, err := content.FetchAll(ctx, theirs, desc)
		if err != nil {
			t.Fatal(err)
		}
		var m ocispec.Manifest
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		layer, err := content.FetchAll(ctx, theirs, m.Layers[0])
		if err != nil || digest.FromBytes(layer).String() != want.LayerDigest {
			t.Fatal(err)
		}
	}
	var tags []string
	if err := theirs.Tags(ctx, "", func(page []string) error { tags = append(tags, page...); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(tags) != 5 { // two plain ones and three entries
		t.Error(tags)
	}

	// A copy of one tag by that library, into a layout and into a registry.
	copied := t.TempDir()
	target, err := oci.New(copied)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oras.Copy(ctx, theirs, "live", target, "live", oras.DefaultCopyOptions); err != nil {
		t.Fatal(err)
	}
	if got, err := OpenLayout(copied, Options{}).Resolve(ctx, "live"); err != nil || got != a {
		t.Fatal(got, err)
	}
	r, err := newRegistry(newSmallRegistry(t).address("team/shop"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oras.Copy(ctx, theirs, "live", r.repo, "live", oras.DefaultCopyOptions); err != nil {
		t.Fatal(err)
	}
	if got, err := newStore(r, Options{}).Resolve(ctx, "live"); err != nil || got != a {
		t.Fatal(got, err)
	}

	// What another tool keeps in the same index stays there.
	foreign := []byte(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.other","config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2},"layers":[]}`)
	store, err := oci.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	desc := describe(ocispec.MediaTypeImageManifest, foreign)
	for _, part := range []blob{{describe("application/vnd.oci.empty.v1+json", []byte("{}")), []byte("{}")}, {desc, foreign}} {
		if err := store.Push(ctx, part.desc, bytes.NewReader(part.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Tag(ctx, desc, "latest"); err != nil {
		t.Fatal(err)
	}
	mustPush(t, s, "preview", artifact("c"))
	store, err = oci.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := store.Resolve(ctx, "latest"); err != nil || got.Digest != desc.Digest {
		t.Error(got, err)
	}
	environments, err := s.Environments(ctx)
	if err != nil || len(environments) != 2 {
		t.Error(environments, err)
	}
	_, _, err = s.Push(ctx, "latest", artifact("c"))
	if want := fmt.Sprintf(`"latest" in %s: this is no vatio deployment: its type is "application/vnd.other"`, dir); fmt.Sprint(err) != want {
		t.Error(cmp.Diff(want, fmt.Sprint(err)))
	}
}

func TestDamagedLayout(t *testing.T) {
	ctx := context.Background()
	write := func(content string) func(path string) error {
		return func(path string) error {
			_ = os.Remove(path)
			return os.WriteFile(path, []byte(content), 0o644)
		}
	}
	cut := func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	}
	d := deployed(t, artifact("a"))
	index, marker := "index.json", "oci-layout"
	blobOf := func(digest string) string { return "blobs/sha256/" + digest[7:] }
	anew := "; put it back, or move DIR away to start anew"
	spoiledBlob := func(digest string) string {
		return "DIR/" + blobOf(digest) + " is damaged: its content is not what its name says; remove it and push again"
	}
	incomplete := "deployment " + short(d.Digest) + " in DIR is incomplete: there is no %q; push it again"
	for _, test := range []struct {
		name, file string
		harm       func(path string) error
		// What is said to who reads, and to who pushes the same again: "" is no error.
		read, push string
	}{
		{"index cut off", index, cut, "DIR/index.json is damaged: unexpected end of JSON input" + anew, "same"},
		{"index empty", index, write(""), "DIR/index.json is damaged: unexpected end of JSON input" + anew, "same"},
		{"index of zeros", index, write(strings.Repeat("\x00", 512)), `DIR/index.json is damaged: invalid character '\x00' looking for beginning of value` + anew, "same"},
		{"index of a future version", index, write(`{"schemaVersion":3}`), "DIR/index.json is damaged: it says schemaVersion 3, not 2" + anew, "same"},
		{"index without digests", index, write(`{"schemaVersion":2,"manifests":[{"digest":"x","annotations":{"org.opencontainers.image.ref.name":"live"}}]}`), `DIR/index.json is damaged: its entry "live" has no sha256 digest` + anew, "same"},
		{"index gone", index, os.Remove, "DIR/index.json is missing, although oci-layout is there: put it back, or move DIR away to start anew", "same"},
		{"index a directory", index, func(path string) error { _ = os.Remove(path); return os.Mkdir(path, 0o755) }, "cannot read DIR/index.json: it is no regular file", "same"},
		{"marker gone", marker, os.Remove, "DIR/oci-layout is missing, although index.json is there: put it back, or move DIR away to start anew", "same"},
		{"marker damaged", marker, write("{"), "DIR/oci-layout is damaged: unexpected end of JSON input", "same"},
		{"marker of another version", marker, write(`{"imageLayoutVersion":"2.0.0"}`), `DIR/oci-layout says version "2.0.0" of the OCI image layout; only "1.0.0" is known`, "same"},
		{"manifest cut off", blobOf(d.Digest), cut, spoiledBlob(d.Digest), "same"},
		{"manifest gone", blobOf(d.Digest), os.Remove, `DIR is damaged: "TAG" names DIR/` + blobOf(d.Digest) + `, which is not there; put it back or push again`, ""},
		{"layer changed", blobOf(d.LayerDigest), write("LAYER OF A"[:10]), spoiledBlob(d.LayerDigest), "same"},
		{"layer grown", blobOf(d.LayerDigest), write("layer of a and more"), spoiledBlob(d.LayerDigest), "same"},
		{"layer huge", blobOf(d.LayerDigest), func(path string) error { return os.Truncate(path, 1<<40) }, spoiledBlob(d.LayerDigest), "same"},
		{"layer gone", blobOf(d.LayerDigest), os.Remove, fmt.Sprintf(incomplete, d.LayerDigest), ""},
		{"config empty", blobOf(d.ConfigDigest), write(""), spoiledBlob(d.ConfigDigest), "same"},
		{"config gone", blobOf(d.ConfigDigest), os.Remove, fmt.Sprintf(incomplete, d.ConfigDigest), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			s := openAt(t, dir, &clock{noon})
			mustPush(t, s, "live", artifact("a"))
			tag := ""
			for _, r := range readLogs(layoutTags(t, s)).entries["live"] {
				tag = r.tag()
			}
			if err := test.harm(filepath.Join(dir, test.file)); err != nil {
				t.Fatal(err)
			}
			if test.name == "layer huge" || test.name == "index a directory" {
				// Cannot be read as a whole.
				defer func() { _ = os.RemoveAll(filepath.Join(dir, test.file)) }()
			}
			said := func(err error) string {
				if err == nil {
					return ""
				}
				return strings.ReplaceAll(strings.ReplaceAll(err.Error(), dir, "DIR"), tag, "TAG")
			}
			readAll := func() error {
				current, err := s.Current(ctx, "live")
				if err != nil {
					return err
				}
				_, _, err = s.Fetch(ctx, current.Digest)
				return err
			}
			if diff := cmp.Diff(test.read, said(readAll())); diff != "" {
				t.Error(diff)
			}
			if strings.HasPrefix(test.file, "blobs") && !strings.HasPrefix(test.name, "manifest") {
				// A damaged deployment is not published either.
				if diff := cmp.Diff(test.read, said(s.Point(ctx, "other", d.Digest))); diff != "" {
					t.Error(diff)
				}
			}
			stamp := func() string {
				info, err := os.Lstat(filepath.Join(dir, test.file))
				if err != nil {
					return "none"
				}
				return fmt.Sprint(info.Size(), info.ModTime())
			}
			before := stamp()
			_, _, err := s.Push(ctx, "live", artifact("a"))
			if test.push == "same" {
				if diff := cmp.Diff(test.read, said(err)); diff != "" {
					t.Error(diff)
				}
				if after := stamp(); after != before {
					t.Errorf("what was damaged was overwritten: %s, then %s", before, after)
				}
				return
			}
			if err != nil {
				t.Error(err)
			}
			if err := readAll(); err != nil {
				t.Errorf("after a push: %v", err)
			}
		})
	}
}

func layoutTags(t testing.TB, s *Store) []string {
	t.Helper()
	v, err := s.backend.look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v.tags()
}

// Making the layout may be interrupted at each of its files.
func TestInterruptedMaking(t *testing.T) {
	ctx := context.Background()
	for name, prepare := range map[string]func(dir string) error{
		"an empty directory": func(string) error { return nil },
		"only the lock":      func(dir string) error { return os.WriteFile(filepath.Join(dir, ".lock"), nil, 0o644) },
		"only an index": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "index.json"), []byte(`{"schemaVersion":2,"manifests":[]}`), 0o644)
		},
		"half a blob": func(dir string) error {
			if err := os.MkdirAll(filepath.Join(dir, "ingest"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "ingest", "vatio-1"), []byte("la"), 0o600)
		},
		"half an index": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".index.json.1.tmp"), []byte("{"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := prepare(dir); err != nil {
				t.Fatal(err)
			}
			s := openAt(t, dir, &clock{noon})
			if environments, err := s.Environments(ctx); err != nil || environments != nil {
				t.Fatal(environments, err)
			}
			mustPush(t, s, "live", artifact("a"))
			for file := range files(t, dir) {
				if strings.HasPrefix(file, "ingest/") || strings.HasSuffix(file, ".tmp") {
					t.Errorf("%s was left behind", file)
				}
			}
		})
	}
}

func TestManyProcesses(t *testing.T) {
	eachStore(t, func(t *testing.T, where string) {
		const writers = 20
		each, readers := 2, make([]*exec.Cmd, 2)
		if strings.HasPrefix(where, addressScheme) {
			each, readers = 1, readers[:1] // everything is asked many times over
		}
		for i := range readers {
			cmd := childCommand(t, "read", where, "", 0)
			end, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			readers[i] = cmd
			defer func() {
				_ = end.Close()
				if err := cmd.Wait(); err != nil {
					t.Errorf("a reader: %v: %s", err, out.String())
				}
			}()
		}
		type result struct {
			out []byte
			err error
		}
		results := make(chan result)
		for i := range writers {
			task := "push"
			if i%2 == 1 {
				task = "publish"
			}
			cmd := childCommand(t, task, where, fmt.Sprintf("writer %d", i), each)
			go func() {
				out, err := cmd.Output()
				if exit, ok := err.(*exec.ExitError); ok {
					err = fmt.Errorf("%w: %s", err, exit.Stderr)
				}
				results <- result{out, err}
			}()
		}
		pushed := map[string]bool{}
		for range writers {
			r := <-results
			if r.err != nil {
				t.Error(r.err)
			}
			for line := range strings.Lines(string(r.out)) {
				pushed[strings.TrimSpace(line)] = true
			}
		}
		if len(pushed) != writers*each {
			t.Errorf("%d deployments were pushed", len(pushed))
		}
		ctx := context.Background()
		s := openAt(t, where, &clock{noon})
		entries, err := s.History(ctx, "preview")
		if err != nil {
			t.Fatal(err)
		}
		kept := map[string]bool{}
		for _, e := range entries {
			kept[e.Deployment.Digest] = true
			if _, _, err := s.Fetch(ctx, e.Deployment.Digest); err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff(pushed, kept); diff != "" {
			t.Errorf("pushed and kept differ: %s", diff)
		}
		live, err := s.History(ctx, "live")
		if err != nil || len(live) != writers*each/2 {
			t.Errorf("%d publishes are kept: %v", len(live), err)
		}
		// The plain tags have come to rest where the log ends.
		for _, name := range []string{"live", "preview"} {
			current, err := s.Current(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			err = s.backend.change(ctx, func(tx transaction) error {
				at, err := tx.pointed(ctx, name)
				if at != current.Digest {
					t.Errorf("%s runs %s, its plain tag names %s", name, current.Digest, at)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestKilledWriters(t *testing.T) {
	eachStore(t, func(t *testing.T, where string) {
		ctx := context.Background()
		s := openAt(t, where, &clock{noon})
		mustPush(t, s, "preview", artifact("first"))
		killed := 0
		known := 1
		for i := range 12 {
			cmd := childCommand(t, "push", where, fmt.Sprintf("killed %d", i), 1000)
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(15+i*5) * time.Millisecond)
			_ = cmd.Process.Kill()
			if dead(cmd.Wait()) {
				killed++
			}
			// A registry finishes the request that it has got.
			var entries []Entry
			for settled := false; !settled; {
				before := len(entries)
				var err error
				if entries, err = s.History(ctx, "preview"); err != nil {
					t.Fatal(err)
				}
				settled = len(entries) == before
				time.Sleep(20 * time.Millisecond)
			}
			// What a writer has said is kept, and at most one push that it had not
			// said yet.
			said := strings.Count(out.String(), "\n")
			if got := len(entries) - known; got < said || got > said+1 {
				t.Fatalf("%d pushes were said, %d kept", said, got)
			}
			known = len(entries)
			if _, _, err := s.Fetch(ctx, entries[0].Deployment.Digest); err != nil {
				t.Fatal(err)
			}
			if current, err := s.Current(ctx, "preview"); err != nil || current != entries[0].Deployment {
				t.Fatal(current, err)
			}
		}
		if killed == 0 {
			t.Error("no writer was killed")
		}
		// Whoever comes next is not held up and finishes what was left.
		d := mustPush(t, s, "preview", artifact("last"))
		err := s.backend.change(ctx, func(tx transaction) error {
			at, err := tx.pointed(ctx, "preview")
			if at != d.Digest {
				t.Errorf("the plain tag names %s", at)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(where, addressScheme) {
			for file := range files(t, where) {
				if strings.HasPrefix(file, "ingest/") || strings.HasSuffix(file, ".tmp") {
					t.Errorf("%s was left behind", file)
				}
			}
		}
	})
}

func TestLayoutOnFullDisk(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(smallFileSystem(t, 1<<20), "deployments")
	s := openAt(t, dir, &clock{noon})
	a := mustPush(t, s, "live", artifact("a"))
	before := files(t, dir)
	big := artifact("b")
	big.Layer = bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	_, _, err := s.Push(ctx, "live", big)
	want := fmt.Sprintf("cannot write %s: no space left on device; what was deployed before is unchanged", filepath.Join(dir, "blobs", "sha256", digest.FromBytes(big.Layer).Encoded()))
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	after := files(t, dir)
	delete(after, "blobs/sha256/"+digest.FromBytes(big.Config).Encoded())
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	if current, err := s.Current(ctx, "live"); err != nil || current != a {
		t.Error(current, err)
	}
	mustPush(t, s, "live", artifact("c"))
}

// At each file that a push writes the disk may be full.
func TestLayoutFillsUpSlowly(t *testing.T) {
	ctx := context.Background()
	root := smallFileSystem(t, 256<<10)
	dir := filepath.Join(root, "deployments")
	s := openAt(t, dir, &clock{noon})
	last := mustPush(t, s, "live", artifact("a"))
	full := 0
	for i := range 400 {
		d, _, err := s.Push(ctx, "live", artifact(fmt.Sprintf("b%d", i)))
		switch {
		case err == nil:
			last = d
		case strings.Contains(err.Error(), "no space left on device; what was deployed before is unchanged"):
			full++
		default:
			t.Fatal(err)
		}
		if current, err := s.Current(ctx, "live"); err != nil || current != last {
			t.Fatalf("push %d: %+v, %v", i, current, err)
		}
		if full > 5 {
			break
		}
	}
	if full == 0 {
		t.Error("the disk never was full")
	}
}

func TestReadOnlyLayout(t *testing.T) {
	ctx := context.Background()
	root := smallFileSystem(t, 1<<20)
	dir := filepath.Join(root, "deployments")
	s := openAt(t, dir, &clock{noon})
	a := mustPush(t, s, "live", artifact("a"))
	if err := os.Remove(filepath.Join(dir, ".lock")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-o", "remount,ro", root).CombinedOutput(); err != nil {
		t.Skipf("a file system cannot be made read-only here: %v %s", err, out)
	}
	if current, err := s.Current(ctx, "live"); err != nil || current != a {
		t.Error(current, err)
	}
	if _, layer, err := s.Fetch(ctx, a.Digest); err != nil || string(layer) != "layer of a" {
		t.Error(err)
	}
	_, _, err := s.Push(ctx, "live", artifact("b"))
	want := fmt.Sprintf("cannot write %s: read-only file system; what was deployed before is unchanged", filepath.Join(dir, ".lock"))
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
}

func TestLockedLayout(t *testing.T) {
	dir := t.TempDir()
	l := &layout{dir: dir}
	release, err := l.lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, _, err = OpenLayout(dir, Options{}).Push(ctx, "live", artifact("a"))
	if err != context.DeadlineExceeded {
		t.Error(err)
	}
	if environments, err := OpenLayout(dir, Options{}).Environments(context.Background()); err != nil || environments != nil {
		t.Error("readers wait for nobody", environments, err)
	}
}

// longHistory is a layout with this many entries, made without pushing each.
func longHistory(b testing.TB, entries int) *Store {
	b.Helper()
	dir := b.TempDir()
	s := OpenLayout(dir, Options{})
	ctx := context.Background()
	err := s.backend.change(ctx, func(tx transaction) error {
		for i := range entries {
			a := artifact(fmt.Sprint(i))
			m, err := newManifest(a)
			if err != nil {
				return err
			}
			c := tx.(*layoutChange)
			if i == 0 {
				if err := c.prepare(); err != nil {
					return err
				}
			}
			for _, part := range []blob{{m.config, a.Config}, {m.layer, a.Layer}, {m.desc, m.raw}} {
				if err := os.WriteFile(c.blobPath(part.desc.Digest), part.data, 0o644); err != nil {
					return err
				}
			}
			r := record{environment: "preview", place: place{int64(i + 1), nonce()}, action: actionPush, short: short(m.desc.Digest.String())}
			if err := tx.tag(ctx, r.tag(), m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkLayout(b *testing.B) {
	ctx := context.Background()
	for _, entries := range []int{1, 2000} {
		s := longHistory(b, entries)
		b.Run(fmt.Sprintf("push after %d", entries), func(b *testing.B) {
			for i := range b.N {
				if _, _, err := s.Push(ctx, "preview", artifact(fmt.Sprint("new ", i, b.N))); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("environments after %d", entries), func(b *testing.B) {
			for range b.N {
				if _, err := s.Environments(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("history after %d", entries), func(b *testing.B) {
			for range b.N {
				if _, err := s.History(ctx, "preview"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	s := OpenLayout(b.TempDir(), Options{})
	big := artifact("big")
	big.Layer = bytes.Repeat([]byte("0123456789abcdef"), 8<<20/16)
	if _, _, err := s.Push(ctx, "preview", big); err != nil {
		b.Fatal(err)
	}
	b.Run("unchanged push of 8 MiB", func(b *testing.B) {
		for range b.N {
			if _, pushed, err := s.Push(ctx, "preview", big); err != nil || pushed {
				b.Fatal(pushed, err)
			}
		}
	})
	b.Run("hashing 8 MiB twice", func(b *testing.B) {
		for range b.N {
			digest.FromBytes(big.Layer)
			digest.FromBytes(big.Layer)
		}
	})
}
