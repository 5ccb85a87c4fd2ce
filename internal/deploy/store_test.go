package deploy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"
)

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func openAt(t testing.TB, where string, c *clock) *Store {
	t.Helper()
	o := Options{Version: "test", Now: c.now, Notice: func(s string) { t.Errorf("notice: %s", s) }}
	if strings.HasPrefix(where, addressScheme) {
		s, err := OpenRegistry(where, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return OpenLayout(where, o)
}

// deployed is what a store makes of an artifact.
func deployed(t testing.TB, a Artifact) Deployment {
	t.Helper()
	m, err := newManifest(a)
	if err != nil {
		t.Fatal(err)
	}
	return m.deployment
}

func mustPush(t testing.TB, s *Store, env string, a Artifact) Deployment {
	t.Helper()
	d, pushed, err := s.Push(context.Background(), env, a)
	if err != nil {
		t.Fatal(err)
	}
	if !pushed {
		t.Fatalf("the push to %s was taken for unchanged", env)
	}
	return d
}

// actions is a history in short, newest first.
func actions(t testing.TB, s *Store, env string) []string {
	t.Helper()
	entries, err := s.History(context.Background(), env)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range entries {
		line := fmt.Sprintf("%s %s %s", e.Time.Format(time.TimeOnly), e.Action, short(e.Deployment.Digest))
		if e.Current {
			line += " current"
		}
		if e.Undone {
			line += " undone"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestManifest(t *testing.T) {
	a := artifact("a")
	a.Dirty = true
	m, err := newManifest(a)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.vatio.workspace.v1",` +
		`"config":{"mediaType":"application/vnd.vatio.workspace.config.v1+json","digest":"` + digest.FromString(`{"workspace":"a"}`).String() + `","size":17},` +
		`"layers":[{"mediaType":"application/vnd.vatio.workspace.layer.v1.tar+gzip","digest":"` + digest.FromString("layer of a").String() + `","size":10,"annotations":{"org.opencontainers.image.title":"workspace.tar.gz"}}],` +
		`"annotations":{"io.vatio.git.branch":"main","io.vatio.git.dirty":"true","io.vatio.version":"1.2.3","org.opencontainers.image.authors":"Ada","org.opencontainers.image.created":"2026-03-01T12:00:00Z","org.opencontainers.image.revision":"4be1c2"}}`
	if diff := cmp.Diff(want, string(m.raw)); diff != "" {
		t.Error(diff)
	}
	wantDeployment := Deployment{
		Digest:       digest.FromString(want).String(),
		ConfigDigest: digest.FromString(`{"workspace":"a"}`).String(),
		LayerDigest:  digest.FromString("layer of a").String(),
		Created:      noon, GitCommit: "4be1c2", GitBranch: "main", Dirty: true, Author: "Ada", Version: "1.2.3", Size: 27,
	}
	if diff := cmp.Diff(wantDeployment, m.deployment); diff != "" {
		t.Error(diff)
	}
}

func TestParseManifestRefuses(t *testing.T) {
	m, err := newManifest(artifact("a"))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ old, new, want string }{
		"type":         {ArtifactType, "application/vnd.other", `its type is "application/vnd.other"`},
		"newer":        {ArtifactType, "application/vnd.vatio.workspace.v2", `its type is "application/vnd.vatio.workspace.v2", which a newer vatio writes`},
		"image":        {`"artifactType":"` + ArtifactType + `",`, "", `its type is "application/vnd.vatio.workspace.config.v1+json"`},
		"index":        {"image.manifest.v1", "image.index.v1", `its media type is "application/vnd.oci.image.index.v1+json"`},
		"config type":  {ConfigType, "application/json", `it has a configuration of media type "application/json"`},
		"layer type":   {LayerType, "application/x\x1b[31m", `it has a layer of media type "application/x[31m"`},
		"no layers":    {`"layers":[{`, `"layers":[],"x":[{`, `it has 0 layers (always 1)`},
		"digest":       {m.layer.Digest.String(), "sha256:../../etc", `it has a layer without a sha256 digest`},
		"algorithm":    {m.layer.Digest.String(), "sha512:" + strings.Repeat("a", 128), `it has a layer without a sha256 digest`},
		"huge":         {`"size":10`, `"size":16777217`, `it has a layer of 16777217 bytes (at most 16777216)`},
		"negative":     {`"size":10`, `"size":-1`, `it has a layer of -1 bytes (at most 16777216)`},
		"not JSON":     {"{", "<html>", `its manifest is not JSON`},
		"not a number": {`"size":10`, `"size":"10"`, `its manifest is not JSON`},
	} {
		t.Run(name, func(t *testing.T) {
			raw := strings.ReplaceAll(string(m.raw), test.old, strings.ReplaceAll(test.new, "\x1b", `\u001b`))
			if raw == string(m.raw) {
				t.Fatal("nothing was replaced")
			}
			_, err := parseManifest([]byte(raw))
			if diff := cmp.Diff("this is no vatio deployment: "+test.want, fmt.Sprint(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParseManifest(f *testing.F) {
	m, err := newManifest(artifact("a"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.raw)
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseManifest(raw)
		if err != nil {
			return
		}
		if m.layer.Digest.Validate() != nil || m.layer.Size > maxLayer || m.deployment.Digest != digest.FromBytes(raw).String() {
			t.Errorf("%+v", m)
		}
		if strings.ContainsAny(m.deployment.Author+m.deployment.GitBranch+m.deployment.GitCommit, "\x1b\n\r\x00") {
			t.Errorf("%+v", m.deployment)
		}
	})
}

func TestLife(t *testing.T) {
	eachStore(t, func(t *testing.T, where string) {
		ctx := context.Background()
		c := &clock{noon}
		s := openAt(t, where, c)

		// Nothing there yet.
		environments, err := s.Environments(ctx)
		if err != nil || environments != nil {
			t.Fatalf("Environments of nothing: %v, %v", environments, err)
		}
		_, err = s.Current(ctx, "live")
		if diff := cmp.Diff(&UnknownError{Name: "live", Where: s.String()}, err); diff != "" {
			t.Fatal(diff)
		}
		if _, _, err := s.Rollback(ctx, "live"); fmt.Sprint(err) != fmt.Sprintf("no environment %q in %s: nothing has been pushed there yet", "live", s) {
			t.Fatal(err)
		}
		if _, err := s.Newest(ctx); fmt.Sprint(err) != fmt.Sprintf("nothing has been pushed to %s yet", s) {
			t.Fatal(err)
		}

		a, b := deployed(t, artifact("a")), deployed(t, artifact("b"))
		if diff := cmp.Diff(a, mustPush(t, s, "preview", artifact("a"))); diff != "" {
			t.Fatal(diff)
		}
		// The same files an hour later, by somebody else.
		c.at = c.at.Add(time.Hour)
		same := artifact("a")
		same.Created, same.Author = c.at, "Grace"
		d, pushed, err := s.Push(ctx, "preview", same)
		if diff := cmp.Diff(a, d); diff != "" || pushed || err != nil {
			t.Fatal(diff, pushed, err)
		}
		if err := s.Point(ctx, "live", a.Digest); err != nil {
			t.Fatal(err)
		}
		c.at = c.at.Add(time.Hour)
		if err := s.Point(ctx, "live", a.Digest); err != nil { // runs already
			t.Fatal(err)
		}
		mustPush(t, s, "preview", artifact("b"))
		if newest, err := s.Newest(ctx); err != nil || newest.Digest != b.Digest {
			t.Fatal(newest, err)
		}
		// A clock that is a day behind.
		c.at = c.at.Add(-24 * time.Hour)
		if err := s.Point(ctx, "live", b.Digest); err != nil {
			t.Fatal(err)
		}
		c.at = noon.Add(3 * time.Hour)

		environments, err = s.Environments(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Environment{{"live", b}, {"preview", b}}, environments); diff != "" {
			t.Fatal(diff)
		}
		from, to, err := s.Rollback(ctx, "live")
		if diff := cmp.Diff([]Deployment{b, a}, []Deployment{from, to}); diff != "" || err != nil {
			t.Fatal(diff, err)
		}
		_, _, err = s.Rollback(ctx, "live")
		if diff := cmp.Diff(&NothingBeforeError{"live", s.String(), a}, err); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff([]string{
			"15:00:00 rollback " + short(a.Digest),
			"14:00:00 publish " + short(b.Digest) + " undone",
			"13:00:00 publish " + short(a.Digest) + " current",
		}, actions(t, s, "live")); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff([]string{
			"14:00:00 push " + short(b.Digest) + " current",
			"12:00:00 push " + short(a.Digest),
		}, actions(t, s, "preview")); diff != "" {
			t.Fatal(diff)
		}

		// What is named how.
		for name, want := range map[string]string{
			"live": a.Digest, "preview": b.Digest, a.Digest: a.Digest, a.Digest[7:]: a.Digest, short(a.Digest): a.Digest,
			a.Digest[7:11]: a.Digest, a.Digest[:30]: a.Digest, b.Digest[:7+12]: b.Digest,
		} {
			got, err := s.Resolve(ctx, name)
			if err != nil || got.Digest != want {
				t.Errorf("Resolve(%q) = %s, %v", name, got.Digest, err)
			}
		}
		nothing := "sha256:" + strings.Repeat("0", 64)
		for _, name := range []string{"staging", "0000000", nothing, a.Digest[7:10], a.Digest[:40] + "0", "", "latest\x1b", "live.1"} {
			_, err := s.Resolve(ctx, name)
			if diff := cmp.Diff(&UnknownError{name, s.String(), []string{"live", "preview"}}, err); diff != "" {
				t.Errorf("Resolve(%q): %s", name, diff)
			}
		}
		if err := s.Point(ctx, "live", nothing); !isUnknown(err) {
			t.Errorf("Point to nothing: %v", err)
		}
		if err := s.Point(ctx, "Live", a.Digest); fmt.Sprint(err) != `"Live" cannot name an environment: use lower-case letters and digits, with single - or _ between them, 40 at most` {
			t.Error(err)
		}
		if err := s.Point(ctx, "live", "latest"); fmt.Sprint(err) != `"latest" is no digest: it is sha256: and 64 hexadecimal digits` {
			t.Error(err)
		}

		config, layer, err := s.Fetch(ctx, b.Digest)
		if diff := cmp.Diff([]string{`{"workspace":"b"}`, "layer of b"}, []string{string(config), string(layer)}); diff != "" || err != nil {
			t.Error(diff, err)
		}
		// An eye from another machine sees the same.
		if got, err := openAt(t, where, &clock{noon}).Current(ctx, "live"); err != nil || got != a {
			t.Errorf("%+v, %v", got, err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if _, _, err := s.Push(cancelled, "preview", artifact("c")); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if _, err := s.Current(cancelled, "preview"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

func TestRollbackGoesAllTheWay(t *testing.T) {
	eachStore(t, func(t *testing.T, where string) {
		ctx := context.Background()
		s := openAt(t, where, &clock{noon}) // a clock that stands still
		var digests []string
		for _, word := range []string{"a", "b", "c", "d"} {
			digests = append(digests, mustPush(t, s, "live", artifact(word)).Digest)
		}
		for i := 2; i >= 0; i-- {
			_, to, err := s.Rollback(ctx, "live")
			if err != nil || to.Digest != digests[i] {
				t.Fatalf("back to %d: %v, %v", i, to.Digest, err)
			}
		}
		mustPush(t, s, "live", artifact("d")) // was there, does not run
		_, to, err := s.Rollback(ctx, "live")
		if err != nil || to.Digest != digests[0] {
			t.Fatal(to, err)
		}
		// What was rolled back is not the newest.
		if newest, err := s.Newest(ctx); err != nil || newest.Digest != digests[0] {
			t.Fatal(newest, err)
		}
	})
}

// A deployment that another tool has copied has a plain tag and no log.
func TestPlainTag(t *testing.T) {
	eachStore(t, func(t *testing.T, where string) {
		ctx := context.Background()
		c := &clock{noon.Add(time.Hour)}
		s := openAt(t, where, c)
		a, b := deployed(t, artifact("a")), deployed(t, artifact("b"))
		copyPlain(t, s, "live", artifact("a"))

		if got, err := s.Resolve(ctx, "live"); err != nil || got != a {
			t.Fatalf("%+v, %v", got, err)
		}
		if got, err := s.Resolve(ctx, a.Digest[7:20]); err != nil || got != a {
			t.Fatalf("%+v, %v", got, err)
		}
		if got, err := s.Newest(ctx); err != nil || got != a {
			t.Fatalf("%+v, %v", got, err)
		}
		if _, layer, err := s.Fetch(ctx, a.Digest); err != nil || string(layer) != "layer of a" {
			t.Fatal(string(layer), err)
		}
		if environments, err := s.Environments(ctx); err != nil || !cmp.Equal(environments, []Environment{{"live", a}}) {
			t.Fatal(environments, err)
		}
		if diff := cmp.Diff([]string{"12:00:00 push " + short(a.Digest) + " current"}, actions(t, s, "live")); diff != "" {
			t.Fatal(diff)
		}
		if _, pushed, err := s.Push(ctx, "live", artifact("a")); err != nil || pushed {
			t.Fatal(pushed, err)
		}
		if _, _, err := s.Rollback(ctx, "live"); fmt.Sprint(err) != fmt.Sprintf("nothing to roll back to: %s is the first deployment of %q in %s", short(a.Digest), "live", s) {
			t.Fatal(err)
		}
		mustPush(t, s, "live", artifact("b"))
		if diff := cmp.Diff([]string{"13:00:00 push " + short(b.Digest) + " current", "12:00:00 push " + short(a.Digest)}, actions(t, s, "live")); diff != "" {
			t.Fatal(diff)
		}
		if _, to, err := s.Rollback(ctx, "live"); err != nil || to != a {
			t.Fatal(to, err)
		}
		// The log is the truth, whatever the plain tag says, and puts it right.
		copyPlain(t, s, "live", artifact("c"))
		if got, err := s.Current(ctx, "live"); err != nil || got != a {
			t.Fatal(got, err)
		}
		if _, pushed, err := s.Push(ctx, "live", artifact("a")); err != nil || pushed {
			t.Fatal(pushed, err)
		}
		err := s.backend.change(ctx, func(tx transaction) error {
			at, err := tx.pointed(ctx, "live")
			if at != a.Digest {
				t.Errorf("the plain tag names %s", at)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// copyPlain does what another tool does: blobs, a manifest, one tag.
func copyPlain(t testing.TB, s *Store, tag string, a Artifact) {
	t.Helper()
	ctx := context.Background()
	m, err := newManifest(a)
	if err != nil {
		t.Fatal(err)
	}
	err = s.backend.change(ctx, func(tx transaction) error {
		if err := tx.put(ctx, blob{m.config, a.Config}, blob{m.layer, a.Layer}); err != nil {
			return err
		}
		return tx.tag(ctx, tag, m)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTagThatWasMoved(t *testing.T) {
	eachStore(t, func(t *testing.T, where string) {
		ctx := context.Background()
		s := openAt(t, where, &clock{noon})
		mustPush(t, s, "live", artifact("a"))
		copyPlain(t, s, record{environment: "other", place: place{1, "00000000"}, action: actionPoint, short: "000000000000"}.tag(), artifact("b"))
		_, err := s.Current(ctx, "other")
		want := fmt.Sprintf("the tag %q in %s was moved: it names %s now", "other.1-point-000000000000-00000000", s, short(deployed(t, artifact("b")).Digest))
		if fmt.Sprint(err) != want {
			t.Error(cmp.Diff(want, fmt.Sprint(err)))
		}
	})
}

func TestPushRefusesSizes(t *testing.T) {
	s := OpenLayout(t.TempDir(), Options{})
	a := artifact("a")
	a.Layer = nil
	if _, _, err := s.Push(context.Background(), "live", a); fmt.Sprint(err) != "the layer of a deployment has 0 bytes (1 to 16777216)" {
		t.Error(err)
	}
	a.Config = make([]byte, maxConfig+1)
	if _, _, err := s.Push(context.Background(), "live", a); fmt.Sprint(err) != "the configuration of a deployment has 16777217 bytes (1 to 16777216)" {
		t.Error(err)
	}
}

func TestTextsOfErrors(t *testing.T) {
	for want, err := range map[string]error{
		`no environment "live" in here: nothing has been pushed there yet`: &UnknownError{"live", "here", nil},
		`no deployment "sha256:00" in here: there is a, b`:                 &UnknownError{"sha256:00", "here", []string{"a", "b"}},
		`no environment "x" in here: there is a, a, a, a, a, a, a, a, a, a and 2 more`: &UnknownError{"x", "here",
			strings.Split(strings.Repeat("a,", 11)+"a", ",")},
		`"abcd" may be abcd1 or abcd2: give more digits`: &AmbiguousError{"abcd", []string{"abcd1", "abcd2"}},
	} {
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAmbiguous(t *testing.T) {
	ctx := context.Background()
	s := OpenLayout(t.TempDir(), Options{Now: (&clock{noon}).now})
	// Enough deployments that some share four digits is too many; write tags.
	a := mustPush(t, s, "live", artifact("a"))
	first := short(a.Digest)
	other := first[:6] + strings.Repeat("0", 6)
	copyPlain(t, s, record{environment: "other", place: place{1, "00000000"}, action: actionPoint, short: other}.tag(), artifact("b"))
	_, err := s.Resolve(ctx, first[:5])
	if diff := cmp.Diff(&AmbiguousError{first[:5], []string{min(first, other), max(first, other)}}, err); diff != "" {
		t.Error(diff)
	}
	if d, err := s.Resolve(ctx, first); err != nil || d != a {
		t.Error(d, err)
	}
}
