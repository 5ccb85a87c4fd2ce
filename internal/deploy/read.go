package deploy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// requests is how many manifests are read at the same time.
const requests = 8

// Environment is an environment and what it runs.
type Environment struct {
	Name string
	Deployment
}

// Entry is a line of an environment's history.
type Entry struct {
	// Time is when it was written. Where another tool had set the tag, it is when
	// the deployment was made.
	Time time.Time
	// Action is "push", "publish" or "rollback".
	Action string
	// Deployment is what the environment ran from then on.
	Deployment Deployment
	// Current is set on the newest entry that put the deployment there which runs
	// now; Undone on those that a rollback took back.
	Current, Undone bool
}

// Environments lists what runs where, sorted by name. It costs one listing and a
// manifest for each.
func (s *Store) Environments(ctx context.Context) ([]Environment, error) {
	v, err := s.backend.look(ctx)
	if err != nil {
		return nil, err
	}
	l := readLogs(v.tags())
	names := l.names()
	found := make([]*manifest, len(names))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(requests)
	for i, name := range names {
		group.Go(func() error {
			m, logged, err := s.current(groupCtx, v, l, name)
			var foreign *foreignError
			if !logged && (errors.As(err, &foreign) || isUnknown(err)) {
				return nil // a tag that has nothing to do with vatio
			}
			found[i] = m
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var environments []Environment
	for i, m := range found {
		if m != nil {
			environments = append(environments, Environment{names[i], m.deployment})
		}
	}
	return environments, nil
}

// Current returns what env runs; *UnknownError when there is nothing.
func (s *Store) Current(ctx context.Context, env string) (Deployment, error) {
	if err := checkEnvironment(env); err != nil {
		return Deployment{}, err
	}
	v, err := s.backend.look(ctx)
	if err != nil {
		return Deployment{}, err
	}
	m, _, err := s.current(ctx, v, readLogs(v.tags()), env)
	if err != nil {
		return Deployment{}, err
	}
	return m.deployment, nil
}

// Newest returns the newest push over all environments that was not rolled back.
// *UnknownError when there is none.
func (s *Store) Newest(ctx context.Context) (Deployment, error) {
	v, err := s.backend.look(ctx)
	if err != nil {
		return Deployment{}, err
	}
	l := readLogs(v.tags())
	var pushes []record
	for _, list := range l.entries {
		_, undone := fold(list)
		for _, r := range list {
			if r.action == actionPush && r.nonce != adoptedNonce && !undone[r.place] {
				pushes = append(pushes, r)
			}
		}
	}
	slices.SortFunc(pushes, func(a, b record) int {
		return cmp.Or(b.compare(a.place), cmp.Compare(a.environment, b.environment))
	})
	for _, r := range pushes {
		m, err := s.recorded(ctx, v, r)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return Deployment{}, err
		}
		return m.deployment, nil
	}
	// Only other tools have written here: what was made last.
	environments, err := s.Environments(ctx)
	if err != nil {
		return Deployment{}, err
	}
	if len(environments) == 0 {
		return Deployment{}, fmt.Errorf("nothing has been pushed to %s yet", s)
	}
	return slices.MaxFunc(environments, func(a, b Environment) int { return a.Created.Compare(b.Created) }).Deployment, nil
}

// Resolve returns the deployment that an environment, a digest or the beginning
// of one (at least 4 digits, with or without "sha256:") names. A name that is
// both is the environment. *UnknownError and *AmbiguousError.
func (s *Store) Resolve(ctx context.Context, name string) (Deployment, error) {
	v, err := s.backend.look(ctx)
	if err != nil {
		return Deployment{}, err
	}
	l := readLogs(v.tags())
	if ValidEnvironment(name) && (l.entries[name] != nil || l.plain[name]) {
		m, _, err := s.current(ctx, v, l, name)
		if err != nil {
			return Deployment{}, err
		}
		return m.deployment, nil
	}
	m, err := s.byPrefix(ctx, v, l, name)
	if err != nil {
		return Deployment{}, err
	}
	return m.deployment, nil
}

// History lists what env ran, newest first; *UnknownError when there is nothing.
// It costs a manifest for each deployment in it.
func (s *Store) History(ctx context.Context, env string) ([]Entry, error) {
	if err := checkEnvironment(env); err != nil {
		return nil, err
	}
	v, err := s.backend.look(ctx)
	if err != nil {
		return nil, err
	}
	l := readLogs(v.tags())
	list := l.entries[env]
	if len(list) == 0 {
		m, _, err := s.current(ctx, v, l, env)
		if err != nil {
			return nil, err
		}
		return []Entry{{Time: m.deployment.Created, Action: "push", Deployment: m.deployment, Current: true}}, nil
	}
	found := make([]*manifest, len(list))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(requests)
	for i, r := range list {
		group.Go(func() error {
			m, err := s.recorded(groupCtx, v, r)
			if isMissing(err) {
				return nil
			}
			found[i] = m
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	manifests := map[place]*manifest{}
	var written []record
	for i, r := range list {
		if found[i] != nil {
			manifests[r.place] = found[i]
			written = append(written, r)
		}
	}
	steps, undone := fold(written)
	var newest place
	if len(steps) > 0 {
		head := steps[len(steps)-1]
		newest = head[len(head)-1].place
	}
	entries := make([]Entry, 0, len(written))
	for _, r := range slices.Backward(written) {
		e := Entry{
			Time:       time.UnixMilli(r.sequence).UTC(),
			Action:     map[string]string{actionPush: "push", actionPoint: "publish", actionUndo: "rollback"}[r.action],
			Deployment: manifests[r.place].deployment,
			Current:    r.place == newest,
			Undone:     undone[r.place],
		}
		if r.nonce == adoptedNonce {
			e.Time = e.Deployment.Created
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Fetch returns the blobs of the deployment with this whole digest, each verified
// against its digest.
func (s *Store) Fetch(ctx context.Context, digest string) (config, layer []byte, err error) {
	if err := checkDigest(digest); err != nil {
		return nil, nil, err
	}
	v, err := s.backend.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err := s.byDigest(ctx, v, readLogs(v.tags()), digest)
	if err != nil {
		return nil, nil, err
	}
	if config, err = v.blob(ctx, m.config); err != nil {
		return nil, nil, s.blobError(m, err)
	}
	if layer, err = v.blob(ctx, m.layer); err != nil {
		return nil, nil, s.blobError(m, err)
	}
	return config, layer, nil
}

func (s *Store) blobError(m *manifest, err error) error {
	if isMissing(err) {
		return damaged("deployment %s in %s is incomplete: %v; push it again", short(m.deployment.Digest), s, err)
	}
	return err
}

// current reads what env runs, and whether a log says so rather than a plain tag.
func (s *Store) current(ctx context.Context, v view, l logs, env string) (m *manifest, logged bool, err error) {
	_, ran, err := s.standing(ctx, v, l.entries[env], 1)
	if err != nil || len(ran) > 0 {
		return first(ran), true, err
	}
	if !l.plain[env] {
		return nil, false, s.unknown(env, l)
	}
	m, err = v.manifest(ctx, env)
	var foreign *foreignError
	switch {
	case isMissing(err):
		return nil, false, s.unknown(env, l)
	case errors.As(err, &foreign):
		return nil, false, fmt.Errorf("%q in %s: %w", env, s, foreign)
	}
	return m, false, err
}

func first(list []*manifest) *manifest {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// standing folds the entries of an environment and reads its last steps, newest
// first, as many as there are up to depth.
//
// A registry may list a tag while it is being written, and goes on listing it
// when it was killed meanwhile. Such a tag names nothing, and is no entry.
func (s *Store) standing(ctx context.Context, v view, list []record, depth int) ([]step, []*manifest, error) {
again:
	for {
		steps, _ := fold(list)
		depth := min(depth, len(steps))
		if depth == 0 {
			return nil, nil, nil
		}
		lowest := steps[len(steps)-depth][0]
		var ran []*manifest
		for i := range depth {
			r := steps[len(steps)-1-i][0]
			m, err := s.recorded(ctx, v, r)
			if isMissing(err) {
				list = without(list, r)
				continue again
			}
			if err != nil {
				return nil, nil, err
			}
			ran = append(ran, m)
		}
		for _, r := range list {
			if r.action != actionUndo || r.compare(lowest.place) < 0 {
				continue
			}
			if _, err := s.recorded(ctx, v, r); isMissing(err) {
				list = without(list, r)
				continue again
			} else if err != nil {
				return nil, nil, err
			}
		}
		return steps, ran, nil
	}
}

func without(list []record, r record) []record {
	return slices.DeleteFunc(slices.Clone(list), func(other record) bool { return other == r })
}

// recorded reads the manifest of an entry; *missingError when there is none.
func (s *Store) recorded(ctx context.Context, v view, r record) (*manifest, error) {
	m, err := v.manifest(ctx, r.tag())
	var foreign *foreignError
	if errors.As(err, &foreign) {
		return nil, damaged("the tag %q in %s was moved: %v", r.tag(), s, foreign)
	}
	if err != nil {
		return nil, err
	}
	if got := short(m.desc.Digest.String()); got != r.short {
		return nil, damaged("the tag %q in %s was moved: it names %s now", r.tag(), s, got)
	}
	return m, nil
}

func (s *Store) byDigest(ctx context.Context, v view, l logs, digest string) (*manifest, error) {
	m, err := v.manifest(ctx, digest)
	var foreign *foreignError
	switch {
	case isMissing(err):
		return nil, s.unknown(digest, l)
	case errors.As(err, &foreign):
		return nil, fmt.Errorf("%s in %s: %w", short(digest), s, foreign)
	}
	return m, err
}

// byPrefix finds the one deployment of the log, or behind a plain tag, whose
// digest begins so.
func (s *Store) byPrefix(ctx context.Context, v view, l logs, name string) (*manifest, error) {
	const fewest, whole = 4, 64
	prefix := strings.TrimPrefix(name, digestPrefix)
	if len(prefix) < fewest || len(prefix) > whole || !isHex(prefix, len(prefix)) {
		return nil, s.unknown(name, l)
	}
	if len(prefix) == whole {
		return s.byDigest(ctx, v, l, digestPrefix+prefix)
	}
	first := prefix[:min(len(prefix), shortDigest)]
	matches := map[string]*record{} // by short digest
	plain := map[string]*manifest{}
	for _, env := range l.names() {
		for i, r := range l.entries[env] {
			if strings.HasPrefix(r.short, first) {
				matches[r.short] = &l.entries[env][i]
			}
		}
		if len(l.entries[env]) > 0 {
			continue
		}
		m, _, err := s.current(ctx, v, l, env)
		var foreign *foreignError
		switch {
		case errors.As(err, &foreign) || isUnknown(err):
			continue
		case err != nil:
			return nil, err
		}
		if at := short(m.desc.Digest.String()); strings.HasPrefix(at, first) && matches[at] == nil {
			matches[at], plain[at] = nil, m
		}
	}
	switch len(matches) {
	case 0:
		return nil, s.unknown(name, l)
	case 1:
		for at, r := range matches {
			m := plain[at]
			if r != nil {
				var err error
				m, err = s.recorded(ctx, v, *r)
				if isMissing(err) {
					return nil, s.unknown(name, l)
				}
				if err != nil {
					return nil, err
				}
			}
			if !strings.HasPrefix(m.desc.Digest.Encoded(), prefix) {
				return nil, s.unknown(name, l)
			}
			return m, nil
		}
	}
	const most = 5
	var digests []string
	for at := range matches {
		digests = append(digests, at)
	}
	slices.Sort(digests)
	return nil, &AmbiguousError{prefix, digests[:min(len(digests), most)]}
}

func (s *Store) unknown(name string, l logs) error {
	return &UnknownError{name, s.String(), l.names()}
}

func isUnknown(err error) bool {
	var u *UnknownError
	return errors.As(err, &u)
}

func checkDigest(digest string) error {
	hex, found := strings.CutPrefix(digest, digestPrefix)
	if !found || !isHex(hex, 64) {
		return fmt.Errorf("%q is no digest: it is sha256: and 64 hexadecimal digits", legible(digest))
	}
	return nil
}
