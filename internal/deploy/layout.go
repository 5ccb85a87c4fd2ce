package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/vatio-dev/vatio/internal/atomicfile"
)

const (
	lockFile    = ".lock"
	ingestDir   = "ingest" // blobs being written; the name other tools use too
	lockWait    = time.Minute
	lockPoll    = 3 * time.Millisecond
	maxIndex    = 128 << 20
	ingestGlob  = "vatio-*"
	layoutMode  = fs.FileMode(0o755)
	contentMode = fs.FileMode(0o644)
)

// layout is an OCI image layout. Writers hold a file lock from reading the index
// to replacing it. Readers take none, so that a layout can be read where nothing
// may be written: the index is replaced as a whole, after the blobs that it names
// are on disk, and blobs are never changed or removed.
type layout struct {
	dir      string
	progress func(done, total int64)
}

func (l *layout) String() string { return l.dir }

func (l *layout) path(parts ...string) string {
	return filepath.Join(append([]string{l.dir}, parts...)...)
}

func (l *layout) blobPath(d digest.Digest) string {
	return l.path(ocispec.ImageBlobsDir, d.Algorithm().String(), d.Encoded())
}

// layoutView is the layout as its index was at one moment.
type layoutView struct {
	*layout
	index ocispec.Index
	at    map[string]int // of a tag, its entry in the index
}

func (l *layout) look(ctx context.Context) (view, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.read()
}

// read reads the index. A layout that is not there, or whose making was
// interrupted, is empty.
func (l *layout) read() (*layoutView, error) {
	v := &layoutView{layout: l, at: map[string]int{}}
	v.index = ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2},
		MediaType: ocispec.MediaTypeImageIndex,
		Manifests: []ocispec.Descriptor{},
	}
	if l.isBlocked() {
		return nil, l.blocked()
	}
	marker, err := readFile(l.path(ocispec.ImageLayoutFile), maxManifest)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read %s: %w", l.path(ocispec.ImageLayoutFile), atomicfile.Reason(err))
	}
	if made {
		var version ocispec.ImageLayout
		if err := json.Unmarshal(marker, &version); err != nil {
			return nil, damaged("%s is damaged: %v", l.path(ocispec.ImageLayoutFile), err)
		}
		if version.Version != ocispec.ImageLayoutVersion {
			return nil, fmt.Errorf("%s says version %q of the OCI image layout; only %q is known", l.path(ocispec.ImageLayoutFile), legible(version.Version), ocispec.ImageLayoutVersion)
		}
	}
	path := l.path(ocispec.ImageIndexFile)
	data, err := readFile(path, maxIndex)
	switch {
	case errors.Is(err, fs.ErrNotExist) && made:
		return nil, damaged("%s is missing, although %s is there: put it back, or move %s away to start anew", path, ocispec.ImageLayoutFile, l.dir)
	case errors.Is(err, fs.ErrNotExist):
		return v, nil
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", path, atomicfile.Reason(err))
	}
	spoiled := func(format string, args ...any) error {
		return damaged("%s is damaged: %s; put it back, or move %s away to start anew", path, fmt.Sprintf(format, args...), l.dir)
	}
	if err := json.Unmarshal(data, &v.index); err != nil {
		return nil, spoiled("%v", err)
	}
	if v.index.SchemaVersion != 2 {
		return nil, spoiled("it says schemaVersion %d, not 2", v.index.SchemaVersion)
	}
	if !made && len(v.index.Manifests) > 0 {
		// The first push may have ended between the two looks.
		_, err := os.Stat(l.path(ocispec.ImageLayoutFile))
		made = err == nil
	}
	if !made && len(v.index.Manifests) > 0 {
		return nil, damaged("%s is missing, although %s is there: put it back, or move %s away to start anew", l.path(ocispec.ImageLayoutFile), ocispec.ImageIndexFile, l.dir)
	}
	for i, desc := range v.index.Manifests {
		tag := desc.Annotations[ocispec.AnnotationRefName]
		if tag == "" {
			continue
		}
		if checkDigest(desc.Digest.String()) != nil {
			return nil, spoiled("its entry %q has no sha256 digest", legible(tag))
		}
		v.at[tag] = i // the last one, as other tools read it
	}
	return v, nil
}

func (v *layoutView) tags() []string {
	tags := make([]string, 0, len(v.at))
	for i, desc := range v.index.Manifests {
		tag := desc.Annotations[ocispec.AnnotationRefName]
		if at, tagged := v.at[tag]; tagged && at == i {
			tags = append(tags, tag)
		}
	}
	return tags
}

func (v *layoutView) manifest(ctx context.Context, ref string) (*manifest, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	desc := ocispec.Descriptor{Digest: digest.Digest(ref), Size: -1}
	if i, tagged := v.at[ref]; tagged {
		desc = v.index.Manifests[i]
	} else if checkDigest(ref) != nil {
		return nil, &missingError{ref}
	}
	raw, err := v.readBlob(desc, maxManifest)
	if isMissing(err) && desc.Size >= 0 {
		return nil, &damagedError{
			text: fmt.Sprintf("%s is damaged: %q names %s, which is not there; put it back or push again", v.dir, legible(ref), v.blobPath(desc.Digest)),
			lost: true,
		}
	}
	if err != nil {
		return nil, err
	}
	return parseManifest(raw)
}

func (v *layoutView) blob(ctx context.Context, desc ocispec.Descriptor) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return v.readBlob(desc, max(maxConfig, maxLayer))
}

// readBlob reads a blob and verifies it; a negative size is not compared.
func (l *layout) readBlob(desc ocispec.Descriptor, most int64) ([]byte, error) {
	path := l.blobPath(desc.Digest)
	data, err := readFile(path, most)
	var big *bigError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &missingError{desc.Digest.String()}
	case errors.As(err, &big) && desc.Size < 0:
		return nil, &foreignError{"it is too large for a manifest"}
	case errors.As(err, &big):
		return nil, l.spoiled(path)
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", path, atomicfile.Reason(err))
	}
	if desc.Size >= 0 && int64(len(data)) != desc.Size || digest.FromBytes(data) != desc.Digest {
		return nil, l.spoiled(path)
	}
	return data, nil
}

func (l *layout) spoiled(path string) error {
	return damaged("%s is damaged: its content is not what its name says; remove it and push again", path)
}

func (v *layoutView) check(ctx context.Context, m *manifest) error {
	for _, desc := range []ocispec.Descriptor{m.config, m.layer} {
		if _, err := v.blob(ctx, desc); isMissing(err) {
			return damaged("deployment %s in %s is incomplete: %v; push it again", short(m.deployment.Digest), v, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// layoutChange is a change under the lock. The index is replaced at its end.
type layoutChange struct {
	*layoutView
	changed bool
	absent  bool // there is no directory yet, and nothing is locked
}

var errAbsent = errors.New("the layout has to be made first")

func (l *layout) change(ctx context.Context, fn func(transaction) error) error {
	// What fails on an empty store makes no directory.
	if _, err := os.Stat(l.dir); errors.Is(err, fs.ErrNotExist) {
		v, err := l.read()
		if err != nil {
			return err
		}
		if err := fn(&layoutChange{layoutView: v, absent: true}); !errors.Is(err, errAbsent) {
			return err
		}
	}
	release, err := l.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	v, err := l.read()
	if err != nil {
		return err
	}
	tx := &layoutChange{layoutView: v}
	if err := fn(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || !tx.changed {
		return err
	}
	return tx.commit()
}

func (l *layout) lock(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(l.dir, layoutMode); err != nil {
		return nil, l.unwritable(l.dir, err)
	}
	lock := flock.New(l.path(lockFile), flock.SetPermissions(contentMode))
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	_, err = lock.TryLockContext(waiting, lockPoll)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%s is locked: another push has been at work for %s; try again when it is done", l.dir, lockWait)
	case err != nil:
		return nil, l.unwritable(l.path(lockFile), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// isBlocked reports whether something stands where the directory should be.
func (l *layout) isBlocked() bool {
	if _, err := os.Lstat(l.dir); err != nil {
		return false
	}
	info, err := os.Stat(l.dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()
}

func (l *layout) blocked() error {
	return fmt.Errorf("%s is no directory: move away what is there, or make the directory that the link leads to", l.dir)
}

func (l *layout) unwritable(path string, err error) error {
	if l.isBlocked() {
		return l.blocked()
	}
	return fmt.Errorf("cannot write %s: %w; what was deployed before is unchanged", path, atomicfile.Reason(err))
}

// prepare makes what a layout consists of. The file that marks it comes last: a
// layout without it was interrupted while it was made.
func (tx *layoutChange) prepare() error {
	for _, dir := range []string{tx.path(ocispec.ImageBlobsDir, digest.SHA256.String()), tx.path(ingestDir)} {
		if err := os.MkdirAll(dir, layoutMode); err != nil {
			return tx.unwritable(dir, err)
		}
	}
	// Under the lock, what is left there is of killed writers.
	stale, _ := filepath.Glob(tx.path(ingestDir, ingestGlob))
	for _, path := range stale {
		_ = os.Remove(path)
	}
	atomicfile.RemoveStale(tx.path(ocispec.ImageIndexFile))
	if _, err := os.Stat(tx.path(ocispec.ImageLayoutFile)); err == nil {
		return nil
	}
	if err := tx.writeIndex(); err != nil {
		return err
	}
	marker, err := json.Marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion})
	if err != nil {
		return err
	}
	path := tx.path(ocispec.ImageLayoutFile)
	if err := atomicfile.Write(path, marker, contentMode); err != nil {
		return tx.unwritable(path, err)
	}
	for _, dir := range []string{tx.path(ocispec.ImageBlobsDir), tx.dir, filepath.Dir(tx.dir)} {
		if err := atomicfile.SyncDir(dir); err != nil {
			return tx.unwritable(dir, err)
		}
	}
	return nil
}

func (tx *layoutChange) refresh(ctx context.Context) error { return ctx.Err() }

func (tx *layoutChange) put(ctx context.Context, blobs ...blob) error {
	var missing []blob
	var total int64
	for _, b := range blobs {
		// Hashed anew: a blob that is damaged must not be taken for there.
		switch _, err := tx.blob(ctx, b.desc); {
		case isMissing(err):
			missing = append(missing, b)
			total += b.desc.Size
		case err != nil:
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if tx.absent {
		return errAbsent
	}
	if err := tx.prepare(); err != nil {
		return err
	}
	var done int64
	for _, b := range missing {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := tx.writeBlob(b); err != nil {
			return err
		}
		done += b.desc.Size
		if tx.progress != nil {
			tx.progress(done, total)
		}
	}
	return nil
}

func (tx *layoutChange) writeBlob(b blob) (err error) {
	path := tx.blobPath(b.desc.Digest)
	f, err := os.CreateTemp(tx.path(ingestDir), ingestGlob)
	if err != nil {
		return tx.unwritable(path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
			err = tx.unwritable(path, err)
		}
	}()
	if _, err := f.Write(b.data); err != nil {
		return err
	}
	if err := f.Chmod(contentMode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (tx *layoutChange) tag(ctx context.Context, tag string, m *manifest) error {
	if i, known := tx.at[tag]; known && tx.index.Manifests[i].Digest == m.desc.Digest {
		return nil
	}
	if err := tx.put(ctx, blob{m.desc, m.raw}); err != nil {
		return err
	}
	desc := m.desc
	desc.Annotations = map[string]string{ocispec.AnnotationRefName: tag}
	if i, known := tx.at[tag]; known {
		tx.index.Manifests[i] = desc
	} else {
		tx.at[tag] = len(tx.index.Manifests)
		tx.index.Manifests = append(tx.index.Manifests, desc)
	}
	tx.changed = true
	return nil
}

func (tx *layoutChange) pointed(_ context.Context, tag string) (string, error) {
	if i, known := tx.at[tag]; known {
		return tx.index.Manifests[i].Digest.String(), nil
	}
	return "", nil
}

// commit makes the blobs durable, then the index that names them.
func (tx *layoutChange) commit() error {
	if err := tx.prepare(); err != nil {
		return err
	}
	dir := tx.path(ocispec.ImageBlobsDir, digest.SHA256.String())
	if err := atomicfile.SyncDir(dir); err != nil {
		return tx.unwritable(dir, err)
	}
	return tx.writeIndex()
}

func (tx *layoutChange) writeIndex() error {
	data, err := json.Marshal(tx.index)
	if err != nil {
		return err
	}
	path := tx.path(ocispec.ImageIndexFile)
	if err := atomicfile.Write(path, data, contentMode); err != nil {
		return tx.unwritable(path, err)
	}
	return nil
}

// bigError says that a file is larger than it may be.
type bigError struct{ most int64 }

func (e *bigError) Error() string { return fmt.Sprintf("it is larger than %d bytes", e.most) }

func readFile(path string, most int64) ([]byte, error) {
	// Opening a named pipe would wait for its writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	if info.Size() > most {
		return nil, &bigError{most}
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	return data, nil
}
