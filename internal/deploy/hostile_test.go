package deploy

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"
)

// impatient opens a registry whose retries are quick.
func impatient(t testing.TB, address string) *Store {
	t.Helper()
	r, err := newRegistry(address, Options{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	r.pauses.first = time.Millisecond
	return newStore(r, Options{Notice: func(s string) { t.Errorf("notice: %s", s) }})
}

// dockerLogin makes a Docker configuration of its own for the test.
func dockerLogin(t testing.TB, config string) (path string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	path = filepath.Join(dir, "config.json")
	if config != "" {
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func loginFor(host string) string {
	return fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, host, base64.StdEncoding.EncodeToString([]byte("ada:s3cret-password")))
}

func answer(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for key, value := range header {
			w.Header().Set(key, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestRefusals(t *testing.T) {
	says := func(code, message string) string {
		body, err := json.Marshal(map[string]any{"errors": []map[string]string{{"code": code, "message": message}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	basic := map[string]string{"WWW-Authenticate": `Basic realm="registry"`}
	html := map[string]string{"Content-Type": "text/html"}
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		login  bool
		want   string
		asked  int // how often
	}{
		{"401", answer(401, basic, says("UNAUTHORIZED", "authentication required")), false, `HOST wants a login: run "docker login HOST"`, 1},
		{"401 without a challenge", answer(401, nil, ""), false, `HOST wants a login: run "docker login HOST"`, 1},
		{"401 with a login", answer(401, basic, says("UNAUTHORIZED", "bad password")), true, `HOST refuses the login (401): run "docker login HOST" again; it says: bad password`, 2},
		{"403", answer(403, nil, says("DENIED", "requested access is denied\x1b[31m\nfake line")), false, `the login at HOST may not do this (403): ask for access to team/shop; it says: requested access is denied[31m fake line`, 1},
		{"404 of a web server", answer(404, html, "<html>not here</html>"), false, `HOST answers 404 where a registry would answer: is the address right?`, 1},
		{"404 without a code", answer(404, nil, `{"errors":[]}`), false, `HOST answers 404 where a registry would answer: is the address right?`, 1},
		{"429, a long wait", answer(429, map[string]string{"Retry-After": "120"}, says("TOOMANYREQUESTS", "")), false, `HOST limits how often it is asked (429): try again in 120 s; it says: toomanyrequests`, 1},
		{"429, a wait beyond reason", answer(429, map[string]string{"Retry-After": "99999999999999999999"}, ""), false, `HOST limits how often it is asked (429): try again later`, 4},
		{"429", answer(429, nil, "slow down"), false, `HOST limits how often it is asked (429): try again later`, 4},
		{"500", answer(500, nil, "boom"), false, `HOST has failed (500 Internal Server Error): try again later, or ask who runs it`, 4},
		{"503", answer(503, nil, says("UNAVAILABLE", "down")), false, `HOST has failed (503 Service Unavailable): try again later, or ask who runs it; it says: down`, 4},
		{"501", answer(501, nil, ""), false, `HOST has failed (501 Not Implemented): try again later, or ask who runs it`, 1},
		{"418", answer(418, nil, ""), false, `HOST answers 418 I'm a teapot`, 1},
		{"a page", answer(200, html, "<!doctype html><title>Sign in</title>"), false, `HOST answers with something that is not JSON: is it a registry?`, 1},
		{"nothing", answer(200, nil, ""), false, `HOST cut the connection: try again`, 1},
		{"JSON of another kind", answer(200, nil, `{"tags":{"a":1}}`), false, `HOST answers with something that is not JSON: is it a registry?`, 1},
		{"a cut connection", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, false, `HOST cut the connection: try again`, 4},
		{"a cut answer", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"tags":["live"`))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, false, `HOST cut the connection: try again`, 1},
		{"a circle", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, false, `HOST redirects in a circle`, 10},
		{"pages in a circle", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", `</v2/team/shop/tags/list>; rel="next"`)
			_, _ = w.Write([]byte(`{"tags":["a"]}`))
		}, false, `HOST lists its tags on more than 10000 pages`, 10000},
		{"pages elsewhere", answer(200, map[string]string{"Link": `<http://example.com/v2/team/shop/tags/list>; rel="next"`}, `{"tags":["a"]}`), false, `HOST continues its list of tags at another host, which is refused`, 1},
		{"a redirect in the clear", answer(302, map[string]string{"Location": "http://example.com/"}, ""), false, `it leads to http://example.com, and what is not loopback is reached over https only`, 1},
		{"a login elsewhere in the clear", answer(401, map[string]string{"WWW-Authenticate": `Bearer realm="http://example.com/token",service="x"`}, ""), true, `it leads to http://example.com, and what is not loopback is reached over https only`, 1},
		{"a login at an inner address", answer(401, map[string]string{"WWW-Authenticate": `Bearer realm="http://169.254.169.254/token",service="x"`}, ""), true, `HOST wants the login to go to an address that is refused`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newSmallRegistry(t)
			g.server.Config.ErrorLog = nil
			g.interfere(func(w http.ResponseWriter, r *http.Request) bool { test.answer(w, r); return true })
			if test.login {
				dockerLogin(t, loginFor(g.host()))
			} else {
				dockerLogin(t, "")
			}
			address := g.address("team/shop")
			var err error
			asked := len(g.since(func() { _, err = impatient(t, address).Environments(context.Background()) }))
			want := "cannot list the tags in " + address + ": " + strings.ReplaceAll(test.want, "HOST", g.host())
			if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(fmt.Sprint(err), "s3cret") {
				t.Error("the password is shown")
			}
			if asked != test.asked {
				t.Errorf("asked %d times, not %d", asked, test.asked)
			}
		})
	}
}

func TestConnectionsThatFail(t *testing.T) {
	dockerLogin(t, "")
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = nil
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	said := func(s *Store) string {
		_, err := s.Environments(context.Background())
		return fmt.Sprint(err)
	}
	overTLS := func(host string) *Store {
		r, err := newRegistry(addressScheme+host+"/team/shop", Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.repo.PlainHTTP = false
		return newStore(r, Options{})
	}
	plain := newSmallRegistry(t)
	for _, test := range []struct {
		store *Store
		want  string
	}{
		{overTLS(strings.TrimPrefix(secure.URL, "https://")), "the certificate of HOST is signed by an authority that this machine does not trust: add that authority to the system's certificates, or name its file in SSL_CERT_FILE"},
		{overTLS(plain.host()), "HOST does not speak TLS; plain http is for loopback only"},
		{impatient(t, addressScheme+closed+"/team/shop"), "nothing listens at HOST: is the registry running?"},
	} {
		host := strings.TrimSuffix(strings.TrimPrefix(test.store.String(), addressScheme), "/team/shop")
		want := "cannot list the tags in " + test.store.String() + ": " + strings.ReplaceAll(test.want, "HOST", host)
		if diff := cmp.Diff(want, said(test.store)); diff != "" {
			t.Error(diff)
		}
	}
	// Without a network a name cannot be looked up at all.
	got := said(impatient(t, "oci://registry.invalid/team/shop"))
	want := []string{
		`cannot list the tags in oci://registry.invalid/team/shop: there is no host "registry.invalid": check the address and the network`,
		`cannot list the tags in oci://registry.invalid/team/shop: the name of the host "registry.invalid" cannot be looked up: check the network`,
	}
	if !slices.Contains(want, got) {
		t.Error(got)
	}
}

func TestSilentRegistry(t *testing.T) {
	for name, silent := range map[string]http.HandlerFunc{
		"no answer": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"half an answer": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"tags":["li`))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newSmallRegistry(t)
			g.interfere(func(w http.ResponseWriter, r *http.Request) bool { silent(w, r); return true })
			r, err := newRegistry(g.address("team/shop"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			guarded := &guard{base: newBaseTransport(), clear: true, stall: 20 * time.Millisecond}
			r.repo.Client = &http.Client{Transport: guarded}
			_, err = newStore(r, Options{}).Environments(context.Background())
			want := fmt.Sprintf("cannot list the tags in %s: %s does not go on: it has been silent for 20ms", r, g.host())
			if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is served is not what was asked for.
func TestLies(t *testing.T) {
	ctx := context.Background()
	dockerLogin(t, "")
	d := deployed(t, artifact("a"))
	other, err := newManifest(artifact("b"))
	if err != nil {
		t.Fatal(err)
	}
	content := func(data []byte, claimed string) http.HandlerFunc {
		header := map[string]string{"Content-Type": "application/vnd.oci.image.manifest.v1+json"}
		if claimed != "" {
			header["Docker-Content-Digest"] = claimed
		}
		header["Content-Length"] = strconv.Itoa(len(data))
		return answer(200, header, string(data))
	}
	wrong := "HOST serves other content than %s for it: it is damaged there, or was changed on its way"
	cannot := "cannot read %s in ADDRESS: HOST serves other content than was asked for: it is damaged there, or was changed on its way"
	for _, test := range []struct {
		name, path string
		answer     http.HandlerFunc
		want       string
	}{
		{"another manifest", "/manifests/" + d.Digest, content(other.raw, ""), fmt.Sprintf(cannot, short(d.Digest))},
		{"another manifest under the right digest", "/manifests/" + d.Digest, content(other.raw, d.Digest), fmt.Sprintf(wrong, short(d.Digest))},
		{"another digest", "/manifests/" + d.Digest, content(other.raw, string(other.desc.Digest)), fmt.Sprintf(cannot, short(d.Digest))},
		{"no digest at all", "/manifests/" + d.Digest, content(other.raw, "sha256:x"), "cannot read " + short(d.Digest) + " in ADDRESS: HOST gives an answer that no registry gives: is the address right?"},
		{"an oversized manifest", "/manifests/" + d.Digest, content(bytes.Repeat([]byte(" "), maxManifest+1), d.Digest), short(d.Digest) + " in ADDRESS: this is no vatio deployment: its manifest is larger than 1048576 bytes"},
		{"an endless manifest", "/manifests/" + d.Digest, content(bytes.Repeat([]byte(" "), maxTagPage+1), ""), "cannot read " + short(d.Digest) + " in ADDRESS: HOST serves other content than was asked for: it is damaged there, or was changed on its way"},
		{"a page for a manifest", "/manifests/" + d.Digest, answer(200, map[string]string{"Content-Type": "text/html"}, "<html>"), fmt.Sprintf(cannot, short(d.Digest))},
		{"another layer", "/blobs/" + d.LayerDigest, answer(200, nil, "layer of b"), fmt.Sprintf(wrong, short(d.LayerDigest))},
		{"a longer layer", "/blobs/" + d.LayerDigest, answer(200, nil, "layer of a and more"), fmt.Sprintf(cannot, short(d.LayerDigest))},
		{"a layer without end", "/blobs/" + d.LayerDigest, func(w http.ResponseWriter, r *http.Request) {
			for range 1000 {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, fmt.Sprintf(wrong, short(d.LayerDigest))},
		{"a cut layer", "/blobs/" + d.LayerDigest, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("layer"))
			panic(http.ErrAbortHandler)
		}, "cannot read " + short(d.LayerDigest) + " in ADDRESS: HOST cut the connection: try again"},
		{"no layer", "/blobs/" + d.LayerDigest, answer(404, nil, `{"errors":[{"code":"BLOB_UNKNOWN"}]}`), "deployment " + short(d.Digest) + " in ADDRESS is incomplete: there is no \"" + d.LayerDigest + "\"; push it again"},
		{"no manifest", "/manifests/" + d.Digest, answer(404, nil, `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`), `no deployment "` + d.Digest + `" in ADDRESS: there is live`},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newSmallRegistry(t)
			s := impatient(t, g.address("team/shop"))
			mustPush(t, s, "live", artifact("a"))
			g.interfere(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, test.path) {
					return false
				}
				test.answer(w, r)
				return true
			})
			_, _, err := s.Fetch(ctx, d.Digest)
			want := strings.NewReplacer("HOST", g.host(), "ADDRESS", s.String()).Replace(test.want)
			if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestListThatLies(t *testing.T) {
	ctx := context.Background()
	dockerLogin(t, "")
	g := newSmallRegistry(t)
	s := impatient(t, g.address("team/shop"))
	a := mustPush(t, s, "live", artifact("a"))
	page := func(tags ...string) {
		g.interfere(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/tags/list") {
				return false
			}
			_, _ = fmt.Fprintf(w, `{"tags":["%s"]}`, strings.Join(tags, `","`))
			return true
		})
	}
	entry := layoutTags(t, s)[1]
	// Tags that are not there are none; tags of a strange kind are no environments.
	page("live", entry, "ghost", "live.9000000000000-push-000000000000-00000000", "../../etc", "LATEST", "", "v1.2")
	if environments, err := s.Environments(ctx); err != nil || !cmp.Equal(environments, []Environment{{"live", a}}) {
		t.Error(environments, err)
	}
	// Without the log there is the plain tag, and without that nothing.
	page("live")
	if current, err := s.Current(ctx, "live"); err != nil || current != a {
		t.Error(current, err)
	}
	page("other")
	if _, err := s.Current(ctx, "live"); !isUnknown(err) {
		t.Error(err)
	}
}

func TestNoCredentialGoesElsewhere(t *testing.T) {
	var mu sync.Mutex
	var leaked []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		leaked = append(leaked, r.Method+" "+r.URL.Path)
		for _, key := range []string{"Authorization", "Cookie"} {
			if value := r.Header.Get(key); value != "" {
				leaked = append(leaked, key+" "+value)
			}
		}
		if r.Header.Get("Authorization") == "" {
			// The nasty one: ask for the login here as well.
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer elsewhere.Close()
	for name, redirect := range map[string]struct {
		path string
		do   func(w http.ResponseWriter, r *http.Request)
		want string
	}{
		"the list": {"/tags/list", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/x", http.StatusTemporaryRedirect)
		}, `cannot list the tags in ADDRESS: HOST refuses the login (401): run "docker login HOST" again`},
		"a manifest": {"/manifests/", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/x", http.StatusFound)
		}, `TAG`},
		"an upload": {"/blobs/uploads/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", elsewhere.URL+"/upload")
			w.WriteHeader(http.StatusAccepted)
		}, "cannot upload CONFIG in ADDRESS: HOST wants the upload to go to another host or in the clear, which is refused"},
		"an upload, redirected": {"/blobs/uploads/", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/x", http.StatusPermanentRedirect)
		}, `cannot upload CONFIG in ADDRESS: HOST refuses the login (401): run "docker login HOST" again`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newSmallRegistry(t)
			dockerLogin(t, loginFor(g.host()))
			s := impatient(t, g.address("team/shop"))
			mustPush(t, s, "live", artifact("a"))
			authorized := 0
			g.interfere(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Header.Get("Authorization") == "" {
					w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
					w.WriteHeader(http.StatusUnauthorized)
					return true
				}
				authorized++
				if strings.Contains(r.URL.Path, redirect.path) {
					redirect.do(w, r)
					return true
				}
				return false
			})
			_, _, err := s.Push(context.Background(), "live", artifact("b"))
			want := strings.NewReplacer("HOST", g.host(), "ADDRESS", s.String(), "CONFIG", short(deployed(t, artifact("b")).ConfigDigest)).Replace(redirect.want)
			if want == "TAG" {
				if err == nil || !strings.HasPrefix(err.Error(), "cannot read \"live.") {
					t.Error(err)
				}
			} else if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
				t.Error(diff)
			}
			if authorized == 0 {
				t.Error("the login was never used")
			}
		})
	}
	for _, line := range leaked {
		if strings.HasPrefix(line, "Authorization") || strings.HasPrefix(line, "Cookie") {
			t.Errorf("sent elsewhere: %s", line)
		}
	}
}

// A registry that sends people to a token server, as most do.
func TestTokenServer(t *testing.T) {
	g := newSmallRegistry(t)
	dockerLogin(t, loginFor(g.host()))
	g.interfere(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/token":
			user, password, _ := r.BasicAuth()
			if user != "ada" || password != "s3cret-password" {
				g.fail(w, http.StatusUnauthorized, "UNAUTHORIZED", "no")
				return true
			}
			_, _ = fmt.Fprintf(w, `{"token":"t0ken %s"}`, r.URL.Query()["scope"])
			return true
		case r.Header.Get("User-Agent") != "vatio/1.2.3":
			t.Errorf("User-Agent %q", r.Header.Get("User-Agent"))
		case !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer t0ken "):
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="registry"`, g.server.URL))
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	})
	s := impatient(t, g.address("team/shop"))
	a := mustPush(t, s, "live", artifact("a"))
	if current, err := s.Current(context.Background(), "live"); err != nil || current != a {
		t.Error(current, err)
	}
	if _, layer, err := s.Fetch(context.Background(), a.Digest); err != nil || string(layer) != "layer of a" {
		t.Error(err)
	}
	dockerLogin(t, strings.ReplaceAll(loginFor(g.host()), base64.StdEncoding.EncodeToString([]byte("ada:s3cret-password")), base64.StdEncoding.EncodeToString([]byte("ada:another-password"))))
	_, err := impatient(t, g.address("team/shop")).Current(context.Background(), "live")
	want := fmt.Sprintf("cannot list the tags in %s: %s refuses the login (401): run \"docker login %s\" again; it says: no", s, g.host(), g.host())
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
}

func TestCredentialHelpers(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	helper := func(name, script string) {
		if err := os.WriteFile(filepath.Join(bin, "docker-credential-"+name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	helper("good", `read host; test "$1" = get && echo "{\"ServerURL\":\"$host\",\"Username\":\"ada\",\"Secret\":\"s3cret-password\"}"`)
	helper("none", `echo "credentials not found in native keychain"; exit 1`)
	helper("locked", `echo "the keychain is locked"; exit 1`)
	helper("dumb", `exit 3`)
	helper("chatty", `echo "Secret: s3cret-password"`)
	helper("leaky", `echo '{"Secret":"s3cret-password"'; exit 1`)
	g := newSmallRegistry(t)
	g.interfere(func(w http.ResponseWriter, r *http.Request) bool {
		if _, password, _ := r.BasicAuth(); password != "s3cret-password" {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	})
	named := func(helper string) string { return fmt.Sprintf(`{"credHelpers":{%q:%q}}`, g.host(), helper) }
	failed := func(helper, how string) string {
		return "the credential helper docker-credential-" + helper + ", which CONFIG names for HOST, failed: " + how
	}
	for name, test := range map[string]struct{ config, want string }{
		"none at all":        {"", `HOST wants a login: run "docker login HOST"`},
		"for another host":   {loginFor("example.com"), `HOST wants a login: run "docker login HOST"`},
		"a plain login":      {loginFor(g.host()), ""},
		"a helper":           {named("good"), ""},
		"a store":            {`{"credsStore":"good"}`, ""},
		"knows nothing":      {named("none"), `HOST wants a login: run "docker login HOST"`},
		"fails":              {named("locked"), failed("locked", "the keychain is locked")},
		"a store that fails": {`{"credsStore":"locked"}`, failed("locked", "the keychain is locked")},
		"fails silently":     {named("dumb"), failed("dumb", "exit status 3")},
		"is not installed":   {named("absent"), failed("absent", "it is not installed")},
		"says no JSON":       {named("chatty"), failed("chatty", "its answer is not JSON")},
		"fails with secret":  {named("leaky"), failed("leaky", "its answer is not what a helper says")},
		"not JSON":           {`{"auths": s3cret-password`, "cannot read Docker's configuration CONFIG to log in to HOST: it is not the JSON that Docker writes"},
		"not a login":        {fmt.Sprintf(`{"auths":{%q:{"auth":"!s3cret-password"}}}`, g.host()), `the login for HOST in CONFIG cannot be read: log in again with "docker login HOST"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := dockerLogin(t, test.config)
			s := impatient(t, g.address("team/shop"))
			_, err := s.Environments(context.Background())
			want := "<nil>"
			if test.want != "" {
				want = "cannot list the tags in " + s.String() + ": " + strings.NewReplacer("HOST", g.host(), "CONFIG", path).Replace(test.want)
			}
			if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The plain tag cannot be moved where tags are immutable; the log does not mind.
func TestImmutableTags(t *testing.T) {
	ctx := context.Background()
	dockerLogin(t, "")
	g := newSmallRegistry(t)
	g.interfere(func(w http.ResponseWriter, r *http.Request) bool {
		g.mu.Lock()
		_, there := g.tags[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]
		g.mu.Unlock()
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/manifests/") && there {
			g.fail(w, http.StatusConflict, "TAG_INVALID", "tags are immutable here")
			return true
		}
		return false
	})
	s := impatient(t, g.address("team/shop"))
	var notices []string
	s.notice = func(n string) { notices = append(notices, n) }
	mustPush(t, s, "live", artifact("a"))
	b := mustPush(t, s, "live", artifact("b"))
	if current, err := s.Current(ctx, "live"); err != nil || current != b {
		t.Error(current, err)
	}
	want := []string{fmt.Sprintf("%q is in place in %s, but its plain tag could not be moved: cannot write the tag %q in %s: %s answers 409 Conflict; it says: tags are immutable here", "live", s, "live", s, g.host())}
	if diff := cmp.Diff(want, notices); diff != "" {
		t.Error(diff)
	}
}

// A body that fails on its way is sent again from the start, in a new upload.
func TestUploadBeginsAnew(t *testing.T) {
	dockerLogin(t, "")
	for name, fail := range map[string]http.HandlerFunc{
		"500":   answer(500, nil, ""),
		"a cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newSmallRegistry(t)
			failures := 0
			g.interfere(func(w http.ResponseWriter, r *http.Request) bool {
				g.mu.Lock()
				again := r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/blobs/") && failures < 2
				if again {
					failures++
				}
				g.mu.Unlock()
				if again {
					fail(w, r)
				}
				return again
			})
			s := impatient(t, g.address("team/shop"))
			a := mustPush(t, s, "live", artifact("a"))
			if _, layer, err := s.Fetch(context.Background(), a.Digest); err != nil || digest.FromBytes(layer).String() != a.LayerDigest {
				t.Error(err)
			}
			if failures != 2 {
				t.Error(failures)
			}
		})
	}
}

func TestCancelledUpload(t *testing.T) {
	dockerLogin(t, "")
	g := newSmallRegistry(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g.interfere(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice
			cancel()
			<-r.Context().Done()
			return true
		}
		return false
	})
	s := impatient(t, g.address("team/shop"))
	if _, _, err := s.Push(ctx, "live", artifact("a")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "soon": 0, "99999999999": 0,
		"Sun, 01 Mar 2026 12:00:30 GMT": 30 * time.Second, "Sun, 01 Mar 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s", value, got)
		}
	}
}
