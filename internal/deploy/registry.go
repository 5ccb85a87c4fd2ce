package deploy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	ociregistry "oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

const (
	addressScheme = "oci://"
	maxTagPages   = 10_000
	maxTagPage    = 16 << 20 // bytes
	maxTags       = 1_000_000
	firstPause    = 250 * time.Millisecond
)

// registry is a repository of an OCI registry.
type registry struct {
	address  string
	host     string
	repo     *remote.Repository
	logins   *logins
	pauses   *pauses
	progress func(done, total int64)
}

func (r *registry) String() string { return r.address }

func newRegistry(address string, o Options) (*registry, error) {
	bad := func(format string, args ...any) (*registry, error) {
		return nil, fmt.Errorf("%q is no address of a registry: %s; write oci://host/repository", legible(address), fmt.Sprintf(format, args...))
	}
	rest, found := strings.CutPrefix(address, addressScheme)
	if !found {
		return bad("it does not begin with %s", addressScheme)
	}
	rest = strings.TrimSuffix(rest, "/")
	host, repository, found := strings.Cut(rest, "/")
	switch {
	case strings.Contains(host, "@"):
		// Not quoted: there may be a password in it.
		return nil, errors.New("the address of a registry holds no login: use \"docker login\", and write oci://host/repository")
	case host == "":
		return bad("it has no host")
	case !found || repository == "":
		return bad("it has no repository")
	case strings.ContainsAny(repository, ":@"):
		return bad("environments are tags, so it names neither a tag nor a digest")
	}
	ref := ociregistry.Reference{Registry: host, Repository: repository}
	if err := ref.ValidateRegistry(); err != nil {
		return bad("%q is no host", legible(host))
	}
	if err := ref.ValidateRepository(); err != nil {
		return bad("the repository %q may have lower-case letters, digits and ., _, -, / between them only", legible(repository))
	}
	clear := isLoopback(hostname(host))
	r := &registry{
		address:  addressScheme + rest,
		host:     host,
		logins:   &logins{},
		pauses:   &pauses{first: firstPause},
		progress: o.Progress,
	}
	client := &auth.Client{
		Client:     &http.Client{Transport: newTransport(newBaseTransport(), clear, r.pauses)},
		Cache:      auth.NewCache(),
		Credential: r.logins.find,
		ClientID:   "vatio",
	}
	agent := "vatio"
	if o.Version != "" {
		agent += "/" + o.Version
	}
	client.SetUserAgent(agent)
	r.repo = &remote.Repository{
		Client:           client,
		Reference:        ref,
		PlainHTTP:        clear,
		MaxMetadataBytes: maxTagPage,
		TagListMaxPages:  maxTagPages,
	}
	return r, nil
}

// hostname is a host without its port.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		return host[:i]
	}
	return host
}

// registryView is the repository as its tags were listed at one moment. What a
// tag names is asked when it is needed, and kept for an entry of the log, which
// never moves.
type registryView struct {
	*registry
	list []string

	mu   sync.Mutex
	kept map[string]*manifest
}

func (r *registry) look(ctx context.Context) (view, error) { return r.listed(ctx) }

func (r *registry) listed(ctx context.Context) (*registryView, error) {
	v := &registryView{registry: r, kept: map[string]*manifest{}}
	if err := v.refresh(ctx); err != nil {
		return nil, err
	}
	return v, nil
}

func (r *registry) change(ctx context.Context, fn func(transaction) error) error {
	v, err := r.listed(ctx)
	if err != nil {
		return err
	}
	return fn(v)
}

func (v *registryView) refresh(ctx context.Context) error {
	var list []string
	err := v.repo.Tags(ctx, "", func(page []string) error {
		if list = append(list, page...); len(list) > maxTags {
			return &answerError{fmt.Sprintf("it lists more than %d tags", maxTags)}
		}
		return nil
	})
	if err != nil && !v.isEmptyRepository(err) {
		return v.explain(ctx, "list the tags", err)
	}
	v.list = list
	return nil
}

func (v *registryView) tags() []string { return v.list }

func (v *registryView) manifest(ctx context.Context, ref string) (*manifest, error) {
	v.mu.Lock()
	kept := v.kept[ref]
	v.mu.Unlock()
	if kept != nil {
		return kept, nil
	}
	m, err := v.fetchManifest(ctx, ref)
	if err == nil {
		v.keep(ref, m)
	}
	return m, err
}

func (v *registryView) keep(ref string, m *manifest) {
	if _, entry := parseRecord(ref); !entry {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.kept[ref] = m
}

func (v *registryView) fetchManifest(ctx context.Context, ref string) (*manifest, error) {
	_, body, err := v.repo.Manifests().FetchReference(ctx, ref)
	if errors.Is(err, errdef.ErrNotFound) {
		return nil, &missingError{ref}
	}
	if err != nil {
		explained := v.explain(ctx, "read "+shown(ref), err)
		var resp *errcode.ErrorResponse
		if _, entry := parseRecord(ref); entry && errors.As(err, &resp) && resp.StatusCode == http.StatusInternalServerError {
			explained = fmt.Errorf("%w. If it stays so, the registry was stopped while it wrote this tag: remove the tag there", explained)
		}
		return nil, explained
	}
	defer func() { _ = body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(body, maxManifest+1))
	if err != nil {
		return nil, v.explain(ctx, "read "+shown(ref), err)
	}
	if len(raw) > maxManifest {
		return nil, &foreignError{fmt.Sprintf("its manifest is larger than %d bytes", maxManifest)}
	}
	// The digest in a header is what the registry claims.
	if checkDigest(ref) == nil && digest.FromBytes(raw).String() != ref {
		return nil, v.wrongContent(ref)
	}
	return parseManifest(raw)
}

func (v *registryView) wrongContent(ref string) error {
	return damaged("%s serves other content than %s for it: it is damaged there, or was changed on its way", v.host, shown(ref))
}

func (v *registryView) blob(ctx context.Context, desc ocispec.Descriptor) ([]byte, error) {
	ref := desc.Digest.String()
	body, err := v.repo.Blobs().Fetch(ctx, desc)
	if errors.Is(err, errdef.ErrNotFound) {
		return nil, &missingError{ref}
	}
	if err != nil {
		return nil, v.explain(ctx, "read "+shown(ref), err)
	}
	defer func() { _ = body.Close() }()
	var data bytes.Buffer
	n, err := io.Copy(&data, io.LimitReader(body, desc.Size+1))
	if err != nil {
		return nil, v.explain(ctx, "read "+shown(ref), err)
	}
	if n != desc.Size || digest.FromBytes(data.Bytes()) != desc.Digest {
		return nil, v.wrongContent(ref)
	}
	return data.Bytes(), nil
}

// check is left to the registry, which refuses a manifest whose blobs it lacks.
func (v *registryView) check(context.Context, *manifest) error { return nil }

func (v *registryView) put(ctx context.Context, blobs ...blob) error {
	var missing []blob
	var total int64
	for _, b := range blobs {
		there, err := v.repo.Blobs().Exists(ctx, b.desc)
		if err != nil {
			return v.explain(ctx, "look for "+shown(b.desc.Digest.String()), err)
		}
		if !there {
			missing = append(missing, b)
			total += b.desc.Size
		}
	}
	meter := &meter{total: total, report: v.progress}
	for _, b := range missing {
		if err := v.upload(ctx, b, meter); err != nil {
			return v.explain(ctx, "upload "+shown(b.desc.Digest.String()), err)
		}
		meter.finish(b.desc.Size)
	}
	return nil
}

// upload begins anew when the sending of the body fails; what else fails is
// tried again further down.
func (v *registryView) upload(ctx context.Context, b blob, meter *meter) error {
	sending := context.WithValue(ctx, uploadKey{}, meter.sent)
	for attempt := 1; ; attempt++ {
		err := v.repo.Blobs().Push(sending, b.desc, bytes.NewReader(b.data))
		var resp *errcode.ErrorResponse
		var sent *url.Error
		again := errors.As(err, &resp) && resp.Method == http.MethodPut && isPassing(resp.StatusCode) ||
			errors.As(err, &sent) && sent.Op == "Put" && isCut(sent)
		if !again || attempt == attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(v.pauses.first << (attempt - 1)):
		}
	}
}

func (v *registryView) tag(ctx context.Context, tag string, m *manifest) error {
	if err := v.repo.Manifests().PushReference(ctx, m.desc, bytes.NewReader(m.raw), tag); err != nil {
		return v.explain(ctx, fmt.Sprintf("write the tag %q", tag), err)
	}
	v.keep(tag, m)
	return nil
}

func (v *registryView) pointed(ctx context.Context, tag string) (string, error) {
	desc, err := v.repo.Manifests().Resolve(ctx, tag)
	if errors.Is(err, errdef.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", v.explain(ctx, "read "+shown(tag), err)
	}
	return desc.Digest.String(), nil
}

// shown is a tag or digest in a message.
func shown(ref string) string {
	if checkDigest(ref) == nil {
		return short(ref)
	}
	return fmt.Sprintf("%q", legible(ref))
}

// meter adds up uploads. An upload that begins anew does not count back.
type meter struct {
	mu          sync.Mutex
	done, total int64 // done of whole blobs
	shown       int64
	report      func(done, total int64)
}

func (m *meter) sent(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.show(m.done + n)
}

func (m *meter) finish(size int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += size
	m.show(m.done)
}

func (m *meter) show(done int64) {
	if m.report != nil && done > m.shown {
		m.shown = done
		m.report(done, m.total)
	}
}
