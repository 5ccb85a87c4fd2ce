// Package deploy keeps deployments of a workspace in an OCI image layout on disk
// or in an OCI registry, and says which of them each environment runs.
//
// A deployment is an OCI image manifest (see [Artifact]) and never changes. What
// an environment runs is written as a log of tags that are only ever added:
//
//	live.1764560000000-push-0123456789ab-1f2e3d4c
//	<env>.<when>-<what>-<first 12 digits of the digest>-<random>[-<which entry an undo takes back>]
//
// Registries cannot compare and swap, so of two writers that move one tag one is
// lost; two writers that add a tag each are not. <when> is the writer's clock in
// milliseconds, or one more than the newest entry it saw, so a clock that is
// behind cannot put a later write before an earlier one. Reading folds the
// entries in order: push and point put a deployment on top, undo takes away the
// entry that it names, so two rollbacks that saw the same state are one step back
// and a rollback never takes back a publish that it has not seen.
//
// The plain tag of an environment (live, preview) is moved after the log was
// written. It is there for people and other tools; where there is no log, as
// when another tool copied a deployment, it is believed, and becomes the log's
// first entry with the next push.
//
// Nothing is ever removed: neither entries nor blobs.
package deploy

import (
	"context"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Options are what a store needs of its surroundings. The zero value works.
type Options struct {
	// Version is vatio's own, sent as User-Agent vatio/<version>.
	Version string
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Progress is told the bytes uploaded and those that a push has to upload,
	// from one goroutine at a time. It is not called when nothing has to travel.
	Progress func(done, total int64)
	// Notice is told of what went wrong without making the operation fail: one
	// line, for people.
	Notice func(string)
}

// Store is a place for deployments. It is safe for concurrent use, within a
// process and across processes and machines, and holds nothing open.
type Store struct {
	backend backend
	now     func() time.Time
	notice  func(string)
}

func newStore(b backend, o Options) *Store {
	s := &Store{backend: b, now: o.Now, notice: o.Notice}
	if s.now == nil {
		s.now = time.Now
	}
	if s.notice == nil {
		s.notice = func(string) {}
	}
	return s
}

// OpenLayout returns the store in the OCI image layout at dir, which the first
// push creates. Nothing is read yet.
func OpenLayout(dir string, o Options) *Store {
	return newStore(&layout{dir: dir, progress: o.Progress}, o)
}

// OpenRegistry returns the store at oci://host[:port]/repository. The error is
// about the address; nothing is sent yet. Hosts that are not loopback are spoken
// to over TLS only. Logins are those of Docker's configuration and its
// credential helpers.
func OpenRegistry(address string, o Options) (*Store, error) {
	r, err := newRegistry(address, o)
	if err != nil {
		return nil, err
	}
	return newStore(r, o), nil
}

// String is where the store is, as a person wrote it.
func (s *Store) String() string { return s.backend.String() }

// backend is a place that keeps blobs, manifests and tags.
type backend interface {
	String() string
	// look lists the tags once. A store that does not exist yet is empty.
	look(ctx context.Context) (view, error)
	// change runs fn, which may add blobs and tags. On the layout all tags are
	// written together when fn returns nil, and others wait; on a registry each
	// is written at once and others do not wait.
	change(ctx context.Context, fn func(transaction) error) error
}

type view interface {
	tags() []string
	// manifest reads what a tag or a digest names, verified; *missingError when
	// there is none.
	manifest(ctx context.Context, ref string) (*manifest, error)
	// blob reads a blob, verified.
	blob(ctx context.Context, desc ocispec.Descriptor) ([]byte, error)
	// check fails if a blob of the manifest is known to be missing or damaged.
	check(ctx context.Context, m *manifest) error
}

type transaction interface {
	view
	// refresh lists the tags again.
	refresh(ctx context.Context) error
	// put stores the blobs that are missing.
	put(ctx context.Context, blobs ...blob) error
	// tag stores the manifest under a tag.
	tag(ctx context.Context, tag string, m *manifest) error
	// pointed is the digest behind a tag, "" when there is none.
	pointed(ctx context.Context, tag string) (string, error)
}

// blob is bytes on their way into a store.
type blob struct {
	desc ocispec.Descriptor
	data []byte
}
