package deploy

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"oci://example.com/shop":            "",
		"oci://example.com:5000/team/shop":  "",
		"oci://127.0.0.1:5000/a/b_c/d.e-f/": "",
		"oci://[::1]:5000/shop":             "",
		"example.com/shop":                  `"example.com/shop" is no address of a registry: it does not begin with oci://; write oci://host/repository`,
		"https://example.com/shop":          `"https://example.com/shop" is no address of a registry: it does not begin with oci://; write oci://host/repository`,
		"oci://":                            `"oci://" is no address of a registry: it has no host; write oci://host/repository`,
		"oci:///shop":                       `"oci:///shop" is no address of a registry: it has no host; write oci://host/repository`,
		"oci://example.com":                 `"oci://example.com" is no address of a registry: it has no repository; write oci://host/repository`,
		"oci://example.com/":                `"oci://example.com/" is no address of a registry: it has no repository; write oci://host/repository`,
		"oci://example.com/Shop":            `"oci://example.com/Shop" is no address of a registry: the repository "Shop" may have lower-case letters, digits and ., _, -, / between them only; write oci://host/repository`,
		"oci://example.com/a/../b":          `"oci://example.com/a/../b" is no address of a registry: the repository "a/../b" may have lower-case letters, digits and ., _, -, / between them only; write oci://host/repository`,
		"oci://example.com/shop:live":       `"oci://example.com/shop:live" is no address of a registry: environments are tags, so it names neither a tag nor a digest; write oci://host/repository`,
		"oci://exa mple.com/shop":           `"oci://exa mple.com/shop" is no address of a registry: "exa mple.com" is no host; write oci://host/repository`,
		"oci://ada:s3cret@example.com/a":    `the address of a registry holds no login: use "docker login", and write oci://host/repository`,
	} {
		s, err := OpenRegistry(address, Options{})
		got := ""
		if err != nil {
			got = err.Error()
		} else if s.String() != strings.TrimSuffix(address, "/") {
			t.Errorf("%q is shown as %q", address, s)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", address, diff)
		}
	}
}

func TestPlainHTTPIsForLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"oci://localhost/a": true, "oci://LOCALHOST:5000/a": true, "oci://127.0.0.1:5000/a": true, "oci://127.1.2.3/a": true, "oci://[::1]:5000/a": true,
		"oci://example.com/a": false, "oci://10.0.0.1:5000/a": false, "oci://192.168.1.1/a": false, "oci://localhost.example.com/a": false,
		"oci://127.0.0.1.example.com/a": false, "oci://registry.localhost/a": false, "oci://0.0.0.0:5000/a": false,
	} {
		r, err := newRegistry(address, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.repo.PlainHTTP != want {
			t.Errorf("%s: plain http is %v", address, r.repo.PlainHTTP)
		}
	}
}

// What a question costs: the listing, and a manifest for each environment.
func TestFewRequests(t *testing.T) {
	ctx := context.Background()
	g := newSmallRegistry(t)
	g.page = 1000
	s := openAt(t, g.address("team/shop"), &clock{noon})
	for i := range 10 {
		mustPush(t, s, "preview", artifact(fmt.Sprint(i)))
	}
	d := mustPush(t, s, "staging", artifact("s"))
	count := func(requests []string) map[string]int {
		kinds := map[string]int{}
		for _, r := range requests {
			method, path, _ := strings.Cut(r, " ")
			switch {
			case strings.HasSuffix(path, "/tags/list"):
				kinds["list"]++
			case strings.Contains(path, "/manifests/"):
				kinds[method+" manifest"]++
			default:
				kinds[method+" blob"]++
			}
		}
		return kinds
	}
	for _, test := range []struct {
		name string
		do   func() error
		want map[string]int
	}{
		{"environments", func() error { _, err := s.Environments(ctx); return err }, map[string]int{"list": 1, "GET manifest": 2}},
		{"current", func() error { _, err := s.Current(ctx, "preview"); return err }, map[string]int{"list": 1, "GET manifest": 1}},
		{"newest", func() error { _, err := s.Newest(ctx); return err }, map[string]int{"list": 1, "GET manifest": 1}},
		{"fetch", func() error { _, _, err := s.Fetch(ctx, d.Digest); return err }, map[string]int{"list": 1, "GET manifest": 1, "GET blob": 2}},
		{"unchanged push", func() error { _, _, err := s.Push(ctx, "staging", artifact("s")); return err },
			map[string]int{"list": 2, "GET manifest": 1, "HEAD blob": 2, "HEAD manifest": 1}},
		{"push of known files", func() error { _, _, err := s.Push(ctx, "other", artifact("s")); return err },
			map[string]int{"list": 4, "HEAD blob": 2, "HEAD manifest": 1, "PUT manifest": 2}},
	} {
		var err error
		got := count(g.since(func() { err = test.do() }))
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", test.name, err, diff)
		}
	}
}

func TestTagsArePaged(t *testing.T) {
	g := newSmallRegistry(t)
	g.page = 1
	s := openAt(t, g.address("team/shop"), &clock{noon})
	for i := range 30 {
		mustPush(t, s, "live", artifact(fmt.Sprint(i)))
	}
	entries, err := s.History(context.Background(), "live")
	if err != nil || len(entries) != 30 {
		t.Error(len(entries), err)
	}
}

func TestProgress(t *testing.T) {
	g := newSmallRegistry(t)
	type step struct{ done, total int64 }
	var steps []step
	s, err := OpenRegistry(g.address("team/shop"), Options{Progress: func(done, total int64) { steps = append(steps, step{done, total}) }})
	if err != nil {
		t.Fatal(err)
	}
	a := artifact("a")
	a.Layer = bytes.Repeat([]byte("x"), 1<<20)
	if _, _, err := s.Push(context.Background(), "live", a); err != nil {
		t.Fatal(err)
	}
	if len(steps) < 10 || steps[len(steps)-1] != (step{17 + 1<<20, 17 + 1<<20}) {
		t.Errorf("%v", steps)
	}
	for i := range steps[1:] {
		if steps[i+1].done <= steps[i].done {
			t.Errorf("%v comes after %v", steps[i+1], steps[i])
		}
	}
	// What is there already does not travel.
	steps = nil
	a.Config = []byte("{}")
	if _, _, err := s.Push(context.Background(), "live", a); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("[{2 2}]", fmt.Sprint(steps)); diff != "" {
		t.Error(diff)
	}
}

func TestKilledRegistry(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	host, kill := realRegistry(t, root, "")
	last := mustPush(t, openAt(t, addressScheme+host+"/team/shop", &clock{noon}), "live", artifact("first"))
	failures := 0
	for i := range 6 {
		s := openAt(t, addressScheme+host+"/team/shop", &clock{noon})
		s.notice = func(string) {} // a pointer that cannot be moved is no failure
		stop, stopped := kill, make(chan struct{})
		go func() {
			defer close(stopped)
			time.Sleep(time.Duration(5+rand.IntN(60)) * time.Millisecond)
			stop()
		}()
		// Candidates of what may run: the last that was said, and the one that failed.
		var failed Deployment
		for j := 0; ; j++ {
			a := artifact(fmt.Sprint(i, " ", j))
			d, _, err := s.Push(ctx, "live", a)
			if err != nil {
				failures++
				failed = deployed(t, a)
				if text := err.Error(); !strings.HasPrefix(text, "cannot ") || strings.Contains(text, "http://") {
					t.Errorf("not for people: %s", text)
				}
				break
			}
			last = d
		}
		<-stopped
		host, kill = realRegistry(t, root, "")
		s = openAt(t, addressScheme+host+"/team/shop", &clock{noon})
		current, err := s.Current(ctx, "live")
		if err != nil || current != last && current != failed {
			t.Fatalf("after kill %d: %+v, %v", i, current, err)
		}
		if _, _, err := s.Fetch(ctx, current.Digest); err != nil {
			t.Fatal(err)
		}
		last = mustPush(t, s, "live", artifact(fmt.Sprint("again ", i)))
	}
	if failures == 0 {
		t.Error("no push failed")
	}
}

// The registry was killed while it wrote a tag: it lists it, but the tag names
// nothing.
func TestHalfWrittenTag(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	host, kill := realRegistry(t, root, "")
	s := openAt(t, addressScheme+host+"/team/shop", &clock{noon})
	a := mustPush(t, s, "live", artifact("a"))
	b := mustPush(t, s, "live", artifact("b"))
	kill()
	links, err := filepath.Glob(filepath.Join(root, "docker/registry/v2/repositories/team/shop/_manifests/tags/live.*-push-"+short(b.Digest)+"-*/current/link"))
	if err != nil || len(links) != 1 {
		t.Fatal(links, err)
	}
	tag := filepath.Base(filepath.Dir(filepath.Dir(links[0])))

	// The file was made and not yet written. It may be what runs: say so.
	if err := os.Truncate(links[0], 0); err != nil {
		t.Fatal(err)
	}
	host, kill = realRegistry(t, root, "")
	s = openAt(t, addressScheme+host+"/team/shop", &clock{noon})
	_, err = s.Current(ctx, "live")
	want := fmt.Sprintf("cannot read %q in %s: %s has failed (500 Internal Server Error): try again later, or ask who runs it; it says: unknown error. If it stays so, the registry was stopped while it wrote this tag: remove the tag there", tag, s, host)
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	kill()

	// The file was not yet made: the push never was.
	if err := os.Remove(links[0]); err != nil {
		t.Fatal(err)
	}
	host, _ = realRegistry(t, root, "")
	s = openAt(t, addressScheme+host+"/team/shop", &clock{noon})
	if current, err := s.Current(ctx, "live"); err != nil || current != a {
		t.Fatal(current, err)
	}
	if diff := cmp.Diff([]string{"12:00:00 push " + short(a.Digest) + " current"}, actions(t, s, "live")); diff != "" {
		t.Error(diff)
	}
	mustPush(t, s, "live", artifact("c"))
	if _, to, err := s.Rollback(ctx, "live"); err != nil || to != a {
		t.Fatal(to, err)
	}
}

func TestReadOnlyRegistry(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	host, kill := realRegistry(t, root, "")
	a := mustPush(t, openAt(t, addressScheme+host+"/team/shop", &clock{noon}), "live", artifact("a"))
	b := mustPush(t, openAt(t, addressScheme+host+"/team/shop", &clock{noon}), "preview", artifact("b"))
	kill()
	host, _ = realRegistry(t, root, "  maintenance:\n    readonly:\n      enabled: true\n")
	s := openAt(t, addressScheme+host+"/team/shop", &clock{noon})
	_, _, err := s.Push(ctx, "live", artifact("c"))
	c := deployed(t, artifact("c"))
	want := fmt.Sprintf("cannot upload %s in %s: %s is read-only (405)", short(c.ConfigDigest), s, host)
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	if err := s.Point(ctx, "live", b.Digest); err == nil || !strings.Contains(err.Error(), host+" is read-only (405)") {
		t.Error(err)
	}
	if current, err := s.Current(ctx, "live"); err != nil || current != a {
		t.Error(current, err)
	}
}

func TestFullRegistry(t *testing.T) {
	ctx := context.Background()
	root := smallFileSystem(t, 2<<20)
	host, _ := realRegistry(t, root, "")
	s := openAt(t, addressScheme+host+"/team/shop", &clock{noon})
	a := mustPush(t, s, "live", artifact("a"))
	big := artifact("b")
	big.Layer = make([]byte, 4<<20)
	for i := range big.Layer {
		big.Layer[i] = byte(rand.Uint32())
	}
	_, _, err := s.Push(ctx, "live", big)
	want := fmt.Sprintf("cannot upload %s in %s: %s has failed (500 Internal Server Error): try again later, or ask who runs it; it says: unknown error", short(describe("", big.Layer).Digest.String()), s, host)
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	if current, err := s.Current(ctx, "live"); err != nil || current != a {
		t.Error(current, err)
	}
}

func BenchmarkRegistry(b *testing.B) {
	ctx := context.Background()
	host, _ := realRegistry(b, b.TempDir(), "")
	s, err := OpenRegistry(addressScheme+host+"/team/shop", Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("push", func(b *testing.B) {
		for i := range b.N {
			if _, _, err := s.Push(ctx, "live", artifact(fmt.Sprint(i, b.N, time.Now()))); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unchanged push", func(b *testing.B) {
		for range b.N {
			if _, _, err := s.Push(ctx, "preview", artifact("same")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("the question alone", func(b *testing.B) {
		for range b.N {
			resp, err := http.Get("http://" + host + "/v2/team/shop/tags/list")
			if err != nil {
				b.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	})
}
