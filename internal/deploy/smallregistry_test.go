package deploy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/opencontainers/go-digest"
)

// smallRegistry is as much of a registry as a deployment needs, in memory, with a
// place to misbehave. It pages its tags.
type smallRegistry struct {
	server *httptest.Server

	mu        sync.Mutex
	blobs     map[string][]byte
	manifests map[string][]byte // by digest
	tags      map[string]string // to digests
	page      int
	requests  []string
	// before answers a request itself when it returns true.
	before func(w http.ResponseWriter, r *http.Request) bool
}

func newSmallRegistry(t testing.TB) *smallRegistry {
	g := &smallRegistry{blobs: map[string][]byte{}, manifests: map[string][]byte{}, tags: map[string]string{}, page: 3}
	g.server = httptest.NewServer(g)
	t.Cleanup(g.server.Close)
	return g
}

func (g *smallRegistry) host() string { return strings.TrimPrefix(g.server.URL, "http://") }

func (g *smallRegistry) address(repository string) string {
	return addressScheme + g.host() + "/" + repository
}

func (g *smallRegistry) fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"errors":[{"code":%q,"message":%q}]}`, code, message)
}

func (g *smallRegistry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.requests = append(g.requests, r.Method+" "+r.URL.Path)
	before := g.before
	g.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	const repository = "/v2/team/shop/"
	path, found := strings.CutPrefix(r.URL.Path, repository)
	if !found {
		g.fail(w, http.StatusNotFound, "NAME_UNKNOWN", "repository name not known to registry")
		return
	}
	kind, ref, _ := strings.Cut(path, "/")
	switch {
	case path == "tags/list":
		g.list(w, r)
	case kind == "manifests" && r.Method == http.MethodPut:
		d := digest.FromBytes(body).String()
		g.manifests[d] = body
		if ref != d {
			g.tags[ref] = d
		}
		w.Header().Set("Docker-Content-Digest", d)
		w.WriteHeader(http.StatusCreated)
	case kind == "manifests":
		d := ref
		if to, tagged := g.tags[ref]; tagged {
			d = to
		}
		g.serve(w, r, g.manifests[d], "application/vnd.oci.image.manifest.v1+json", d)
	case path == "blobs/uploads/" && r.Method == http.MethodPost:
		w.Header().Set("Location", repository+"blobs/uploads/1")
		w.WriteHeader(http.StatusAccepted)
	case kind == "blobs" && r.Method == http.MethodPut:
		g.blobs[r.URL.Query().Get("digest")] = body
		w.WriteHeader(http.StatusCreated)
	case kind == "blobs":
		g.serve(w, r, g.blobs[ref], "application/octet-stream", ref)
	default:
		g.fail(w, http.StatusNotFound, "UNSUPPORTED", "no such thing")
	}
}

func (g *smallRegistry) serve(w http.ResponseWriter, r *http.Request, data []byte, mediaType, d string) {
	if data == nil {
		g.fail(w, http.StatusNotFound, "MANIFEST_UNKNOWN", "manifest unknown")
		return
	}
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Docker-Content-Digest", d)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data)
	}
}

func (g *smallRegistry) list(w http.ResponseWriter, r *http.Request) {
	if len(g.tags) == 0 {
		g.fail(w, http.StatusNotFound, "NAME_UNKNOWN", "repository name not known to registry")
		return
	}
	var tags []string
	for tag := range g.tags {
		if tag > r.URL.Query().Get("last") {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	if len(tags) > g.page {
		tags = tags[:g.page]
		w.Header().Set("Link", fmt.Sprintf(`</v2/team/shop/tags/list?last=%s>; rel="next"`, tags[g.page-1]))
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"name": "team/shop", "tags": tags})
}

// since returns the requests that came during fn.
func (g *smallRegistry) since(fn func()) []string {
	g.mu.Lock()
	from := len(g.requests)
	g.mu.Unlock()
	fn()
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.requests[from:])
}

func (g *smallRegistry) interfere(before func(w http.ResponseWriter, r *http.Request) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.before = before
}
